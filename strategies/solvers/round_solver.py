"""Regret minimisation over one betting round, for two ranges over buckets or for many pairs of ranges side by side."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.solvers import round_kernels as kernels
from limpet.strategies.solvers.lanes_kernels import in_lanes
from limpet.strategies.solvers.round_tree import NOBODY, TERMINAL, RoundTree
from limpet.strategies.solvers.schedule import ANYTIME, Algorithm, algorithm_of

# --- Who wins a showdown, for all buckets of one player against the reach of the other's: two models without a board.

Vector = NDArray[np.float32]


class Showdown(Protocol):
    """Weighs the hands of the other player for each of the `buckets`, weakest first, at several terminals at once."""

    buckets: int

    def outcomes(self, reach: Vector, rows: NDArray[np.int64], shown: int, lanes: int, outcome: Vector) -> None:
        """Write what each bucket meets: reach that it beats minus reach that beats it, and the total reach.

        reach: float32 ``[N, stride]``, one number for each bucket and lane, lanes innermost. rows: those that are read.
        outcome: float32 ``[shown + rows, stride]``: wins minus losses for the first `shown` of the rows, then the reach
        that shares no card with the bucket for all rows.
        """
        ...


class Ordered:
    """Buckets in order of strength without card removal: the higher bucket wins, equal ones tie. Costs O(buckets)."""

    def __init__(self, buckets: int) -> None:
        self.buckets = buckets

    def outcomes(self, reach: Vector, rows: NDArray[np.int64], shown: int, lanes: int, outcome: Vector) -> None:
        kernels.ordered_outcomes(reach.ravel(), rows, shown, self.buckets, lanes, outcome.ravel(), reach.shape[1])


class Paired:
    """Buckets whose pairs have weights of their own, as card removal gives them. Costs O(buckets²)."""

    def __init__(self, compatible: NDArray[np.floating], gain: NDArray[np.floating]) -> None:
        """Take the weights of pairs ``[buckets, buckets]``: how likely their hands share no card, or a multiple of it.

        gain: the same times the chance of the row's bucket to win less that to lose.
        """
        self.buckets = len(compatible)
        self._compatible = np.ascontiguousarray(compatible, np.float32)
        self._gain = np.ascontiguousarray(gain, np.float32)

    def outcomes(self, reach: Vector, rows: NDArray[np.int64], shown: int, lanes: int, outcome: Vector) -> None:
        width = self.buckets * lanes
        opposing = reach[rows, :width].reshape(len(rows), self.buckets, lanes)
        target = outcome[:, :width].reshape(-1, self.buckets, lanes)  # a copy where rows are padded
        if lanes == 1:
            target[:shown, :, 0] = opposing[:shown, :, 0] @ self._gain.T
            target[shown:, :, 0] = opposing[:, :, 0] @ self._compatible.T
        else:
            target[:shown] = self._gain @ opposing[:shown]
            target[shown:] = self._compatible @ opposing
        outcome[:, :width] = target.reshape(-1, width)


class Joint:
    """Buckets of two ranges that belong together: weights of pairs hold both players' reach, so that ranges are ones.

    Ranges over hands depend on the board, and hands of a bucket lie on many boards. Costs O(buckets²).
    """

    def __init__(self, tree: RoundTree, joint: NDArray[np.floating], net_wins: NDArray[np.floating]) -> None:
        """Take the weights of pairs of buckets, player 0's in rows: how often the pair comes to the round.

        net_wins: the same, less where player 1 has the stronger hand, and without ties.
        """
        self.buckets = len(joint)
        self._joint = tuple(np.ascontiguousarray(weights.T, np.float32) for weights in (joint, joint.T))
        self._net_wins = tuple(np.ascontiguousarray(weights.T, np.float32) for weights in (net_wins, -net_wins.T))
        # A terminal's reach is that of the player whose action the row follows, and is read by the other.
        self._reader = 1 - tree.player[tree.parent]

    def outcomes(self, reach: Vector, rows: NDArray[np.int64], shown: int, lanes: int, outcome: Vector) -> None:
        """See `Showdown`; there are no several pairs of ranges side by side."""
        reader = int(self._reader[rows[0]])
        opposing = reach[rows, : self.buckets]
        outcome[:shown, : self.buckets] = opposing[:shown] @ self._net_wins[reader]
        outcome[shown : shown + len(rows), : self.buckets] = opposing @ self._joint[reader]


class Entry(Protocol):
    """The choice that a gadget puts before a game: how much of each hand or bucket enters, learnt from what entering gains."""

    def weights(self) -> NDArray[np.floating]:
        """Return, as ``[hand]``, how much of each hand enters now, 0 to 1."""

    def learn(self, values: Vector) -> None:
        """Take in the values of entering, float32 ``[hand]``: money times the other player's reach that is possible."""


