"""A subgame of the hand in play: solved from one of its states to the end, with exact cards and chips."""

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import State
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.base.strategy import HandStrategy, Rows
from limpet.strategies.cards.boards import Merge
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.resolving.beliefs import Ranges, as_weights
from limpet.strategies.holdem.resolving.gadgets import Alternatives, Gadget, GadgetEntry, gadget_entry
from limpet.strategies.holdem.resolving.time_bank import entries
from limpet.strategies.solvers.schedule import ANYTIME, Algorithm
from limpet.strategies.solvers.vector.vector_solver import NodeValues, VectorSolver

OFF_TREE = -1
"""In place of a node: a state that is not in a subgame's tree."""


class Promise(NamedTuple):
    """Values of the opponent's hands that a subgame must not exceed, and the gadget that sees to it.

    Attributes:
        opponent: position of the opponent.
        alternatives: float32 ``[1326]``: big blinds that each hand was promised, see `Subgame.values`. An earlier subgame
            promises the values of a best response. It keeps that promise itself, so that it can be kept; and unlike the
            opponent's own strategy, a best response gives values to hands that the strategy never brings here.
            ``reach-maxmargin`` adds `Subgame.gifts`.
    """

    gadget: Gadget
    opponent: int
    alternatives: NDArray[np.float32]


class Subgame:
    """A subgame, its tree and its solver. Not thread-safe."""

    one_street = False
    """Whether its answer is for the root's street alone, so that it promises nothing to later ones."""

    percent = np.inf
    """Exploitability in % of the pot for the ranges assumed, on the solve's merged boards, as last measured; infinite before."""
    gadget: Gadget = "unsafe"
    _entry: GadgetEntry | None = None

    def __init__(
        self, root: State, menu: BetMenu, ranges: Ranges, threads: int = 1, promise: Promise | None = None,
        merge: Merge = "suits",
    ) -> None:  # fmt: skip
        """Lay out the tree of a state whose board is dealt.

        ranges: of both positions there; promise: without one the solve is unsafe; merge: which next cards share a board, see
        `boards.next_cards`: what the ranges cannot tell apart the promise may.
        """
        self.root = root
        self.tree = build_tree(root, menu)
        weights = as_weights(ranges)
        self.solver = VectorSolver(self.tree, root.board, weights, algorithm=ANYTIME, merge=merge, threads=threads)
        if promise is not None:
            self.gadget, self._opponent = promise.gadget, promise.opponent
            # Hands that are in neither range have no part in the solve. They would seem to gain 0, perhaps more than all others.
            held = self.solver.ranges.any(axis=0)
            possible = hand_space().compatible(self.solver.ranges[1 - promise.opponent]) * held
            reach = self.solver.ranges[promise.opponent].astype(np.float64)
            self._entry = gadget_entry(promise.gadget, promise.alternatives.astype(np.float64), possible, reach)

    @property
    def iteration(self) -> int:
        return self.solver.iteration

    def solve(
        self, iterations: int, target: float = 0.0, check_every: int = 10**9, stop: Callable[[], bool] | None = None
    ) -> int:
        """Iterate until there are `iterations` in all, the target is reached, or `stop()` says so; return their number.

        target: exploitability in % of the pot, measured every `check_every` iterations, by default at the end; 0 measures
        nothing. stop: asked before each iteration.
        """
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
        return solver.iteration

    def node(self, state: State) -> int:
        """Return the node of a state at or below the root, or `OFF_TREE`."""
        if self.one_street and state.round > self.root.round:
            return OFF_TREE
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
        """Return the average strategy at a state on the tree. Raises `ValueError` for a state off it."""
        return self.rows_at(self._on_tree(state), state.board)

    def rows_at(self, node: int, board: tuple[int, ...]) -> Rows:
        """Return the average strategy at a node of the tree, on a board of its street."""
        probabilities = self.solver.strategy(node, board, learnt=True)
        absent = probabilities.sum(axis=0) == 0
        if absent.any():
            # Hands that are in neither range check or call.
            probabilities[[action.kind == "c" for action in self.tree.actions(node)].index(True), absent] = 1
        return Rows(self.tree.actions(node), probabilities)

    def _on_tree(self, state: State) -> int:
        """Return the node of a state on the tree. Raises `ValueError` for a state off it."""
        node = self.node(state)
        if node == OFF_TREE:
            raise ValueError(f"'{state.betting}' is not in the subgame of '{self.root.betting}'")
        return node

    def promise(self, root: State, opponent: int, gadget: Gadget) -> Promise | None:
        """Return what this subgame promised the opponent's hands at `root`, where a new subgame begins; None if nothing.

        That is their value at a state on the tree. After a bet of theirs off the tree it is the value of their best
        action on it: the bet must not be worth more to them.
        """
        if gadget == "unsafe" or self.one_street:
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
        """Return float32 ``[1326]``: big blinds that each hand of a position gave up between the root and a state on the tree.

        A hand gives up the value of its best action less that of the action taken (Brown & Sandholm 2017, reach subgame
        solving). Values are those of best responses, so that the hand may win this much more from the state on without
        making it worth while to come there. They are conditional on the hand being there, so that a gift is shared out
        among all states that may follow.
        """
        gifts = np.zeros(1326, np.float32)
        while state.betting != self.root.betting and state.parent is not None and state.action is not None:
            before = state.parent.with_board(state.board)
            if before.actor == position:
                node = self.node(before)
                actions = self.solver.node_values(node, before.board, best=True).actions
                gifts += actions.max(axis=0) - actions[self.tree.actions(node).index(state.action)]
            state = before
        return gifts

    def node_values(self, state: State) -> NodeValues:
        """Return the values at a decision on the tree if both play the average strategy from there on."""
        return self.solver.node_values(self.node(state), state.board)

    def values(self, state: State, position: int, best: bool = False) -> NDArray[np.float32]:
        """Return float32 ``[1326]``: big blinds that each hand of a position wins, counted over the whole hand.

        state: a state on the tree where play begins; best: the position plays a best response from there on.
        """
        return np.asarray(self.solver.node_values(self.node(state), state.board, best).values[position])


