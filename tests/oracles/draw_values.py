"""Exact values of a draw game over buckets: of two strategies, and of a best response to one; draws as plain tables."""

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.draw.hands import Array, CanonicalDraws
from limpet.strategies.solvers.round_solver import RoundSolver, Showdown
from limpet.strategies.solvers.round_tree import NOBODY, RoundTree

Numbers = NDArray[np.float64]
Rounds = Callable[[int, Numbers, bool], NDArray[np.floating]]
"""Function from a player, the opponent's ranges ``[leaf, bucket]`` (not scaled) and whether the player answers best to the
pots ``[leaf, bucket]`` that each of the player's buckets wins in the second rounds, times the reach of the ranges."""


class TableDraws(CanonicalDraws):
    """The draws of a small game as one table of chances."""

    def __init__(
        self, weights: NDArray[np.floating], discards: NDArray[np.integer], table: NDArray[np.floating],
        compatible: NDArray[np.floating] | None = None,
    ) -> None:  # fmt: skip
        """Take the tables of a game.

        Args:
            weights: ``[hand]``: probability of each hand, or 1 where `compatible` and the leaves' values hold all chances.
            discards: ``[mask]``: number of discards of each choice.
            table: ``[hand, mask, bucket]``: probability of each bucket after each choice, or 1 in the same case.
            compatible: ``[hand, hand]``: probability that two hands are dealt, if hands are not dealt independently.
        """
        self.weights = np.asarray(weights, np.float64)
        self.discards = np.asarray(discards, np.int64)
        self.counts, self.buckets = int(self.discards.max()) + 1, table.shape[2]
        self._table = np.asarray(table, np.float32)
        self._compatible = None if compatible is None else np.asarray(compatible, np.float64)

    def values(self, values: Array, result: Array) -> None:
        result[:] = np.einsum("hmb,mb->hm", self._table, values[self.discards])

    def ranges(self, reach: Array, play: Array) -> NDArray[np.float64]:
        by_mask = np.einsum("h,hm,hmb->mb", reach, play, self._table)
        ranges = np.zeros((self.counts, self.buckets))
        np.add.at(ranges, self.discards, by_mask)
        return ranges

    def compatible_reach(self, reach: Array) -> float | Array:
        if self._compatible is None:
            return float(reach.sum(dtype=np.float64))
        return np.asarray(self._compatible @ reach[: len(self._compatible)], np.float32)


class FirstRoundPlay(Protocol):
    """A strategy of the first round and the draw. `DepthLimited` is one by its averages."""

    def strategy(self, node: int) -> NDArray[np.floating]:
        """Return the probabilities ``[action, hand]`` of a betting decision."""
        ...

    def draw_strategy(self, player: int, continuation: int, count: int = 0) -> NDArray[np.floating]:
        """Return the probabilities ``[hand, mask]`` of a draw; count: number of the big blind's discards."""
        ...


def second_rounds(tree: RoundTree, showdown: Showdown, rows: tuple[NDArray[np.floating], ...]) -> Rounds:
    """Return the second rounds of two strategies, small blind's first, each with rows ``[leaf, entry, bucket]``.

    The tree's player 0 is the big blind, who acts first after the draw.
    """
    of_small_blind = np.repeat(tree.player[tree.decisions] == 1, tree.num_actions[tree.decisions])
    played = np.where(of_small_blind[:, None], rows[0], rows[1]).transpose(1, 2, 0)
    solver = RoundSolver(tree, showdown, np.ones((2, showdown.buckets, played.shape[2])))
    solver.answer_with(played)

    def values(player: int, ranges: Numbers, best: bool) -> NDArray[np.floating]:
        both = np.stack([ranges, ranges]).transpose(0, 2, 1)
        return np.asarray(solver.measure_from(both, best)[1 - player].T / tree.pot)

    return values


def exploitability(tree: RoundTree, draws: CanonicalDraws, play: FirstRoundPlay, rounds: Rounds) -> float:
    """Return what best responses win from a strategy, the mean of both players in chips."""
    return sum(game_value(tree, draws, (play, play), rounds, p, best=True) for p in (0, 1)) / 2


