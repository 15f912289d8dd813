"""Matches: every seating is played, over TCP or in this process, into a folder of logs and a ``result.json``.

A match can be continued at any time: the hands in its folder are kept, and only the missing ones are played.
"""

import contextlib
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from limpet.common.folders import holds_something, naming, require_writable
from limpet.configs.loading import ConfigError, Document
from limpet.dealer.matches.faults import FAULT_FILE, Fault, FaultFinder, GuardedProcess, MatchFailed, tail
from limpet.dealer.matches.inprocess import PlayRest, play_rest, play_seating_here
from limpet.dealer.matches.match_result import MatchResult, SeatingLog, match_result, seating_logs
from limpet.dealer.matches.matchconfig import (
    DEALER,
    GAME_FILE,
    External,
    Match,
    MatchConfig,
    PlayerLimits,
    Way,
    resolve,
    usual_design,
    why_not,
)
from limpet.dealer.table.files import read_json, write_json
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import Bot, load_bot

POLL_SECONDS = 0.05
GRACE_SECONDS = 10.0
"""Seconds that the dealer and the players have to end, once one of them has ended."""
FAILED_SECONDS = 3.0
"""Seconds that the dealer has to notice a player's failure. It never will if the player had not even connected."""

_DEALER = (sys.executable, "-c", "from limpet.bot.commands.playing.dealer import dealer; dealer()")
_PLAYER = (sys.executable, "-m", "limpet.bot")
HOST = "127.0.0.1"
ASKED = "-"
"""What `limpet play` takes for an address that it reads from standard input, once its strategy is loaded and compiled."""


def play_seating(
    match: Match, seating: Sequence[int], name: str, folder: Path, watch: Callable[[], None], one_core: bool = False
) -> list[dict[str, int]]:
    """Play one seating, or the rest of it if its transaction log is in `folder` already.

    `seating` is the player number at each seat, and `name` the name of its files. `watch` is called several times a
    second. Returns the counters that each player reports, by player number. With `one_core` the dealer and the bots' quick
    decisions share a core: only one of them works at a time, and to wake another core takes as long as to decide.

    Raises `MatchFailed`, with the fault in ``fault.json`` too. No process is left behind in any case.
    """
    (folder / FAULT_FILE).unlink(missing_ok=True)

    def start(player: int, port: int | None) -> GuardedProcess:
        command, home = player_command(match, player, folder / GAME_FILE, port)
        output = folder / f"{name}.{match.names[player]}"
        return _start(stack, command, home, output, match.config.limits, asks=port is None)

    with contextlib.ExitStack() as stack:
        dealer = _start(stack, _dealer_command(match, seating, name, folder), folder, folder / f"{name}.{DEALER}")
        # Bots load and compile while the dealer starts; programs of others take the port as an argument.
        early = {player: start(player, None) for player in seating if isinstance(match.players[player], Bot)}
        players: dict[int, GuardedProcess] = {}
        faults = FaultFinder(match, seating, name, folder, dealer, players)
        ports = _ports(dealer, len(seating), watch)
        if ports is None:
            raise _failed(faults.verdict(), folder)
        core = dealer.keep_on_its_core() if one_core else None
        for player, port in zip(seating, ports, strict=True):
            players[player] = early.get(player) or start(player, port)
            if player in early:
                players[player].tell(f"{HOST} {port}" if core is None else f"{HOST} {port} {core}")
        while dealer.returncode is None and not any(process.failed or process.gone for process in players.values()):
            time.sleep(POLL_SECONDS)
            watch()
            if (flood := faults.flood()) is not None:
                raise _failed(flood, folder)
        # One process has ended; at the end of a match the others follow at once, and so they do if a player has failed.
        failed = any(process.failed for process in players.values())
        status = dealer.wait(FAILED_SECONDS if failed else GRACE_SECONDS)
        watch()
        if status != 0:
            raise _failed(faults.verdict(), folder)
        for process in players.values():
            process.wait(GRACE_SECONDS)
        return [_report(players[player].out) for player in range(len(match.players))]


