"""Matches of tabular strategies in compiled code: hands, results and optional logs are those of any other match."""

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.configs.loading import ConfigError
from limpet.dealer.matches.inprocess import PlayedHand, play_hands
from limpet.dealer.matches.match import (
    GAME_FILE,
    RESULT_FILE,
    TERMS_FILE,
    Watch,
    begin_folder,
    counters,
    fingerprint,
    require_bots,
)
from limpet.dealer.matches.match_result import MatchResult, SeatingLog, log_paths, match_result
from limpet.dealer.matches.matchconfig import Match
from limpet.dealer.matches.ways import Way
from limpet.dealer.table.deals import Deal, Deals
from limpet.dealer.table.files import json_text
from limpet.dealer.table.score import MatchScore
from limpet.dealer.table.seating import by_position
from limpet.protocol.matchlog import Header
from limpet.strategies.agent import Agent
from limpet.strategies.blueprint.seat import Seated
from limpet.strategies.botconfig import Bot
from limpet.strategies.engine.dealt_buckets import Dealt
from limpet.strategies.engine.match_engine import MatchEngine, Played, Table
from limpet.strategies.engine.seats import engine_seats
from limpet.strategies.storage.folders import data_folder, naming, replace_file
from limpet.strategies.workers.progress import Report, silent

WAY: Way = "compiled"
SMALLEST_CHUNK, LARGEST_CHUNK = 1 << 10, 1 << 14
"""Number of deals that are played at once, at least and at most. Results do not depend on it."""
CHUNKS = 8
"""Number of chunks of a match of middle length, so that its progress is seen."""
LOGGED = 100_000
"""Number of hands up to which logs are written by default: a few seconds' work."""
DECIMALS = 6
"""Decimals of chips in a log, from which other matches take their results."""


class _Group(NamedTuple):
    """Hands of a chunk in which the same players hold the same positions."""

    players: tuple[int, ...]
    """Player number at each position."""
    rows: NDArray[np.int64]
    """`[hand]`: number of the deal in the chunk."""
    numbers: NDArray[np.int64]
    """`[hand]`: number of the hand in the match."""


