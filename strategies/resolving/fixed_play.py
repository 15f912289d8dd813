"""Exact values of known strategies for each hand in a subgame: their rows are laid into a vector solver's tables.

The blueprint's promise is worked out so where a hand's first subgame begins: the values of the opponent's hands if both
play on by the blueprint, or if the opponent plays a best response to it (Burch, Johanson & Bowling 2014 take the latter;
DeepStack's and Libratus's estimates are nearer to the former).
"""

import numpy as np

from limpet.protocol.state import State
from limpet.strategies.resolving.beliefs import Ranges, as_weights
from limpet.strategies.resolving.gadgets import Alternatives, Gadget
from limpet.strategies.resolving.pace import entries
from limpet.strategies.resolving.subgame import Promise
from limpet.strategies.solving.schedule import Algorithm
from limpet.strategies.solving.vector.vector_solver import VectorSolver
from limpet.strategies.strategy import HandStrategy
from limpet.strategies.trees.betting import build_tree
from limpet.strategies.trees.menu import BetMenu

MOST_ENTRIES = 80e6
"""Entries, see `pace.entries`, of the largest subgame whose promise is worked out: some half a second, 320 MB."""


class PlayedBets(BetMenu, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A menu of the raises that two strategies have rows for."""

    hands: tuple[HandStrategy, HandStrategy]  # the strategies, by position
    board: tuple[int, ...]  # five cards, for strategies that answer only with a board; the raises do not depend on it

    def raises(self, state: State) -> tuple[int, ...]:
        rows = self.hands[state.actor].rows(state.with_board(self.board))
        return tuple(action.size for action in rows.actions if action.kind == "r")


class FixedPlay(VectorSolver):
    """A vector solver that holds known strategies of both positions. It is asked for values, and never run."""

    def __init__(
        self, root: State, ranges: Ranges, hands: tuple[HandStrategy, HandStrategy], threads: int = 1,
    ) -> None:  # fmt: skip
        """root: a state whose board is dealt; ranges: ``[2, 1326]`` there; hands: the strategies, by position.

        Raises `MemoryError` as `VectorSolver` does.
        """
        tree = build_tree(root, played_bets(root, hands))
        super().__init__(tree, root.board, as_weights(ranges), algorithm=Algorithm("dcfr"), threads=threads)
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
    """Return what two strategies promise the opponent's hands in the subgame at `root`.

    None where the subgame has more than `MOST_ENTRIES`, or does not fit into memory.
    """
    menu = played_bets(root, hands)
    if entries(root, menu, MOST_ENTRIES) > MOST_ENTRIES:
        return None
    try:
        play = FixedPlay(root, ranges, hands, threads)
    except MemoryError:
        return None
    return Promise(gadget, opponent, play.hand_values(opponent, best=alternatives == "best"))


def played_bets(root: State, hands: tuple[HandStrategy, HandStrategy]) -> PlayedBets:
    """Return the menu of the raises that two strategies make from `root` on."""
    left = [card for card in root.game.deck if card not in root.board]
    return PlayedBets(hands=hands, board=(*root.board, *left)[:5])
