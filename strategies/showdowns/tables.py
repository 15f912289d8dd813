"""The tables of all-ins before the flop: outcomes of three starting-hand classes, ties and card removal included.

Classes are numbered as in `cards.isomorphism.preflop_class`: class 13 * i + j has ranks i, j (0..12 for 2..A), a pair if
i == j, suited if i > j, offsuit if i < j. Every combo of a class is equally likely; combos that share a card are not dealt.

Three hands can end in 13 orders. Four arrays hold them all, because which player is called A does not matter:

    array      value at [x, y, z]: probability that
    strict     x beats y and y beats z
    top_tie    x and y tie and beat z
    low_tie    x beats y and z, which tie
    all_tie    all three tie
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from limpet.strategies.cards.handspace import Array

TRIPLE_BOARDS = 1_370_754
"""Number of boards for three given hands, C(46, 5)."""
ALL_BOARDS = 2_598_960
"""Number of boards of a full deck, C(52, 5)."""
ORDERS = ("strict", "top_tie", "low_tie", "all_tie")
"""Names of the four arrays, as everywhere in a row."""


class Ordering(NamedTuple):
    """One of the 13 orders in which the hands of players A, B and C can end."""

    text: str  # from the best hand down, such as ``A=C>B``
    array: str  # name of the array of `ShowdownTables` that holds the order's probability
    players: tuple[int, int, int]  # player, 0 to 2 for A to C, whose class indexes each axis of that array
    places: tuple[int, int, int]  # number of hands that beat each player's hand, 0 to 2


ORDERINGS = (
    Ordering("A>B>C", "strict", (0, 1, 2), (0, 1, 2)),
    Ordering("A>C>B", "strict", (0, 2, 1), (0, 2, 1)),
    Ordering("B>A>C", "strict", (1, 0, 2), (1, 0, 2)),
    Ordering("B>C>A", "strict", (1, 2, 0), (2, 0, 1)),
    Ordering("C>A>B", "strict", (2, 0, 1), (1, 2, 0)),
    Ordering("C>B>A", "strict", (2, 1, 0), (2, 1, 0)),
    Ordering("A=B>C", "top_tie", (0, 1, 2), (0, 0, 2)),
    Ordering("A=C>B", "top_tie", (0, 2, 1), (0, 2, 0)),
    Ordering("B=C>A", "top_tie", (1, 2, 0), (2, 0, 0)),
    Ordering("A>B=C", "low_tie", (0, 1, 2), (0, 1, 1)),
    Ordering("B>A=C", "low_tie", (1, 0, 2), (1, 0, 1)),
    Ordering("C>A=B", "low_tie", (2, 0, 1), (1, 1, 0)),
    Ordering("A=B=C", "all_tie", (0, 1, 2), (0, 0, 0)),
)
"""The 13 orders, in the order in which every list of them goes."""


@dataclass(frozen=True, eq=False)
class ShowdownTables:
    """Outcomes of three starting-hand classes that are all-in before the flop.

    Attributes:
        triple_weights: float32 ``[169, 169, 169]`` number of ways to deal three classes combos without a common card,
            0 to 1,728; 0 where none is left, as for three times AA. The same for every order of the classes.
        strict: float32 ``[169, 169, 169]`` probability that the first class beats the second, and that the third.
        top_tie: float32 ``[169, 169, 169]`` probability that the first two tie and beat the third.
        low_tie: float32 ``[169, 169, 169]`` probability that the first beats the other two, which tie.
        all_tie: float32 ``[169, 169, 169]`` probability that all three tie.
        boards: number of boards that were counted; `ALL_BOARDS` where the table is exact.
        standard_error: largest standard error of a probability above; 0 where the table is exact.
    """

    triple_weights: npt.NDArray[np.float32]
    strict: npt.NDArray[np.float32]
    top_tie: npt.NDArray[np.float32]
    low_tie: npt.NDArray[np.float32]
    all_tie: npt.NDArray[np.float32]
    boards: int
    standard_error: float


def order_sums(strict: Array, top_tie: Array, low_tie: Array, all_tie: Array) -> Array:
    """Return [169, 169, 169]: the sum of the 13 orders, the same for every order of the classes; arrays as in the tables."""
    # The first hand is tied with none.
    alone = strict + strict.transpose(0, 2, 1) + low_tie + top_tie.transpose(2, 0, 1)
    sums: Array = all_tie + alone + alone.transpose(1, 0, 2) + alone.transpose(1, 2, 0)
    return sums
