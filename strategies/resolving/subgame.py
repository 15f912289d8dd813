"""A subgame of the hand in progress: solved from one of its states to the end, with exact cards and chips."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import State
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.resolving.beliefs import Ranges
from limpet.strategies.resolving.gadgets import Gadget, GadgetEntry, gadget_entry
from limpet.strategies.solving.schedule import ANYTIME
from limpet.strategies.solving.vector.vector_solver import VectorSolver
from limpet.strategies.strategy import Rows
from limpet.strategies.trees.betting import build_tree
from limpet.strategies.trees.menu import BetMenu

OFF_TREE = -1


class Effort(NamedTuple):
    """How far a subgame was solved."""

    decisions: int
    iterations: int
    percent: float
    """Exploitability within the subgame, in % of its pot; that of the ranges assumed."""


class Promise(NamedTuple):
    """What the opponent's hands were worth before the subgame, and the gadget that keeps it."""

    gadget: Gadget
    opponent: int
    alternatives: NDArray[np.float32]
    """``[1326]`` big blinds, see `Subgame.values`. After a subgame: what a best response would have won there. The
    subgame before this one keeps it by itself, so that it can be kept; and unlike values of the opponent's strategy it
    means something for hands that his strategy never brings here. ``reach-maxmargin`` adds `Subgame.gifts`."""


class Subgame:
    """Not thread-safe."""

    def __init__(
        self, root: State, menu: BetMenu, ranges: Ranges, threads: int = 1, promise: Promise | None = None
    ) -> None:
        """root: whose board is dealt; ranges: of both positions there; promise: without one the solve is unsafe."""
        self.root = root
        self.tree = build_tree(root, menu)
        self.solver = VectorSolver(
            self.tree, root.board, (ranges / ranges.max(axis=1, keepdims=True)).astype(np.float32),
            algorithm=ANYTIME, threads=threads,
        )  # fmt: skip
        self._keep(promise)

    def _keep(self, promise: Promise | None) -> None:
        self.percent = np.inf
        self.gadget: Gadget = "unsafe" if promise is None else promise.gadget
        self._entry: GadgetEntry | None = None
        if promise is not None:
            self._opponent = promise.opponent
            # A hand that neither range has is not in the solve: it would seem to gain nothing, which may be the most.
            held = np.isin(np.arange(1326), self.solver.boards.hands[0])
            met = hand_space().apart(self.solver.ranges[1 - promise.opponent]) * held
            reach = self.solver.ranges[promise.opponent].astype(np.float64)
            self._entry = gadget_entry(promise.gadget, promise.alternatives.astype(np.float64), met, reach)

    def solve(self, iterations: int, target: float, check_every: int, stop: Callable[[], bool]) -> Effort:
        """Iterate until exploitability is at most `target` % of the pot, looked at every so often, or until `stop`, which is
        asked before each iteration."""
        solver = self.solver
        while solver.iteration < iterations:
            count = min(check_every, iterations - solver.iteration)
            if self._entry is None:
                played = solver.run(count, stop)
            else:
                played = solver.run_against(self._opponent, self._entry, count, stop)
            if target > 0 and solver.iteration:
                self.percent = solver.exploitability().percent
            if self.percent <= target or played < count:
                break
        return Effort(len(self.tree.decisions), solver.iteration, self.percent)

    def node(self, state: State) -> int:
        """The node of a state below the root, or `OFF_TREE`."""
        if state.betting == self.root.betting:
            return 0
        if state.parent is None or state.action is None:
            return OFF_TREE
        above = self.node(state.parent)
        if above == OFF_TREE:
            return OFF_TREE
        actions = self.tree.actions(above)
        return self.tree.child(above, actions.index(state.action)) if state.action in actions else OFF_TREE

    def rows(self, state: State) -> Rows:
        """The answer for a state on the tree. Raises `ValueError` off it."""
        node = self.node(state)
        if node == OFF_TREE:
            raise ValueError(f"'{state.betting}' is not in the subgame of '{self.root.betting}'")
        probabilities = self.solver.strategy(node, state.board, learnt=True)
        absent = probabilities.sum(axis=0) == 0
        if absent.any():
            # Hands that nobody was thought to hold: they check or call.
            probabilities[[action.kind == "c" for action in self.tree.actions(node)].index(True), absent] = 1
        return Rows(self.tree.actions(node), probabilities)

    def promise(self, root: State, opponent: int, gadget: Gadget) -> Promise | None:
        """What this subgame promised the opponent's hands where a new one begins: at a state on the tree, or after a bet
        of his that is off it (his best action on the tree then; the bet must be worth no less to him). None elsewhere."""
        if gadget == "unsafe":
            return None
        reached, before = root, root.parent
        if self.node(root) != OFF_TREE:
            alternatives = self.values(root, opponent, best=True)
        elif before is not None and before.actor == opponent and self.node(before) != OFF_TREE:
            reached = before.with_board(root.board)
            alternatives = self.solver.node_values(self.node(before), reached.board, best=True).actions.max(axis=0)
        else:
            return None
        if gadget == "reach-maxmargin":
            alternatives = alternatives + self.gifts(reached, opponent)
        return Promise(gadget, opponent, alternatives)

    def gifts(self, state: State, position: int) -> NDArray[np.float32]:
        """float32 ``[1326]``: big blinds that each hand of a position gave up on the way from the root to a state on the
        tree, by actions that are worth less to it than its best (Brown & Sandholm 2017, reach subgame solving).

        With best responses afterwards, so that so much more may be won from the state on without making it worth while
        to come here. Measured given that the hand is there, which shares a gift out to all that may follow by itself.
        """
        given = np.zeros(1326, np.float32)
        while state.betting != self.root.betting and state.parent is not None and state.action is not None:
            before = state.parent.with_board(state.board)
            if before.actor == position:
                node = self.node(before)
                actions = self.solver.node_values(node, before.board, best=True).actions
                given += actions.max(axis=0) - actions[self.tree.actions(node).index(state.action)]
            state = before
        return given

    def values(self, state: State, position: int, best: bool = False) -> NDArray[np.float32]:
        """float32 ``[1326]``: big blinds that each hand of a position wins over the whole hand from a state on the tree.

        best: with a best response of its own from there on.
        """
        return np.asarray(self.solver.node_values(self.node(state), state.board, best).values[position])
