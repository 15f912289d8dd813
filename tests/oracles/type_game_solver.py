"""Regret minimisation on type games, the plain way: whole matrices in float64, one recursion an iteration."""

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.solvers.schedule import TIED, Algorithm, algorithm_of
from tests.oracles.type_game import TypeGame, reaches, uniform, walk


class TypeGameSolver:
    """Minimises the regrets of both players, player 0 first; player 1 then answers the refreshed strategy.

    Attributes:
        iteration: iterations done; each updates both players once.
        strategy: the current strategy (`type_game.Strategy`).
    """

    def __init__(self, game: TypeGame, algorithm: Algorithm | str = "dcfr") -> None:
        """A name stands for the algorithm with its usual parameters. Raises `ValueError` for an unknown name."""
        self.game = game
        self.algorithm = algorithm_of(algorithm)
        self.iteration = 0
        self.strategy = uniform(game)
        self._regret = [np.zeros_like(rows) for rows in self.strategy]
        self._average = [np.zeros_like(rows) for rows in self.strategy]

    def run(self, iterations: int) -> None:
        """Do `iterations` more."""
        for factors in self.algorithm.discounts(self.iteration, iterations):
            for player in (0, 1):
                self._update(player, *map(float, factors))
            self.iteration += 1

    def average(self) -> list[NDArray[np.float64]]:
        """The answer: the average strategy, which converges to an equilibrium; uniform where a type never got to.

        With ``cgh`` the last strategy.
        """
        if not self.algorithm.averages:
            return [rows.copy() for rows in self.strategy]
        return [_normalised(rows) for rows in self._average]

    def _update(self, player: int, keep_positive: float, keep_negative: float, keep_average: float, t: float) -> None:
        """S = factor S + π σ at the player's nodes; then the values of their actions, from below, make them learn."""
        game, strategy, algorithm = self.game, self.strategy, self.algorithm
        own = reaches(game, strategy, player)
        for number, node in game.decisions:
            if node.player == player:
                weight = own[number] if algorithm.averaging == "reach" else 1.0
                self._average[number] *= keep_average
                self._average[number] += weight * strategy[number]

        def learn(number: int, below: NDArray[np.float64]) -> NDArray[np.float64]:
            """R = factor(sign of R) R + v(a) - v and regret matching; the walk does not come back to this node."""
            value: NDArray[np.float64] = np.sum(strategy[number] * below, axis=0)
            if algorithm.name == "cgh":
                strategy[number] = _hedged(strategy[number], below, t, algorithm)
                return value
            gain, old = below - value, self._regret[number]
            regret = old * np.where(old > 0.0, keep_positive, keep_negative) + gain
            if algorithm.name == "pcfr+":
                regret = np.maximum(regret, 0.0)
            self._regret[number] = regret
            expected = regret + gain if algorithm.name == "pcfr+" else regret
            strategy[number] = _normalised(np.maximum(expected, 0.0))
            if algorithm.name == "cfr-return-new":
                value = np.sum(strategy[number] * below, axis=0)
            return value

        walk(game, strategy, player, learn)


def _hedged(
    rows: NDArray[np.float64], values: NDArray[np.float64], t: float, algorithm: Algorithm
) -> NDArray[np.float64]:
    """Counterfactual greedy hedging of ``[actions, types]``, see `tabular_kernels`."""
    count, best = len(rows), values.max(axis=0)
    chosen = count - 1 - (values[::-1] >= best - TIED).argmax(axis=0)
    hedged = np.maximum((t - 1.0) / t * rows - algorithm.constant / (t * count), 0.0)
    hedged[chosen, np.arange(len(chosen))] = 0.0
    hedged[chosen, np.arange(len(chosen))] = 1.0 - hedged.sum(axis=0)
    alike = best - values.min(axis=0) <= TIED
    return np.where(alike & (algorithm.ties == "keep"), rows, hedged)


def _normalised(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Columns of ``[actions, types]`` scaled to sum to one; uniform where there is no weight."""
    if not len(weights):
        return weights
    total = weights.sum(axis=0)
    return np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), 1.0 / len(weights))
