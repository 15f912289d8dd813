"""What known strategies are worth to each hand in a subgame, exactly: their rows laid into a vector solver's tables.

This is how the blueprint's promise is told where a hand's first subgame begins: what the opponent's hands win there if
both play on by the blueprint, or if he answers it as well as he can (Burch, Johanson & Bowling 2014 take the latter;
DeepStack's and Libratus's estimates are nearer to the former).
"""

import numpy as np

from limpet.protocol.state import State
from limpet.strategies.resolving.beliefs import Ranges
from limpet.strategies.resolving.gadgets import Alternatives, Gadget
from limpet.strategies.resolving.pace import entries
from limpet.strategies.resolving.subgame import Promise
from limpet.strategies.solving.schedule import Algorithm
from limpet.strategies.solving.vector.vector_solver import VectorSolver
from limpet.strategies.strategy import HandStrategy
from limpet.strategies.trees.betting import build_tree
from limpet.strategies.trees.menu import BetMenu

MOST_ENTRIES = 80e6
"""(Action, board, hand) triples of the largest subgame whose promise is told: some half a second, 320 MB."""


class PlayedBets(BetMenu, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The raises that strategies have rows for.

    Attributes:
        hands: what answers for each position.
        board: all five cards, for strategies that will not be asked without; which raises there are depends on none.
    """

    hands: tuple[HandStrategy, HandStrategy]
    board: tuple[int, ...]

    def raises(self, state: State) -> tuple[int, ...]:
        rows = self.hands[state.actor].rows(state.with_board(self.board))
        return tuple(action.size for action in rows.actions if action.kind == "r")


class FixedPlay(VectorSolver):
    """A subgame that is not solved: both positions play by rows that are known. To be asked for values, not to be run."""

    def __init__(
        self, root: State, ranges: Ranges, hands: tuple[HandStrategy, HandStrategy], threads: int = 1,
        most_memory: int | None = None,
    ) -> None:  # fmt: skip
        """root: whose board is dealt; ranges: ``[2, 1326]`` there; hands: of each position, asked for rows alone.

        Raises `MemoryError` as `VectorSolver` does.
        """
        tree = build_tree(root, played_bets(root, hands))
        weights = (ranges / ranges.max(axis=1, keepdims=True)).astype(np.float32)
        super().__init__(
            tree, root.board, weights, algorithm=Algorithm("dcfr"), threads=threads, most_memory=most_memory
        )
        states = tree.states()
        decisions = [(states[node], *self.forest.locate(node), tree.actions(node)) for node in tree.decisions.tolist()]
        for at, (board, held) in enumerate(zip(self.boards.cards, self.boards.hands, strict=True)):
            seen, classes = None, held.astype(np.intp)
            for state, street, local, actions in decisions:
                if street != self.boards.arrays.street[at]:
                    continue
                rows = hands[state.actor].rows(state.with_board(board))
                if rows.classes is not seen:  # mostly one and the same for all decisions of a board
                    seen = rows.classes
                    classes = (held if seen is None else seen[held]).astype(np.intp)
                table = self.tables.rows(self.tables.arrays.average, at, street, local)
                if rows.actions == actions:
                    np.take(rows.probabilities, classes, axis=1, out=table[:, : len(held)], mode="clip")
                    continue
                for action, probabilities in zip(rows.actions, rows.probabilities, strict=True):
                    table[actions.index(action), : len(held)] = probabilities[classes]


def played_promise(
    root: State, ranges: Ranges, hands: tuple[HandStrategy, HandStrategy], opponent: int, gadget: Gadget,
    alternatives: Alternatives, threads: int = 1,
) -> Promise | None:  # fmt: skip
    """What strategies promise the opponent's hands in the subgame at `root`; None where it is too large to be told at a
    table, or where telling it does not fit into memory."""
    menu = played_bets(root, hands)
    if entries(root, menu, MOST_ENTRIES) > MOST_ENTRIES:
        return None
    try:
        play = FixedPlay(root, ranges, hands, threads)
    except MemoryError:
        return None
    return Promise(gadget, opponent, play.hand_values(opponent, best=alternatives == "best"))


def played_bets(root: State, hands: tuple[HandStrategy, HandStrategy]) -> PlayedBets:
    left = [card for card in root.game.deck if card not in root.board]
    return PlayedBets(hands=hands, board=(*root.board, *left)[:5])
