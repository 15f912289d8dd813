"""Gadgets: choices put before a subgame that keep its solution from giving the opponent more than was promised.

A subgame solved for the ranges alone ("unsafe") may be worth more to some of the opponent's hands than the strategy before
it promised them, and the opponent could have aimed at it. A gadget lets each of the opponent's hands choose, iteration by
iteration, between entering and its alternative value, which is its value elsewhere. All choices are learnt by regret
matching⁺.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Gadget = Literal["unsafe", "resolve", "maxmargin", "reach-maxmargin", "combined"]
"""Name of a gadget; ``unsafe`` is none. ``reach-maxmargin`` (Brown & Sandholm 2017) is ``maxmargin`` with gifts added to
the alternatives, see `subgame.Subgame.promise`."""

Alternatives = Literal["best", "own"]
"""Values that the opponent's hands are promised: those of a best response to the old strategy, or of the old strategy."""

ADDED = 0.2
"""Largest weight that ``combined`` adds to the opponent's range, as a share of the range's weight."""
SPREAD = 0.1
"""Share of the range's weight that ``combined`` spreads over all live hands."""

Vector = NDArray[np.float64]


class CfrDGadget:
    """CFR-D's gadget (Burch, Johanson & Bowling 2014).

    Each hand follows into the subgame, or terminates for its alternative value.
    """

    def __init__(self, alternatives: Vector, possible: Vector) -> None:
        self._terminate = alternatives * possible
        self._live = possible > 0
        self._regret = np.zeros((2, len(possible)))
        self._followed = np.full(len(possible), 0.5)

    def weights(self) -> Vector:
        return np.where(self._live, self._followed, 0.0)

    def learn(self, values: NDArray[np.float32]) -> None:
        gain = values - self._terminate
        # Regrets of following and of terminating: the value of each less that of the mixture.
        self._regret[0] += (1 - self._followed) * gain
        self._regret[1] -= self._followed * gain
        np.maximum(self._regret, 0, out=self._regret)
        total = self._regret.sum(axis=0)
        self._followed = np.divide(self._regret[0], total, out=np.full(len(total), 0.5), where=total > 0)


class MaxmarginGadget:
    """The maxmargin gadget (Moravčík et al. 2016).

    The opponent enters with the hands that gain most over their alternatives, so that the solve maximises the smallest
    margin.
    """

    def __init__(self, alternatives: Vector, possible: Vector) -> None:
        self._live = possible > 0
        self._alternatives = alternatives
        self._share = np.divide(1, possible, out=np.zeros(len(possible)), where=self._live)
        self._regret = np.zeros(len(possible))
        self._chosen = self._live / max(1, self._live.sum())

    def weights(self) -> Vector:
        # The opponent's hand is chosen first and ours is dealt from those that share no card with it: hence the share.
        # Scaling only brings the weights to those of a range.
        weights = self._chosen * self._share
        largest = weights.max()
        return np.asarray(weights / largest if largest > 0 else weights)

    def learn(self, values: NDArray[np.float32]) -> None:
        gain = np.where(self._live, values * self._share - self._alternatives, 0.0)
        self._regret += gain - self._chosen @ gain
        self._regret[~self._live] = 0
        np.maximum(self._regret, 0, out=self._regret)
        total = self._regret.sum()
        self._chosen = self._regret / total if total > 0 else self._live / max(1, self._live.sum())


class Combined(CfrDGadget):
    """A gadget between unsafe and safe: the range as it is, with weight added to hands that gain over their alternatives.

    A hand enters with its reach r plus (1 - r) times its probability to follow in CFR-D's gadget. The weight added is
    bounded by `ADDED`, and `SPREAD` is spread over all live hands.
    """

    def __init__(self, alternatives: Vector, possible: Vector, reach: Vector) -> None:
        super().__init__(alternatives, possible)
        largest = reach.max()
        self._reach = np.where(self._live, reach / largest if largest > 0 else 1.0, 0.0)
        self._spread = SPREAD * self._reach.sum() * self._live / max(1, self._live.sum())

    def weights(self) -> Vector:
        added = (1 - self._reach) * super().weights()
        total, bound = added.sum(), ADDED * self._reach.sum()
        if total > bound:
            added *= bound / total
        return np.asarray(np.minimum(1.0, self._reach + added + self._spread))


GadgetEntry = CfrDGadget | MaxmarginGadget
"""The choice that a gadget puts before a subgame, see `round_solver.Entry`."""


def gadget_entry(gadget: Gadget, alternatives: Vector, possible: Vector, reach: Vector) -> GadgetEntry | None:
    """Return the choice that a gadget puts before a subgame; None for ``unsafe``. Vectors are ``[hand]``.

    The opponent's hands are the 1,326 of hold'em, or the buckets of a round.

    alternatives: value elsewhere in big blinds, given that the hand reaches the subgame; possible: weight of our hands that
    share no card with the hand, 0 where it cannot be held; reach: reach probability of the hand, up to a factor.
    """
    if gadget == "combined":
        return Combined(alternatives, possible, reach)
    kinds: dict[str, type[GadgetEntry]] = {
        "resolve": CfrDGadget,
        "maxmargin": MaxmarginGadget,
        "reach-maxmargin": MaxmarginGadget,
    }
    return None if gadget == "unsafe" else kinds[gadget](alternatives, possible)
