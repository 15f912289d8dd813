"""Regret minimisation on type games, the plain way: whole matrices in float64, one recursion an iteration."""

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.solving.tabular import CFR, CFR_PLUS, DCFR, LINEAR_CFR, Discounts
from limpet.strategies.solving.type_game import TypeGame, reaches, uniform, walk


@dataclass(frozen=True)
class Rule:
    """How sums are discounted, and whether the next regret is predicted to be the last one (Farina et al. 2021)."""

    discounts: Discounts
    predictive: bool = False


ALGORITHMS = {
    "cfr": Rule(CFR),
    "cfr+": Rule(CFR_PLUS),
    "lcfr": Rule(LINEAR_CFR),
    "dcfr": Rule(DCFR),
    "pcfr+": Rule(Discounts(alpha=inf, beta=-inf, gamma=2.0), predictive=True),
}


class TypeGameSolver:
    """Minimises the regrets of both players, player 0 first; player 1 then answers the refreshed strategy.

    Attributes:
        iteration: iterations done; each updates both players once.
        strategy: the current strategy (`type_game.Strategy`).
    """

    def __init__(self, game: TypeGame, algorithm: str | Discounts | Rule = "dcfr") -> None:
        """`algorithm` is a name in `ALGORITHMS`, or discounts or a rule of your own, such as DCFR(α, β, γ).

        Raises `ValueError` for an unknown name.
        """
        if isinstance(algorithm, str):
            if algorithm not in ALGORITHMS:
                raise ValueError(f"algorithm {algorithm!r} is not one of {', '.join(ALGORITHMS)}")
            algorithm = ALGORITHMS[algorithm]
        self.game = game
        self.rule = Rule(algorithm) if isinstance(algorithm, Discounts) else algorithm
        self.iteration = 0
        self.strategy = uniform(game)
        self._regret = [np.zeros_like(rows) for rows in self.strategy]
        self._average = [np.zeros_like(rows) for rows in self.strategy]

    def run(self, iterations: int) -> None:
        """Do `iterations` more."""
        for factors in self.rule.discounts.schedule(self.iteration, iterations):
            for player in (0, 1):
                self._update(player, *map(float, factors))
            self.iteration += 1

    def average(self) -> list[NDArray[np.float64]]:
        """The average strategy, which converges to an equilibrium; uniform where a type never got to."""
        return [_normalised(rows) for rows in self._average]

    def _update(self, player: int, keep_positive: float, keep_negative: float, keep_average: float) -> None:
        """R = factor(sign of R) R + v(a) - v and S = factor S + π σ at the player's nodes, then regret matching."""
        game, strategy = self.game, self.strategy
        own = reaches(game, strategy, player)
        for number, node in game.decisions:
            if node.player == player:
                self._average[number] *= keep_average
                self._average[number] += own[number] * strategy[number]

        def regret_matching(number: int, below: NDArray[np.float64]) -> NDArray[np.float64]:
            value: NDArray[np.float64] = np.sum(strategy[number] * below, axis=0)
            gain = below - value
            old = self._regret[number]
            regret = old * np.where(old > 0.0, keep_positive, keep_negative) + gain
            self._regret[number] = regret
            if self.rule.predictive:
                regret = np.maximum(regret, 0.0) + gain
            strategy[number] = _normalised(np.maximum(regret, 0.0))  # the walk does not come back to this node
            return value

        walk(game, strategy, player, regret_matching)


def _normalised(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Columns of ``[actions, types]`` scaled to sum to one; uniform where there is no weight."""
    if not len(weights):
        return weights
    total = weights.sum(axis=0)
    return np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), 1.0 / len(weights))
