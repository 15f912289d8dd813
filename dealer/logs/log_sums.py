"""Sums of chips over hands: for each player in all, by position, by last street and by the size of the pot.

Hands are kept as columns of numbers, some 100 bytes each, until their deals are known. Where no deal can come twice, as in
archives of played hands, the columns are summed up now and then, so that memory does not grow.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.dealer.logs.log_deals import Run, number_deals

POT_EDGES = (2, 5, 10, 20, 50, 100, 200)
"""Bounds between the groups of pots, in big blinds. A pot on a bound belongs to the group below it."""
ALL, POSITION, STREET, POT = range(4)
"""Ways to group hands."""
MOST_ROWS = 1 << 15
"""Number of hands after which columns are summed up."""


class Sum(NamedTuple):
    """Sums over the hands of a player in one group."""

    hands: float = 0
    chips: float = 0.0
    rate: float = 0.0
    """Sum of the hands' results in thousandths of their big blind."""
    samples: float = 0
    """Number of deals."""
    total: float = 0.0
    """Sum over the deals of the mean result of the deal's hands."""
    squares: float = 0.0
    """Sum of the squares of these."""

    def plus(self, other: "Sum") -> "Sum":
        return Sum(*(a + b for a, b in zip(self, other, strict=True)))


class Sums:
    """The sums of all hands."""

    def __init__(self) -> None:
        self.groups: defaultdict[tuple[int, int, int], Sum] = defaultdict(Sum)
        """Sums by player, way of grouping, and group: a position's name, a street, or a group of pots, by number."""
        self.hands = self.deals = 0
        self.pots: Counter[float] = Counter()
        """Number of hands by their pot in big blinds."""
        self.streets: Counter[int] = Counter()
        """Number of hands by their last street."""
        self.pot_groups: Counter[int] = Counter()
        """Number of hands by their group of pots."""

    def add(self, columns: "Columns", deals: NDArray[np.int64]) -> None:
        """Add hands up. `deals` has the number of each hand's deal, int64 ``[hand]``, without gaps."""
        table = columns.arrays()
        self.hands += len(table.rounds)
        self.deals += int(deals.max()) + 1
        pots, counts = np.unique(table.pots, return_counts=True)
        self.pots.update(dict(zip(pots.tolist(), counts.tolist(), strict=True)))
        pot_groups = np.searchsorted(POT_EDGES, table.pots, side="left")
        self.streets.update(Counter(table.rounds.tolist()))
        self.pot_groups.update(Counter(pot_groups.tolist()))
        hand = np.repeat(np.arange(len(table.rounds)), table.counts)
        for way, group in (
            (ALL, np.zeros_like(hand)),
            (POSITION, table.positions.astype(np.int64)),
            (STREET, table.rounds[hand].astype(np.int64)),
            (POT, pot_groups[hand]),
        ):
            self._add_way(way, group, table, hand, deals)

    def absorb(self, other: "Sums", players: Sequence[int], positions: Sequence[int]) -> None:
        """Add the sums of other hands. Number n of a player or a position's name there is the n-th given number here."""
        for (player, way, group), found in other.groups.items():
            place = (players[player], way, positions[group] if way == POSITION else group)
            self.groups[place] = self.groups[place].plus(found)
        self.hands += other.hands
        self.deals += other.deals
        self.pots.update(other.pots)
        self.streets.update(other.streets)
        self.pot_groups.update(other.pot_groups)

    def _add_way(
        self, way: int, group: NDArray[np.int64], table: "Arrays", hand: NDArray[np.int64], deals: NDArray[np.int64]
    ) -> None:
        rate = table.values * (1000.0 / table.big_blinds[hand])
        keys, at = np.unique(table.players * 256 + group, return_inverse=True)
        size = len(keys)
        hands = np.bincount(at, minlength=size)
        chips = np.bincount(at, weights=table.values, minlength=size)
        rates = np.bincount(at, weights=rate, minlength=size)
        count, total, squares = hands, rates, np.bincount(at, weights=rate * rate, minlength=size)
        number_of_deals = int(deals.max()) + 1
        if number_of_deals < len(deals):
            # A sample is the mean of the hands that share the deal, the player and the group.
            samples, inside = np.unique(at * number_of_deals + deals[hand], return_inverse=True)
            means = np.bincount(inside, weights=rate) / np.bincount(inside)
            of_sample = samples // number_of_deals
            count = np.bincount(of_sample, minlength=size)
            total = np.bincount(of_sample, weights=means, minlength=size)
            squares = np.bincount(of_sample, weights=means * means, minlength=size)
        for n, key in enumerate(keys.tolist()):
            sums = (hands[n], chips[n], rates[n], count[n], total[n], squares[n])
            added = Sum(*map(float, sums))
            place = (key // 256, way, key % 256)
            self.groups[place] = self.groups[place].plus(added)

    def pot_percentiles(self, shares: tuple[float, ...]) -> list[float]:
        """Return the pots below which these shares of the hands lie, in big blinds, interpolated as numpy does."""
        pots = np.array(sorted(self.pots))
        upto = np.cumsum([self.pots[pot] for pot in pots.tolist()])
        found = []
        for share in shares:
            at = share * (self.hands - 1)
            low, high = (pots[np.searchsorted(upto, int(rank), side="right")] for rank in (at, np.ceil(at)))
            found.append(float(low + (high - low) * (at - int(at))))
        return found


class Arrays(NamedTuple):
    """The columns of hands and of their players, hand by hand."""

    values: NDArray[np.float64]
    """float64 ``[hand and position]``: chips won."""
    players: NDArray[np.int64]
    """int64 ``[hand and position]``: player numbers."""
    positions: NDArray[np.uint8]
    """uint8 ``[hand and position]``: numbers of the positions' names."""
    counts: NDArray[np.uint8]
    """uint8 ``[hand]``: number of players."""
    rounds: NDArray[np.uint8]
    """uint8 ``[hand]``: last street that was dealt."""
    pots: NDArray[np.float64]
    """float64 ``[hand]``: pot in big blinds."""
    big_blinds: NDArray[np.float64]
    """float64 ``[hand]``: big blind in chips."""


class Columns:
    """Hands as numbers, until they are summed up."""

    def __init__(self) -> None:
        self.runs: list[Run] = []
        self._values, self._players, self._positions = array("d"), array("i"), array("B")
        self._counts, self._rounds = array("B"), array("B")
        self.orders = array("i")
        """Number of the order of players in each hand, where deals may come again."""
        self._pots, self._big_blinds = array("d"), array("d")

    def __len__(self) -> int:
        return len(self._counts)

    def add(
        self, values: Sequence[float], round_: int, pot: float, big_blind: int, players: "array[int]",
        positions: "array[int]",
    ) -> None:  # fmt: skip
        """Add a hand. The pot is in big blinds; `players` and `positions` are numbers of players and positions' names."""
        self._values.extend(values)
        self._players.extend(players)
        self._positions.extend(positions)
        self._counts.append(len(players))
        self._rounds.append(round_)
        self._pots.append(pot)
        self._big_blinds.append(big_blind)

    def deals(self) -> NDArray[np.int64]:
        """Return the number of each hand's deal by the runs that were noted: int64 ``[hand]``."""
        return number_deals(self.runs, np.frombuffer(self.orders, np.int32))

    def arrays(self) -> Arrays:
        return Arrays(
            np.array(self._values),
            np.array(self._players, np.int64),
            np.array(self._positions),
            np.array(self._counts),
            np.array(self._rounds),
            np.array(self._pots),
            np.array(self._big_blinds),
        )