def game_value(
    tree: RoundTree, draws: CanonicalDraws, plays: tuple[FirstRoundPlay, FirstRoundPlay], rounds: Rounds, player: int,
    best: bool = False,
) -> float:  # fmt: skip
    """Return the chips that a player wins from the opponent's strategy; best: by a best response, not by the own strategy."""
    return _Walk(tree, draws, plays, player, best).value(rounds)


class _Walk:
    """One player's values of the first round and the draw against the other's reach."""

    def __init__(
        self,
        tree: RoundTree,
        draws: CanonicalDraws,
        plays: tuple[FirstRoundPlay, FirstRoundPlay],
        player: int,
        best: bool,
    ) -> None:
        self.tree, self.draws, self.player, self.best = tree, draws, player, best
        self.own, self.other = plays[player], plays[1 - player]
        self.continuations = [int(node) for node in tree.terminals if tree.folded[node] == NOBODY]
        self.reach: dict[int, Numbers] = {0: draws.weights}
        for node in range(1, len(tree.player)):
            parent = int(tree.parent[node])
            reach = self.reach[parent]
            if tree.player[parent] != player:
                reach = reach * self.other.strategy(parent)[node - tree.first_child[parent]]
            self.reach[node] = reach

    def value(self, rounds: Rounds) -> float:
        """Return the player's chips over all hands."""
        ranges = np.array([self._leaf_ranges(c) for c in range(len(self.continuations))])
        flat = ranges.reshape(-1, self.draws.buckets)
        pots = np.array([self.tree.paid[node].sum() for node in self.continuations])
        values = np.asarray(rounds(self.player, flat, self.best), np.float64).reshape(ranges.shape)
        values *= pots[:, None, None, None]
        after = {node: self._draw_value(c, values[c]) for c, node in enumerate(self.continuations)}
        return float(self._node_value(0, after) @ self.draws.weights)

    def _leaf_ranges(self, c: int) -> Numbers:
        """Return the opponent's ranges ``[big blind's count, small blind's count, bucket]`` after a continuation's draw."""
        counts = self.draws.counts
        reach = np.asarray(self.reach[self.continuations[c]], np.float32)
        if self.player == 0:
            drawn = self.draws.ranges(reach, self._draws(self.other, 1, c, 0))
            return np.repeat(drawn[:, None], counts, axis=1)
        return np.array([self.draws.ranges(reach, self._draws(self.other, 0, c, j)) for j in range(counts)])

    def _draw_value(self, c: int, values: Numbers) -> Numbers:
        """Return ``[hand]``: the player's value of a continuation, from values ``[count, count, bucket]`` of its leaves."""
        by_count = [values.sum(axis=1)] if self.player == 1 else list(values)
        gain, total = np.empty((len(self.draws.weights), len(self.draws.discards)), np.float32), np.zeros(1)
        for j, leaf in enumerate(by_count):
            self.draws.values(np.ascontiguousarray(leaf, np.float32), gain)
            if self.best:
                total = total + gain.max(axis=1)
            else:
                total = total + (gain * self._draws(self.own, self.player, c, j)).sum(axis=1)
        return total

    def _node_value(self, node: int, after: dict[int, Numbers]) -> Numbers:
        tree, p = self.tree, self.player
        if node in after:
            return after[node]
        if tree.folded[node] != NOBODY:
            chips = -tree.paid[node, p] if tree.folded[node] == p else tree.paid[node, 1 - p]
            compatible_reach = self.draws.compatible_reach(np.asarray(self.reach[node], np.float32))
            return np.asarray(np.full(len(self.draws.weights), chips) * compatible_reach, np.float64)
        below = [self._node_value(int(tree.first_child[node]) + a, after) for a in range(tree.num_actions[node])]
        if tree.player[node] != p:
            return np.asarray(np.sum(below, axis=0))
        if self.best:
            return np.asarray(np.max(below, axis=0))
        return np.asarray((self.own.strategy(node) * below).sum(axis=0))

    @staticmethod
    def _draws(play: FirstRoundPlay, player: int, c: int, count: int) -> Array:
        return np.ascontiguousarray(play.draw_strategy(player, c, count), np.float32)
