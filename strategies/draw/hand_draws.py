"""Chances of draws of each size, sums over hands that share no card, and best responses by them."""

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.draw import hand_kernels as kernels
from limpet.strategies.draw.hands import CLASSES, DISCARDS, OUTCOMES, DrawChances, HandBuckets, all_hands
from limpet.strategies.solvers.lanes_kernels import WIDTH
from limpet.strategies.solvers.round_solver import Paired, RoundSolver, Showdown
from limpet.strategies.solvers.round_tree import NOBODY, RoundTree

Array = NDArray[np.float32]


class HandDraws(Protocol):
    """The hands before a draw, their choices, and the buckets after it.

    Attributes:
        weights: float64 ``[hand]``: probability of each hand.
        discards: int64 ``[mask]``: number of discards of each choice, 0 .. counts - 1.
        counts: number of different numbers of discards.
        buckets: number of buckets after the draw.
    """

    weights: NDArray[np.float64]
    discards: NDArray[np.int64]
    counts: int
    buckets: int

    def values(self, values: Array, result: Array) -> None:
        """Write the mean of ``values[count, bucket]`` after each choice into ``result[hand, mask]``."""
        ...

    def ranges(self, reach: Array, play: Array) -> NDArray[np.float64]:
        """Return the ranges ``[count, bucket]`` after each number of discards, for hands that play ``[hand, mask]``."""
        ...

    def compatible_reach(self, reach: Array) -> float | Array:
        """Return the part of the other's reach that each hand leaves possible, ``[hand]`` or one number for all hands.

        reach: ``[hand]``, possibly padded with zeros.
        """
        ...


class CanonicalDraws:
    """The draws of all canonical five-card hands, exact but for the cards that the opponent holds."""

    def __init__(self, chances: DrawChances) -> None:
        hands = all_hands()
        self.weights = hands.weights
        self.discards = DISCARDS.astype(np.int64)
        self.counts, self.buckets = 6, chances.buckets.count
        self._chances = chances
        self._kept = hands.kept
        self._share = (1 / OUTCOMES).astype(np.float32)
        self._sets = np.zeros((int(hands.size_start[6]), WIDTH), np.float32)

    def values(self, values: Array, result: Array) -> None:
        held = len(self._chances.holders)
        self._sets[:held, : self.counts] = self._chances.holders @ values.T
        self._sets[held:, : self.counts] = values.T[self._chances.buckets.of_class]
        kernels.values_by_count(self._kept, self._sets.ravel(), self.discards, self._share, result)

    def ranges(self, reach: Array, play: Array) -> NDArray[np.float64]:
        self._sets[:] = 0
        kernels.ranges_by_count(self._kept, reach, play, self.discards, self._share, self._sets.ravel())
        held, of_class = len(self._chances.holders), self._chances.buckets.of_class
        ranges = self._sets[:held, : self.counts].T.astype(np.float64) @ self._chances.holders
        for count in range(self.counts):
            ranges[count] += np.bincount(of_class, self._sets[held:, count], self.buckets)
        return np.maximum(ranges, 0)  # rounding may leave less than nothing

    def compatible_reach(self, reach: Array) -> float:
        return float(reach.sum(dtype=np.float64))


class TableDraws:
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


# --- Showdowns of canonical five-card hands with card removal: a hand meets only hands that share no card with it.

Vector = NDArray[np.float32]

_BY_PARITY = sorted(range(31), key=lambda mask: (mask.bit_count() % 2, mask))
"""Masks of 0 to 4 kept cards, those of an even number of cards first."""


