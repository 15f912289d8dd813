"""Boards up to suit permutation, and the 169 classes of hold'em starting hands.

Flops fall into 1,755 classes, unordered turn boards into 16,432 and river boards into 134,459. A value worked out for
one hand on a canonical board holds for the permuted hand on every board of its class.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import comb

import numpy as np
import numpy.typing as npt

from limpet.strategies.cards import isomorphism_kernels as kernels
from limpet.strategies.cards.handspace import board_cards, hand_space, read_only

NUM_CLASSES = 169
"""Number of classes of starting hands."""

_RANKS = "23456789TJQKA"


@dataclass(frozen=True, eq=False)
class CanonicalBoards:
    """All canonical boards of n cards, numbered by ascending key.

    boards: int8[count, n], cards ascending. orbit: int32[count], number of boards in each class; they sum to C(52, n).
    keys: int64[count], their keys (`isomorphism_kernels`), ascending; read-only.
    """

    n: int
    boards: npt.NDArray[np.int8]
    orbit: npt.NDArray[np.int32]
    keys: npt.NDArray[np.int64]

    @property
    def count(self) -> int:
        """Return the number of canonical boards."""
        return len(self.boards)

    def find(self, board: Sequence[int]) -> tuple[int, tuple[int, ...]]:
        """Return (number, suit permutation) of a board in any order; suit s becomes permutation[s].

        Raises ValueError unless the board is n distinct card ids.
        """
        cards = np.array(board_cards(board, self.n), dtype=np.int8)
        number, packed = kernels.canonical_board(cards, self.n, self.keys)
        return int(number), tuple((int(packed) >> (2 * suit)) & 3 for suit in range(4))


@cache
def canonical_boards(n: int) -> CanonicalBoards:
    """Return the canonical boards of n = 1..5 cards of the full deck; made on first use (5 cards: a fraction of a second)."""
    keys, orbit = np.unique(kernels.all_keys(n, comb(52, n)), return_counts=True)
    # A key's bit 13 * (3 - suit) + rank is card rank * 4 + suit of the canonical board.
    ids = np.array([4 * rank + suit for suit in (3, 2, 1, 0) for rank in range(13)], dtype=np.int8)
    held = ((keys[:, None] >> np.arange(52)) & 1).astype(np.bool_)
    boards = np.sort(ids[np.nonzero(held)[1]].reshape(-1, n), axis=1)
    return CanonicalBoards(n, boards, orbit.astype(np.int32), read_only(keys))


def permute_cards(cards: Sequence[int], permutation: Sequence[int]) -> tuple[int, ...]:
    """Return the cards with suit s replaced by permutation[s], in the same order."""
    return tuple((int(card) & ~3) | permutation[card & 3] for card in cards)


@cache
def hand_permutation(permutation: tuple[int, ...]) -> npt.NDArray[np.int32]:
    """Return int32[1326]: index of every two-card hand after the suit permutation; read-only."""
    return moved_hands(permute_cards(range(52), permutation))


def moved_hands(cards: Sequence[int]) -> npt.NDArray[np.int32]:
    """Return int32[1326]: index of every two-card hand after each card id c is replaced by cards[c]; read-only."""
    moved = np.sort(np.array(cards, np.int32)[hand_space().holes], axis=1)
    return read_only(moved[:, 0] + moved[:, 1] * (moved[:, 1] - 1) // 2)


def preflop_class(x: int, y: int) -> int:
    """Return the class 0..168 of a starting hand of two different card ids, in any order.

    Class 13 * i + j has ranks i, j (0..12 for 2..A): a pair if i == j, suited if i > j, offsuit if i < j.
    """
    high, low = int(max(x, y)) >> 2, int(min(x, y)) >> 2
    return 13 * high + low if x & 3 == y & 3 else 13 * low + high


def class_name(number: int) -> str:
    """Return the text of a class 0..168: 'AKs', '72o', 'TT'."""
    i, j = divmod(number, 13)
    ending = "" if i == j else "s" if i > j else "o"
    return _RANKS[max(i, j)] + _RANKS[min(i, j)] + ending


def class_number(name: str) -> int:
    """Return the class of a text such as 'AKs', '72o' or 'TT'. Raises ValueError for any other text."""
    names = [class_name(number) for number in range(NUM_CLASSES)]
    if name not in names:
        raise ValueError(f"not a starting hand class (such as AKs, 72o, TT): {name!r}")
    return names.index(name)


@cache
def preflop_classes() -> npt.NDArray[np.uint8]:
    """Return uint8[1326]: the class of every two-card hand; read-only."""
    return read_only(np.array([preflop_class(int(x), int(y)) for x, y in hand_space().holes], dtype=np.uint8))
