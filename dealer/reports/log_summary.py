"""Summaries of logs and archives: how much each player won, in which hands, and how it plays."""

import gc
import heapq
import os
from array import array
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path

import msgspec
import numpy as np

from limpet.common.statistics import estimate_from_sums
from limpet.common.workers import by_processes
from limpet.dealer.reports import log_sums
from limpet.dealer.reports.log_sums import (
    POT_NAMES,
    Columns,
    ConsecutiveHands,
    DecisionTimes,
    LogSums,
    Sum,
    decision_times,
)
from limpet.protocol.archives.acpc import LogStream, Micros, TransactionStream
from limpet.protocol.archives.blocks import pieces
from limpet.protocol.archives.hand_file import SHOWN_BAD, HandFile, HandPlace, no_hands
from limpet.protocol.archives.hands import PokerStarsFile
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.handhistory import big_blind, position_names, street_names
from limpet.protocol.matchlog import HandRecord

# --- What a summary says, as JSON has it.


class WonChips(msgspec.Struct, frozen=True):
    """Chips won over some hands, and the rate in mbb/g with its interval (null where one sample leaves it open).

    The samples of the interval are different deals.
    """

    hands: int
    chips: float
    mbb_per_game: float
    interval_95: tuple[float | None, float | None]
    samples: int


class ResultPart(msgspec.Struct, frozen=True):
    """The part of a player's result from hands of one kind, per hand of all kinds: the parts add up to the result."""

    name: str
    hands: int
    chips: float
    mbb_per_game: float


class StreetActions(msgspec.Struct, frozen=True):
    """A player's actions on a street, as shares of its decisions there; aggression is raises for each call, null without."""

    street: str
    decisions: int
    fold: float
    check: float
    call: float
    raise_: float = msgspec.field(name="raise")
    aggression: float | None


class PlayerSummary(msgspec.Struct, frozen=True):
    """One player over all logs, its result also by last street and by pot; times where transaction logs were given."""

    name: str
    result: WonChips
    positions: dict[str, WonChips]
    streets: tuple[ResultPart, ...]
    pots: tuple[ResultPart, ...]
    actions: tuple[StreetActions, ...]
    times: DecisionTimes | None = None


class PotSizes(msgspec.Struct, frozen=True):
    """Sizes of pots in big blinds, without uncalled chips."""

    mean: float
    median: float
    percentile_90: float
    percentile_99: float
    largest: float


class LargePot(msgspec.Struct, frozen=True):
    """One of the largest pots, in big blinds, with the line of its hand."""

    pot: float
    file: str
    line: int
    hand: int
    text: str


class LogSummary(msgspec.Struct, frozen=True):
    """The result of `limpet hands summary`.

    Attributes:
        game, big_blind: the first hand's; rates count each hand's own blind.
        deals: number of different deals among the hands.
        sample: sample of the intervals: ``hand``, or ``duplicate set``, the mean over the hands of the same deal.
        streets: share of the hands that ended on each street.
        pot_groups: number of hands by the size of the pot, in the order of sizes.
        showdown: share of the hands that came to a showdown.
        skipped: number of hands that could not be read.
        contradictory: number of hands whose payoffs contradict the betting and the cards.
    """

    files: tuple[str, ...]
    matches: tuple[str, ...]
    game: str
    big_blind: int
    hands: int
    deals: int
    sample: str
    players: tuple[PlayerSummary, ...]
    streets: dict[str, float]
    pot_groups: dict[str, int]
    showdown: float
    pots: PotSizes
    largest_pots: tuple[LargePot, ...]
    skipped: int
    contradictory: int
    notes: tuple[str, ...]


# --- How it is summed up.

LOOK_EVERY = 1000
"""Number of hands between two reports of progress."""
MOST_MATCHES = 100
"""Number of names of matches that are kept."""
KNOWN_POSITIONS = 1 << 14
"""Number of blinds whose positions' names are remembered."""