class CardRemoval:
    """The model of showdowns (`solving.rounds.showdowns.Showdown`) over the 134,459 canonical classes, exact.

    Ranges are probabilities of whole classes. They must come from play that knows suits only up to permutation, as all
    play does where no card is public.
    """

    def __init__(self) -> None:
        hands = all_hands()
        self.buckets = CLASSES
        sets = np.ascontiguousarray(hands.kept[:, _BY_PARITY])
        self._signed = sets
        self._share = (hands.combos[:, None] / hands.copies[sets]).astype(np.float32)
        self._run_end = hands.run_end
        self._scale = (1 / hands.combos).astype(np.float32)
        self._sums = np.zeros(int(hands.size_start[5]) * WIDTH, np.float32)
        self._reach, self._net, self._compatible = (np.zeros(CLASSES * WIDTH, np.float32) for _ in range(3))

    def outcomes(self, reach: Vector, rows: NDArray[np.int64], shown: int, lanes: int, outcome: Vector) -> None:
        """Do as `Showdown.outcomes`, for one pair of ranges. Takes some 30 ms for each eight rows."""
        if lanes != 1:
            raise ValueError("card removal weighs one pair of ranges at a time")
        stride = reach.shape[1]
        blocks = [(part, True) for part in _eights(0, shown)] + [(part, False) for part in _eights(shown, len(rows))]
        for part, is_shown in blocks:
            padded = np.resize(rows[part], WIDTH)
            kernels.to_lanes(reach.ravel(), padded * stride, self._scale, CLASSES, self._reach)
            kernels.apart_sums(
                self._signed, self._share, self._run_end, self._reach, self._sums, self._net, self._compatible, is_shown
            )  # fmt: skip
            for lane, row in enumerate(range(part.start, part.stop)):
                if is_shown:
                    kernels.from_lanes(self._net, lane, CLASSES, outcome.ravel(), row * stride)
                kernels.from_lanes(self._compatible, lane, CLASSES, outcome.ravel(), (shown + row) * stride)


def removal_between(buckets: HandBuckets) -> Paired:
    """Return the showdowns of buckets whose hands are dealt uniformly within each bucket, exact for such ranges.

    Weights are relative to two hands dealt at random, so that two such hands meet with weight 1. Takes a pass of
    `CardRemoval` for each eight buckets.
    """
    exact, count = CardRemoval(), buckets.count
    hands = all_hands()
    reach = np.zeros((count, CLASSES), np.float32)
    reach[buckets.of_class, np.arange(CLASSES)] = hands.weights / buckets.weights[buckets.of_class]
    pair_sums = np.empty((2, count, count))
    for part in _eights(0, count):
        rows = np.arange(part.start, part.stop)
        outcome = np.empty((2 * len(rows), CLASSES), np.float32)
        exact.outcomes(reach, rows, len(rows), 1, outcome)
        for kind in (0, 1):
            for i, row in enumerate(rows):
                weighted = outcome[kind * len(rows) + i] * hands.weights
                pair_sums[kind, :, row] = np.bincount(buckets.of_class, weighted, count) / buckets.weights
    pair_sums /= buckets.weights @ pair_sums[1] @ buckets.weights
    return Paired(compatible=pair_sums[1], gain=pair_sums[0])


def _eights(first: int, last: int) -> list[slice]:
    return [slice(start, min(start + WIDTH, last)) for start in range(first, last, WIDTH)]


# --- Exact values of the game over buckets: of two strategies, and of a best response to one. Nothing is sampled.

Numbers = NDArray[np.float64]
Rounds = Callable[[int, Numbers, bool], NDArray[np.floating]]
"""Function from a player, the opponent's ranges ``[leaf, bucket]`` (not scaled) and whether the player answers best to the
pots ``[leaf, bucket]`` that each of the player's buckets wins in the second rounds, times the reach of the ranges."""


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


def exploitability(tree: RoundTree, draws: HandDraws, play: FirstRoundPlay, rounds: Rounds) -> float:
    """Return what best responses win from a strategy, the mean of both players in chips."""
    return sum(game_value(tree, draws, (play, play), rounds, p, best=True) for p in (0, 1)) / 2


def game_value(
    tree: RoundTree, draws: HandDraws, plays: tuple[FirstRoundPlay, FirstRoundPlay], rounds: Rounds, player: int,
    best: bool = False,
) -> float:  # fmt: skip
    """Return the chips that a player wins from the opponent's strategy; best: by a best response, not by the own strategy."""
    return _Walk(tree, draws, plays, player, best).value(rounds)


class _Walk:
    """One player's values of the first round and the draw against the other's reach."""

    def __init__(
        self, tree: RoundTree, draws: HandDraws, plays: tuple[FirstRoundPlay, FirstRoundPlay], player: int, best: bool
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
