"""Vector CFR on one street: each leaf has a matrix of values in place of the streets after it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.cards.board_groups import Merge
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.resolving.leaves import leaf_kernels
from limpet.strategies.solving.schedule import ANYTIME
from limpet.strategies.solving.vector.board_tree import NO_CARD, Boards, BoardTree, padded
from limpet.strategies.solving.vector.pass_arrays import Capture, Tables
from limpet.strategies.solving.vector.passes import Passes, Rule
from limpet.strategies.solving.vector.street_forest import StreetForest, street_forest
from limpet.strategies.solving.vector.vector_solver import VectorSolver
from limpet.strategies.trees.betting import BettingTree

Table = NDArray[np.float32]


class LeafValues(NamedTuple):
    """Values of the leaves of a street, in big blinds, of position 0 (row) against position 1 (column).

    Attributes:
        classes: int16 ``[H]``: class of each hand of the subgame.
        matrices: ``[M, C, C]``: values by class.
        of_leaf: index of each leaf's matrix, and the stake to multiply it by, by tree node.
    """

    classes: NDArray[np.int16]
    matrices: Table
    of_leaf: dict[int, tuple[int, float]]


class StreetSolver(VectorSolver):
    """A vector solver whose tree ends with the street it begins on.

    A pair of hands has the value of their classes, and is left out if the two share a card, as everywhere else.
    """

    def __init__(
        self, tree: BettingTree, ranges: NDArray[np.floating], held: NDArray[np.int16], leaves: LeafValues
    ) -> None:
        """Take the hands `held` of `leaves`, ascending; other hands of `ranges` ``[2, 1326]`` are left out.

        The leaves of `tree` are nodes where nobody acts and nobody has folded.

        Raises `ValueError` where the two ranges have no pair of hands without a common card.
        """
        self._held = held
        weights = np.zeros((2, 1326), np.float32)
        weights[:, held] = ranges[:, held]
        super().__init__(tree, tree.root.board, weights, algorithm=ANYTIME)
        self.passes = _StreetPasses(self.forest, self.boards, self.ranges, leaves)

    def _lay_out(self, merge: Merge) -> tuple[StreetForest, BoardTree]:
        return street_forest(self.tree, self.unit, most=1), _one_board(self.board, self._held)


class _StreetPasses(Passes):
    """Passes over one board, whose leaves are valued between the way down and the way up. Pairs are for positions 0 and 1."""

    in_stages = True

    def __init__(self, forest: StreetForest, boards: BoardTree, ranges: Table, leaves: LeafValues) -> None:
        super().__init__(forest.arrays, boards, ranges, threads=1)
        at, stride = forest.arrays.leaf, int(self.boards.stride[0])
        number, stakes = zip(*(leaves.of_leaf[node] for node in forest.origin[0][at].tolist()), strict=True)
        matrices = leaves.matrices[list(number)] * np.array(stakes, np.float32)[:, None, None]
        self._matrices = matrices, np.ascontiguousarray(-matrices.swapaxes(1, 2))
        self._targets = stride * np.arange(len(at))
        # Where the opponent's reach of leaves starts, each start once as leaves may share it, and the start of each leaf.
        starts = forest.arrays.reach_row[:, at].astype(np.int64) * stride
        self._reach = [np.unique(of_player, return_inverse=True) for of_player in starts]
        self._classes = leaves.classes
        count, classes = matrices.shape[:2]
        self._sums = np.zeros((count, classes, leaf_kernels.CARDS), np.float32)
        self._worth = np.zeros(classes * leaf_kernels.CARDS, np.float32)

    def _visit(self, p: int, schedule: Table, tables: Tables, rule: Rule, capture: Capture) -> None:
        """Write the counterfactual values of player p at all leaves, from the opponent's reach there."""
        (starts, of_leaf), reach, cards = self._reach[p], self.root.reach, (self.boards.card_a, self.boards.card_b)
        sums = self._sums[: len(starts)]
        leaf_kernels.by_cards(reach, starts, self._classes, *cards, sums)
        leaf_kernels.by_hands(
            self._matrices[p], sums, of_leaf, reach, starts, self._classes, *cards, self._worth, self.root.chunks,
            self._targets,
        )  # fmt: skip


def _one_board(board: tuple[int, ...], held: NDArray[np.int16]) -> BoardTree:
    """Return the root's board alone: the values of leaves are already means over the boards that follow."""
    lanes = padded(len(held))
    cards = [np.full(lanes, card, np.uint8) for card in NO_CARD]
    for side, column in enumerate(cards):
        column[: len(held)] = hand_space().holes[held, side]
    none = np.zeros(2, np.int64)
    arrays = Boards(
        street=none[:1],
        parent=none[:1] - 1,
        hands=np.array([len(held)], np.int64),
        hand_start=none[:1],
        card_a=cards[0],
        card_b=cards[1],
        run_start=none,
        run_end=np.zeros(0, np.int32),
        above_start=none,
        above=np.zeros(0, np.uint16),
        stride=np.array([lanes], np.int64),
        weight=np.ones(1, np.float32),
        averaged=False,
    )
    return BoardTree(arrays, (board,), (board[-1:],), (held,), np.array([1], np.int64), {})
