"""Solves a subgame with exact cards: vector CFR over a public tree of bets and boards.

    solver = VectorSolver(tree, board, ranges)
    solver.run(100)
    solver.exploitability().percent
    solver.strategy(node, board)

Values are in big blinds, chips a player wins beyond those it has put in (half of a spot's pot counts as its own).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.cards.boards import Merge
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.solvers.schedule import Algorithm
from limpet.strategies.solvers.vector import passes
from limpet.strategies.solvers.vector.board_tree import board_tree
from limpet.strategies.solvers.vector.decision_kernels import BEST, TINY, VALUE
from limpet.strategies.solvers.vector.memory import ForestSize, MemoryEstimate, require_memory
from limpet.strategies.solvers.vector.passes import HandGroups, Passes, SolverTables, measuring_rule, normalised
from limpet.strategies.solvers.vector.street_forest import NO_RAKE, Rake, street_forest

if TYPE_CHECKING:
    from limpet.strategies.solvers.round_solver import Entry


# --- Measures of a vector solver's answer: values at a decision, and exploitability.

LEAST_SHARE = 1e-5
"""Share of the other player's reach that a hand must leave possible to have a value: below, float32 sums are noise."""


class Exploitability(NamedTuple):
    """Winnings of best responses against a strategy profile: the `best` big blinds of each position.

    With rake a game is not zero-sum, and the players' own values do not cancel: what best responses gain beyond them counts.
    `percent` is the mean of what the two gain in % of the pot, `mbb` the sum in thousandths of a big blind (NashConv; the
    thesis's ε).
    """

    best: tuple[float, float]
    percent: float
    mbb: float


