"""Matches of tabular strategies in compiled code: the hands, the results and, where wanted, the logs of any other match."""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.configs.loading import ConfigError
from limpet.dealer.matches.inprocess import PlayedHand, play_hands
from limpet.dealer.matches.match import GAME_FILE, RESULT_FILE, TERMS_FILE, Watch, begin_folder, fingerprint
from limpet.dealer.matches.match_result import MatchResult, SeatingLog, summary
from limpet.dealer.matches.matchconfig import Match
from limpet.dealer.table.deal_arrays import DealArrays
from limpet.dealer.table.deals import Deal
from limpet.dealer.table.score import MatchScore, hand_log_line
from limpet.dealer.table.seating import by_position
from limpet.protocol.matchlog import Header
from limpet.strategies.agent import Agent
from limpet.strategies.botconfig import Bot
from limpet.strategies.engine.compiled import engine_seats
from limpet.strategies.engine.dealt_buckets import Dealt
from limpet.strategies.engine.match_engine import MatchEngine, Played, Table
from limpet.strategies.engine.match_seat import EngineSeat
from limpet.strategies.storage.folders import data_folder, naming

HOW = "compiled"
LARGEST_CHUNK = 1 << 14  # deals on the table at once; results do not depend on it
SMALLEST_CHUNK = 1 << 10
LOOKS = 8  # chunks of a match in between, so that its progress is seen
LOGGED = 100_000
"""Hands up to which logs are written unasked: a few seconds' work."""
DECIMALS = 6  # of chips in a log, which is where other matches take their results from


class _Group(NamedTuple):
    """Hands of a chunk in which the same players hold the same positions."""

    players: tuple[int, ...]
    """By position."""
    rows: NDArray[np.int64]
    """Which of the chunk's deals."""
    numbers: NDArray[np.int64]
    """Of the hands in the match."""


