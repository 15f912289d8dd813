"""One walk of public chance sampling, node by node and with every pair of hands: the plain twin of its kernels."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.cards.boards import Board, board_hands
from limpet.strategies.solvers.sampled.public_sampling import PublicChanceSampling

Rows = NDArray[np.float64]


class Twin:
    """The tables of a solver in float64, and one board that its sampler may show."""

    def __init__(
        self, solver: PublicChanceSampling, cards: Any, board: Board, weights: NDArray[np.float32] | None = None
    ) -> None:
        """weights: ``[2, hand]``: how often each player is dealt each hand of the hand space; None for all alike."""
        self.tree = solver.tree
        game = self.tree.game
        self.offset = self.tree.row_offset(solver.num_buckets)
        self.regret, self.average = solver.regret.astype(np.float64), solver.average.astype(np.float64)
        hands, held, run_end = board_hands(game, board)
        self.buckets = [
            cards.bucket_vector(r, board[:size])[hands].astype(int) for r, size in enumerate(game.board_sizes)
        ]
        self.compatible = (held[:, None, :, None] != held[None, :, None, :]).all(axis=(2, 3)).astype(np.float64)
        strength = run_end.astype(int)  # runs ascend
        self.sign = self.compatible * np.sign(strength[:, None] - strength[None, :])
        self.odds, self.pairs = solver._odds.astype(np.float64), solver._pairs.astype(np.float64)
        self.nodes = 0
        dealt = np.ones((2, len(hands))) if weights is None else weights[:, hands]
        self.weights = dealt.astype(np.float64)

    def walk(self, player: int) -> Rows:
        """Updates the tables; values of the player's hands at the root."""
        return self._value(player, 0, np.ones(len(self.compatible)), self.weights[1 - player])

    def _value(self, player: int, node: int, own: Rows, reach: Rows) -> Rows:
        tree = self.tree
        if tree.player[node] < 0:
            return self._terminal(player, node, reach)
        if not reach.any():
            return np.zeros_like(reach)
        self.nodes += 1
        buckets, actions = self.buckets[tree.round[node]], int(tree.num_actions[node])
        rows = slice(self.offset[node], self.offset[node + 1])
        table = np.maximum(self.regret[rows].reshape(-1, actions), 0)
        total = table.sum(axis=1, keepdims=True)
        sigma = np.where(total > 0, table / np.where(total > 0, total, 1), 1 / actions)[buckets]
        children = [tree.child(node, action) for action in range(actions)]
        weight = 1 / len(reach)
        if tree.player[node] != player:
            summed = np.zeros_like(table)
            np.add.at(summed, buckets, weight * reach[:, None] * sigma)
            self.average[rows] += summed.reshape(-1)
            below = [self._value(player, child, own, reach * sigma[:, a]) for a, child in enumerate(children)]
            summed_below: Rows = np.sum(below, axis=0)
            return summed_below
        values = np.stack([self._value(player, child, own * sigma[:, a], reach) for a, child in enumerate(children)], 1)
        mean: Rows = (sigma * values).sum(axis=1)
        gained = np.zeros_like(table)
        np.add.at(gained, buckets, weight * (values - mean[:, None]))
        self.regret[rows] += gained.reshape(-1)
        return mean

    def _terminal(self, player: int, node: int, reach: Rows) -> Rows:
        tree = self.tree
        chips = float(tree.spent[node].min())
        met: Rows = self.compatible @ reach
        won: Rows = self.sign @ reach
        if tree.folded[node]:
            won = -met if tree.folded[node] >> player & 1 else met
        elif len(self.odds) and tree.round[tree.parent[node]] == 0:
            won = self._odds(reach) * met
        worth: Rows = self.weights[player] * chips * won
        return worth

    def _odds(self, reach: Rows) -> Rows:
        """Of each hand's starting bucket against the other's range, all boards together."""
        of_bucket = np.zeros(len(self.odds))
        of_bucket[self.buckets[0]] = reach
        met = self.pairs @ of_bucket
        won = (self.pairs * self.odds) @ of_bucket
        expected: Rows = won / np.where(met > 0, met, 1)
        of_hands: Rows = expected[self.buckets[0]]
        return of_hands
