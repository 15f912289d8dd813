"""Regret minimisation over the first betting round and the draw; what follows is judged by the values of leaves.

Player 0 is the small blind, who acts first before the draw; player 1 is the big blind, who draws first. A *continuation* is
a terminal of the betting that is no fold. A leaf is a continuation with both numbers of discards. Canonical hands of the two
players are dealt independently of each other: card removal between them is left out.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.draw import hand_kernels
from limpet.strategies.draw.hands import Array, CanonicalDraws
from limpet.strategies.draw.network import unit_ranges
from limpet.strategies.draw.network_learning import answer_values
from limpet.strategies.solvers import round_kernels as kernels
from limpet.strategies.solvers.lanes_kernels import in_lanes
from limpet.strategies.solvers.round_solver import RoundSolver, Showdown
from limpet.strategies.solvers.round_tree import NOBODY, TERMINAL, RoundTree
from limpet.strategies.solvers.schedule import ANYTIME

Leaves = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.floating]]
"""Function from ranges ``[leaf, 2, bucket]`` (not scaled) and pots ``[leaf]`` to the chips ``[leaf, 2, bucket]`` that each
bucket wins against the other's range scaled to 1."""


def big_blind_first(judge: Leaves) -> Leaves:
    """Return leaves of a judge, such as a value network, whose first player is the one who acts first after the draw."""

    def judged(ranges: NDArray[np.float64], pots: NDArray[np.float64]) -> NDArray[np.floating]:
        return judge(ranges[:, ::-1], pots)[:, ::-1]

    return judged


