"""Three hands all-in, hand by hand: the slow twin of `tests.oracles.showdown_counting`."""

from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np
import numpy.typing as npt

from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.preflop_tables import ORDERINGS, ShowdownTables
from limpet.strategies.cards.ranges import class_hands
from limpet.strategies.cards.ranking_kernels import hand_strengths

Triple = tuple[int, int, int]
_NUMBERS = {ordering.places: number for number, ordering in enumerate(ORDERINGS)}


def of_order(tables: ShowdownTables, number: int) -> npt.NDArray[np.float32]:
    """Return float32[169, 169, 169], a view: probability of ORDERINGS[number], indexed by the classes of A, B and C."""
    array: npt.NDArray[np.float32] = getattr(tables, ORDERINGS[number].array)
    return array.transpose(np.argsort(ORDERINGS[number].players))


def triple(tables: ShowdownTables, a: int, b: int, c: int) -> npt.NDArray[np.float32]:
    """Return float32[13]: probability of each of ORDERINGS for three classes; all 0 where they cannot be dealt."""
    return np.array([of_order(tables, number)[a, b, c] for number in range(len(ORDERINGS))], dtype=np.float32)


def count_triple(classes: Triple, boards: Iterable[Sequence[int]], orbits: Iterable[int]) -> npt.NDArray[np.int64]:
    """Return int64[13]: how often three disjoint combos of the classes end in each order, boards weighing their orbits."""
    holes = hand_space().holes
    counts = np.zeros(13, dtype=np.int64)
    for board, orbit in zip(boards, orbits, strict=True):
        strengths = hand_strengths(np.array(board, dtype=np.int8), holes).tolist()
        for hands in product(*(class_hands()[number].tolist() for number in classes)):
            cards = {int(card) for hand in hands for card in holes[hand]} | {int(card) for card in board}
            if len(cards) == 6 + len(board):
                ours = [strengths[hand] for hand in hands]
                places = tuple(sum(other > own for other in ours) for own in ours)
                counts[_NUMBERS[places]] += orbit
    return counts
