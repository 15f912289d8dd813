"""Matches: every seating played, over TCP or in this process, into a folder of logs and a ``result.json``.

A match can be continued at any time: what its folder holds is kept, and only what is missing is played.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from limpet.configs.loading import ConfigError
from limpet.dealer.matches.inprocess import WrongAnswer, play_hands
from limpet.dealer.matches.match_processes import MatchFailed, play_seating
from limpet.dealer.matches.match_result import MatchResult, SeatingLog, summary
from limpet.dealer.matches.matchconfig import External, Match, Player
from limpet.dealer.matches.seatings import usual_design
from limpet.dealer.table.deals import Deals
from limpet.dealer.table.files import read_terms, write_terms
from limpet.dealer.table.score import MatchScore, hand_log_line
from limpet.protocol.matchlog import Header, read_log, whole_lines
from limpet.protocol.settlement import settle
from limpet.strategies.agent import Agent
from limpet.strategies.botconfig import Bot
from limpet.strategies.storage.folders import holds_something, naming
from limpet.strategies.strategy import Strategy

__all__ = ["MatchFailed", "Watch", "play_match"]

Watch = Callable[[Sequence[SeatingLog]], None]
"""Called several times a second with the logs of the seatings begun so far."""

GAME_FILE = "match.game"
TERMS_FILE = "match.json"
RESULT_FILE = "result.json"
CHUNK = 100  # hands between two looks at the log, in one process


def play_match(match: Match, folder: Path, in_process: bool, resume: bool, watch: Watch) -> MatchResult:
    """Play all seatings of `match` into `folder`, and write ``result.json`` there.

    With `resume`, a match that `folder` holds already is continued; without it that is an error.

    Raises:
        ConfigError: for a folder with another match or with other bots of the same names, a player that cannot play, or
            a program in one process.
        MatchFailed: when a process ends early, and in one process when a player answers what cannot be played.
    """
    if in_process and (programs := [p.name for p in match.players if isinstance(p, External)]):
        raise ConfigError(f"{programs[0]} is a program of its own and cannot be played in one process; leave that out")
    # Over TCP the players build their own; here it is to find mistakes before anything is started.
    agents = _agents(match)
    _prepare(match, _terms(match, agents, in_process), folder, resume)
    if in_process:
        _warm_up(agents)
    logs: list[SeatingLog] = []
    reports: list[dict[str, int]] = [{} for _ in match.players]
    played, sat, began = 0, False, time.perf_counter()
    for number, seating in enumerate(match.seatings, 1):
        name = f"seating-{number}"
        log = SeatingLog(folder / f"{name}.log", match.names, match.hands)
        logs.append(log)
        log.update()
        before = log.played
        if not log.finished:

            def look(log: SeatingLog = log) -> None:
                log.update()
                watch(logs)

            if in_process:
                if sat and match.restart:
                    _add_all(reports, map(_counters, agents))
                    agents = _agents(match)
                    _warm_up(agents)
                sat = True
                _play_here(match, seating, agents, name, folder, look)
            else:
                _add_all(reports, play_seating(match, seating, name, folder, GAME_FILE, look))
            look()
        if log.played != match.hands or not log.finished:
            raise MatchFailed(f"{log.path}: {log.played} of {match.hands} hands; go on with --resume")
        played += log.played - before
    seconds = time.perf_counter() - began
    if not played and (earlier := MatchResult.read(folder / RESULT_FILE)) is not None:
        return earlier  # with the counters of the bots that played it
    if in_process:
        _add_all(reports, map(_counters, agents))
    configs = [str(player.path) if isinstance(player, Bot) else _started(player) for player in match.players]
    result = summary(match, logs, configs, "in-process" if in_process else "tcp", seconds, played, reports)
    result.write(folder / RESULT_FILE)
    return result


def _agents(match: Match) -> list[Agent]:
    """Built anew, in the order of the players."""
    return [Agent(player.build(), player.config.seed) for player in match.players if isinstance(player, Bot)]


def _warm_up(agents: Sequence[Agent]) -> None:
    for agent in agents:
        agent.strategy.warm_up()


def _prepare(match: Match, terms: dict[str, Any], folder: Path, resume: bool) -> None:
    """Make the folder, or see that it holds this very match."""
    path = folder / TERMS_FILE
    if path.exists():
        if not resume:
            raise ConfigError(f"{folder} holds a match; --resume continues it, --output names another folder")
        held = {**_before(match), "bots": terms["bots"], **read_terms(path)}  # older matches do not say
        for key, value in terms.items():
            if held.get(key) != value:
                if key == "bots":
                    changed = (name for name, a, b in zip(match.names, held[key], value, strict=True) if a != b)
                    raise ConfigError(
                        f"{path}: {' and '.join(changed)} played this match with another config, strategy or command; "
                        "delete its folder, or name another with --output"
                    )
                raise ConfigError(
                    f"{path}: {key} is {held.get(key)!r} there and {value!r} now; resume a match with what it began with"
                )
        return
    if resume and not holds_something(folder):
        raise ConfigError(
            f"{folder} holds no match to go on with; leave --resume out, or name its folder with --output"
        )
    begin_folder(folder, match, terms)


def begin_folder(folder: Path, match: Match, terms: dict[str, Any]) -> None:
    """Make the folder of a match, with its game and the terms that it is played by. Raises `OSError`."""
    folder.mkdir(parents=True, exist_ok=True)
    game = folder / GAME_FILE
    with naming(game):
        game.write_text(str(match.game), encoding="utf-8")
    write_terms(folder / TERMS_FILE, terms)


def _before(match: Match) -> dict[str, Any]:
    """What was so in all matches before it could be chosen."""
    return {"restart": False, "design": usual_design(len(match.players)) if match.duplicate else None}


def _terms(match: Match, agents: Sequence[Agent], in_process: bool) -> dict[str, Any]:
    """What must be the same when a match is resumed. `agents`: as `_agents` gives them."""
    built = (agent.strategy for agent in agents)
    return {
        "players": list(match.names),
        "seeds": [player.config.seed if isinstance(player, Bot) else None for player in match.players],
        "hands": match.hands,
        "seed": match.seed,
        "duplicate": match.duplicate,
        "design": match.design,
        "fixed_button": match.fixed_button,
        "restart": match.restart,
        "in_process": in_process,
        "game": str(match.game),
        # Last, so that what else differs is named first: seed and game are in a fingerprint too.
        "bots": [fingerprint(player, next(built) if isinstance(player, Bot) else None) for player in match.players],
    }


def fingerprint(player: Player, strategy: Strategy | None = None) -> str:
    """Changes whenever a bot's config or a file that it plays by does, or a program's command.

    `strategy`: the bot's own, if it has been built; built here where that is None, which may raise `ConfigError`.
    """
    return player.fingerprint(strategy) if isinstance(player, Bot) else _started(player)


def fingerprints(folder: Path) -> list[str] | None:
    """Of the players of the match that `folder` holds, in their order; None where that was not written down.

    Raises `ConfigError`.
    """
    path = folder / TERMS_FILE
    bots: list[str] | None = read_terms(path).get("bots") if path.exists() else None
    return bots


def _started(program: External) -> str:
    return f"exec:{' '.join(program.command)}"


def _play_here(
    match: Match, seating: Sequence[int], agents: Sequence[Agent], name: str, folder: Path, look: Callable[[], None]
) -> None:
    """Play one seating in this process, or the rest of it, and write the log that the dealer would write."""
    names = [match.names[player] for player in seating]
    score = MatchScore(names, match.fixed_button)
    path = folder / f"{name}.log"
    # Each line is handed to the system at once: a killed process loses no hand.
    with naming(path), path.open("a+", buffering=1, encoding="utf-8", errors="surrogateescape", newline="\n") as log:
        log.seek(0)
        kept = whole_lines(log.read())
        log.truncate(len(kept.encode("utf-8", "surrogateescape")))
        if not kept:
            log.write(f"{Header(name, GAME_FILE, match.hands, match.seed)}\n")
        for hand in read_log(kept, match.game, str(path)).hands:
            score.add(settle(hand.state, hand.holes))  # the log rounds to six decimals
        deals = Deals(match.game, match.seed)
        deals.skip(score.hands)
        left = islice(deals, match.hands - score.hands)
        table = [agents[player] for player in seating]
        try:
            for played in play_hands(match.game, table, left, score.hands, match.fixed_button):
                line = hand_log_line(
                    played.number, played.state, played.holes, played.values, names, match.fixed_button
                )
                log.write(f"{line}\n")
                score.add(played.values)
                if score.hands % CHUNK == 0:
                    look()
        except WrongAnswer as error:
            raise MatchFailed(f"{names[error.seat]}: {error}") from error
        log.write(f"{score}\n")


def _counters(agent: Agent) -> dict[str, int]:
    return {"decisions": agent.decisions, "misses": agent.misses, **agent.strategy.report()}


def _add_all(totals: Sequence[dict[str, int]], reports: Iterable[dict[str, int]]) -> None:
    for total, report in zip(totals, reports, strict=True):
        for name, value in report.items():
            total[name] = total.get(name, 0) + value
