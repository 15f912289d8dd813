"""Values of the leaves of a flop subgame for pairs of classes of hands, over sampled runouts.

On a runout, a line to the river and a way of the opponent to play on give our hand h against the opponent's hand i

    Σ_ends ours(h) theirs(i) stake · (1 at a fold, the sign of h's strength less i's at a showdown)

times the probability that both play the line: bilinear in the two, so that ends and hands are summed up by matrix
products. Inside a runout, hands of equal river bucket and of equal strength, rounded to one of `LEVELS`, form a group and
are not told apart. Sums over a runout's hands are kept by class of hands, because the next runout has other groups.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction.cards import CardAbstraction
from limpet.strategies.resolving.leaves import leaf_kernels as kernels
from limpet.strategies.resolving.leaves.leaf_play import LeafPlay
from limpet.strategies.solving.lanes_kernels import in_lanes

LEVELS = 64
"""Number of strengths told apart on a runout beside the river buckets; most boards have some hundred different ones."""

Table = NDArray[np.float32]


class GroupedHands(NamedTuple):
    """The n hands that a runout leaves, in G groups, and in cells: the hands of one group and one class form a cell.

    G is a multiple of the lane width; the last groups may be empty.

    Attributes:
        river_bucket: ``[G]``: river bucket of each group.
        wins: ``[G, G]``: share of pairs in which the row's hand beats the column's, less that in which it loses.
        turn_bucket: ``[n]``: bucket of each hand on the turn, cell by cell.
        first: ``[cell]``: index of the cell's first hand in `turn_bucket`.
        group: ``[cell]``: group of the cell's hands.
        of_class: ``[cell]``: class of the cell's hands.
        left: ``[C]``: number of hands of each class.
    """

    river_bucket: NDArray[np.int64]
    wins: Table
    turn_bucket: NDArray[np.integer]
    first: NDArray[np.intp]
    group: NDArray[np.int64]
    of_class: NDArray[np.int64]
    left: NDArray[np.intp]

    def sums(self, table: Table) -> Table:
        """Return a table by turn bucket as sums over the hands of each cell."""
        return np.asarray(np.add.reduceat(table.take(self.turn_bucket, axis=-1), self.first, axis=-1))


def group_hands(
    cards: CardAbstraction,
    board: tuple[int, ...],
    held: NDArray[np.int16],
    classes: NDArray[np.int16],
    strengths: NDArray[np.int32],
) -> GroupedHands:
    """Group the hands `held` on a board of five cards by river bucket and strength.

    classes: class of each hand held; strengths: ``[1326]``, negative for hands that the board blocks.
    """
    live = strengths[held] >= 0
    hands, of_class, count = held[live], classes[live].astype(np.int64), int(classes.max()) + 1
    ranks, rank = np.unique(strengths[hands], return_inverse=True)
    level = rank if len(ranks) <= LEVELS else rank * LEVELS // len(ranks)
    bucket = cards.bucket_vector(3, board)[hands].astype(np.int64)
    filled, group = np.unique(bucket * len(ranks) + level, return_inverse=True)
    holding = np.bincount(group * len(ranks) + rank, minlength=len(filled) * len(ranks))
    share = holding.reshape(len(filled), -1) / np.bincount(group)[:, None]
    below = share.cumsum(axis=1)
    groups = in_lanes(len(filled))
    wins = np.zeros((groups, groups), np.float32)
    wins[: len(filled), : len(filled)] = share @ (2 * below - share - 1).T
    river_bucket = np.zeros(groups, np.int64)
    river_bucket[: len(filled)] = filled // len(ranks)
    cell = group.astype(np.int64) * count + of_class
    order = np.argsort(cell, kind="stable")
    first = np.flatnonzero(np.diff(cell[order], prepend=-1))
    return GroupedHands(
        river_bucket=river_bucket,
        wins=wins,
        turn_bucket=cards.bucket_vector(2, board[:4])[hands][order],
        first=first,
        group=cell[order][first] // count,
        of_class=of_class[order][first],
        left=np.bincount(of_class, minlength=count),
    )


class LeafMatrices:
    """Sums over runouts, for N leaves and K ways of the opponent to play on."""

    def __init__(self, plays: Sequence[LeafPlay], count: int, ways: int) -> None:
        """count: number of classes of hands, see `hand_classes`."""
        self.plays = plays
        self._sums = np.zeros((len(plays), ways, count, in_lanes(count)), np.float32)
        self._pairs = np.zeros((count, count), np.int64)
        self.run_outs = 0
        """Number of runouts added."""

    def add(self, hands: GroupedHands, pool: ThreadPoolExecutor) -> None:
        """Add a runout, its leaves shared out to the threads of `pool`."""
        list(pool.map(lambda leaf: self._add_leaf(leaf, hands), range(len(self.plays))))
        self._pairs += hands.left[:, None] * hands.left
        self.run_outs += 1

    def _add_leaf(self, leaf: int, hands: GroupedHands) -> None:
        play, sums = self.plays[leaf], self._sums[leaf]
        (classes, width), groups = sums.shape[1:], len(hands.wins)
        worth, by_class = np.empty((groups, groups), np.float32), np.empty((classes, groups), np.float32)
        by_group = np.zeros((groups, width), np.float32)
        river = [ends.take(hands.river_bucket, axis=-1) for ends in (play.showdowns, play.folds)]
        # An all-in is a line to the river that ends there in a showdown, with probability 1.
        all_in = [np.ones((*play.all_ins.shape[:2], ends, groups), np.float32) for ends in (1, 0)]
        for lines, (shows, folds) in ((play.lines, river), (play.all_ins, all_in)):
            reach = hands.sums(lines)
            kernels.add_lines(
                reach[0], reach[1:], shows[0], shows[1:], folds[0], folds[1:], hands.wins, hands.group, hands.of_class,
                worth, by_class, by_group, sums,
            )  # fmt: skip
        reach = hands.sums(play.turn_folds)
        kernels.add_folds(reach[0], reach[1:], hands.of_class, np.empty((2, width), np.float32), sums)

    def means(self) -> Table:
        """Return float32 ``[N, K, C, C]``: big blinds that our class (row) wins from the opponent's class (column).

        These are means over pairs of hands and the runouts that leave both.
        """
        return np.asarray(self._sums[..., : len(self._pairs)] * (1 / np.maximum(self._pairs, 1)).astype(np.float32))
