"""Summaries of match logs: how much each player won, in which hands, and how it plays."""

import heapq
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.dealer.logs.log_deals import Run, deal_means, number_deals, played_unevenly
from limpet.dealer.logs.log_facts import CALL, CHECK, FOLD, RAISE, BettingFacts, betting_facts
from limpet.dealer.logs.log_times import DecisionTimes, TimeCollector, TransactionStream
from limpet.protocol.archives.hand_file import Line, no_hands
from limpet.protocol.archives.read_acpc import LogStream
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.handhistory import position_names, street_names
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.quick_reader import KNOWN_BETTING
from limpet.protocol.state import State
from limpet.strategies.statistics.estimate import estimate

POT_EDGES = (2, 5, 10, 20, 50, 100, 200)
"""Bounds between the groups of pots, in big blinds. A pot on a bound belongs to the group below it."""
LOOK_EVERY = 1000
"""Number of hands between two reports of progress."""


class Result(msgspec.Struct, frozen=True):
    """Chips won over some hands, and the rate in mbb/g with its interval (null where one sample leaves it open)."""

    hands: int
    chips: float
    mbb_per_game: float
    interval_95: tuple[float | None, float | None]
    samples: int
    """Number of different deals, which are the samples of the interval."""


class Part(msgspec.Struct, frozen=True):
    """The part of a player's result from hands of one kind. The parts of all kinds add up to the result."""

    name: str
    hands: int
    chips: float
    mbb_per_game: float
    """Chips won in these hands, divided by all hands of the player."""


class StreetActions(msgspec.Struct, frozen=True):
    """A player's actions on a street, as shares of its decisions there."""

    street: str
    decisions: int
    fold: float
    check: float
    call: float
    raise_: float = msgspec.field(name="raise")
    aggression: float | None
    """Bets and raises for each call; null where there was no call."""


class PlayerSummary(msgspec.Struct, frozen=True):
    """One player over all logs. Shares are from 0 to 1, null where there is nothing to share."""

    name: str
    result: Result
    positions: dict[str, Result]
    streets: tuple[Part, ...]
    """Parts of the result by the last street of the hand."""
    pots: tuple[Part, ...]
    """Parts of the result by the size of the pot."""
    vpip: float
    """Share of the hands in which it put chips in voluntarily in the first round."""
    pfr: float
    """Share of the hands in which it raised in the first round."""
    saw_second: float
    """Share of the hands in which it was still there in the second round."""
    showdown: float | None
    """Share of the hands with a second round that it played to a showdown."""
    won_at_showdown: float | None
    """Share of its showdowns in which it won chips."""
    actions: tuple[StreetActions, ...]
    times: DecisionTimes | None = None
    """Decision times, where transaction logs were given."""


class PotSizes(msgspec.Struct, frozen=True):
    """Sizes of pots in big blinds, without uncalled chips."""

    mean: float
    median: float
    percentile_90: float
    percentile_99: float
    largest: float


class LargePot(msgspec.Struct, frozen=True):
    """One of the largest pots, with the line of its hand."""

    pot: float
    """Size in big blinds."""
    file: str
    line: int
    hand: int
    text: str


class LogSummary(msgspec.Struct, frozen=True):
    """The result of `limpet log summary`."""

    files: tuple[str, ...]
    matches: tuple[str, ...]
    """Names of the matches in the headers."""
    game: str
    big_blind: int
    hands: int
    deals: int
    """Number of different deals among the hands."""
    sample: str
    """Sample of the intervals: ``hand``, or ``duplicate set``, the mean over the hands of the same deal."""
    players: tuple[PlayerSummary, ...]
    streets: dict[str, float]
    """Share of the hands that ended on each street."""
    showdown: float
    """Share of the hands that came to a showdown."""
    pots: PotSizes
    largest_pots: tuple[LargePot, ...]
    bad_lines: int
    notes: tuple[str, ...]
    """Remarks on hands and lines that were left out."""


class _Counts:
    """Counters of one player."""

    def __init__(self, rounds: int) -> None:
        self.decisions = [0] * (4 * rounds)
        self.hands = self.entered = self.raised = self.saw_second = self.showdowns = self.won = 0