class CompiledMatch:
    """A match that is ready to be played in compiled code.

    `progress(done, total)` is called while card tables are built, which happens here. Results do not depend on the
    number of `threads`.

    Raises `ConfigError` for a folder that holds a match, and for a player that is no table.
    """

    def __init__(self, match: Match, folder: Path, threads: int = 1, progress: Report = silent) -> None:
        self.match = match
        self.folder = folder
        self.logs: list[SeatingLog] = []
        """The hands of each seating once they are played, whether or not log files were written."""
        require_bots(match, WAY)
        self._bots = [player for player in match.players if isinstance(player, Bot)]
        if (folder / TERMS_FILE).exists():
            raise ConfigError(f"{folder} holds a match; --output names another folder")
        self._agents = [Agent(bot.build(), bot.config.seed) for bot in self._bots]
        seats = [_seats(bot, agent) for bot, agent in zip(self._bots, self._agents, strict=True)]
        seeds = [agent.seed for agent in self._agents]
        tables = data_folder() / "tables"
        self._engine = MatchEngine(match.game, seats, seeds, match.hands, tables, threads, progress)

    @property
    def builds_from(self) -> int:
        """Number of hands a seating from which missing card tables would be built; 0 where none are missing."""
        return self._engine.builds_from

    def play(self, watch: Watch, logged: bool | None = None) -> MatchResult:
        """Play all seatings, every hand as it would be played over TCP.

        Writes ``result.json`` into the folder, and the logs of the seatings if `logged` (None: up to 100,000 hands).
        `watch` is called with the logs, written or not, as hands are played.
        """
        match, folder = self.match, self.folder
        bots = [fingerprint(bot, agent.strategy) for bot, agent in zip(self._bots, self._agents, strict=True)]
        # Played in one go, the match cannot be resumed, only played again.
        begin_folder(folder, match, {"in_process": WAY, "bots": bots})
        paths = log_paths(folder, match)
        self.logs = logs = [SeatingLog(path, match.names, match.hands) for path in paths]
        if logged is None:
            logged = match.hands * len(logs) <= LOGGED
        scores = [
            MatchScore([match.names[player] for player in seating], match.fixed_button) for seating in match.seatings
        ]
        if logged:
            for path in paths:
                replace_file(path, f"{Header(path.stem, GAME_FILE, match.hands, match.seed)}\n")
        counted = np.zeros((len(self._bots), 2), np.int64)
        deals = Deals(match.game, match.seed)
        chunk = min(max(match.hands // CHUNKS, SMALLEST_CHUNK), LARGEST_CHUNK)
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
                        counted[player] += (played.decisions[position], played.misses[position])
                    if logged:
                        hands |= _played_hands(group, played, dealt)
                log.played = start + count
                if logged:
                    ordered = (hands[at] for at in range(start, start + count))
                    _append(log.path, (scores[number].add(hand.state, hand.holes, hand.values) for hand in ordered))
            watch(logs)
        seconds = time.perf_counter() - began
        for path, score in zip(paths, scores, strict=True):
            if logged:
                _append(path, [score])
        reports = [counters(agent, *engine) for agent, engine in zip(self._agents, counted.tolist(), strict=True)]
        result = match_result(match, logs, WAY, seconds, match.hands * len(logs), reports)
        if not logged:
            seatings = tuple(msgspec.structs.replace(seating, log="") for seating in result.seatings)
            result = msgspec.structs.replace(result, seatings=seatings)
        replace_file(folder / RESULT_FILE, json_text(result))
        return result

    def _play(self, group: _Group, table: Table, seating: Sequence[int], hands: dict[int, PlayedHand]) -> Played:
        """Play a group. Hands that no table answers are played by the agents, and added to `hands` by number."""
        played = self._engine.play(group.players, table, group.rows, group.numbers)
        at_table = [self._agents[player] for player in seating]
        for at in np.flatnonzero(played.outside).tolist():
            deal, number = _deal(table.dealt, int(group.rows[at])), int(group.numbers[at])
            (hand,) = play_hands(self.match.game, at_table, [deal], number, self.match.fixed_button)
            hands[number] = hand
            played.net[at] = hand.values
        return played


def _seats(bot: Bot, agent: Agent) -> Sequence[Seated]:
    try:
        return engine_seats(agent.strategy)
    except ValueError as error:
        raise ConfigError(f"{bot.path}: {bot.name}: {error}; --in-process plays any bot") from error


def _groups(match: Match, seating: Sequence[int], start: int, count: int) -> Iterator[_Group]:
    """Yield the hands `start` to `start + count` of a seating in groups."""
    step = 1 if match.fixed_button else match.game.num_players
    for first in range(min(step, count)):
        rows = np.arange(first, count, step)
        yield _Group(by_position(seating, start + first, match.fixed_button), rows, start + rows)


def _deal(dealt: Dealt, row: int) -> Deal:
    return Deal(tuple(map(tuple, dealt.holes[row].tolist())), tuple(dealt.board[row].tolist()))


def _played_hands(group: _Group, played: Played, dealt: Dealt) -> dict[int, PlayedHand]:
    """Return the hands that the engine played, by number."""
    hands = {}
    for at in np.flatnonzero(~played.outside).tolist():
        deal = _deal(dealt, int(group.rows[at]))
        state = played.tree.states[played.node[at]].with_board(deal.board)
        number = int(group.numbers[at])
        hands[number] = PlayedHand(number, state, deal.holes, tuple(played.net[at].tolist()))
    return hands


def _append(path: Path, lines: Iterable[object]) -> None:
    """Add lines to the log of a seating."""
    with naming(path), path.open("a", encoding="utf-8", errors="surrogateescape", newline="\n") as log:
        log.writelines(f"{line}\n" for line in lines)