def _failed(fault: Fault, folder: Path) -> MatchFailed:
    note = ""
    try:
        write_json(folder / FAULT_FILE, fault)
    except OSError as error:  # a full disk, which may be why the seating ended
        note = f"\n{folder / FAULT_FILE} could not be written: {error.strerror}"
    return MatchFailed(f"{fault}{note}", fault)


def player_command(match: Match, player: int, game_file: Path, port: int | None) -> tuple[list[str], Path]:
    """Return the command that starts a player, and the folder to start it in. Without a port a bot asks for its address."""
    who = match.players[player]
    address = [ASKED] if port is None else [HOST, str(port)]
    if isinstance(who, External):
        return [*who.command, *address], who.folder
    on_file = load_bot(who.path)
    options = [] if on_file.game == who.game else ["--game", str(game_file.resolve())]
    if on_file.config.seed != who.config.seed:
        options += ["--seed", str(who.config.seed)]
    return [*_PLAYER, str(who.path.resolve()), *address, "--json", *options], Path.cwd()


def _dealer_command(match: Match, seating: Sequence[int], name: str, folder: Path) -> list[str]:
    config, names = match.config, [match.names[player] for player in seating]
    command = [*_DEALER, name, GAME_FILE, str(config.hands), str(config.seed), *names]
    command += ["-q", "-T", "-p", ",".join("0" * len(names)), *config.limits.dealer_options()]
    command += ["-f"] if config.fixed_button else []
    return command + (["-a"] if (folder / f"{name}.tlog").exists() else [])


def _start(
    stack: contextlib.ExitStack,
    command: Sequence[str],
    home: Path,
    output: Path,
    limits: PlayerLimits | None = None,
    asks: bool = False,
) -> GuardedProcess:
    try:
        process = GuardedProcess(command, home, output, limits, asks)
    except OSError as error:
        raise MatchFailed(f"cannot start {command[0]}: {error.strerror}") from error
    stack.callback(process.end)
    return process


def _ports(dealer: GuardedProcess, seats: int, watch: Callable[[], None]) -> list[int] | None:
    """Return the dealer's ports, one per seat, from the first line that it prints; None if it ends without one."""
    ended = False
    while not ended:
        ended = dealer.returncode is not None
        line, newline, _ = dealer.out.read_text(errors="replace").partition("\n")
        if newline:
            ports = line.split()
            if len(ports) == seats and all(port.isdigit() for port in ports):
                return [int(port) for port in ports]
            raise MatchFailed(f"the dealer printed {line!r}, not {seats} ports")
        time.sleep(POLL_SECONDS)
        watch()
    return None


def _report(output: Path) -> dict[str, int]:
    """Return the counters of the summary that ``limpet play --json`` prints last, none for other programs."""
    for line in reversed(tail(output)):
        with contextlib.suppress(ValueError, TypeError, AttributeError):
            summary = json.loads(line)
            counters = {**summary, **summary.pop("strategy", {})}.items()
            return {name: n for name, n in counters if isinstance(n, int) and name not in ("hands", "lost")}
    return {}


Watch = Callable[[Sequence[SeatingLog]], None]
"""Function that is called several times a second with the logs of the seatings begun so far."""

TERMS_FILE = "match.json"
MANY = 2_000
"""Number of hands of a match from which on tables play many at once. For fewer the engine is not worth compiling."""
COUNTERS_FILE = "counters.json"
"""The bots' counters of the seatings, and parts of seatings, that earlier runs of a match played."""


