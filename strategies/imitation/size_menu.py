"""Raise sizes of a player by situation: a few centroids, and how often hands of some strength choose each."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import State
from limpet.strategies.imitation.hand_cells import GROUPS
from limpet.strategies.imitation.histories import raise_chips
from limpet.strategies.imitation.raise_sizes import centroids, nearest

WEIGHT = 3.0
"""Number of raises as which the frequencies of a situation count for each group of strength."""


@dataclass(frozen=True, eq=False)
class SizeMenu:
    """Sizes of one situation, in multiples of the bet before the flop, in pots after it.

    Attributes:
        sizes: float64 ``[size]``: centroids, ascending.
        shares: float64 ``[size, group]``: how often each is chosen by hands of each group of strength.
    """

    sizes: NDArray[np.float64]
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
