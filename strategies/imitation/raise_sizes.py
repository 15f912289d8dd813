"""A few raise sizes that stand for many: 1-D k-means, and how often hands of some strength choose each size."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import State
from limpet.strategies.imitation.hand_cells import GROUPS
from limpet.strategies.imitation.histories import raise_chips

Sizes = NDArray[np.float64]

MOST_VALUES = 1000
"""Largest number of different sizes that are told apart; more are rounded to three digits first."""
WEIGHT = 3.0
"""Number of raises as which the frequencies of a situation count for each group of strength."""


def centroids(sizes: Sizes, k: int) -> Sizes:
    """Return at most k centroids, ascending, with the least sum of squared distances to the sizes.

    In one dimension clusters are intervals, so that dynamic programming over the sorted values finds the optimum, which
    needs neither a start nor a seed. Fewer centroids come back where there are fewer different sizes.
    """
    values, weights = np.unique(sizes, return_counts=True)
    if len(values) > MOST_VALUES:
        digits = 2 - np.floor(np.log10(np.maximum(np.abs(sizes), 1e-9))).astype(int)
        values, weights = np.unique(np.round(sizes * 10.0**digits) / 10.0**digits, return_counts=True)
    count = len(values)
    if count <= k:
        return values.astype(np.float64)
    sums = np.concatenate(
        [np.zeros((1, 3)), np.cumsum(np.stack([weights, weights * values, weights * values**2], 1), 0)]
    )
    best = np.array([_cost(sums, np.zeros(1, np.intp), end)[0] for end in range(count + 1)])
    cuts = []
    for _ in range(k - 1):
        cut, better = np.zeros(count + 1, np.intp), best.copy()
        for end in range(1, count + 1):
            total = best[:end] + _cost(sums, np.arange(end), end)
            cut[end] = int(np.argmin(total))
            better[end] = total[cut[end]]
        cuts.append(cut)
        best = better
    bounds = [count]
    for cut in reversed(cuts):
        bounds.append(int(cut[bounds[-1]]))
    bounds.append(0)
    parts = [sums[high] - sums[low] for low, high in zip(bounds[:0:-1], bounds[-2::-1], strict=True)]
    return np.array([part[1] / part[0] for part in parts if part[0] > 0])


def _cost(sums: NDArray[np.float64], starts: NDArray[np.intp], end: int) -> NDArray[np.float64]:
    """Return the squared distances to the mean of the values from each start up to `end`, exclusive; 0 for none."""
    weight, first, second = (sums[end] - sums[starts]).T
    cost: NDArray[np.float64] = second - np.divide(first**2, weight, out=np.zeros_like(first), where=weight > 0)
    return cost


def nearest(centres: Sizes, size: float) -> int:
    """Return the index of the centroid nearest to a size, the smaller of two that are equally near."""
    return int(np.argmin(np.abs(centres - size)))


@dataclass(frozen=True, eq=False)
class SizeMenu:
    """Sizes of one situation, in multiples of the bet before the flop, in pots after it.

    Attributes:
        sizes: float64 ``[size]``: centroids, ascending.
        shares: float64 ``[size, group]``: how often each is chosen by hands of each group of strength.
    """

    sizes: Sizes
    shares: NDArray[np.float64]

    def chips(self, state: State) -> list[int]:
        """Return the total that each size raises to in `state`, where raising must be legal; several may be equal."""
        unit = "multiple" if state.round == 0 else "pot"
        totals = [raise_chips(state, unit, size) for size in self.sizes.tolist()]
        return [total for total in totals if total is not None]


DEFAULTS = {0: SizeMenu(np.array([3.0]), np.ones((1, GROUPS))), 1: SizeMenu(np.array([0.7]), np.ones((1, GROUPS)))}
"""Menus where no raise was recorded: before the flop, and after it."""


def build_menu(sizes: Sequence[float], groups: Sequence[int], k: int) -> SizeMenu:
    """Return the menu of recorded raises. `groups`: group of each raiser's hand, -1 where it is unknown."""
    centres = centroids(np.array(sizes), k)
    counts = np.zeros((len(centres), GROUPS))
    for size, group in zip(sizes, groups, strict=True):
        where = slice(None) if group < 0 else group
        counts[nearest(centres, size), where] += 1 / GROUPS if group < 0 else 1
    overall = counts.sum(axis=1, keepdims=True) / counts.sum()
    shares = (counts + WEIGHT * overall) / (counts.sum(axis=0) + WEIGHT)
    return SizeMenu(centres, shares)
