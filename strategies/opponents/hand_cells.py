"""Cells of hands, by which decisions are counted: starting hands in a grid, and strengths among the live hands on a board.

Counts of starting hands are smoothed over hands of neighbouring ranks. The method is Kebrle's (2016, section 6.4): a table of
counts for each action, seven rounds of averaging over neighbours, and probabilities in proportion. Pairs are averaged with
pairs, other hands with other hands.
"""

from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.cards.equity import strength_counts
from limpet.strategies.cards.handspace import read_only
from limpet.strategies.cards.isomorphism import NUM_CLASSES, kept_by_board, preflop_classes
from limpet.strategies.cards.preflop_tables import class_equities

Table = NDArray[np.float64]
Cells = NDArray[np.int16]

ITERATIONS = 7
"""Number of rounds of averaging in the thesis."""
MOST_ITERATIONS = 13
"""Largest number of rounds for cells that are still empty: from any pair, or any other hand, 11 reach all of its kind."""
GROUPS = 3
"""Number of groups of strength within which raise sizes are counted apart: weak, middling, strong."""


@dataclass(frozen=True)
class CellGrid:
    """The cells of starting hands, and which are neighbours.

    merged: suited and offsuit hands share a cell, which makes 91 cells; otherwise each of the 169 classes has its own.
    ace_low: the ace stands below the deuce, not above the king, as in the thesis's printed tables.
    """

    merged: bool = False
    ace_low: bool = False

    @property
    def size(self) -> int:
        return 91 if self.merged else NUM_CLASSES

    @cached_property
    def cell_of_class(self) -> NDArray[np.intp]:
        """Return int ``[169]``: the cell of each class of starting hands; read-only."""
        ranks = [((i + self.ace_low) % 13, (j + self.ace_low) % 13, i >= j) for i in range(13) for j in range(13)]
        return read_only(np.array([self._at(max(i, j), min(i, j), suited) for i, j, suited in ranks]))

    @cached_property
    def averaging(self) -> Table:
        """Return float64 ``[cell, cell]``: one round of averaging as a matrix; read-only.

        A pair takes the mean of itself and its two neighbours, of the three nearest pairs at the ends. Another hand takes
        the mean of the 3 × 3 cells around it that are hands of its kind.
        """
        matrix = np.zeros((self.size, self.size))
        for i in range(13):
            first = min(max(i - 1, 0), 10)
            for other in range(first, first + 3):
                matrix[self._at(i, i, True), self._at(other, other, True)] = 1 / 3
            for j in range(i):
                near = [(a, b) for a in range(i - 1, i + 2) for b in range(j - 1, j + 2) if 0 <= b < a <= 12]
                for suited in (True, False):
                    for a, b in near:
                        matrix[self._at(i, j, suited), self._at(a, b, suited)] = 1 / len(near)
        return read_only(matrix)

    def _at(self, high: int, low: int, suited: bool) -> int:
        """Return the cell in row `high` and column `low` of the triangle of suited or of offsuit hands."""
        if self.merged:
            return high * (high + 1) // 2 + low
        return 13 * high + low if suited else 13 * low + high

    def smooth(self, counts: Table, iterations: int = ITERATIONS) -> Table:
        """Return the counts ``[..., cell]`` after some rounds of averaging, all cells at once in each round."""
        return counts @ _power(self, iterations).T


@cache
def _power(grid: CellGrid, iterations: int) -> Table:
    return read_only(np.linalg.matrix_power(grid.averaging, iterations))


def action_probabilities(
    counts: Table, grid: CellGrid, iterations: int = ITERATIONS, prior: Table | None = None, weight: float = 0.0
) -> Table:
    """Return float64 ``[action, cell]``: how often each action is taken, in proportion to smoothed counts.

    counts: float64 ``[action, cell]``. prior: probabilities ``[action, cell]`` that count as much as `weight` hands in each
    cell. A cell without any count is smoothed on, up to `MOST_ITERATIONS` rounds, then takes the prior, and without
    a prior all of it goes to action 0.
    """
    smoothed = grid.smooth(counts, iterations)
    if prior is not None and weight > 0:
        smoothed = smoothed + weight * prior
    for more in range(iterations + 1, MOST_ITERATIONS + 1):
        if not (empty := smoothed.sum(axis=0) <= 0).any():
            break
        smoothed[:, empty] = grid.smooth(counts, more)[:, empty]
    empty = smoothed.sum(axis=0) <= 0
    smoothed[:, empty] = np.eye(len(counts))[:, :1] if prior is None else prior[:, empty]
    return np.asarray(smoothed / smoothed.sum(axis=0))


@kept_by_board
def strength_cells(board: tuple[int, ...], cells: int) -> Cells:
    """Return int16 ``[1326]``: the quantile of each hand's chance to beat a random one, -1 for blocked hands; read-only.

    Cell 0 is the weakest. Hands of equal strength share the cell of the middle of their ranks. A new flop takes some
    20 ms, a turn 1 ms, a river less.
    """
    counts = strength_counts(board)
    live = np.sort(counts[counts >= 0])
    middle = (np.searchsorted(live, counts) + np.searchsorted(live, counts, side="right")) / 2
    quantile = np.minimum(cells * middle / len(live), cells - 1).astype(np.int16)
    quantile[counts < 0] = -1
    return quantile


@lru_cache(maxsize=8)
def preflop_cells(grid: CellGrid) -> Cells:
    """Return int16 ``[1326]``: the grid's cell of each hand; read-only."""
    return read_only(grid.cell_of_class[preflop_classes()].astype(np.int16))


@lru_cache(maxsize=8)
def preflop_groups(grid: CellGrid) -> NDArray[np.intp]:
    """Return int ``[cell]``: the group of strength that each of the grid's cells belongs to; read-only."""
    hands = class_equities()[preflop_classes()]
    cells = preflop_cells(grid)
    mean = np.bincount(cells, hands, grid.size) / np.bincount(cells, minlength=grid.size)
    bounds = np.quantile(hands, [part / GROUPS for part in range(1, GROUPS)])
    return read_only(np.searchsorted(bounds, mean))
