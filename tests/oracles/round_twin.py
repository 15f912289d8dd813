"""Plain float64 regret minimisation of one betting round, and its linear program, to check the compiled solver by."""

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.solving.rounds.round_tree import NOBODY, TERMINAL, RoundTree
from limpet.strategies.solving.tabular.linear_program import equilibrium

Matrix = NDArray[np.float64]


class RoundTwin:
    """CFR with simultaneous updates and no weights, as in the thesis; `apart` and `gain` as in `showdowns.Paired`."""

    def __init__(self, tree: RoundTree, apart: Matrix, gain: Matrix, ranges: Matrix) -> None:
        self.tree, self.apart, self.gain, self.ranges = tree, apart, gain, ranges
        self.regret = np.zeros((tree.entries, len(apart)))
        self.average = np.zeros((tree.entries, len(apart)))

    def run(self, iterations: int) -> None:
        for _ in range(iterations):
            sigma, gains = self.matched(self.regret), np.zeros_like(self.regret)
            for p in (0, 1):
                self.value(0, p, self.ranges[0], self.ranges[1], sigma, gains)
            self.regret += gains

    def matched(self, table: Matrix) -> Matrix:
        sigma = np.empty_like(table)
        for node in self.tree.decisions:
            span = self.span(node)
            positive = np.maximum(table[span], 0)
            total = positive.sum(axis=0)
            sigma[span] = np.where(total > 0, positive / np.where(total > 0, total, 1), 1 / len(positive))
        return sigma

    def value(
        self, node: int, p: int, own: Matrix, other: Matrix, sigma: Matrix, gains: Matrix | None = None
    ) -> Matrix:
        """Counterfactual values of player p; with `gains` regrets and averages are added up, without it p answers best."""
        tree = self.tree
        if tree.player[node] == TERMINAL:
            folded = tree.folded[node]
            if folded == NOBODY:
                return np.asarray(tree.paid[node, 0] * (self.gain @ other))
            return np.asarray((-tree.paid[node, p] if folded == p else tree.paid[node, 1 - p]) * (self.apart @ other))
        children = tree.first_child[node] + np.arange(tree.num_actions[node])
        rows = sigma[self.span(node)]
        if tree.player[node] != p:
            values = [self.value(c, p, own, other * row, sigma, gains) for c, row in zip(children, rows, strict=True)]
            return np.asarray(np.sum(values, axis=0))
        below = np.array(
            [self.value(c, p, own * row, other, sigma, gains) for c, row in zip(children, rows, strict=True)]
        )
        if gains is None:
            return np.asarray(below.max(axis=0))
        mixed = (rows * below).sum(axis=0)
        gains[self.span(node)] += below - mixed
        self.average[self.span(node)] += own * rows
        return np.asarray(mixed)

    def span(self, node: int) -> slice:
        return slice(int(self.tree.entry[node]), int(self.tree.entry[node] + self.tree.num_actions[node]))

    def exploitability(self) -> float:
        """Chips that best responses win from the average, the mean of both positions."""
        sigma = self.matched(self.average)
        mass = float(self.ranges[0] @ self.apart @ self.ranges[1])
        best = [self.ranges[p] @ self.value(0, p, self.ranges[p], self.ranges[1 - p], sigma) for p in (0, 1)]
        return float(sum(best)) / mass / 2


def linear_program(tree: RoundTree, apart: Matrix, gain: Matrix, ranges: Matrix) -> float:
    """Player 0's value by linear programming over all pairs of buckets."""
    buckets = len(apart)
    first, second = np.divmod(np.arange(buckets * buckets), buckets)
    weight = (ranges[0][:, None] * apart * ranges[1]).ravel()
    share = np.divide(gain, apart, out=np.zeros_like(gain), where=apart > 0).ravel()

    def payoff(node: int) -> Matrix:
        folded = tree.folded[node]
        if folded == NOBODY:
            return np.asarray(tree.paid[node, 0] * share)
        return np.full(len(weight), -tree.paid[node, 0] if folded == 0 else tree.paid[node, 1])

    value, _ = equilibrium(
        player=tree.player.tolist(),
        children=[list(range(f, f + n)) for f, n in zip(tree.first_child, tree.num_actions, strict=True)],
        classes=lambda node, player: (first, second)[player],
        payoff=payoff,
        weight=weight / weight.sum(),
    )
    return value
