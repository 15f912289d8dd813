"""Plain float64 regret minimisation of one betting round, and its linear program, to check the compiled solver by."""

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.solvers.linear_program import equilibrium
from limpet.strategies.solvers.round_tree import NOBODY, TERMINAL, RoundTree

Matrix = NDArray[np.float64]


def letters(tree: RoundTree, node: int) -> tuple[str, ...]:
    """Return the letters of a decision's actions in their order."""
    first = tree.first_child[node]
    return tuple(
        history[len(tree.histories[node]) :] for history in tree.histories[first : first + tree.num_actions[node]]
    )


class RoundTwin:
    """CFR with simultaneous updates and no weights, as in the thesis; `compatible` and `gain` as in `showdowns.Paired`."""

    def __init__(self, tree: RoundTree, compatible: Matrix, gain: Matrix, ranges: Matrix) -> None:
        self.tree, self.compatible, self.gain, self.ranges = tree, compatible, gain, ranges
        self.regret = np.zeros((tree.entries, len(compatible)))
        self.average = np.zeros((tree.entries, len(compatible)))

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
            return np.asarray(
                (-tree.paid[node, p] if folded == p else tree.paid[node, 1 - p]) * (self.compatible @ other)
            )
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
        mass = float(self.ranges[0] @ self.compatible @ self.ranges[1])
        best = [self.ranges[p] @ self.value(0, p, self.ranges[p], self.ranges[1 - p], sigma) for p in (0, 1)]
        return float(sum(best)) / mass / 2


class PlusTwin(RoundTwin):
    """CFR+: the players learn in turn, regrets never fall below 0, and iteration t counts t times in the average."""

    def learn(self, iterations: int, order: tuple[int, int]) -> None:
        """Run from the start. order: the players, the one who learns first in each iteration first."""
        for number in range(1, iterations + 1):
            for p in order:
                sigma, gains, before = self.matched(self.regret), np.zeros_like(self.regret), self.average.copy()
                self.value(0, p, self.ranges[p], self.ranges[1 - p], sigma, gains)
                self.average = before + number * (self.average - before)
                self.regret = np.maximum(self.regret + gains, 0)


def linear_program(tree: RoundTree, compatible: Matrix, gain: Matrix, ranges: Matrix) -> float:
    """Player 0's value by linear programming over all pairs of buckets."""
    return _value_through(tree, compatible, gain, ranges, tree.first_child[0] + np.arange(tree.num_actions[0]))


def value_of_root(tree: RoundTree, compatible: Matrix, gain: Matrix, ranges: Matrix, root: Matrix) -> float:
    """Player 0's value if it plays ``root [action, bucket]`` at first, and both play optimally from there on.

    What follows each action is a game of its own: both players know the action, and player 0's range is what takes it.
    """
    mass, value = 0.0, 0.0
    for action, row in enumerate(root):
        after = np.array([ranges[0] * row, ranges[1]])
        weight = float(after[0] @ compatible @ after[1])
        child = tree.first_child[0] + np.array([action])
        value += weight * _value_through(tree, compatible, gain, after, child) if weight else 0.0
        mass += weight
    return value / mass


def _value_through(
    tree: RoundTree, compatible: Matrix, gain: Matrix, ranges: Matrix, at_root: NDArray[np.int64]
) -> float:
    """Player 0's value by linear programming if the first decision leads to some of its children only."""
    buckets = len(compatible)
    first, second = np.divmod(np.arange(buckets * buckets), buckets)
    weight = (ranges[0][:, None] * compatible * ranges[1]).ravel()
    share = np.divide(gain, compatible, out=np.zeros_like(gain), where=compatible > 0).ravel()

    played = np.ones(len(tree.player), bool)
    for node in range(1, len(played)):
        parent = tree.parent[node]
        played[node] = played[parent] if parent else node in at_root

    def payoff(node: int) -> Matrix:
        if not played[node]:
            return np.zeros(len(weight))
        folded = tree.folded[node]
        if folded == NOBODY:
            return np.asarray(tree.paid[node, 0] * share)
        return np.full(len(weight), -tree.paid[node, 0] if folded == 0 else tree.paid[node, 1])

    children = [list(range(f, f + n)) for f, n in zip(tree.first_child, tree.num_actions, strict=True)]
    value, _ = equilibrium(
        player=tree.player.tolist(),
        children=[at_root.tolist(), *children[1:]],
        classes=lambda node, player: (first, second)[player],
        payoff=payoff,
        weight=weight / weight.sum(),
    )
    return value