class DepthLimited:
    """Solves the first round and the draw. Both players learn at once, from one judgement of all leaves an iteration.

    `iteration` counts the iterations done; `continuations` are the nodes of the betting tree that a draw follows.
    """

    def __init__(self, tree: RoundTree, draws: CanonicalDraws, leaves: Leaves) -> None:
        self.tree, self.draws, self.leaves = tree, draws, leaves
        self.iteration = 0
        self.continuations = [int(node) for node in tree.terminals if tree.folded[node] == NOBODY]
        hands, masks = len(draws.weights), len(draws.discards)
        self._hands, self._stride = hands, in_lanes(hands)
        rows = tree.entries * self._stride
        self._regret, self._average, self._play = (np.zeros(rows, np.float32) for _ in range(3))
        # The big blind draws at each continuation; the small blind after each number of the big blind's discards.
        nodes = len(self.continuations)
        self._draw_regret = [np.zeros((nodes, n, hands, masks), np.float32) for n in (draws.counts, 1)]
        self._draw_average = [np.zeros_like(table) for table in self._draw_regret]
        self._mask_play, self._gain = np.empty((2, hands, masks), np.float32)
        self._layouts = [self._layout(p) for p in (0, 1)]
        self.root_values = np.zeros((2, hands))

    def run(self, iterations: int, report: Callable[[int], None] | None = None) -> None:
        """Play `iterations` more."""
        for _ in range(iterations):
            self.iteration += 1
            weights = ANYTIME.weights(self.iteration)
            factors = np.array([weights.keep_positive, weights.keep_negative, weights.average * 1e-3], np.float32)
            self._iterate(factors)
            if report is not None:
                report(self.iteration)

    def game_value(self) -> float:
        """Return the chips that player 0 wins when both play their averages, by the leaves' judgement. Learns nothing."""
        self._iterate(None)
        return float(self.root_values[0] @ self.draws.weights)

    def strategy(self, node: int) -> Array:
        """Return the average strategy of a betting decision, ``[action, hand]``."""
        first, count = int(self.tree.entry[node]), int(self.tree.num_actions[node])
        rows = self._average.reshape(-1, self._stride)[first : first + count, : self._hands]
        total = rows.sum(axis=0)
        return np.asarray(np.divide(rows, total, out=np.full_like(rows, 1 / count), where=total > 0))

    def draw_strategy(self, player: int, continuation: int, count: int = 0) -> Array:
        """Return the average strategy of a draw, ``[hand, mask]``.

        continuation: index into `continuations`. count: number of the big blind's discards, for the small blind's draw.
        """
        play = np.empty_like(self._mask_play)
        hand_kernels.match_masks(self._draw_average[player][continuation, count], play)
        return play

    def state_arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything that a later run needs to go on, bit for bit. The arrays are not copies: save them at once."""
        tables: dict[str, NDArray[Any]] = {"regret": self._regret, "average": self._average}
        for p in (0, 1):
            tables |= {f"draw_regret.{p}": self._draw_regret[p], f"draw_average.{p}": self._draw_average[p]}
        return {**tables, "iteration": np.array([self.iteration], np.int64)}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from `state_arrays`. Raises `ValueError` if they are of another game."""
        own = self.state_arrays()
        if {name: array.shape for name, array in arrays.items()} != {name: own[name].shape for name in own}:
            raise ValueError("the saved tables are of another game")
        for name in own.keys() - {"iteration"}:
            own[name][:] = arrays[name]
        self.iteration = int(arrays["iteration"][0])

    # --- one iteration

    def _iterate(self, factors: Array | None) -> None:
        """Walk down with both reaches, judge all leaves, and walk up for both; without factors the averages are measured."""
        learning = factors is not None
        tables = self._regret if learning else self._average
        for p in (0, 1):
            kernels.match_regrets(self._layouts[p], p, tables, self._play, self._stride)
        used = factors if factors is not None else np.zeros(3, np.float32)
        reach = [self._reach_of(p, used[2]) for p in (0, 1)]
        ranges = self._leaf_ranges(reach, learning)
        leaves = ranges.reshape(-1, 2, self.draws.buckets)
        pots = np.repeat([self.tree.paid[node].sum() for node in self.continuations], self.draws.counts**2)
        judged = np.asarray(self.leaves(leaves, pots), np.float64).reshape(ranges.shape)
        mass = ranges.sum(axis=-1)
        # Counterfactual values: against the reach of the other's hands that come to the leaf.
        judged *= mass[..., ::-1, None]
        for p in (0, 1):
            outcome = np.zeros((len(self.tree.player), self._stride), np.float32)
            for node in self.tree.terminals:
                if self.tree.folded[node] != NOBODY:
                    other = reach[1 - p][self._reach_row(1 - p, int(node))]
                    outcome[node, : self._hands] = self.draws.compatible_reach(other)
            for c, node in enumerate(self.continuations):
                own = reach[p][self._reach_row(p, node), : self._hands]
                self._draw_up(p, c, own, judged[c, :, :, p], used if learning else None, outcome[node])
            value = np.zeros((len(self.tree.player), self._stride), np.float32)
            rule = kernels.LEARN if learning else kernels.VALUE
            kernels.go_up(
                self._layouts[p], p, rule, self._play, self._regret, used[0], used[1], outcome.ravel(), value.ravel(),
                self._stride,
            )  # fmt: skip
            self.root_values[p] = value[0, : self._hands]

    def _reach_of(self, p: int, weight: np.float32) -> Array:
        reach = np.zeros((len(self.tree.player), self._stride), np.float32)
        reach[0, : self._hands] = self.draws.weights
        layout = self._layouts[1 - p]
        kernels.go_down(layout, p, self._play, self._average, weight, reach.ravel(), self._stride)
        return reach

    def _leaf_ranges(self, reach: list[Array], learning: bool) -> NDArray[np.float64]:
        """Return the ranges ``[continuation, big blind's count, small blind's count, player, bucket]`` of all leaves."""
        counts = self.draws.counts
        ranges = np.zeros((len(self.continuations), counts, counts, 2, self.draws.buckets))
        for c, node in enumerate(self.continuations):
            for p in (0, 1):
                own = np.ascontiguousarray(reach[p][self._reach_row(p, node), : self._hands])
                for j, weights in enumerate((self._draw_regret if learning else self._draw_average)[p][c]):
                    hand_kernels.match_masks(weights, self._mask_play)
                    drawn = self.draws.ranges(own, self._mask_play)
                    if p == 1:
                        ranges[c, :, :, 1] = drawn[:, None]
                    else:
                        ranges[c, j, :, 0] = drawn
        return ranges

    def _draw_up(
        self, p: int, c: int, own: Array, judged: NDArray[np.float64], factors: Array | None, value: Array
    ) -> None:
        """Add the values of a continuation's draw to ``value[hand]``, and learn there.

        judged: ``[big blind's count, small blind's count, bucket]`` of player p.
        """
        by_count = [judged.sum(axis=1)] if p == 1 else list(judged)
        for j, values in enumerate(by_count):
            self.draws.values(np.ascontiguousarray(values, np.float32), self._gain)
            regret, average = self._draw_regret[p][c, j], self._draw_average[p][c, j]
            hand_kernels.match_masks(regret if factors is not None else average, self._mask_play)
            if factors is None:
                value[: self._hands] += (self._mask_play * self._gain).sum(axis=1)
            else:
                into = value[: self._hands]
                hand_kernels.learn_masks(regret, average, self._mask_play, self._gain, own, factors, into)

    # --- the tree

    def _reach_row(self, q: int, node: int) -> int:
        """Return the row of player q's reach at a node: the last node that an action of q led to."""
        while node and self.tree.player[self.tree.parent[node]] != q:
            node = int(self.tree.parent[node])
        return node

    def _layout(self, p: int) -> kernels.RoundLayout:
        """Return the tree as player p's passes read it; each terminal has an outcome row of its own."""
        tree = self.tree
        stake = np.ones(len(tree.player), np.float32)
        for node in np.flatnonzero((tree.player == TERMINAL) & (tree.folded != NOBODY)).tolist():
            stake[node] = -tree.paid[node, p] if tree.folded[node] == p else tree.paid[node, 1 - p]
        return kernels.RoundLayout(
            player=tree.player,
            first_child=tree.first_child,
            num_actions=tree.num_actions,
            entry=tree.entry,
            reach_row=np.array([self._reach_row(1 - p, node) for node in range(len(tree.player))]),
            source=np.arange(len(tree.player)),
            stake=stake,
        )