class Collector:
    """Reads logs one after another, and sums them up in `summary`."""

    def __init__(self, largest: int = 5, look: Callable[[LogStream], None] = lambda stream: None) -> None:
        """`largest` is the number of largest pots to keep. `look` is called now and then while a log is read."""
        self._largest, self._look = largest, look
        self._game: GameDef | None = None
        self._files: list[str] = []
        self._matches: list[str] = []
        self._notes: list[str] = []
        self._bad = 0
        self._players: dict[str, int] = {}
        self._counts: list[_Counts] = []
        self._orders: dict[tuple[str, ...], int] = {}
        self._runs: list[Run] = []
        self._times = TimeCollector()
        self._facts: dict[str, BettingFacts] = {}
        self._shown = 0
        # Columns with a row a hand; `values` has a number for each position.
        self._values, self._pots = array("d"), array("q")
        self._order, self._rounds = array("i"), array("B")
        self._pot_heap: list[tuple[int, int, LargePot]] = []

    def add(self, stream: LogStream, transactions: Path | None = None) -> None:
        """Read a log, with the transaction log beside it where one is given. Raises `ProtocolError`."""
        self._files.append(str(stream.path))
        times = TransactionStream(transactions, stream) if transactions else None
        run: Run | None = None
        header = None
        promised: dict[tuple[str, int], int] = {}  # a dealer that resumes a match may write its header again
        hands = len(self._order)
        for line, hand in stream.hands():
            if self._game is None:
                self._game = stream.game
            elif stream.game != self._game:
                raise ProtocolError(
                    f"{stream.path}: its game is not that of {self._files[0]}; sum up logs of one game at a time"
                )
            if run is None or stream.header is not header or not run.follows(hand.hand):
                header = stream.header
                run = Run(header.seed if header else None, len(self._order))
                self._runs.append(run)
                if header:
                    promised[header.name, header.seed] = header.hands
                    if header.name not in self._matches:
                        self._matches.append(header.name)
            self._add(line, hand, run, stream.path)
            if times:
                times.collect(hand, self._times)
            if len(self._order) % LOOK_EVERY == 0:
                self._look(stream)
        if times and times.unused:
            self._notes.append(f"{times.path}: {times.unused:,} hands are not in the match log and were left out")
        self._bad += stream.bad
        self._notes += stream.complaints
        if stream.bad > len(stream.complaints):
            self._notes.append(f"{stream.path}: {stream.bad:,} bad lines in all were left out")
        if stream.torn:
            self._notes.append(stream.torn)
        if (hands := len(self._order) - hands) < (whole := sum(promised.values())):
            self._notes.append(f"{stream.path}: {hands:,} of the {whole:,} hands that its header tells")

    def _add(self, line: Line, hand: HandRecord, run: Run, path: Path) -> None:
        facts = self._facts_of(hand.state)
        order = self._orders.get(hand.names)
        if order is None:
            order = self._orders[hand.names] = len(self._orders)
            for name in hand.names:
                if name not in self._players:
                    self._players[name] = len(self._players)
                    self._counts.append(_Counts(hand.state.game.num_rounds))
        row = len(self._order)
        run.add(hand.hand, hand.holes)
        self._order.append(order)
        self._rounds.append(facts.round)
        self._pots.append(facts.pot)
        self._values.extend(hand.values)
        self._shown += facts.showdown
        counts = [self._counts[self._players[name]] for name in hand.names]
        for position, decision in facts.decisions:
            counts[position].decisions[decision] += 1
        for position in facts.entered:
            counts[position].entered += 1
        for position in facts.raised:
            counts[position].raised += 1
        for position in facts.saw_second:
            counts[position].saw_second += 1
        for position, of_player in enumerate(counts):
            of_player.hands += 1
            if facts.showdown and not facts.folded >> position & 1:
                of_player.showdowns += 1
                of_player.won += hand.values[position] > 0
        heap = self._pot_heap
        if len(heap) < self._largest or (heap and facts.pot > heap[0][0]):
            pot = facts.pot / hand.state.game.big_blind
            found = (facts.pot, -row, LargePot(pot, str(path), line.number, hand.hand, line.text))
            (heapq.heappush if len(heap) < self._largest else heapq.heapreplace)(heap, found)

    def _facts_of(self, end: State) -> BettingFacts:
        facts = self._facts.get(end.betting)
        if facts is None:
            if len(self._facts) >= KNOWN_BETTING:
                self._facts.clear()
            facts = self._facts[end.betting] = betting_facts(end)
        return facts

    def summary(self) -> LogSummary:
        """Return the summary. Raises `ProtocolError` if there were no hands."""
        game = self._game
        if game is None:
            raise ProtocolError(no_hands(*self._files))
        rows = len(self._order)
        orders = np.frombuffer(self._order, np.int32)
        players = np.array([[self._players[name] for name in names] for names in self._orders], np.int32)
        table = _Table(
            game=game,
            values=np.frombuffer(self._values, np.float64).reshape(rows, game.num_players),
            players=players[orders],
            deals=number_deals(self._runs, orders),
            rounds=np.frombuffer(self._rounds, np.uint8),
            pots=np.frombuffer(self._pots, np.int64) / game.big_blind,
        )
        deals = int(table.deals.max()) + 1
        uneven = played_unevenly(table.deals)
        times = self._times.results()
        return LogSummary(
            files=tuple(self._files),
            matches=tuple(self._matches),
            game=str(game),
            big_blind=game.big_blind,
            hands=rows,
            deals=deals,
            sample="hand" if deals == rows else "duplicate set",
            players=tuple(
                _player(name, self._counts[number], table, number, times.get(name))
                for name, number in self._players.items()
            ),
            streets={name: float((table.rounds == round_).mean()) for round_, name in enumerate(street_names(game))},
            showdown=self._shown / rows,
            pots=_pot_sizes(table.pots),
            largest_pots=tuple(pot for _, _, pot in sorted(self._pot_heap, reverse=True)),
            bad_lines=self._bad,
            notes=(*self._notes, *([uneven] if uneven else [])),
        )