def possible_reach(reach: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return, as ``float64 [1326]``, how much of the other player's reach ``[1326]`` each hand leaves possible.

    0 where that is so little (`LEAST_SHARE`) that the values of the hand are lost in rounding.
    """
    apart = hand_space().compatible(reach)
    least = max(LEAST_SHARE * float(reach.sum(dtype=np.float64)), float(TINY))
    return np.where(apart > least, apart, 0.0)


class NodeValues(NamedTuple):
    """One decision on one board, per hand index ``[1326]``; 0 where a hand cannot be held.

    A hand that leaves none of the other player's hands possible here (see `possible_reach`) has no expected value: it would be the
    mean over nothing. Its values are 0 too.

    Attributes:
        reach: float32 ``[2, 1326]``: range weights times own action probabilities of the way there.
        values: float32 ``[2, 1326]``: expected big blinds of each hand of each position, given that it is there.
        actions: float32 ``[actions, 1326]``: expected big blinds of the actor's hands, by action.
        strategy: float32 ``[actions, 1326]``: probabilities of the actor's hands.
    """

    reach: NDArray[np.float32]
    values: NDArray[np.float32]
    actions: NDArray[np.float32]
    strategy: NDArray[np.float32]

    @property
    def expected(self) -> tuple[float, float]:
        """Big blinds of each position at this node, over all hands that reach it; NaN if no pair of hands does."""
        means = []
        for p in (0, 1):
            joint = self.reach[p] * possible_reach(self.reach[1 - p])
            total = float(joint.sum())
            means.append(float(joint @ self.values[p]) / total if total > 0 else np.nan)
        return means[0], means[1]


BOTH = (0, 1)
ROUNDS = 4
"""Rounds of an iteration of ``dcfr`` on a flop, each with a quarter of every turn's rivers; three and six converge more slowly.

On turns as much is won by fewer iterations as two threads lose by what they do one after the other.
"""
IN_ROUNDS = 100
"""Iterations that have several rounds. Later ones visit all rivers at once: what a share of them says of the streets before is
noise, which falls more slowly than the rest of the error. Deep flops of wide ranges still gain by rounds after 50 iterations.
"""


class VectorSolver:
    """A solve that can be asked for its answer at any time, and run on; the same bits with any number of threads.

    Both players learn to play all hands that either range holds, as one must whose own range may be wrong.
    """

    apart = False
    """Whether each player learns its own hands alone, where merge and groups let them stand apart."""

    def __init__(
        self, tree: BettingTree, board: Sequence[int], ranges: NDArray[np.floating] | Sequence[NDArray[np.floating]],
        *, algorithm: Algorithm | None = None, merge: Merge = "isomorphic", storage: passes.Storage = "float32",
        threads: int = 1, groups: HandGroups | None = None, rake: Rake = NO_RAKE, rounds: int | None = None,
    ) -> None:  # fmt: skip
        """Lay out and allocate.

        Args:
            tree: rooted on the street of `board`; its actions are the only ones there are.
            ranges: ``[2, 1326]`` weights of the hands of position 0 and 1.
            merge: which next cards share a subtree (`cards.boards.next_cards`); ``isomorphic`` loses nothing, unless groups, locks or
                strategies that are laid in tell cards apart that ranges do not.
            storage: ``int16`` halves the memory of tables, at some cost in time and in the last digits.
            threads: share the next cards of the root's street among them.
            rake: what the house takes of each pot; values are what is left.
            rounds: parts of an iteration. Each visits its share of every turn's rivers, drawn anew in every iteration, and
                weights them so that they stand for all; decisions before the river learn in every round. By default
                `ROUNDS` for ``dcfr`` on flops, and 1 on turns and for the other algorithms, which are as published. After
                `IN_ROUNDS` iterations there is one.
            groups: a card abstraction; regrets and best responses are then those of the abstract game.

        Raises `ValueError` if tree, board and ranges do not fit together, and `MemoryError` with the numbers if the
        solve does not fit.
        """
        self.algorithm = algorithm or Algorithm()
        self.threads = threads
        self.tree = tree
        self.board = tuple(board)
        if tree.root.board != self.board:
            raise ValueError(f"the tree starts on the board {tree.root.board}, not on {self.board}")
        weights = np.asarray(ranges, np.float32)
        if weights.shape != (2, 1326) or not np.isfinite(weights).all() or (weights < 0).any():
            raise ValueError("ranges are two rows of 1,326 weights, not negative")
        self.ranges = np.where(hand_space().blocked(self.board), np.float32(0), weights)
        self.mass = float(hand_space().compatible(self.ranges[1]) @ self.ranges[0].astype(np.float64))
        if self.mass <= 0:
            raise ValueError("the two ranges have no pair of hands without a common card; widen them")
        if storage == "int16" and self.algorithm.name in ("pcfr+", "cgh", "cfr-return-new"):
            raise ValueError(f"{self.algorithm.name} needs float32 storage")
        self.unit = tree.game.big_blind
        self.rake = rake
        self.forest = street_forest(tree, self.unit, rake)
        self.boards = board_tree(self.board, self.ranges, merge, apart=self.apart and groups is None)
        self.memory = MemoryEstimate.of(
            ForestSize.of(self.forest.arrays), self.boards, storage, threads, tables=1 + (self.algorithm.name == "pcfr+"),
            average=self.algorithm.averages,
        )  # fmt: skip
        require_memory(self.memory)
        self.iteration = 0
        self.rounds = rounds or (ROUNDS if self.algorithm.name == "dcfr" and self.boards.streets == 3 else 1)
        self.tables = SolverTables(self.forest, self.boards, self.algorithm, storage)
        self.passes = Passes(self.forest.arrays, self.boards, self.ranges, threads)
        self.rule = passes.learning_rule(self.algorithm, self.boards, self.ranges, groups)

    # --- solving

    def run(self, iterations: int, stop: Callable[[], bool] | None = None) -> int:
        """Play up to `iterations` more, until `stop` says so between two of them; return how many were played."""
        each = iterations if stop is None else 1
        for done in range(0, iterations, max(1, each)):
            if stop is not None and stop():
                return done
            self._iterate(each)
        return iterations

    def _iterate(self, count: int) -> None:
        """Play iterations: a pass for each player in turn, each seeing what the other has just learnt."""
        times = range(self.iteration + 1, self.iteration + count + 1)
        drawn = [[t] for t in times if self._rounds_of(t) > 1]
        for together in filter(None, [*drawn, list(times[len(drawn) :])]):
            self._draw_rounds()
            schedule = np.concatenate([self._schedule(t) for t in together])
            self.passes.run(BOTH, schedule, self.tables.arrays, self.rule)
            self.iteration += len(together)

    def _rounds_of(self, t: int) -> int:
        """Return the number of rounds of iteration t."""
        return self.rounds if t <= IN_ROUNDS else 1

    def _draw_rounds(self) -> None:
        """Draw the round of the next iteration that visits each river; an iteration's number decides which."""
        if (count := self._rounds_of(self.iteration + 1)) > 1:
            self.passes.root.round[:] = self.boards.rounds(count, self.iteration)

    def run_against(
        self, position: int, entry: "Entry", iterations: int, stop: Callable[[], bool] | None = None
    ) -> int:
        """Do as `run`, in a game that begins with a choice of `position`: with which hands to enter this one.

        The other's range stands, and hands must not stand apart. In every iteration `entry` learns what entering is worth to
        each hand, and says how much of each hand enters. All measures of the answer stay those of the ranges the solver was
        made with.
        """
        original = self.passes.ranges.copy()
        hands = self.boards.hands[0]
        values = np.zeros(1326, np.float32)
        try:
            for done in range(iterations):
                if stop is not None and stop():
                    return done
                self._draw_rounds()
                for row in self._schedule(self.iteration + 1):
                    self.passes.ranges[position, : len(hands)] = entry.weights()[hands]
                    for p in (1 - position, position):
                        self.passes.run((p,), row.reshape(1, -1), self.tables.arrays, self.rule)
                    values[hands] = self._root_values(position)
                    entry.learn(values)
                self.iteration += 1
        finally:
            self.passes.ranges[:] = original
        return iterations

    def _schedule(self, t: int) -> NDArray[np.float32]:
        """Return the rows of iteration t in a schedule of `vector_kernels.run_passes`, one for each of its rounds.

        Rivers count iterations and the streets before them rounds.
        """
        late, rows, rounds = self.algorithm.weights(t), [], self._rounds_of(t)
        # The scale of an average is free; a smaller one keeps late sums within float32.
        scale = 1e-3 if self.algorithm.averages else 0.0
        early_scale = scale * rounds ** -self.algorithm.exponents[2]
        for k in range(rounds):
            n = rounds * (t - 1) + k + 1
            early = self.algorithm.weights(n)
            rows.append([
                early.keep_positive, early.keep_negative, early.average * early_scale, n,
                late.keep_positive, late.keep_negative, late.average * scale, t,
                k, rounds,
            ])  # fmt: skip
        return np.array(rows, np.float32)

    # --- the answer

    def best_responses(self, abstract: bool = True) -> tuple[float, float]:
        """Return the big blinds of best responses to the answer, which treat a group's hands alike if `abstract`."""
        return self.values(abstract, BEST)

    def values(self, abstract: bool = True, kind: int = VALUE) -> tuple[float, float]:
        """Return the expected big blinds of each position when both play the answer, or `BEST` responses to it."""
        answer, rule = self.tables.answer(), measuring_rule(self.rule, kind, abstract)
        values = []
        for p in BOTH:
            own = self.boards.columns(0, p)
            self.passes.run((p,), passes.MEASURE, answer, rule)
            root = self._root_values(p).astype(np.float64)
            values.append(float(root @ self.passes.ranges[p, own]) / self.mass)
        return values[0], values[1]

    def _root_values(self, p: int) -> NDArray[np.float32]:
        """Return the values of a player's hands in the root board's order, as the last pass for it has left them."""
        values: NDArray[np.float32] = self.passes.root.value[self.boards.in_rows(0, p)]
        return values

    def exploitability(self, abstract: bool = True) -> Exploitability:
        """Return how much best responses gain, exactly, on this tree. Costs an iteration, and another one with rake."""
        best = self.best_responses(abstract)
        gain = sum(best) - (sum(self.values(abstract)) if self.rake.share else 0.0)
        pot = float(self.tree.spent[0].sum()) / self.unit
        return Exploitability(best, 50 * gain / pot, 1000 * gain)

    def hand_values(self, position: int, best: bool = False) -> NDArray[np.float32]:
        """Return, as float32 ``[1326]``, the big blinds that each hand of a position wins from the other's answer.

        best: with a best response of its own instead of its answer. 0 for hands that leave none of the other's possible.
        """
        own = self.boards.columns(0, position)
        rule = measuring_rule(self.rule, BEST if best else VALUE, abstract=not best)
        self.passes.run((position,), passes.MEASURE, self.tables.answer(), rule)
        mass = possible_reach(self.ranges[1 - position])
        values = np.zeros(1326, np.float32)
        values[self.boards.hands[0][own]] = self._root_values(position)
        return np.divide(values, mass, out=np.zeros(1326, np.float32), where=mass > 0).astype(np.float32)

    def strategy(self, node: int, board: Sequence[int], learnt: bool = False) -> NDArray[np.float32]:
        """Return, as float32 ``[actions, 1326]``, a decision's strategy on a board; 0 for hands that its player does not hold there.

        Hands that their own player never brings there weigh nothing in an average: all actions alike, or with `learnt`
        as their regrets say.
        """
        local, at, column = self.tables.find(node, board)
        rows = self.tables.rows(self.tables.answer().play, at, local)
        played = normalised(rows)
        if learnt and self.algorithm.averages:
            absent = ~(rows > 0).any(axis=0)
            played[:, absent] = normalised(self.tables.rows(self.tables.arrays.play, at, local)[:, absent])
        strategy = played[:, column]
        strategy[:, column < 0] = 0
        return strategy

    def node_values(self, node: int, board: Sequence[int], best: bool = False) -> NodeValues:
        """Return ranges, values and strategy at a decision on a board of its street.

        Costs one iteration at the root, and what a next card's boards take of it below.

        best: values are those of best responses from there on, of each position to the other's answer. A hand that the
        answer never brings here has no answer worth anything; its best response is.
        """
        local, at, _ = self.tables.find(node, board)
        _, column = self.boards.find(tuple(board))
        forest, street = self.forest.arrays, int(self.boards.arrays.street[at])
        index = int(forest.node_start[street]) + local
        actor, child = int(forest.kind[index]), int(forest.child[index])
        place = [self.boards.places(at, p, column) for p in BOTH]
        held = [np.flatnonzero(of_player >= 0) for of_player in place]
        stride = self.boards.arrays.stride[:, street].tolist()
        reach, values = np.zeros((2, 1326), np.float32), np.zeros((2, 1326), np.float32)
        of_actions = np.zeros((int(forest.actions[index]), 1326), np.float32)
        rule = measuring_rule(self.rule, BEST if best else VALUE, False)
        for p in BOTH:
            rows = self.passes.captured(p, at, self.tables.answer(), rule)
            own, seen = held[p], held[1 - p]
            reach[1 - p, seen] = rows.reach[int(forest.reach_row[p, index]) * stride[1 - p] :][place[1 - p][seen]]
            values[p, own] = rows.value[local * stride[p] :][place[p][own]]
            if p == actor:
                for a, row in enumerate(of_actions):
                    row[own] = rows.value[(child + a) * stride[p] :][place[p][own]]
        for p in BOTH:
            mass = possible_reach(reach[1 - p])
            scale = np.divide(1, mass, out=np.zeros(1326), where=mass > 0)
            values[p] *= scale
            if p == actor:
                of_actions *= scale
        return NodeValues(reach, values, of_actions, self.strategy(node, board))

    def unmerged(self) -> "VectorSolver":
        """Return the answer, without regrets, on a tree with a board for itself each, to measure what merging costs."""
        whole = type(self)(
            self.tree,
            self.board,
            self.ranges,
            algorithm=self.algorithm,
            merge="none",
            threads=self.threads,
            rake=self.rake,
        )
        source, target = self.tables.answer().play, whole.tables.answer().play
        for at, (cards, hands) in enumerate(zip(whole.boards.cards, whole.boards.hands, strict=True)):
            own_board, column = self.boards.find(cards)
            whole.tables.put_on_board(target, at, self.tables.of_board(source, own_board)[:, column[hands]])
        whole.iteration = self.iteration
        return whole

    # --- keeping

    def state_arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything a later run needs to go on, bit for bit."""
        return {"iteration": np.array(self.iteration), **self.tables.state_arrays()}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from `state_arrays`. Raises `ValueError` if they are of another solve."""
        tables = dict(arrays)
        iteration = tables.pop("iteration", None)
        if iteration is None:
            raise ValueError("the saved tables do not say after which iteration they were saved")
        self.tables.restore(tables)
        self.iteration = int(iteration)


class SpotSolver(VectorSolver):
    """The solver of ranges that are given: rows are as long as their player's range, and hands out of it learn nothing."""

    apart = True
