"""All-in before the flop: exact win and tie counts of every hand against every other, and of class against class.

Up to suits and order there are 47,008 pairs of hands that share no card. A table that ships holds, for each, on how
many of the 1,712,304 boards the leading hand wins and on how many both tie (`tests/oracles/preflop_table.py` makes it, in some 15 s),
and the equity of each class of hands against a random hand. Everything else here is added up from that table.
"""

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import comb
from pathlib import Path

import numpy as np
import numpy.typing as npt

from limpet.strategies.cards import equity_kernels as kernels
from limpet.strategies.cards.handspace import hand_space, read_only
from limpet.strategies.cards.isomorphism import NUM_CLASSES, hand_permutation, preflop_classes

BOARDS = comb(48, 5)
"""Number of boards for two given hands: 1,712,304."""
TABLE = Path(__file__).with_name("preflop_matrix.npz")


@dataclass(frozen=True, eq=False)
class ClassMatrix:
    """Starting hand class against class, numbered as in `isomorphism`; rows play against columns. Read-only.

    wins, ties: int64[169, 169], counted over all disjoint pairs of hands of the two classes and all their boards.
    pairs: int64[169, 169], number of disjoint pairs of hands.
    """

    wins: npt.NDArray[np.int64]
    ties: npt.NDArray[np.int64]
    pairs: npt.NDArray[np.int64]

    @property
    def equities(self) -> npt.NDArray[np.float64]:
        """Return float64[169, 169]: P(win) + P(tie) / 2 of row against column, averaged over the disjoint pairs."""
        return (self.wins + self.ties / 2) / (self.pairs * BOARDS)

    @property
    def odds(self) -> npt.NDArray[np.float32]:
        """Return float32[169, 169]: P(win) - P(loss), as sampling solvers take all-ins before the flop."""
        return (2 * self.equities - 1).astype(np.float32)


@cache
def class_matrix() -> ClassMatrix:
    """Return the 169 x 169 table."""
    wins, ties = hand_matrix()
    cell = NUM_CLASSES * preflop_classes()[:, None].astype(np.int64) + preflop_classes()
    tables = []
    for values in (wins, ties, pair_numbers() != 0):
        # Sums of integers below 2**53 are exact in the float64 that bincount adds in.
        sums = np.bincount(cell.ravel(), values.ravel(), NUM_CLASSES**2).astype(np.int64)
        tables.append(read_only(sums.reshape(NUM_CLASSES, NUM_CLASSES)))
    return ClassMatrix(*tables)


@cache
def hand_matrix() -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return (wins, ties), each int32[1326, 1326]: on how many of BOARDS a row's hand beats and ties a column's.

    Zero where the hands share a card. Read-only; 14 MB, made in a tenth of a second.
    """
    with np.load(TABLE, allow_pickle=False) as table:
        wins, ties = (table[name].T.copy().view("<i4")[:, 0].astype(np.int32) for name in ("wins", "ties"))
    zero = np.zeros(1, dtype=np.int32)
    losses = BOARDS - wins - ties
    # Indexed by pair number, -47,008 .. 47,008; negative numbers index from the end.
    scores = np.concatenate([zero, wins, losses[::-1]]).astype(np.int32)
    evens = np.concatenate([zero, ties, ties[::-1]]).astype(np.int32)
    numbers = pair_numbers()
    return read_only(scores[numbers]), read_only(evens[numbers])


@cache
def pair_numbers() -> npt.NDArray[np.int32]:
    """Return int32[1326, 1326]: n + 1 if the row's hand leads pair n, -(n + 1) if the column's does, 0 without a pair."""
    permuted = np.array([hand_permutation(permutation) for permutation in permutations(range(4))], dtype=np.int32)
    return read_only(np.asarray(kernels.number_pairs(hand_space().holes, permuted)))


@cache
def class_equities() -> npt.NDArray[np.float64]:
    """Return float64[169]: P(win) + P(tie) / 2 of each class against a random hand, all cards run out; read-only."""
    with np.load(TABLE, allow_pickle=False) as table:
        return read_only(np.asarray(table["equities"]))
