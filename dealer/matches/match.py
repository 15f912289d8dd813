"""Matches: every seating is played, over TCP or in this process, into a folder of logs and a ``result.json``.

A match can be continued at any time: the hands in its folder are kept, and only the missing ones are played.
"""

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing, nullcontext, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from limpet.common.folders import holds_something, naming, require_writable
from limpet.configs.loading import ConfigError, Document
from limpet.dealer.matches.faults import MatchFailed
from limpet.dealer.matches.inprocess import PlayRest, play_rest, play_seating_here
from limpet.dealer.matches.match_result import MatchResult, SeatingLog, Watch, match_result, seating_logs
from limpet.dealer.matches.matchconfig import (
    GAME_FILE,
    External,
    Match,
    MatchConfig,
    Way,
    resolve,
    usual_design,
    why_not,
)
from limpet.dealer.matches.over_tcp import play_seatings
from limpet.dealer.table.files import read_json, write_json
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import Bot

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
    match: Match, folder: Path, way: Literal["tcp", "in-process"], resume: bool, watch: Watch, one_core: bool = False,
    jobs: int = 1,
) -> MatchResult:  # fmt: skip
    """Play all seatings of `match` into `folder`, and write ``result.json`` there.

    With `resume`, a match that `folder` holds already is continued; without it that is an error. one_core: see
    `play_seatings`; for a match beside which no other is played. jobs: seatings at a time, over TCP.

    Raises:
        ConfigError: for a folder with another match or with other bots of the same names, a player that cannot play, or
            a program in one process.
        MatchFailed: when a process ends early, and in one process when a player's answer cannot be played.
    """
    require_bots(match, way)
    # Over TCP the players build their own agents; these show mistakes before anything is started.
    agents = _agents(match)
    _prepare(match, agents, way, folder, resume)
    play: PlayRest = _fastest(match, _warmed_up(agents)) if way == "in-process" else play_rest
    logs = seating_logs(folder, match)
    for log in logs:
        log.update()
    kept = folder / COUNTERS_FILE
    reports = [Counter[str](read_json(kept).get(name) if kept.exists() else ()) for name in match.names]
    before, began = sum(log.played for log in logs), time.perf_counter()

    try:
        if way == "in-process":
            _play_seatings_here(match, logs, agents, play, watch, reports)
        else:
            with closing(play_seatings(match, folder, logs, jobs, one_core, watch)) as ended:
                for log, counted in ended:
                    _add_all(reports, counted)
                    _require_whole(match, log)
    finally:
        if any(reports):
            with suppress(OSError):  # what stopped the match is told instead
                write_json(kept, dict(zip(match.names, reports, strict=True)))
    seconds, played = time.perf_counter() - began, sum(log.played for log in logs) - before
    if not played and (earlier := MatchResult.held(folder)) is not None:
        return earlier  # with the counters of the bots that played it
    result = match_result(match, logs, way, seconds, played, reports)
    result.write(folder)
    kept.unlink(missing_ok=True)
    return result


def _play_seatings_here(
    match: Match, logs: Sequence[SeatingLog], agents: list[Agent], play: PlayRest, watch: Watch,
    reports: Sequence[Counter[str]],
) -> None:  # fmt: skip
    """Play the seatings whose logs are not finished in this process, one after the other, and count in `reports`."""
    left = [number for number, log in enumerate(logs) if not log.finished]
    try:
        for number in left:
            log = logs[number]

            def look(log: SeatingLog = log, begun: int = number + 1) -> None:
                log.update()
                watch(logs[:begun])

            if number != left[0] and match.config.restart:
                _add_all(reports, map(counters, agents))
                agents = _warmed_up(_agents(match))
            play_seating_here(match, match.seatings[number], agents, log.path, look, play)
            look()
            _require_whole(match, log)
    finally:
        _add_all(reports, map(counters, agents))


def _require_whole(match: Match, log: SeatingLog) -> None:
    """Raise `MatchFailed` for the log of a seating that has ended without its last hand."""
    if log.played != match.config.hands or not log.finished:
        raise MatchFailed(f"{log.path}: {log.played} of {match.config.hands} hands; go on with --resume")


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