class CompiledMatch:
    """A match that is ready to be played in compiled code.

    `progress(done, total)` is called while card tables are built, here; results do not depend on the `threads`.

    Raises `ConfigError` for a folder that holds a match, and for a player that is no table.
    """

    def __init__(
        self, match: Match, folder: Path, threads: int = 1, progress: Callable[[int, int], None] | None = None
    ) -> None:
        self.match = match
        self.folder = folder
        self._bots = _bots(match)
        _refuse_used(folder)
        self._agents = [Agent(bot.build(), bot.config.seed) for bot in self._bots]
        seats = [_seats(bot, agent) for bot, agent in zip(self._bots, self._agents, strict=True)]
        seeds = [agent.seed for agent in self._agents]
        tables = data_folder() / "tables"
        self._engine = MatchEngine(match.game, seats, seeds, match.hands, tables, threads, progress)

    @property
    def builds_from(self) -> int:
        """For how many hands a seating card tables would be built that this match goes without; 0 where it has all."""
        return self._engine.builds_from

    def play(self, watch: Watch, logged: bool | None = None) -> MatchResult:
        """Play all seatings, every hand as it would be played over TCP. Writes ``result.json`` into the folder, and the
        logs of the seatings if `logged` (None: up to 100,000 hands).

        `watch` is called with the logs, written or not, as hands are played.
        """
        match, folder = self.match, self.folder
        bots = [fingerprint(bot, agent.strategy) for bot, agent in zip(self._bots, self._agents, strict=True)]
        _make(folder, match, bots)
        paths = [folder / f"seating-{number}.log" for number in range(1, len(match.seatings) + 1)]
        logs = [SeatingLog(path, match.names, match.hands) for path in paths]
        if logged is None:
            logged = match.hands * len(logs) <= LOGGED
        writers = [_Writer(match, seating, path) for seating, path in zip(match.seatings, paths, strict=True) if logged]
        counters = np.zeros((len(self._bots), 2), np.int64)
        deals = DealArrays(match.game, match.seed)
        chunk = min(max(match.hands // LOOKS, SMALLEST_CHUNK), LARGEST_CHUNK)
        began = time.perf_counter()
        for start in range(0, match.hands, chunk):
            count = min(chunk, match.hands - start)
            dealt = Dealt(*deals.take(count))
            table = self._engine.table(dealt)
            for number, log in enumerate(logs):
                hands: dict[int, PlayedHand] = {}
                for group in _groups(match, match.seatings[number], start, count):
                    played = self._play(group, table, match.seatings[number], hands)
                    for position, player in enumerate(group.players):
                        log.values[player, group.numbers] = np.round(played.net[:, position], DECIMALS)
                        counters[player] += (played.decisions[position], played.misses[position])
                    if logged:
                        hands |= _told(group, played, dealt)
                log.played = start + count
                if logged:
                    writers[number].write(hands[at] for at in range(start, start + count))
            watch(logs)
        seconds = time.perf_counter() - began
        for writer in writers:
            writer.finish()
        configs = [str(bot.path) for bot in self._bots]
        reports = [_report(agent, *counted) for agent, counted in zip(self._agents, counters.tolist(), strict=True)]
        result = summary(match, logs, configs, HOW, seconds, match.hands * len(logs), reports)
        if not logged:
            seatings = tuple(msgspec.structs.replace(seating, log="") for seating in result.seatings)
            result = msgspec.structs.replace(result, seatings=seatings)
        result.write(folder / RESULT_FILE)
        return result

    def _play(self, group: _Group, table: Table, seating: Sequence[int], hands: dict[int, PlayedHand]) -> Played:
        """Play a group. Those hands that no table answers are played by the agents, and kept in `hands` by number."""
        played = self._engine.play(group.players, table, group.rows, group.numbers)
        at_table = [self._agents[player] for player in seating]
        for at in np.flatnonzero(played.outside).tolist():
            deal, number = _deal(table.dealt, int(group.rows[at])), int(group.numbers[at])
            (hand,) = play_hands(self.match.game, at_table, [deal], number, self.match.fixed_button)
            hands[number] = hand
            played.net[at] = hand.values
        return played


def _bots(match: Match) -> list[Bot]:
    bots = [player for player in match.players if isinstance(player, Bot)]
    if len(bots) < len(match.players):
        program = next(player for player in match.players if not isinstance(player, Bot))
        raise ConfigError(
            f"{program.name} is a program of its own and cannot be played in compiled code; leave --compiled out"
        )
    return bots


def _seats(bot: Bot, agent: Agent) -> Sequence[EngineSeat]:
    try:
        return engine_seats(agent.strategy)
    except ValueError as error:
        raise ConfigError(f"{bot.path}: {bot.name}: {error}; --in-process plays any bot") from error


def _refuse_used(folder: Path) -> None:
    if (folder / TERMS_FILE).exists():
        raise ConfigError(f"{folder} holds a match; --output names another folder")


def _make(folder: Path, match: Match, bots: Sequence[str]) -> None:
    """Make the folder of a match of these fingerprints: played in one go, it cannot be resumed, only played again."""
    begin_folder(folder, match, {"in_process": HOW, "bots": bots})


def _groups(match: Match, seating: Sequence[int], start: int, count: int) -> Iterator[_Group]:
    """The hands `start` to `start + count` of a seating."""
    step = 1 if match.fixed_button else match.game.num_players
    for first in range(min(step, count)):
        rows = np.arange(first, count, step)
        yield _Group(by_position(seating, start + first, match.fixed_button), rows, start + rows)


def _deal(dealt: Dealt, row: int) -> Deal:
    return Deal(tuple(map(tuple, dealt.holes[row].tolist())), tuple(dealt.board[row].tolist()))


def _told(group: _Group, played: Played, dealt: Dealt) -> dict[int, PlayedHand]:
    """The hands that the engine played, by number."""
    hands = {}
    for at in np.flatnonzero(~played.outside).tolist():
        holes, board = _deal(dealt, int(group.rows[at]))
        state = played.tree.states[played.node[at]].with_board(board)
        number = int(group.numbers[at])
        hands[number] = PlayedHand(number, state, holes, tuple(played.net[at].tolist()))
    return hands


def _report(agent: Agent, decisions: int, misses: int) -> dict[str, int]:
    """The counters of a match in one process: those of the engine, and of the hands that the agent played itself."""
    counters = {"decisions": agent.decisions + decisions, "misses": agent.misses + misses}
    return counters | agent.strategy.report()


class _Writer:
    """The log of one seating, as the dealer writes it."""

    def __init__(self, match: Match, seating: Sequence[int], path: Path) -> None:
        self._names = [match.names[player] for player in seating]
        self._fixed = match.fixed_button
        self._score = MatchScore(self._names, match.fixed_button)
        self._path = path
        with naming(self._path), self._open("w") as log:
            log.write(f"{Header(path.stem, GAME_FILE, match.hands, match.seed)}\n")

    def write(self, hands: Iterator[PlayedHand]) -> None:
        """Add the next hands, in order."""
        with naming(self._path), self._open("a") as log:
            for hand in hands:
                line = hand_log_line(hand.number, hand.state, hand.holes, hand.values, self._names, self._fixed)
                log.write(f"{line}\n")
                self._score.add(hand.values)

    def finish(self) -> None:
        with naming(self._path), self._open("a") as log:
            log.write(f"{self._score}\n")

    def _open(self, mode: str) -> IO[str]:
        return self._path.open(mode, encoding="utf-8", errors="surrogateescape", newline="\n")