class Tremble(NamedTuple):
    """An action that its player makes now and then, whatever is best; what is best counts the other times.

    Attributes:
        node: decision of the action.
        action: index of the action there.
        probability: float32 ``[bucket]``: how often each bucket makes it so.
    """

    node: int
    action: int
    probability: Vector


class RoundSolver:
    """Solves one round. Ranges are ``[2, bucket]``, or ``[2, bucket, lane]`` for several pairs that learn nothing of each other.

    Attributes:
        iteration: iterations done; each updates both players.
    """

    def __init__(
        self, tree: RoundTree, showdown: Showdown, ranges: NDArray[np.floating], algorithm: Algorithm | str = ANYTIME,
        alternating: bool = True, tremble: Tremble | None = None,
    ) -> None:  # fmt: skip
        """Lay out and allocate.

        Args:
            algorithm: one of those that regret matching without predictions plays.
            alternating: whether the second player's update sees the first's. Zinkevich's CFR updates both at once.
            tremble: an action that is also made when it is not best, so that the other player's answer to it is learnt and
                its range means something. Only for one pair of ranges. Answers include it.

        Raises `ValueError` for ranges of a wrong shape, negative ones, and algorithms of another kind.
        """
        self.algorithm = algorithm_of(algorithm)
        if self.algorithm.name in ("pcfr+", "cgh", "cfr-return-new"):
            raise ValueError(f"{self.algorithm.name} does not solve rounds; use cfr, cfr+, lcfr or dcfr")
        self.tree, self.showdown, self.alternating = tree, showdown, alternating
        self.iteration = 0
        weights = np.asarray(ranges, np.float32)
        if weights.ndim not in (2, 3) or weights.shape[:2] != (2, showdown.buckets) or not (weights >= 0).all():
            raise ValueError(f"ranges are two rows of {showdown.buckets} weights, not negative")
        self._pairs = weights.shape[2] if weights.ndim == 3 else 0
        self._lanes = in_lanes(self._pairs) if self._pairs else 1
        self._width = showdown.buckets * self._lanes
        self._stride = in_lanes(self._width)
        self.ranges = self._rows(weights)
        self._layouts = [_layout(tree, p) for p in (0, 1)]
        rows = tree.entries
        self._regret = np.zeros(rows * self._stride, np.float32)
        self._average = np.zeros(rows * self._stride, np.float32)
        self._play = np.zeros(rows * self._stride, np.float32)
        self._reach = np.zeros((len(tree.player), self._stride), np.float32)
        self._value = np.zeros((len(tree.player), self._stride), np.float32)
        most = max(len(read) + shown for _, read, shown in self._layouts)
        self._outcome = np.zeros((most, self._stride), np.float32)
        self._answer: tuple[int, Vector] | None = None
        self._tremble = tremble
        self._match(self._regret, self._play)

    # --- solving

    def run(self, iterations: int, stop: Callable[[], bool] | None = None) -> int:
        """Play up to `iterations` more, until `stop` says so between two of them; return how many were played."""
        for done in range(iterations):
            if stop is not None and stop():
                return done
            self._iterate((0, 1))
        return iterations

    def run_against(self, position: int, entry: Entry, iterations: int, stop: Callable[[], bool] | None = None) -> int:
        """Do as `run`, in a game that begins with a choice of `position`: with which buckets to enter this one.

        The other's range stands. Measures of the answer stay those of the ranges that the solver was made with.
        """
        original = self.ranges.copy()
        try:
            for done in range(iterations):
                if stop is not None and stop():
                    return done
                self.ranges[position, : self.showdown.buckets] = entry.weights()
                self._iterate((1 - position, position))
                entry.learn(self._value[0, : self.showdown.buckets])
        finally:
            self.ranges[:] = original
        return iterations

    def run_from(self, ranges: NDArray[np.floating]) -> Vector:
        """Play one iteration from other ranges; return the values ``[2, bucket]`` or ``[2, bucket, pair]`` it learnt from.

        They are chips times the reach that each bucket meets. Both are of the strategies before the iteration, if the solver
        does not alternate.
        """
        self.ranges[:] = self._rows(ranges)
        self._answer = None
        return np.stack([self._shaped(row) for row in self._iterate((0, 1))])

    def forget(self, ranges: NDArray[np.floating], memory: int) -> None:
        """Begin new averages for other ranges. Regrets stay, and are discounted as if `memory` iterations had been done."""
        self.ranges[:] = self._rows(ranges)
        self._average[:] = 0
        self.iteration, self._answer = min(self.iteration, memory), None

    def measure_from(self, ranges: NDArray[np.floating], best: bool = False) -> Vector:
        """Return the values of the answer from other ranges, as `run_from`, or of best responses to it; learn nothing."""
        self.ranges[:] = self._rows(ranges)
        return np.stack([self.values(p, best) for p in (0, 1)])

    def _iterate(self, order: tuple[int, int]) -> list[Vector]:
        """Update both players in an order; return copies of the rows of root values, in the same order."""
        self.iteration += 1
        weights = self.algorithm.weights(self.iteration)
        keep = np.float32(weights.keep_positive), np.float32(weights.keep_negative)
        rows = []
        for p in order:
            play = self._trembling(1 - p)
            rows.append(self._pass(p, kernels.LEARN, play, np.float32(weights.average * 1e-3), keep).copy())
            if self.alternating:
                self._match(self._regret, self._play, (p,))
        if not self.alternating:
            self._match(self._regret, self._play)
        return rows

    def _trembling(self, player: int) -> Vector:
        """Return what is played while the other learns: with the tremble, where it is one of `player`."""
        tremble, tree = self._tremble, self.tree
        if tremble is None or tree.player[tremble.node] != player:
            return self._play
        play = self._play.copy()
        first, count = int(tree.entry[tremble.node]), int(tree.num_actions[tremble.node])
        rows = play.reshape(-1, self._stride)[first : first + count, : self._width]
        rows *= 1 - tremble.probability
        rows[tremble.action] += tremble.probability
        return play

    def _match(self, weights: Vector, play: Vector, players: tuple[int, ...] = (0, 1)) -> None:
        for p in players:
            kernels.match_regrets(self._layouts[p][0], p, weights, play, self._stride)

    def _pass(
        self, p: int, rule: int, play: Vector, weight: np.float32 = kernels.F0,
        keep: tuple[np.float32, np.float32] = (kernels.F0, kernels.F0),
    ) -> Vector:  # fmt: skip
        """Walk down with the reach of the other player and up with the values of player p; return the root's row."""
        layout, read, shown = self._layouts[p]
        self._reach[0] = self.ranges[1 - p]
        kernels.go_down(layout, 1 - p, play, self._average, weight, self._reach.ravel(), self._stride)
        self.showdown.outcomes(self._reach, read, shown, self._lanes, self._outcome)
        kernels.go_up(
            layout, p, rule, play, self._regret, *keep, self._outcome.ravel(), self._value.ravel(), self._stride
        )
        root: Vector = self._value[0]
        return root

    # --- the answer

    def values(self, position: int, best: bool = False) -> Vector:
        """Return what each bucket of a position wins from the other's answer, in chips times the reach it meets.

        Shape ``[bucket]`` or ``[bucket, pair]``. best: with a best response instead of its own answer.
        """
        rule = kernels.BEST if best else kernels.VALUE
        return self._shaped(self._pass(position, rule, self._answered()))

    def range_of(self, position: int) -> NDArray[np.float64]:
        """Return the range of a position, ``[bucket]`` or ``[bucket, pair]``."""
        return self._shaped(self.ranges[position]).astype(np.float64)

    def compatible_reach(self, position: int) -> Vector:
        """Return the reach of the other's range that each bucket of a position leaves possible, shaped as `values`."""
        self._reach[0] = self.ranges[1 - position]
        self.showdown.outcomes(self._reach, np.zeros(1, np.int64), 0, self._lanes, self._outcome)
        return self._shaped(self._outcome[0])

    def game_values(self, best: bool = False) -> NDArray[np.float64]:
        """Return the chips that each position wins, ``[2]`` or ``[2, pair]``; best: of a best response to the other."""
        totals = []
        for p in (0, 1):
            own = self.range_of(p)
            mass = (own * self.compatible_reach(p)).sum(axis=0)
            totals.append((own * self.values(p, best)).sum(axis=0) / mass)
        return np.array(totals)

    def exploitability(self) -> NDArray[np.float64]:
        """Return what best responses win from the answer, the mean of both positions in % of the pot, for each pair."""
        result: NDArray[np.float64] = 50 * self.game_values(best=True).sum(axis=0) / self.tree.pot
        return result

    def strategy(self, node: int) -> Vector:
        """Return the average strategy of a decision, ``[action, bucket]`` or ``[action, bucket, pair]``."""
        first, count = int(self.tree.entry[node]), int(self.tree.num_actions[node])
        rows = self._answered().reshape(-1, self._stride)[first : first + count]
        return np.stack([self._shaped(row) for row in rows])

    def answer_with(self, rows: NDArray[np.floating]) -> None:
        """Take over an answer ``[entry, bucket]`` or ``[entry, bucket, pair]``, to measure it. One more iteration ends that."""
        self._answer = self.iteration, self._rows(rows, self.tree.entries).ravel()

    def state_arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything that a later run needs to go on, bit for bit. The arrays are not copies: save them at once."""
        return {"regret": self._regret, "average": self._average, "iteration": np.array([self.iteration], np.int64)}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from `state_arrays` of a solver of the same round."""
        self._regret[:], self._average[:] = arrays["regret"], arrays["average"]
        self.iteration, self._answer = int(arrays["iteration"][0]), None
        self._match(self._regret, self._play)

    def _answered(self) -> Vector:
        """Return the average strategy as rows. Buckets that their player never brings there play as their regrets say."""
        if self._answer is None or self._answer[0] != self.iteration:
            play = np.empty_like(self._play)
            self._match(self._average, play)
            rows, sums = play.reshape(-1, self._stride), self._average.reshape(-1, self._stride)
            for node in self.tree.decisions:
                span = slice(self.tree.entry[node], self.tree.entry[node] + self.tree.num_actions[node])
                absent = sums[span].sum(axis=0) == 0
                rows[span] = np.where(absent, self._play.reshape(-1, self._stride)[span], rows[span])
            self._answer = self.iteration, play
        return self._answer[1]

    # --- rows and shapes

    def _rows(self, values: NDArray[np.floating], count: int = 2) -> Vector:
        """Return values of `count` ranges, or entries of an answer, as padded rows ``[count, stride]``, lanes innermost."""
        rows = np.zeros((count, self._stride), np.float32)
        padded = np.zeros((count, self.showdown.buckets, self._lanes), np.float32)
        padded[:, :, : self._pairs or 1] = np.reshape(values, (count, self.showdown.buckets, -1))
        rows[:, : self._width] = padded.reshape(count, -1)
        return rows

    def _shaped(self, row: Vector) -> Vector:
        """Return a copy of a row as ``[bucket]`` or ``[bucket, pair]``."""
        shaped = row[: self._width].reshape(self.showdown.buckets, self._lanes)
        return (shaped[:, : self._pairs] if self._pairs else shaped[:, 0]).copy()


def _layout(tree: RoundTree, p: int) -> tuple[kernels.RoundLayout, NDArray[np.int64], int]:
    """Return the tree as player p's passes read it, its terminals' reach rows, those shown first, and their number."""
    reach_row = np.arange(len(tree.player))
    for node in range(1, len(reach_row)):
        if tree.player[tree.parent[node]] == p:
            reach_row[node] = reach_row[tree.parent[node]]
    ends, fold = tree.player == TERMINAL, tree.folded != NOBODY
    shown = np.unique(reach_row[ends & ~fold])
    read = np.concatenate([shown, np.setdiff1d(reach_row[ends & fold], shown)])
    index_of_row = {int(row): i for i, row in enumerate(read)}
    source, stake = np.zeros(len(tree.player), np.int64), np.zeros(len(tree.player), np.float32)
    for node in np.flatnonzero(ends).tolist():
        source[node] = index_of_row[int(reach_row[node])] + (len(shown) if fold[node] else 0)
        loses = tree.folded[node] == p
        stake[node] = -tree.paid[node, p] if loses else tree.paid[node, 1 - p]
    layout = kernels.RoundLayout(tree.player, tree.first_child, tree.num_actions, tree.entry, reach_row, source, stake)
    return layout, read, len(shown)
