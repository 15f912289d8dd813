"""All-in before the flop: exact win and tie counts of every hand against every other, and of class against class.

Up to suits and order there are 47,008 pairs of hands that share no card. A table that ships holds, for each, on how
many of the 1,712,304 boards the leading hand wins and on how many both tie (`write_table` makes it, in some 15 s); all
else here is looked up and added up from it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import comb
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from limpet.strategies.cards import equity_kernels as kernels
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import (
    NUM_CLASSES,
    CanonicalBoards,
    canonical_boards,
    hand_permutation,
    preflop_classes,
)

BOARDS = comb(48, 5)  # 1,712,304 for two given hands
NUM_PAIRS = 47_008
TABLE = Path(__file__).with_name("preflop_matrix.npz")

Array = TypeVar("Array", bound=npt.NDArray[Any])

_BATCH = 1024  # boards: their orbits, of 24 at most, add up to less than 2**15


@dataclass(frozen=True, eq=False)
class ClassMatrix:
    """Starting hand class against class, numbered as in `isomorphism`; rows play against columns. Read-only.

    wins, ties: int64[169, 169], counted over all disjoint pairs of hands of the two classes and all their boards.
    pairs: int64[169, 169], how many disjoint pairs those are.
    """

    wins: npt.NDArray[np.int64]
    ties: npt.NDArray[np.int64]
    pairs: npt.NDArray[np.int64]

    @property
    def equities(self) -> npt.NDArray[np.float64]:
        """float64[169, 169]: P(win) + P(tie) / 2 of row against column, averaged over the disjoint pairs."""
        return (self.wins + self.ties / 2) / (self.pairs * BOARDS)

    @property
    def odds(self) -> npt.NDArray[np.float32]:
        """float32[169, 169]: P(win) - P(loss), as sampling solvers take all-ins before the flop."""
        return (2 * self.equities - 1).astype(np.float32)


@cache
def class_matrix() -> ClassMatrix:
    """The 169 x 169 table."""
    wins, ties = hand_matrix()
    cell = NUM_CLASSES * preflop_classes()[:, None].astype(np.int64) + preflop_classes()
    tables = []
    for values in (wins, ties, pair_numbers() != 0):
        # Sums of integers below 2**53 are exact in the float64 that bincount adds in.
        sums = np.bincount(cell.ravel(), values.ravel(), NUM_CLASSES**2).astype(np.int64)
        tables.append(_read_only(sums.reshape(NUM_CLASSES, NUM_CLASSES)))
    return ClassMatrix(*tables)


@cache
def hand_matrix() -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """(wins, ties), each int32[1326, 1326]: on how many of BOARDS a row's hand beats and ties a column's.

    Zero where the hands share a card. Read-only; 14 MB, made in a tenth of a second.
    """
    wins, ties = pair_counts()
    zero = np.zeros(1, dtype=np.int32)
    losses = BOARDS - wins - ties
    # By pair number, -NUM_PAIRS .. NUM_PAIRS: negative numbers index from the end, as Python's do.
    scores = np.concatenate([zero, wins, losses[::-1]]).astype(np.int32)
    evens = np.concatenate([zero, ties, ties[::-1]]).astype(np.int32)
    numbers = pair_numbers()
    return _read_only(scores[numbers]), _read_only(evens[numbers])


@cache
def pair_numbers() -> npt.NDArray[np.int32]:
    """int32[1326, 1326]: n + 1 where the row's hand leads pair n, -(n + 1) where the column's does, 0 without a pair."""
    numbers = np.empty((1326, 1326), dtype=np.int32)
    found = kernels.number_pairs(hand_space().holes, _permuted_hands(), numbers)
    assert found == NUM_PAIRS
    return _read_only(numbers)


@cache
def pair_counts() -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """(wins, ties), each int32[47008]: on how many of BOARDS the leading hand of a pair wins, and ties. Read-only."""
    with np.load(TABLE, allow_pickle=False) as table:
        wins, ties = (table[name].T.copy().view("<i4")[:, 0].astype(np.int32) for name in ("wins", "ties"))
    return _read_only(wins), _read_only(ties)


def write_table(path: Path = TABLE) -> None:
    """Count every pair over all boards (some 15 s) and write the table that `pair_counts` reads."""
    wins, ties = count_pairs(canonical_boards(5))
    # Byte by byte, lowest bytes first: high bytes vary little, and compress better side by side.
    planes = [counts.astype("<i4").view(np.uint8).reshape(-1, 4).T.copy() for counts in (wins, ties)]
    np.savez_compressed(path, wins=planes[0], ties=planes[1])


def count_pairs(rivers: CanonicalBoards) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """(wins, ties), each int64[47008], from all canonical rivers.

    Every board and pair of hands turn into each other by the same suit permutation. So wins over canonical boards,
    weighted by orbit and summed over all pairs of hands of a class, are the wins of one pair over all boards times the
    number of pairs.
    """
    sums = np.zeros((1326, 1326), dtype=np.int32)
    strengths = np.empty((_BATCH, 1326), dtype=np.int16)
    scratch = np.empty(169, np.int32), np.empty(1326, np.int32), np.empty(1326, np.int16)
    holes = hand_space().holes
    for start in range(0, rivers.count, _BATCH):
        batch = slice(start, start + _BATCH)
        kernels.add_wins(rivers.boards[batch], rivers.orbit[batch].astype(np.int16), holes, strengths, *scratch, sums)
    numbers = pair_numbers()
    leading, trailing = numbers > 0, numbers < 0
    size = np.bincount(numbers[leading] - 1)
    wins = np.bincount(numbers[leading] - 1, sums[leading]).astype(np.int64)
    losses = np.bincount(-numbers[trailing] - 1, sums[trailing]).astype(np.int64)
    for pair in _mirrored_pairs():  # either hand may be said to lead, so both win equally often
        wins[pair] = losses[pair] = (wins[pair] + losses[pair]) // 2
    wins //= size
    return wins, BOARDS - wins - losses // size


def _mirrored_pairs() -> Iterator[int]:
    """Numbers of the pairs whose hands a suit permutation exchanges, as AcKc and AdKd."""
    moved = _permuted_hands()
    hands = np.arange(1326)
    numbers = pair_numbers()
    for permutation in moved:
        back = permutation[permutation] == hands
        partners = numbers[hands, permutation]
        yield from np.unique(np.abs(partners[back & (partners != 0)]) - 1).tolist()


def _permuted_hands() -> npt.NDArray[np.int32]:
    """int32[24, 1326]: every hand after each suit permutation."""
    return np.array([hand_permutation(permutation) for permutation in permutations(range(4))], dtype=np.int32)


def _read_only(array: Array) -> Array:
    """The array itself, closed to writing."""
    array.flags.writeable = False
    return array
