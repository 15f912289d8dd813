"""Compiled suit isomorphism: a board's canonical form, its number, and the suit permutation that leads there.

Suits are sorted by their rank sets, largest first (as 13-bit numbers, ties by suit): suit s of the board becomes suit
`permutation[s]` of the canonical one. The four sorted sets side by side, 13 bits each and the largest on top, are the
*key*. Two boards share a key exactly when a suit permutation turns one into the other, and canonical boards are
numbered by ascending key. A permutation travels as one byte, two bits a suit: new suit = (byte >> 2 * suit) & 3.
"""

import numpy as np
import numpy.typing as npt

from limpet.protocol.jit import njit
from limpet.strategies.cards.deck_kernels import next_choice


@njit(cache=True, nogil=True, error_model="numpy")
def canonical_key(board: npt.NDArray[np.integer], n: int) -> tuple[int, int]:
    """Return (key, permutation byte) of the first n cards of a board, in any order."""
    sets = 0
    for i in range(n):
        card = int(board[i])
        sets |= 1 << (13 * (card & 3) + (card >> 2))
    # Rank set * 4 + (3 - suit) of each suit: one comparison sorts, and ties keep suit order.
    w = ((sets & 0x1FFF) << 2) | 3
    x = (((sets >> 13) & 0x1FFF) << 2) | 2
    y = (((sets >> 26) & 0x1FFF) << 2) | 1
    z = ((sets >> 39) & 0x1FFF) << 2
    w, x = max(w, x), min(w, x)
    y, z = max(y, z), min(y, z)
    w, y = max(w, y), min(w, y)
    x, z = max(x, z), min(x, z)
    x, y = max(x, y), min(x, y)
    key = ((w >> 2) << 39) | ((x >> 2) << 26) | ((y >> 2) << 13) | (z >> 2)
    permutation = (1 << (2 * (3 - (x & 3)))) | (2 << (2 * (3 - (y & 3)))) | (3 << (2 * (3 - (z & 3))))
    return key, permutation


@njit(cache=True, nogil=True, error_model="numpy")
def permute_card(card: int, permutation: int) -> int:
    """Return the card with its suit replaced."""
    return (card & ~3) | ((permutation >> (2 * (card & 3))) & 3)


@njit(cache=True, nogil=True, error_model="numpy")
def hand_index(x: int, y: int) -> int:
    """Return the colex index 0..1325 of the hand of two different card ids, in any order."""
    high = max(x, y)
    return min(x, y) + high * (high - 1) // 2


@njit(cache=True, nogil=True, error_model="numpy")
def permute_hand(x: int, y: int, permutation: int) -> int:
    """Return the colex index of the hand of two card ids after the suit permutation."""
    return hand_index(permute_card(x, permutation), permute_card(y, permutation))


@njit(cache=True, nogil=True, error_model="numpy")
def find_key(key: int, keys: npt.NDArray[np.int64]) -> int:
    """Return the number of a canonical key: its index among the ascending keys int64[count] of boards of its size."""
    low = 0
    size = keys.shape[0]
    while size > 1:
        half = size // 2
        low += half if keys[low + half] <= key else 0  # without a branch, which would be guessed wrong half the time
        size -= half
    return low


@njit(cache=True, nogil=True, error_model="numpy")
def canonical_board(board: npt.NDArray[np.int8], n: int, keys: npt.NDArray[np.int64]) -> tuple[int, int]:
    """Return (canonical board number, permutation byte) of the first n cards of a board; keys: as in `find_key`."""
    key, permutation = canonical_key(board, n)
    return find_key(key, keys), permutation


@njit(cache=True, nogil=True, error_model="numpy")
def all_keys(n: int, boards: int) -> npt.NDArray[np.int64]:
    """Return the key of each of the C(52, n) boards of n cards, n >= 1, in colex order."""
    keys = np.empty(boards, np.int64)
    board = np.arange(n)
    for i in range(keys.shape[0]):
        keys[i] = canonical_key(board, n)[0]
        next_choice(board, n, 52)
    return keys