def play_match(
    players: Sequence[str | Path | Bot], hands: int = 3000, seed: int = 1, duplicate: bool = True,
    game: str | None = None, folder: Path | str | None = None, **settings: Any,
) -> MatchResult:  # fmt: skip
    """Play bots against each other in this process, and return who won how much, with intervals.

    Args:
        players: bots that ship by name, config files, or bots of `load_bot`; one for each seat of the game.
        hands: hands of each seating.
        seed: seed of the cards; the same seed deals the same cards.
        duplicate: play the same cards in every seating.
        game: a game that ships or a file; without it, the first bot's.
        folder: a new folder that keeps logs and ``result.json``; without it nothing is kept.
        settings: other fields of `MatchConfig`.

    Raises:
        ConfigError: for a number or a word that does not fit, for a bot that cannot play the game, and for a folder that holds
            something.
        MatchFailed: when a player's answer cannot be played.
    """
    listed = [players] if isinstance(players, str | Path | Bot) else players
    bots = [player if isinstance(player, Bot) else str(player) for player in listed]
    texts = [player.name if isinstance(player, Bot) else player for player in bots]
    terms = {"players": texts, "hands": hands, "seed": seed, "duplicate": duplicate, "game": game}
    config = Document.of({"name": "match"} | terms | settings, "match").decode(MatchConfig)
    if folder is not None and holds_something(Path(folder)):
        raise ConfigError(f"{folder} holds something already; name a new folder")
    match = resolve(config, Path("."), bots=bots)
    with nullcontext(folder) if folder is not None else TemporaryDirectory() as where:
        return run_match(match, Path(where), "in-process", False, lambda logs: None)


def run_match(
    match: Match, folder: Path, way: Literal["tcp", "in-process"], resume: bool, watch: Watch, one_core: bool = False
) -> MatchResult:
    """Play all seatings of `match` into `folder`, and write ``result.json`` there.

    With `resume`, a match that `folder` holds already is continued; without it that is an error. one_core: see
    `play_seating`; for a match beside which no other is played.

    Raises:
        ConfigError: for a folder with another match or with other bots of the same names, a player that cannot play, or
            a program in one process.
        MatchFailed: when a process ends early, and in one process when a player's answer cannot be played.
    """
    in_process = way == "in-process"
    require_bots(match, way)
    # Over TCP the players build their own agents; these show mistakes before anything is started.
    agents = _agents(match)
    _prepare(match, agents, way, folder, resume)
    play: PlayRest = _fastest(match, _warmed_up(agents)) if in_process else play_rest
    logs: list[SeatingLog] = []
    kept = folder / COUNTERS_FILE
    counted = read_json(kept) if kept.exists() else {}
    reports = [Counter[str](counted.get(name)) for name in match.names]
    played, sat, began = 0, False, time.perf_counter()
    try:
        for log, seating in zip(seating_logs(folder, match), match.seatings, strict=True):
            logs.append(log)
            log.update()
            before = log.played
            if not log.finished:

                def look(log: SeatingLog = log) -> None:
                    log.update()
                    watch(logs)

                if in_process:
                    if sat and match.config.restart:
                        _add_all(reports, map(counters, agents))
                        agents = _warmed_up(_agents(match))
                    sat = True
                    play_seating_here(match, seating, agents, log.path, look, play)
                else:
                    _add_all(reports, play_seating(match, seating, log.path.stem, folder, look, one_core))
                look()
            if log.played != match.config.hands or not log.finished:
                raise MatchFailed(f"{log.path}: {log.played} of {match.config.hands} hands; go on with --resume")
            played += log.played - before
    finally:
        if in_process:
            _add_all(reports, map(counters, agents))
        if any(reports):
            with suppress(OSError):  # what stopped the match is told instead
                write_json(kept, dict(zip(match.names, reports, strict=True)))
    seconds = time.perf_counter() - began
    if not played and (earlier := MatchResult.held(folder)) is not None:
        return earlier  # with the counters of the bots that played it
    result = match_result(match, logs, way, seconds, played, reports)
    result.write(folder)
    kept.unlink(missing_ok=True)
    return result


def require_bots(match: Match, way: Way) -> None:
    """Raise `ConfigError` for a program, unless the match is played over TCP."""
    for player in match.players:
        if isinstance(player, External) and (reason := why_not(way, player)):
            raise ConfigError(f"{reason}; leave --{way} out")


def _fastest(match: Match, agents: Sequence[Agent]) -> PlayRest:
    """Return what plays the match's hands in this process: the match engine where there are many hands and only tables."""
    if match.config.hands * len(match.seatings) >= MANY:
        from limpet.dealer.matches.table_hands import TableHands  # loads the compiler

        # Agents play where a player is no table, and do without card tables that are damaged.
        with suppress(ValueError, OSError):
            return TableHands(match, agents).play_rest
    return play_rest