class _Table(NamedTuple):
    """Columns of all hands."""

    game: GameDef
    values: NDArray[np.float64]
    """float64 ``[hand, position]``: chips won."""
    players: NDArray[np.int32]
    """int32 ``[hand, position]``: player numbers."""
    deals: NDArray[np.int64]
    """int64 ``[hand]``: deal numbers."""
    rounds: NDArray[np.uint8]
    """uint8 ``[hand]``: last street that was dealt."""
    pots: NDArray[np.float64]
    """float64 ``[hand]``: pot in big blinds."""


def _player(name: str, counts: _Counts, table: _Table, number: int, times: DecisionTimes | None) -> PlayerSummary:
    game = table.game
    mine = table.players == number
    rows, at = np.nonzero(mine)
    chips = table.values[mine]
    hands = counts.hands
    unit = 1000.0 / game.big_blind

    def result(chosen: NDArray[np.bool_]) -> Result:
        won = chips[chosen]
        found = estimate(deal_means(table.deals[rows[chosen]], won * unit))
        return Result(len(won), float(won.sum()), found.mean, found.interval, found.samples)

    def part(name: str, chosen: NDArray[np.bool_]) -> Part:
        won = float(chips[chosen].sum())
        return Part(name, int(chosen.sum()), won, won * unit / hands)

    streets, positions = street_names(game), position_names(game)
    groups = np.searchsorted(POT_EDGES, table.pots[rows], side="left")
    return PlayerSummary(
        name=name,
        result=result(np.ones(len(rows), np.bool_)),
        positions={label: result(at == p) for p, label in enumerate(positions) if (at == p).any()},
        streets=tuple(part(label, table.rounds[rows] == round_) for round_, label in enumerate(streets)),
        pots=tuple(part(_pot_group(g), groups == g) for g in range(len(POT_EDGES) + 1) if (groups == g).any()),
        vpip=counts.entered / hands,
        pfr=counts.raised / hands,
        saw_second=counts.saw_second / hands,
        showdown=_share(counts.showdowns, counts.saw_second),
        won_at_showdown=_share(counts.won, counts.showdowns),
        actions=tuple(
            _actions(label, counts.decisions[4 * round_ : 4 * round_ + 4]) for round_, label in enumerate(streets)
        ),
        times=times,
    )


def _actions(street: str, counts: Sequence[int]) -> StreetActions:
    total = sum(counts)
    fold, check, call, raises = (counts[kind] / max(1, total) for kind in (FOLD, CHECK, CALL, RAISE))
    return StreetActions(street, total, fold, check, call, raises, _share(counts[RAISE], counts[CALL]))


def _pot_group(group: int) -> str:
    if group == len(POT_EDGES):
        return f"over {POT_EDGES[-1]} bb"
    return f"{POT_EDGES[group - 1]}-{POT_EDGES[group]} bb" if group else f"up to {POT_EDGES[0]} bb"


def _pot_sizes(pots: NDArray[np.float64]) -> PotSizes:
    median, high, highest = np.percentile(pots, (50, 90, 99))
    return PotSizes(float(pots.mean()), float(median), float(high), float(highest), float(pots.max()))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
