"""Each player's sums of chips, in all, by position, by last street and by the size of the pot, and its decisions.

Hands are kept as columns of numbers, some 100 bytes each, until their deals are known: hands of several logs that are the same
deal are found by their numbers and cards, so that intervals of duplicate matches are right. Where no deal can come twice, as in
archives of played hands, the columns are summed up now and then, so that memory does not grow.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.common.statistics import Values
from limpet.protocol.gamedef import BET
from limpet.protocol.handhistory import contested_pot
from limpet.protocol.messages import Hole
from limpet.protocol.state import State

# --- The facts of a hand that follow from its betting alone, which are computed once for each betting sequence.

FOLD, CHECK, CALL, RAISE = range(4)
"""Kinds of decisions. A bet is a raise."""
KNOWN_FACTS = 1 << 15
"""Number of betting sequences whose facts are remembered."""
_KINDS = {"f": FOLD, "r": RAISE}


class HandFacts(NamedTuple):
    """The last street of a finished hand, its pot without uncalled chips, and each player's numbers of decisions.

    `counters` are ``uint8 [position, 4 * round + kind]``.
    """

    round: int
    pot: int
    showdown: bool
    counters: bytes


_facts_by_key: dict[tuple[object, ...], HandFacts] = {}
"""Facts by the betting, the chips put in and the blinds, of all files that this process reads."""


def betting_facts(end: State) -> HandFacts:
    """Return the facts of a hand that ended in `end`, which are computed once for each betting sequence."""
    key = (end.betting, end.spent, end.game.blind, end.game.dead)
    facts = _facts_by_key.get(key)
    if facts is None:
        if len(_facts_by_key) >= KNOWN_FACTS:
            _facts_by_key.clear()
        width = 4 * end.game.num_rounds
        counters = bytearray(end.game.num_players * width)
        for position, decision in decisions(end):
            counters[position * width + decision] += 1
        facts = _facts_by_key[key] = HandFacts(end.round, contested_pot(end), end.showdown, bytes(counters))
    return facts


def decisions(end: State) -> Iterator[tuple[int, int]]:
    """Yield the position and ``4 * round + kind`` of every decision but draws, in order."""
    for state in end.path():
        before, action = state.parent, state.action
        if before is None or action is None or before.phase is not BET:
            continue
        actor = before.actor
        call = CALL if before.max_spent != before.spent[actor] else CHECK
        yield actor, 4 * before.round + _KINDS.get(action.kind, call)


def range_names(edges: Sequence[int]) -> tuple[str, ...]:
    """Return the names of the groups of big blinds below, between and above some bounds."""
    between = (f"{low}-{high} bb" for low, high in pairwise(edges))
    return (f"up to {edges[0]} bb", *between, f"over {edges[-1]} bb")


POT_EDGES = (2, 5, 10, 20, 50, 100, 200)
"""Bounds between the groups of pots, in big blinds. A pot on a bound belongs to the group below it."""
POT_NAMES = range_names(POT_EDGES)
ALL, POSITION, STREET, POT = range(4)
"""Kinds of groups of hands."""
MOST_ROWS = 1 << 15
"""Number of hands after which columns are summed up."""
MOST_HANDS = 1 << 13
"""Number of hands after which their counters are added up."""

Counters = NDArray[np.int64]
"""``int64 [player, 4 * round + kind]``: numbers of decisions."""


class Sum(NamedTuple):
    """Sums over the hands of a player in one group.

    Attributes:
        rate: sum of the hands' results in thousandths of their big blind.
        samples: number of deals.
        total: sum over the deals of the mean result of the deal's hands.
        squares: sum of the squares of the deals' mean results.
    """

    hands: float = 0
    chips: float = 0.0
    rate: float = 0.0
    samples: float = 0
    total: float = 0.0
    squares: float = 0.0

    def plus(self, other: "Sum") -> "Sum":
        return Sum(*(a + b for a, b in zip(self, other, strict=True)))


class LogSums:
    """The sums of all hands."""

    def __init__(self) -> None:
        self.groups: defaultdict[tuple[int, int, int], Sum] = defaultdict(Sum)
        """Sums by player, kind of group (`ALL` to `POT`), and number of a position's name, a street or a range of pots."""
        self.hands = self.deals = 0
        self.pots: Counter[float] = Counter()
        """Number of hands by their pot in big blinds."""
        self.streets: Counter[int] = Counter()
        """Number of hands by their last street."""
        self.pot_groups: Counter[int] = Counter()
        """Number of hands by their group of pots."""
        self.counters: Counters = np.zeros((0, 0), np.int64)
        self.shown = 0
        """Number of hands that came to a showdown."""

    def add(self, columns: "Columns", deals: NDArray[np.int64]) -> None:
        """Add hands up. `deals` has the number of each hand's deal, int64 ``[hand]``, without gaps."""
        chips, players = np.frombuffer(columns.values), np.frombuffer(columns.players, np.int32).astype(np.int64)
        rounds, all_pots = np.frombuffer(columns.rounds, np.uint8), np.frombuffer(columns.pots)
        self.hands += len(rounds)
        self.deals += int(deals.max()) + 1
        pots, counts = np.unique(all_pots, return_counts=True)
        self.pots.update(dict(zip(pots.tolist(), counts.tolist(), strict=True)))
        pot_groups = np.searchsorted(POT_EDGES, all_pots, side="left")
        self.streets.update(rounds.tolist())
        self.pot_groups.update(pot_groups.tolist())
        hand = np.repeat(np.arange(len(rounds)), np.frombuffer(columns.counts, np.uint8))
        rates = chips * (1000.0 / np.frombuffer(columns.big_blinds)[hand])
        for kind, group in (
            (ALL, np.zeros_like(hand)),
            (POSITION, np.frombuffer(columns.positions, np.uint8)),
            (STREET, rounds[hand]),
            (POT, pot_groups[hand]),
        ):
            keys, at = np.unique(players * 256 + group, return_inverse=True)
            sums = _summed(at, len(keys), chips, rates, hand, deals)
            for key, added in zip(keys.tolist(), sums.tolist(), strict=True):
                group_key = (key // 256, kind, key % 256)
                self.groups[group_key] = self.groups[group_key].plus(Sum(*added))
        columns.count_up()
        self.counters = _with_counters(self.counters, columns.counters, np.arange(len(columns.counters)))
        self.shown += columns.shown

    def absorb(self, other: "LogSums", players: Sequence[int], positions: Sequence[int]) -> None:
        """Add sums in which player n is `players[n]` here, and the name of position n is `positions[n]`."""
        for (player, kind, group), added in other.groups.items():
            group_key = (players[player], kind, positions[group] if kind == POSITION else group)
            self.groups[group_key] = self.groups[group_key].plus(added)
        self.hands += other.hands
        self.deals += other.deals
        self.pots.update(other.pots)
        self.streets.update(other.streets)
        self.pot_groups.update(other.pot_groups)
        self.counters = _with_counters(self.counters, other.counters, np.array(players, np.int64))
        self.shown += other.shown

    def pot_percentiles(self, shares: tuple[float, ...]) -> list[float]:
        """Return the quantiles `shares` of the pots in big blinds, interpolated as numpy does."""
        pots = np.array(sorted(self.pots))
        upto = np.cumsum([self.pots[pot] for pot in pots.tolist()])
        quantiles = []
        for share in shares:
            at = share * (self.hands - 1)
            low, high = (pots[np.searchsorted(upto, int(rank), side="right")] for rank in (at, np.ceil(at)))
            quantiles.append(float(low + (high - low) * (at - int(at))))
        return quantiles


def _summed(
    at: NDArray[np.int64], size: int, chips: Values, rates: Values, hand: NDArray[np.int64], deals: NDArray[np.int64]
) -> Values:
    """Return the fields of `Sum` for each of `size` groups, float64 ``[group, field]``.

    Args:
        at: group of each hand and position; `chips`, `rates` and `hand` have as many entries.
        deals: number of each hand's deal.
    """
    hands, total = np.bincount(at, minlength=size), np.bincount(at, rates, size)
    samples, means, of_sample = hands, rates, at
    number_of_deals = int(deals.max()) + 1
    if number_of_deals < len(deals):
        # A sample is the mean of the hands that share the deal, the player and the group.
        shared, inside = np.unique(at * number_of_deals + deals[hand], return_inverse=True)
        means, of_sample = np.bincount(inside, rates) / np.bincount(inside), shared // number_of_deals
        samples = np.bincount(of_sample, minlength=size)
    sums, squares = np.bincount(of_sample, means, size), np.bincount(of_sample, means * means, size)
    return np.stack([hands, np.bincount(at, chips, size), total, samples, sums, squares], axis=1)


class Columns:
    """Hands as numbers, until they are summed up."""

    def __init__(self) -> None:
        self.values, self.players, self.positions = array("d"), array("i"), array("B")
        """Chips won, number of the player, and number of the position's name, for each hand and position."""
        self.counts, self.rounds = array("B"), array("B")
        """Number of players, and last street that was dealt, for each hand."""
        self.pots, self.big_blinds = array("d"), array("d")
        """Pot in big blinds, and big blind in chips, for each hand."""
        self.shown = 0
        """Number of hands that came to a showdown."""
        self.counters: Counters = np.zeros((0, 0), np.int64)
        """Counters of all hands but those in `_uncounted`."""
        self._uncounted: list[HandFacts] = []

    def __len__(self) -> int:
        return len(self.counts)

    def add(
        self, facts: HandFacts, values: Sequence[float], big_blind: int, players: "array[int]",
        positions: "array[int]",
    ) -> None:  # fmt: skip
        """Add a hand. `players` and `positions` are the numbers of its players and of its positions' names."""
        self.values.extend(values)
        self.players.extend(players)
        self.positions.extend(positions)
        self.counts.append(len(players))
        self.rounds.append(facts.round)
        self.pots.append(facts.pot / big_blind)
        self.big_blinds.append(big_blind)
        self.shown += facts.showdown
        self._uncounted.append(facts)
        if len(self._uncounted) == MOST_HANDS:
            self.count_up()

    def count_up(self) -> None:
        """Add the counters of the latest hands to those of the others."""
        if not self._uncounted:
            return
        first = len(self.players) - sum(self.counts[-len(self._uncounted) :])
        players = np.frombuffer(self.players, np.int32)[first:]
        counters = b"".join([facts.counters for facts in self._uncounted])
        rows = np.frombuffer(counters, np.uint8).reshape(len(players), -1)  # a row for each hand and position
        added = np.stack([np.bincount(players, rows[:, counter]) for counter in range(rows.shape[1])], axis=1)
        self.counters = _with_counters(self.counters, added.astype(np.int64), np.arange(len(added)))
        self._uncounted = []


def _with_counters(counters: Counters, added: Counters, players: NDArray[np.int64]) -> Counters:
    """Return counters to which others are added, whose player n is `players[n]` here."""
    total = np.zeros((max(len(counters), int(players.max(initial=-1)) + 1), added.shape[1]), np.int64)
    total[: len(counters)] = counters.reshape(-1, added.shape[1])
    total[players] += added
    return total


CERTAIN = 10
"""Number of hands that must agree where no seed is known. Fewer may agree by chance in games with few cards."""
MOST_COMPARED = 64
"""A new run is compared with this many of the latest groups only, which bounds the time for files of many short runs."""


@dataclass
class ConsecutiveHands:
    """Consecutive hands of a log whose numbers increase: the numbers, and hashes of hole cards and names by position."""

    seed: int | None
    hands: "array[int]" = field(default_factory=lambda: array("q"))
    deals: "array[int]" = field(default_factory=lambda: array("q"))
    orders: "array[int]" = field(default_factory=lambda: array("q"))

    def follows(self, hand: int) -> bool:
        """Return whether the hand numbered `hand` may follow the others."""
        return not self.hands or hand > self.hands[-1]

    def add(self, hand: int, holes: Sequence[Hole], names: Sequence[str]) -> None:
        self.hands.append(hand)
        self.deals.append(hash(tuple(holes)))
        self.orders.append(hash(tuple(names)))


class _Stretch(NamedTuple):
    """A run, or half of one, as arrays of equal length. `start` is its first hand's index among the hands of all runs."""

    start: int
    hands: NDArray[np.int64]
    deals: NDArray[np.int64]


def number_deals(runs: Iterable[ConsecutiveHands]) -> NDArray[np.int64]:
    """Return the number of the deal of each hand, run after run: int64 ``[hand]``, counted from 0 without gaps."""
    groups: dict[int | None, list[list[_Stretch]]] = {}
    total = 0
    for run in runs:
        for stretch in _halves(run, total):
            same_seed = groups.setdefault(run.seed, [])
            for group in reversed(same_seed[-MOST_COMPARED:]):
                if _same_deals(group[0], stretch, run.seed):
                    group.append(stretch)
                    break
            else:
                same_seed.append([stretch])
        total += len(run.hands)
    numbers = np.zeros(total, np.int64)
    used = 0
    for same_seed in groups.values():
        for group in same_seed:
            different, numbered = np.unique(np.concatenate([part.hands for part in group]), return_inverse=True)
            for part in group:
                count = len(part.hands)
                numbers[part.start : part.start + count] = used + numbered[:count]
                numbered = numbered[count:]
            used += len(different)
    return numbers


def _halves(run: ConsecutiveHands, start: int) -> list[_Stretch]:
    """Split a run whose second half has the deals of the first with the players in another order.

    Some matches continue the hand numbers in their second half. Other runs are returned whole.
    """
    hands, deals, orders = (np.frombuffer(column, np.int64) for column in (run.hands, run.deals, run.orders))
    half = len(hands) // 2
    comes_again = half >= CERTAIN and not len(hands) % 2 and np.array_equal(deals[:half], deals[half:])
    if not comes_again or np.array_equal(orders[:half], orders[half:]):
        return [_Stretch(start, hands, deals)]
    return [_Stretch(start, hands[:half], deals[:half]), _Stretch(start + half, hands[:half], deals[half:])]


def _same_deals(one: _Stretch, other: _Stretch, seed: int | None) -> bool:
    """Return whether hands with equal numbers have equal hole cards. `seed` is the seed of both stretches, None if unknown."""
    _, own_index, other_index = np.intersect1d(one.hands, other.hands, assume_unique=True, return_indices=True)
    are_enough = len(own_index) >= (CERTAIN if seed is None else 1)
    return are_enough and np.array_equal(one.deals[own_index], other.deals[other_index])


def played_unevenly(deals: NDArray[np.int64]) -> str:
    """Return a warning about deals that were played in fewer seatings than others, or an empty text."""
    counts = np.bincount(deals)
    most = counts.max(initial=0)
    fewer = int((counts < most).sum())
    if not fewer:
        return ""
    return (
        f"{fewer:,} of {len(counts):,} deals were not played in all {most} seatings: the cards of these are not evened "
        "out; see whether a log is missing or was cut off"
    )


def deal_means(deals: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of `values` (one a hand) over the hands of each deal: the independent samples."""
    counts = np.bincount(deals)
    sums = np.bincount(deals, weights=values)
    held = counts > 0
    return np.asarray(sums[held] / counts[held], np.float64)


# --- Decision times.


class DecisionTimes(msgspec.Struct, frozen=True):
    """Times from sending a state to receiving the answer, in milliseconds; `total_s` in seconds."""

    decisions: int
    mean_ms: float
    median_ms: float
    percentile_99_ms: float
    longest_ms: float
    total_s: float


def decision_times(micros: "array[int]") -> DecisionTimes:
    """Return the statistics of one player's times."""
    milli = np.array(micros, np.float64) / 1000
    numbers = (milli.mean(), np.median(milli), np.percentile(milli, 99), milli.max(), milli.sum() / 1000)
    return DecisionTimes(len(milli), *map(float, numbers))
