"""Counts the 13 orders of three starting-hand classes over boards, exactly: every count is a whole number.

Each hand b is the pivot in turn. With the vectors over classes of the hands that beat b, tie with b and lose to b, the
number of (a, c) with a > b > c is the product of the first and the last. Pairs (a, c) that share a card are taken away again,
card by card. The products are matrix products over all pivots of a class on a batch of boards, in float32, whose sums stay
below 2**24 and so are exact.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache

import numpy as np
import numpy.typing as npt

from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import NUM_CLASSES, preflop_classes
from limpet.strategies.cards.ranges import class_hands
from limpet.strategies.showdowns import counting_kernels as kernels

BATCH = 128
"""Number of boards at a time. 12 * 12 * 12 * 24 * BATCH, the largest sum, must stay below 2**24."""

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TripleCounts:
    """Numbers of (board, three disjoint combos) that end in each order, for all triples of classes.

    strict, top_tie, low_tie, all_tie: int64[169, 169, 169], indexed as in `ShowdownTables`; boards weigh their orbit.
    """

    strict: Counts
    top_tie: Counts
    low_tie: Counts
    all_tie: Counts

    def __add__(self, other: "TripleCounts") -> "TripleCounts":
        return TripleCounts(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    def total(self) -> Counts:
        """Return int64[169, 169, 169]: the sum of the 13 orders, the same for every order of the classes."""
        above = self.strict + self.strict.transpose(0, 2, 1)  # the first class alone on top
        sum_: Counts = self.all_tie.copy()
        for first in range(3):
            axes = (first, *(axis for axis in range(3) if axis != first))
            back = np.argsort(axes)
            sum_ += (above + self.low_tie).transpose(back)
            sum_ += self.top_tie.transpose(2, 0, 1).transpose(back)
        return sum_


@dataclass(frozen=True, eq=False)
class SortedBoards:
    """Boards with their hands sorted by strength, as `counting_kernels.sort_boards` writes them, and their weights."""

    order: npt.NDArray[np.int32]
    live: npt.NDArray[np.int32]
    runs: npt.NDArray[np.int32]
    orbits: npt.NDArray[np.float32]

    @classmethod
    def sort(cls, boards: npt.NDArray[np.int8], orbits: npt.NDArray[np.int32]) -> "SortedBoards":
        """Sort the hands of boards int8[B, 5]."""
        order = np.empty((len(boards), 1326), dtype=np.int32)
        live = np.empty(len(boards), dtype=np.int32)
        runs = np.empty((len(boards), 1326, 2), dtype=np.int32)
        kernels.sort_boards(boards, hand_space().holes, order, live, runs)
        return cls(order, live, runs, orbits.astype(np.float32))

    @classmethod
    def no_board(cls) -> "SortedBoards":
        """Return one deal without a board, in which all 1,326 hands tie: the order A=B=C then counts all disjoint combos."""
        runs = np.tile(np.array([0, 1326], dtype=np.int32), (1, 1326, 1))
        return cls(
            np.arange(1326, dtype=np.int32)[None], np.array([1326], np.int32), runs, np.ones(1, dtype=np.float32)
        )


@cache
def rank_classes() -> npt.NDArray[np.intp]:
    """Return intp[13, 25]: the classes that hold each rank, ascending."""
    numbers = np.arange(NUM_CLASSES)
    return np.array([np.flatnonzero((numbers // 13 == rank) | (numbers % 13 == rank)) for rank in range(13)])


@cache
def _card_cells() -> npt.NDArray[np.int32]:
    """Return int32[1326, 2]: 50 * card + the place of the hand's class among those with the card's rank."""
    holes = hand_space().holes.astype(np.int32)
    classes = preflop_classes()
    cells = [
        [50 * card + np.searchsorted(rank_classes()[card >> 2], number) for card in hand]
        for hand, number in zip(holes, classes, strict=True)
    ]
    return np.array(cells, dtype=np.int32)


def _batches(boards: npt.NDArray[np.int8], orbits: npt.NDArray[np.int32]) -> Iterator[SortedBoards]:
    """Yield the boards sorted, BATCH at a time."""
    for start in range(0, len(boards), BATCH):
        yield SortedBoards.sort(boards[start : start + BATCH], orbits[start : start + BATCH])


def count_boards(boards: npt.NDArray[np.int8], orbits: npt.NDArray[np.int32]) -> TripleCounts:
    """Return the counts over boards int8[B, 5], each weighing its orbit int32[B] of at most 24."""
    counter = _Counter()
    for batch in _batches(boards, orbits):
        counter.add(batch)
    return counter.counts()


def triple_weights() -> npt.NDArray[np.int64]:
    """Return int64[169, 169, 169]: number of ways to deal three classes combos without a common card, in this order."""
    counter = _Counter()
    counter.add(SortedBoards.no_board())
    return counter.counts().all_tie


class _Counter:
    """Sums of the products of all pivot classes.

    products: float64[169, 338, 338], (tying, stronger) by (tying, weaker) classes for each pivot class, with pairs that
    share a card. shared: float64[169, 13, 50, 50], the number of shared cards of such pairs, by rank. twins: float64[169,
    169], number of tying hands that were paired with themselves, whose two shared cards are one too many.

    Tied classes below the pivot's are left out of the products, because the pivot may be any of the tied.
    """

    def __init__(self) -> None:
        rows = 12 * BATCH
        self.products = np.zeros((NUM_CLASSES, 2 * NUM_CLASSES, 2 * NUM_CLASSES))
        self.shared = np.zeros((NUM_CLASSES, 13, 50, 50))
        self.twins = np.zeros((NUM_CLASSES, NUM_CLASSES))
        self._sides = [np.empty((rows, 2 * NUM_CLASSES), dtype=np.float32) for _ in range(2)]
        self._by_card = [np.empty((rows, 52 * 50), dtype=np.float32) for _ in range(2)]
        self._cards = np.array([(1 << int(x)) | (1 << int(y)) for x, y in hand_space().holes], dtype=np.int64)
        self._classes = preflop_classes().astype(np.int32)

    def add(self, boards: SortedBoards) -> None:
        """Add the counts of at most BATCH boards."""
        for pivot, hands in enumerate(class_hands()):
            rows = kernels.fill_rows(
                hands, boards.order, boards.live, boards.runs, boards.orbits,
                self._cards, self._classes, _card_cells(), *self._sides, *self._by_card,
            )  # fmt: skip
            stronger, weaker = (side[:rows, pivot:] for side in self._sides)
            self.products[pivot, pivot:, pivot:] += stronger.T @ weaker
            self.twins[pivot, pivot:] += stronger[:, : NUM_CLASSES - pivot].sum(axis=0, dtype=np.float64)
            strong, weak = (by_card[:rows].reshape(rows, 13, 4, 50) for by_card in self._by_card)
            for rank, classes in enumerate(rank_classes()):
                first = int(np.searchsorted(classes, pivot))
                left = strong[:, rank, :, first:].transpose(1, 2, 0)
                right = weak[:, rank, :, first:].transpose(1, 0, 2)
                self.shared[pivot, rank, first:, first:] += (left @ right).sum(axis=0)

    def counts(self) -> TripleCounts:
        """Return the counts of everything added."""
        counts = self.products.copy()
        for rank, classes in enumerate(rank_classes()):
            columns = np.concatenate([classes, classes + NUM_CLASSES])
            counts[:, columns[:, None], columns] -= self.shared[:, rank]
        numbers = np.arange(NUM_CLASSES)
        counts[:, numbers, numbers] += self.twins
        whole = counts.astype(np.int64)
        tied, other = slice(0, NUM_CLASSES), slice(NUM_CLASSES, None)
        return TripleCounts(
            strict=np.ascontiguousarray(whole[:, other, other].transpose(1, 0, 2)),
            top_tie=_symmetric(whole[:, tied, other]),
            low_tie=np.ascontiguousarray(_symmetric(whole[:, other, tied].transpose(0, 2, 1)).transpose(2, 0, 1)),
            all_tie=_all_symmetric(whole[:, tied, tied]),
        )


def _symmetric(upper: Counts) -> Counts:
    """Return the array with [x, y] for y >= x copied to [y, x]."""
    low, high = np.minimum(*np.indices((NUM_CLASSES,) * 2)), np.maximum(*np.indices((NUM_CLASSES,) * 2))
    filled: Counts = upper[low, high]
    return filled


def _all_symmetric(upper: Counts) -> Counts:
    """Return the array with [x, y, z] for x <= y <= z copied to all orders of the three."""
    x, y, z = np.indices((NUM_CLASSES,) * 3, dtype=np.int16)
    low, high = np.minimum(np.minimum(x, y), z), np.maximum(np.maximum(x, y), z)
    filled: Counts = upper[low, x + y + z - low - high, high]
    return filled
