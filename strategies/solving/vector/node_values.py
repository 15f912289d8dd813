"""Measures of a vector solver's answer: values at a decision, and exploitability."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.solving.vector.decision_kernels import TINY

LEAST_SHARE = 1e-5
"""Share of the other player's reach that a hand must leave possible to have a value: below, float32 sums are noise."""


class Exploitability(NamedTuple):
    """Winnings of best responses against a strategy profile, in big blinds."""

    best: tuple[float, float]  # best-response value of each position
    percent: float  # mean of the two in % of the pot
    mbb: float  # their sum in thousandths of a big blind (NashConv; the thesis's ε)


def possible_reach(reach: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return, as ``float64 [1326]``, how much of the other player's reach ``[1326]`` each hand leaves possible.

    0 where that is so little (`LEAST_SHARE`) that the values of the hand are lost in rounding.
    """
    apart = hand_space().apart(reach)
    least = max(LEAST_SHARE * float(reach.sum(dtype=np.float64)), float(TINY))
    return np.where(apart > least, apart, 0.0)


class NodeValues(NamedTuple):
    """One decision on one board, per hand index ``[1326]``; 0 where a hand cannot be held.

    A hand that leaves none of the other player's hands possible here (see `possible_reach`) has no expected value: it would be the
    mean over nothing. Its values are 0 too.
    """

    reach: NDArray[np.float32]  # [2, 1326]: range weights times own action probabilities of the way there
    values: NDArray[np.float32]  # [2, 1326]: expected big blinds of each hand of each position, given that it is there
    actions: NDArray[np.float32]  # [actions, 1326]: expected big blinds of the actor's hands, by action
    strategy: NDArray[np.float32]  # [actions, 1326]: probabilities of the actor's hands

    @property
    def expected(self) -> tuple[float, float]:
        """Big blinds of each position at this node, over all hands that reach it; NaN if no pair of hands does."""
        means = []
        for p in (0, 1):
            joint = self.reach[p] * possible_reach(self.reach[1 - p])
            total = float(joint.sum())
            means.append(float(joint @ self.values[p]) / total if total > 0 else np.nan)
        return means[0], means[1]