def _agents(match: Match) -> list[Agent]:
    """Build the agents of the bots anew, in the order of the players."""
    return [Agent(player.build(), player.config.seed) for player in match.players if isinstance(player, Bot)]


def _warmed_up(agents: list[Agent]) -> list[Agent]:
    for agent in agents:
        agent.strategy.warm_up_seat()
    return agents


def _prepare(match: Match, agents: Sequence[Agent], way: Way, folder: Path, resume: bool) -> None:
    """Make the folder of a match, or check that it holds this one. `agents` are the bots'. Raises `ConfigError`."""
    strategies = (agent.strategy for agent in agents)
    bots = [player.fingerprint(next(strategies) if isinstance(player, Bot) else None) for player in match.players]
    # Matches of older versions did not write these terms, which could not be chosen.
    older = {"restart": False, "design": usual_design(len(match.players)) if match.config.duplicate else None}
    # A difference in seed or game, which are in the bots' fingerprints too, is named before one in the bots.
    if claim_folder(folder / TERMS_FILE, "match", _described(match, way), older, resume):
        begin_folder(folder, match, way, bots)
        return
    pairs = zip(match.names, fingerprints(folder) or bots, bots, strict=True)
    if changed := " and ".join(name for name, held, now in pairs if held != now):
        raise ConfigError(
            f"{folder / TERMS_FILE}: {changed} played this match with another config, strategy or command; "
            "delete its folder, or name another with --output"
        )


def begin_folder(folder: Path, match: Match, way: Way, bots: Sequence[str]) -> None:
    """Make the folder of a match, with its game and its terms: a reader knows who plays what before there is a log.

    bots: the players' fingerprints. Raises `OSError`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    game = folder / GAME_FILE
    with naming(game):
        game.write_text(str(match.game), encoding="utf-8")
    write_json(folder / TERMS_FILE, {**_described(match, way), "bots": bots})


def claim_folder(path: Path, kind: str, terms: dict[str, Any], older: dict[str, Any], resume: bool) -> bool:
    """Make the folder of the terms file `path`, or check that it holds the same `terms`. Returns whether it is new.

    `kind` is "match" or "tournament". `older` has the values of terms that earlier versions did not write down.

    Raises `ConfigError` for other terms, and where the folder holds something and `resume` is false, or holds nothing to
    resume.
    """
    folder = path.parent
    require_writable(folder)
    if not path.exists():
        if resume and not holds_something(folder):
            raise ConfigError(
                f"{folder} holds no {kind} to go on with; leave --resume out, or name its folder with --output"
            )
        folder.mkdir(parents=True, exist_ok=True)
        return True
    if not resume:
        raise ConfigError(f"{folder} holds a {kind}; --resume continues it, --output names another folder")
    held = {**older, **read_json(path)}
    for key, value in terms.items():
        if held.get(key) != value:
            difference = f"{path}: {key} is {held.get(key)!r} there and {value!r} now"
            raise ConfigError(f"{difference}; resume a {kind} with what it began with")
    return False


def _described(match: Match, way: Way) -> dict[str, Any]:
    """Return who plays what in a match, and how, as plain data."""
    # Folders of older versions hold truth values.
    in_process = {"tcp": False, "in-process": True}.get(way, way)
    seeds = [player.config.seed if isinstance(player, Bot) else None for player in match.players]
    return {
        "players": list(match.names),
        "seeds": seeds,
        **match.settings(),
        "game": str(match.game),
        "in_process": in_process,
    }


def fingerprints(folder: Path) -> list[str] | None:
    """Return the fingerprints of the players of the match in `folder`; None for an older version. Raises `ConfigError`."""
    path = folder / TERMS_FILE
    bots: list[str] | None = read_json(path).get("bots") if path.exists() else None
    return bots


def counters(agent: Agent, decisions: int = 0, misses: int = 0) -> dict[str, int]:
    """Return an agent's counters, with those of `decisions` that compiled code took for it."""
    return {"decisions": agent.decisions + decisions, "misses": agent.misses + misses, **agent.strategy.report()}


def _add_all(totals: Sequence[Counter[str]], reports: Iterable[dict[str, int]]) -> None:
    for total, report in zip(totals, reports, strict=True):
        total.update(report)
