"""A subgame of the hand in progress: solved from one of its states to the end, with exact cards and chips."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import State
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.resolving.beliefs import Ranges
from limpet.strategies.solving.schedule import Algorithm
from limpet.strategies.solving.vector_solver import VectorSolver
from limpet.strategies.strategy import Rows
from limpet.strategies.trees.betting import build_tree

OFF_TREE = -1


class Effort(NamedTuple):
    """How far a subgame was solved."""

    decisions: int
    iterations: int
    percent: float
    """Exploitability within the subgame, in % of its pot; that of the ranges assumed."""


class Subgame:
    """Not thread-safe."""

    def __init__(self, root: State, menu: BetMenu, ranges: Ranges, threads: int = 1) -> None:
        """root: whose board is dealt; ranges: of both positions there."""
        self.root = root
        self.tree = build_tree(root, menu)
        self.solver = VectorSolver(
            self.tree, root.board, (ranges / ranges.max(axis=1, keepdims=True)).astype(np.float32),
            algorithm=Algorithm("dcfr"), threads=threads,
        )  # fmt: skip
        self.percent = np.inf

    def solve(self, iterations: int, target: float, check_every: int, stop: Callable[[], bool]) -> Effort:
        """Iterate until exploitability is at most `target` % of the pot, looked at every so often, or until `stop`."""
        solver = self.solver
        while solver.iteration < iterations and not stop():
            solver.run(min(check_every, iterations - solver.iteration), stop)
            if target > 0:
                self.percent = solver.exploitability().percent
                if self.percent <= target:
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
        probabilities = self.solver.strategy(node, state.board)
        absent = probabilities.sum(axis=0) == 0
        if absent.any():
            # Hands that nobody was thought to hold: they check or call.
            probabilities[[action.kind == "c" for action in self.tree.actions(node)].index(True), absent] = 1
        return Rows(self.tree.actions(node), probabilities)

    def values(self, state: State, position: int) -> NDArray[np.float32]:
        """float32 ``[1326]``: big blinds that each hand of a position wins from a state on the tree, half of the
        subgame's pot counted as its own."""
        return np.asarray(self.solver.node_values(self.node(state), state.board).values[position])