class Collector:
    """Reads files one after another, and sums them up in `summary`."""

    def __init__(self, largest: int = 5, look: Callable[[HandFile], None] | None = None) -> None:
        """`largest` is the number of largest pots to keep. `look` is called now and then while a file is read."""
        self._largest, self._look = largest, look
        self._game: GameDef | None = None
        self._checked: GameDef | None = None
        """Game of the previous hand, which is of the first hand's kind."""
        self._files: list[str] = []
        self._matches: list[str] = []
        self._notes: list[str] = []
        self._skipped = self._contradictory = 0
        self._players: dict[str, int] = {}
        self._positions: dict[tuple[object, ...], array[int]] = {}
        self._position_names: dict[str, int] = {}
        self._times: Micros = {}
        self._hands = 0
        # The hands of logs wait for each other, because a deal may come again; other hands are summed up as they come.
        self._sums, self._of_logs, self._passing = LogSums(), Columns(), Columns()
        self._runs: list[ConsecutiveHands] = []
        """Runs of the hands of logs, in the order of `_of_logs`."""
        self._pot_heap: list[tuple[float, int, LargePot]] = []

    def add(self, stream: HandFile, transactions: Path | None = None) -> None:
        """Read a file, with the transaction log beside it where one is given. Raises `ProtocolError`."""
        self._files.append(str(stream.path))
        times = TransactionStream(transactions, stream) if transactions and isinstance(stream, LogStream) else None
        logged = isinstance(stream, LogStream)
        columns = self._of_logs if logged else self._passing
        run = header = None
        promised: dict[tuple[str, int], int] = {}  # a dealer that resumes a match may write its header again
        before = self._hands
        for line, hand in stream.outlines():
            if hand.state.game is not self._checked:
                self._checked = hand.state.game
                self._take_game(self._checked, stream.path)
            if logged:
                if run is None or stream.header is not header or not run.follows(hand.hand):
                    header = stream.header
                    run = ConsecutiveHands(header.seed if header else None)
                    self._runs.append(run)
                    if header:
                        promised[header.name, header.seed] = header.hands
                run.add(hand.hand, hand.holes, hand.names)
            if (header or not logged) and (not self._matches or self._matches[-1] != stream.match):
                self._name_match(stream.match)
            self._add(line, hand, columns, stream.path)
            if times:
                times.collect(hand, self._times)
            if self._look and self._hands % LOOK_EVERY == 0:
                self._look(stream)
            if not logged and len(columns) == log_sums.MOST_ROWS:
                self._sum_passing()
                columns = self._passing
        if times and times.unused:
            self._notes.append(f"{times.path}: {times.unused:,} hands are not in the match log and were left out")
        self._note_damage(stream)
        if (hands := self._hands - before) < (whole := sum(promised.values())):
            self._notes.append(f"{stream.path}: {hands:,} of the {whole:,} hands that its header tells")

    def add_large(self, file: PokerStarsFile, aliases: Mapping[str, str]) -> None:
        """Read a file by processes on all cores. The sums do not depend on their number."""
        self._files.append(str(file.path))
        work, numbered = partial(read_piece, file.path, aliases, self._largest), enumerate(pieces(file.texts()))
        waiting: dict[int, PartSums] = {}
        following = 0
        for part in by_processes(work, numbered, os.cpu_count() or 1, gc.disable):
            waiting[part[0]] = part
            while following in waiting:
                _, collector, read = waiting.pop(following)
                following += 1
                file.bad += read.bad
                file.complaints += read.complaints[: SHOWN_BAD - len(file.complaints)]
                self._absorb(collector)
                if self._look:
                    self._look(file)
        self._note_damage(file)

    def close_part(self) -> None:
        """Keep only what `add_large` takes, so that little is sent to another process."""
        if len(self._passing):
            self._sum_passing()
        self._positions, self._checked = {}, None

    def _absorb(self, part: "Collector") -> None:
        if part._game is None:
            return
        self._take_game(part._game, Path(self._files[-1]))
        players = [self._players.setdefault(name, len(self._players)) for name in part._players]
        names = self._position_names
        self._sums.absorb(part._sums, players, [names.setdefault(name, len(names)) for name in part._position_names])
        for _, order, pot in part._pot_heap:
            self._keep_pot(order - self._hands, pot)
        for name in part._matches:
            self._name_match(name)
        self._hands += part._hands

    def _name_match(self, name: str) -> None:
        """Keep the name of a match; of the tables of an archive only the first ones."""
        if name not in self._matches and len(self._matches) < MOST_MATCHES:
            self._matches.append(name)

    def _take_game(self, game: GameDef, path: Path) -> None:
        """Take the first hand's game for the summary's; refuse other kinds of games."""
        if self._game is None:
            self._game = game
        elif _kind(game) != _kind(self._game):
            raise ProtocolError(f"{path}: its game is not that of {self._files[0]}; sum up one game at a time")

    def _note_damage(self, stream: HandFile) -> None:
        self._skipped += stream.bad
        self._contradictory += stream.contradictory
        self._notes += stream.remarks()

    def _add(self, line: HandPlace, hand: HandRecord, columns: Columns, path: Path) -> None:
        game = hand.state.game
        facts = log_sums.betting_facts(hand.state)
        numbers = self._players
        players = array("i", [numbers.setdefault(name, len(numbers)) for name in hand.names])
        positions = self._positions.get((game.blind, game.ante, game.dead, game.min_bet)) or self._new_positions(game)
        blind = big_blind(game)
        pot = facts.pot / blind
        columns.add(facts, hand.values, blind, players, positions)
        self._hands += 1
        if len(self._pot_heap) < self._largest or (self._largest and pot > self._pot_heap[0][0]):
            text = line.text if line.text.startswith("STATE:") else str(hand)
            self._keep_pot(-self._hands, LargePot(pot, str(path), line.number, hand.hand, text))

    def _keep_pot(self, order: int, pot: LargePot) -> None:
        """Keep a pot if it is one of the largest. Of equal ones, the larger `order` came first."""
        entry = (pot.pot, order, pot)
        if len(self._pot_heap) < self._largest:
            heapq.heappush(self._pot_heap, entry)
        elif self._largest and entry > self._pot_heap[0]:
            heapq.heapreplace(self._pot_heap, entry)

    def _new_positions(self, game: GameDef) -> "array[int]":
        """Return the numbers of the names of a game's positions."""
        names = self._position_names
        numbers = array("B", [names.setdefault(name, len(names)) for name in position_names(game)])
        if len(self._positions) < KNOWN_POSITIONS:
            self._positions[game.blind, game.ante, game.dead, game.min_bet] = numbers
        return numbers

    def _sum_passing(self) -> None:
        self._sums.add(self._passing, np.arange(len(self._passing)))
        self._passing = Columns()

    def summary(self) -> LogSummary:
        """Return the summary; nothing can be added afterwards. Raises `ProtocolError` if there were no hands."""
        game, sums = self._game, self._sums
        if game is None:
            raise ProtocolError(no_hands(*self._files, skipped=self._notes))
        uneven = ""
        if len(self._of_logs):
            deals = log_sums.number_deals(self._runs)
            uneven = log_sums.played_unevenly(deals)
            sums.add(self._of_logs, deals)
        if len(self._passing):
            self._sum_passing()
        times = {name: decision_times(micros) for name, micros in self._times.items()}
        middle, high, highest = sums.pot_percentiles((0.5, 0.9, 0.99))
        mean = sum(pot * count for pot, count in sums.pots.items()) / sums.hands
        names = tuple(self._position_names)
        return LogSummary(
            files=tuple(self._files),
            matches=tuple(self._matches),
            game=str(game),
            big_blind=big_blind(game),
            hands=sums.hands,
            deals=sums.deals,
            sample="hand" if sums.deals == sums.hands else "duplicate set",
            players=tuple(
                _player(name, number, sums, game, names, times.get(name)) for name, number in self._players.items()
            ),
            streets={name: sums.streets[round_] / sums.hands for round_, name in enumerate(street_names(game))},
            pot_groups={POT_NAMES[group]: sums.pot_groups[group] for group in sorted(sums.pot_groups)},
            showdown=sums.shown / sums.hands,
            pots=PotSizes(mean, middle, high, highest, max(sums.pots)),
            largest_pots=tuple(pot for _, _, pot in sorted(self._pot_heap, reverse=True)),
            skipped=self._skipped,
            contradictory=self._contradictory,
            notes=(*self._notes, *([uneven] if uneven else [])),
        )