class StreetAnswer(Subgame):
    """The answer of a solved subgame for its root's street, without the solver that found it: under 1 MB, not 5 to 50."""

    one_street = True

    def __init__(self, subgame: Subgame) -> None:
        self.root, self.tree = subgame.root, subgame.tree
        self.percent, self.gadget, self._iteration = subgame.percent, subgame.gadget, subgame.iteration
        nodes = [node for node in self.tree.decisions.tolist() if self.tree.round[node] == self.root.round]
        self._rows = {node: subgame.rows_at(node, self.root.board) for node in nodes}

    @property
    def iteration(self) -> int:
        return self._iteration

    def rows_at(self, node: int, board: tuple[int, ...]) -> Rows:
        return self._rows[node]


# --- Exact values of known strategies for each hand in a subgame: their rows are laid into a vector solver's tables.

MOST_ENTRIES = 80e6
"""Entries, see `time_bank.entries`, of the largest subgame whose promise is worked out: some half a second, 320 MB."""


class PlayedBets(BetMenu, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A menu of the raises that two strategies have rows for, by position.

    board: five cards, for strategies that answer only with a board; the raises do not depend on it.
    """

    hands: tuple[HandStrategy, HandStrategy]
    board: tuple[int, ...]

    def raises(self, state: State) -> tuple[int, ...]:
        rows = self.hands[state.actor].rows(state.with_board(self.board))
        return tuple(action.size for action in rows.actions if action.kind == "r")


class FixedPlay(VectorSolver):
    """A vector solver that holds known strategies of both positions. It is asked for values, and never run."""

    def __init__(self, root: State, ranges: Ranges, hands: tuple[HandStrategy, HandStrategy], threads: int = 1) -> None:
        """root: a state whose board is dealt; ranges: ``[2, 1326]`` there; hands: the strategies, by position.

        Raises `MemoryError` as `VectorSolver` does.
        """
        tree = build_tree(root, played_bets(root, hands))
        dcfr = Algorithm("dcfr")
        super().__init__(tree, root.board, as_weights(ranges), algorithm=dcfr, merge="suits", threads=threads)
        states = tree.states()
        decisions = [(states[node], *self.forest.locate(node), tree.actions(node)) for node in tree.decisions.tolist()]
        for at, (board, held) in enumerate(zip(self.boards.cards, self.boards.hands, strict=True)):
            row_classes, classes = None, held.astype(np.intp)
            for state, street, local, actions in decisions:
                if street != self.boards.arrays.street[at]:
                    continue
                rows = hands[state.actor].rows(state.with_board(board))
                if rows.classes is not row_classes:  # mostly the same for all decisions of a board
                    row_classes = rows.classes
                    classes = (held if row_classes is None else row_classes[held]).astype(np.intp)
                table = self.tables.rows(self.tables.arrays.average, at, local)
                if rows.actions == actions:
                    np.take(rows.probabilities, classes, axis=1, out=table[:, : len(held)], mode="clip")
                    continue
                for action, probabilities in zip(rows.actions, rows.probabilities, strict=True):
                    table[actions.index(action), : len(held)] = probabilities[classes]


def played_promise(
    root: State, ranges: Ranges, hands: tuple[HandStrategy, HandStrategy], opponent: int, gadget: Gadget,
    alternatives: Alternatives, threads: int = 1,
) -> Promise | None:  # fmt: skip
    """Return what two strategies promise the opponent's hands in the subgame at `root`; None where `fixed_play` is."""
    play = fixed_play(root, ranges, hands, threads)
    best = alternatives == "best"
    return None if play is None else Promise(gadget, opponent, play.hand_values(opponent, best))


def fixed_play(
    root: State, ranges: Ranges, hands: tuple[HandStrategy, HandStrategy], threads: int = 1
) -> FixedPlay | None:
    """Return the play of two strategies; None for over `MOST_ENTRIES`, and where it does not fit into memory."""
    if entries(root, played_bets(root, hands), MOST_ENTRIES) <= MOST_ENTRIES:
        with suppress(MemoryError):
            return FixedPlay(root, ranges, hands, threads)
    return None


def played_bets(root: State, hands: tuple[HandStrategy, HandStrategy]) -> PlayedBets:
    """Return the menu of the raises that two strategies make from `root` on."""
    left = [card for card in root.game.deck if card not in root.board]
    return PlayedBets(hands=hands, board=(*root.board, *left)[:5])
