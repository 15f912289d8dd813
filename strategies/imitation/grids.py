"""Counts of starting hands in 13 × 13 cells, smoothed over hands of neighbouring ranks.

The method is Kebrle's (2016, section 6.4): a table of counts for each action, seven rounds of averaging over neighbours,
and probabilities in proportion. Pairs are averaged with pairs, other hands with other hands.
"""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.cards.handspace import read_only
from limpet.strategies.cards.isomorphism import NUM_CLASSES

Table = NDArray[np.float64]

ITERATIONS = 7
"""Number of rounds of averaging in the thesis."""
MOST_ITERATIONS = 13
"""Largest number of rounds for cells that are still empty: from any pair, or any other hand, 11 reach all of its kind."""


@dataclass(frozen=True)
class Grid:
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
        return read_only(np.array([self._cell(*divmod(number, 13)) for number in range(NUM_CLASSES)]))

    def _cell(self, i: int, j: int) -> int:
        """Return the cell of the class of two ranks from 0 (deuce) to 12: suited where i > j, offsuit where i < j."""
        suited = i >= j
        if self.ace_low:
            i, j = (i + 1) % 13, (j + 1) % 13
        return self._at(max(i, j), min(i, j), suited)

    @cached_property
    def averaging(self) -> Table:
        """Return float64 ``[cell, cell]``: one round of averaging as a matrix; read-only.

        A pair takes the mean of itself and its two neighbours, of the three nearest pairs at the ends. Another hand takes
        the mean of the 3 × 3 cells around it that are hands of its kind.
        """
        matrix = np.zeros((self.size, self.size))
        for i in range(13):
            around = range(min(max(i - 1, 0), 10), min(max(i - 1, 0), 10) + 3)
            for other in around:
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
def _power(grid: Grid, iterations: int) -> Table:
    return read_only(np.linalg.matrix_power(grid.averaging, iterations))


def action_probabilities(
    counts: Table, grid: Grid, iterations: int = ITERATIONS, prior: Table | None = None, weight: float = 0.0
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
        empty = smoothed.sum(axis=0) <= 0
        if not empty.any():
            break
        smoothed[:, empty] = grid.smooth(counts, more)[:, empty]
    empty = smoothed.sum(axis=0) <= 0
    if empty.any():
        smoothed[:, empty] = np.eye(len(counts))[:, :1] if prior is None else prior[:, empty]
    probabilities: Table = smoothed / smoothed.sum(axis=0)
    return probabilities