def _kind(game: GameDef) -> tuple[object, ...]:
    """Return the betting, the streets and the cards of a game, which all hands of a summary share."""
    cards = (game.num_suits, game.num_ranks, game.num_hole_cards, game.num_board_cards, game.hole_cards_used)
    return (game.betting, game.num_rounds, game.ranking, *cards)


def _player(
    name: str, number: int, sums: LogSums, game: GameDef, positions: Sequence[str], times: DecisionTimes | None
) -> PlayerSummary:
    decisions: list[int] = sums.counters[number].tolist()
    whole = sums.groups[number, log_sums.ALL, 0]

    def result(total: Sum) -> WonChips:
        rate = estimate_from_sums(int(total.samples), total.total, total.squares)
        return WonChips(int(total.hands), total.chips, rate.mean, rate.interval, int(total.samples))

    def groups(kind: int, labels: Sequence[str]) -> list[tuple[str, Sum]]:
        return [(label, sums.groups.get((number, kind, group), Sum())) for group, label in enumerate(labels)]

    def part(label: str, total: Sum) -> ResultPart:
        return ResultPart(label, int(total.hands), total.chips, total.rate / whole.hands)

    def actions(street: str, counts: Sequence[int]) -> StreetActions:
        fold, check, call, raises = (count / max(1, sum(counts)) for count in counts)  # in the order of their kinds
        aggression = counts[log_sums.RAISE] / counts[log_sums.CALL] if counts[log_sums.CALL] else None
        return StreetActions(street, sum(counts), fold, check, call, raises, aggression)

    streets = street_names(game)
    return PlayerSummary(
        name=name,
        result=result(whole),
        positions={label: result(total) for label, total in groups(log_sums.POSITION, positions) if total.hands},
        streets=tuple(part(label, total) for label, total in groups(log_sums.STREET, streets)),
        pots=tuple(part(label, total) for label, total in groups(log_sums.POT, POT_NAMES) if total.hands),
        actions=tuple(actions(label, decisions[4 * round_ : 4 * round_ + 4]) for round_, label in enumerate(streets)),
        times=times,
    )


# --- Sum large archives up on all cores: each process reads some thousand hands at a time.

COLLECTED_EVERY = 16
"""Number of pieces that a process reads between two searches for unused objects."""
LARGE = 40_000_000
"""Size in bytes from which a file is summed up by several processes."""


_pieces_read = count(1)
"""Numbers of the pieces that this process reads."""
PartSums = tuple[int, Collector, PokerStarsFile]
"""The number of a piece, its sums, and the file without its texts, whose counters count the hands that were skipped."""


def read_piece(
    path: Path, aliases: Mapping[str, str], largest: int, numbered: tuple[int, list[tuple[int, str]]]
) -> PartSums:
    """Return the sums of a piece of a file, which comes with its number."""
    number, texts = numbered
    file = PokerStarsFile(path, None, True, aliases=aliases).with_parts(texts)
    collector = Collector(largest)
    collector.add(file)
    collector.close_part()
    # Looking for cycles among all that the reader remembers costs a fifth of the time; only forgotten betting has any.
    if next(_pieces_read) % COLLECTED_EVERY == 0:
        gc.collect()
    return number, collector, file.with_parts(())
