"""What the leaves of a flop subgame are worth to pairs of classes of hands, over sampled run-outs.

For a run-out, a line to the river and a way of the other to play on, two hands h and i are worth to us

    Σ_ends ours(h) theirs(i) stake · (1 at a fold, the sign of h's strength less i's at a showdown)

times how likely both play the line: bilinear in the two, so that ends and hands are summed up by matrix products. A
hand counts by its river bucket and its strength, rounded to one of `LEVELS`; these groups of hands take the place of
hands inside a run-out. Sums over a run-out's hands are kept by class of hands, because the next run-out has other groups.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction.cards import CardAbstraction
from limpet.strategies.resolving import leaf_kernels as kernels
from limpet.strategies.resolving.leaf_play import LeafPlay
from limpet.strategies.solving.lanes_kernels import in_lanes

LEVELS = 64
"""Strengths told apart on a run-out beside the river buckets; most boards have some hundred different ones."""

Table = NDArray[np.float32]


class RunOut(NamedTuple):
    """The n hands that are left on a turn and a river, in G groups.

    Attributes:
        at: their places among all the hands of the subgame.
        turn_bucket, group: ``[n]``.
        river_bucket: ``[G]``; G is in whole lanes, the last groups may be empty.
        wins: ``[G, G]``: how often the row's hands beat the column's, less how often they lose to them.
    """

    at: NDArray[np.intp]
    turn_bucket: NDArray[np.integer]
    group: NDArray[np.int64]
    river_bucket: NDArray[np.int64]
    wins: Table


def run_out(
    cards: CardAbstraction,
    board: tuple[int, ...],
    held: NDArray[np.int16],
    strengths: NDArray[np.int32],
    levels: int = LEVELS,
) -> RunOut:
    """Group the hands of a board of five cards by river bucket and strength; strengths: ``[1326]``, negative if blocked."""
    at = np.flatnonzero(strengths[held] >= 0)
    hands = held[at]
    ranks, rank = np.unique(strengths[hands], return_inverse=True)
    level = rank if len(ranks) <= levels else rank * levels // len(ranks)
    bucket = cards.bucket_vector(3, board)[hands].astype(np.int64)
    found, group = np.unique(bucket * len(ranks) + level, return_inverse=True)
    holding = np.bincount(group * len(ranks) + rank, minlength=len(found) * len(ranks))
    share = holding.reshape(len(found), -1) / np.bincount(group)[:, None]
    below = share.cumsum(axis=1)
    groups = in_lanes(len(found))
    wins = np.zeros((groups, groups), np.float32)
    wins[: len(found), : len(found)] = share @ (2 * below - share - 1).T
    river_bucket = np.zeros(groups, np.int64)
    river_bucket[: len(found)] = found // len(ranks)
    return RunOut(
        at=at,
        turn_bucket=cards.bucket_vector(2, board[:4])[hands],
        group=group.astype(np.int64),
        river_bucket=river_bucket,
        wins=wins,
    )


class Cells(NamedTuple):
    """A run-out's hands by group and class.

    Attributes:
        first: where each cell's hands begin.
        turn_bucket: of all hands, cell by cell.
        group, of_class: of each cell.
    """

    first: NDArray[np.intp]
    turn_bucket: NDArray[np.integer]
    group: NDArray[np.int64]
    of_class: NDArray[np.int64]

    def sums(self, both: tuple[Table, Table]) -> tuple[Table, Table]:
        """Tables by turn bucket, of us and the other, as sums over the hands of each cell."""
        ours, theirs = (np.add.reduceat(table.take(self.turn_bucket, axis=-1), self.first, axis=-1) for table in both)
        return ours, theirs


class LeafMatrices:
    """Sums over run-outs, for N leaves and K ways of the other to play on."""

    def __init__(self, plays: Sequence[LeafPlay], classes: NDArray[np.int16], ways: int) -> None:
        """classes: int16 ``[H]`` of the subgame's hands, see `hand_classes`."""
        self.plays = plays
        self.classes = classes
        count = int(classes.max()) + 1
        self._sums = np.zeros((len(plays), ways, count, in_lanes(count)), np.float32)
        self._pairs = np.zeros((count, count), np.int64)
        self.run_outs = 0

    def add(self, seen: RunOut, pool: ThreadPoolExecutor) -> None:
        """One run-out more, its leaves shared out to the threads of a pool."""
        # Hands of one class in one group need not be told apart.
        of_class = self.classes[seen.at].astype(np.int64)
        label = seen.group * len(self._pairs) + of_class
        order = np.argsort(label, kind="stable")
        first = np.flatnonzero(np.diff(label[order], prepend=-1))
        cells = Cells(first, seen.turn_bucket[order], seen.group[order][first], of_class[order][first])
        list(pool.map(lambda leaf: self._add(leaf, seen, cells), range(len(self.plays))))
        left = np.bincount(of_class, minlength=len(self._pairs))
        self._pairs += left[:, None] * left
        self.run_outs += 1

    def _add(self, leaf: int, seen: RunOut, cells: Cells) -> None:
        play, sums = self.plays[leaf], self._sums[leaf]
        (classes, width), groups = sums.shape[1:], len(seen.wins)
        worth, by_class = np.empty((groups, groups), np.float32), np.empty((classes, groups), np.float32)
        by_group = np.zeros((groups, width), np.float32)
        shows, folds = (
            [table.take(seen.river_bucket, axis=-1) for table in ends] for ends in (play.showdowns, play.folds)
        )
        ours, theirs = cells.sums(play.lines)
        kernels.add_lines(
            ours, theirs, shows[0], shows[1], folds[0], folds[1], seen.wins, cells.group, cells.of_class, worth,
            by_class, by_group, sums,
        )  # fmt: skip
        ours, theirs = cells.sums(play.all_ins)
        shows, folds = ([_ones(ours, ends, groups), _ones(theirs, ends, groups)] for ends in (1, 0))
        kernels.add_lines(
            ours, theirs, shows[0], shows[1], folds[0], folds[1], seen.wins, cells.group, cells.of_class, worth,
            by_class, by_group, sums,
        )  # fmt: skip
        ours, theirs = cells.sums(play.turn_folds)
        kernels.add_folds(ours, theirs, cells.of_class, np.empty((2, width), np.float32), sums)

    def means(self) -> Table:
        """float32 ``[N, K, C, C]``: big blinds that our class (row) wins from his, on average over pairs of hands and the
        run-outs that leave both, with ours before the other's."""
        return np.asarray(self._sums[..., : len(self._pairs)] * (1 / np.maximum(self._pairs, 1)).astype(np.float32))


def _ones(lines: Table, ends: int, groups: int) -> Table:
    """All-in lines as lines to the river that end there for certain: ``[…, ends, groups]`` of lines ``[…, hands]``."""
    return np.ones((*lines.shape[:-1], ends, groups), np.float32)
