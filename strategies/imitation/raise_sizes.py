"""Raise sizes in units of stacks, bets and pots, and a few of them that stand for many.

Sizes are clustered by 1-D k-means. A menu says how often hands of some strength choose each of its sizes.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import State
from limpet.strategies.imitation.hand_cells import GROUPS
from limpet.strategies.raises import at_risk, pot_raise

Sizes = NDArray[np.float64]

MOST_VALUES = 1000
"""Largest number of different sizes that are clustered exactly; more are rounded to three digits first."""
WEIGHT = 3.0
"""Number of raises as which the frequencies of a situation count for each group of strength."""


class RaiseSize(NamedTuple):
    """One raise in several units, so that a learner may choose which of them alike raises share.

    Attributes:
        added: chips that the raise adds, as a share of the shorter stack.
        to: total of the player in the hand after the raise, as a share of the shorter stack.
        multiple: total of the player in the hand after the raise ÷ the total that a call would have matched.
        pot: chips over a call ÷ the pot after that call.
    """

    added: float
    to: float
    multiple: float
    pot: float


def raise_size(state: State, chips: int) -> RaiseSize:
    """Return the size of a raise that brings the actor of `state` to a total of `chips`."""
    stack = at_risk(state, state.actor)
    # Chips over the shorter stack cannot be lost: an all-in is the whole of it, however deep the raiser is.
    total = min(chips, stack)
    return RaiseSize(
        added=(total - state.spent[state.actor]) / stack,
        to=total / stack,
        multiple=chips / max(1, state.max_spent),
        pot=(chips - state.max_spent) / max(1, state.pot + state.to_call),
    )


def raise_chips(state: State, unit: str, size: float) -> int | None:
    """Return the legal total nearest to a raise of a size in a unit of `RaiseSize`; None where raising is illegal."""
    bounds = state.raise_bounds()
    if bounds is None:
        return None
    if unit == "pot":
        chips = pot_raise(state, size)
    elif unit == "multiple":
        chips = round(size * state.max_spent)
    else:
        chips = round(size * at_risk(state, state.actor) + (state.spent[state.actor] if unit == "added" else 0))
    return min(max(chips, bounds[0]), bounds[1])


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


class SizeMenu(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sizes of one situation, in multiples of the bet before the flop, in pots after it."""

    sizes: list[float]  # centroids, ascending
    shares: list[list[float]]  # [size][group]: how often each size is chosen by hands of each group of strength

    def chips(self, state: State) -> list[int]:
        """Return the total that each size raises to in `state`, where raising must be legal; several may be equal."""
        unit = "multiple" if state.round == 0 else "pot"
        totals = [raise_chips(state, unit, size) for size in self.sizes]
        return [total for total in totals if total is not None]


DEFAULTS = (SizeMenu([3.0], [[1.0] * GROUPS]), SizeMenu([0.7], [[1.0] * GROUPS]))
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
    return SizeMenu(centres.tolist(), shares.tolist())