# --- Second rounds that learn in the same iterations as the first: the game over buckets without a depth limit.


class WholeRounds:
    """All second rounds of a game, for `DepthLimited`; `rounds` solves them, one pair of ranges for each leaf.

    Each judgement is an iteration of theirs. While `measuring`, it measures the average strategies instead.
    """

    def __init__(self, tree: RoundTree, showdown: Showdown, leaves: int) -> None:
        self.rounds = RoundSolver(tree, showdown, np.ones((2, showdown.buckets, leaves)), alternating=False)
        self.measuring = False

    def values(self, ranges: NDArray[np.float64], pots: NDArray[np.float64]) -> NDArray[np.floating]:
        """Return the chips ``[leaf, 2, bucket]`` that buckets win against the other's range ``[leaf, 2, bucket]`` scaled to 1."""
        judge = self.rounds.measure_from if self.measuring else self.rounds.run_from
        values = judge(ranges.transpose(1, 2, 0)).transpose(2, 0, 1)
        mass = ranges[:, ::-1].sum(axis=-1, keepdims=True)
        unit = np.divide(values, mass, out=np.zeros(values.shape), where=mass > 0)
        return np.asarray(unit * pots[:, None, None] / self.rounds.tree.pot)


# --- Leaves that are solved in every iteration, for `DepthLimited`; each solve goes on from the one before.

MEMORY = 100
"""Iteration at which the discounting of old regrets stands still, so that solves follow the ranges."""


class SolvedLeaves:
    """The second rounds of all leaves, one pair of ranges for each, solved side by side at the ranges of now.

    Each solve takes `iterations`, but for the `first`.
    """

    def __init__(
        self, tree: RoundTree, showdown: Showdown, leaves: int, iterations: int, first: int | None = None
    ) -> None:
        self.rounds = RoundSolver(tree, showdown, np.ones((2, showdown.buckets, leaves)))
        self.iterations, self.first = iterations, first or iterations

    def values(self, ranges: NDArray[np.float64], pots: NDArray[np.float64]) -> NDArray[np.floating]:
        """Return the chips ``[leaf, 2, bucket]`` that buckets win against the other's range ``[leaf, 2, bucket]`` scaled to 1."""
        unit, rounds = unit_ranges(ranges), self.rounds
        iterations = self.iterations if rounds.iteration else self.first
        rounds.forget(unit.transpose(1, 2, 0), MEMORY)
        rounds.run(iterations)
        return np.asarray(answer_values(rounds, unit) * pots[:, None, None])
