"""Compiled enumeration of the cards to come: cards and boards are masks with bit 16 * suit + rank for each card."""

from typing import Any

import numpy as np
import numpy.typing as npt

from limpet.common.jit import Bytes, Longs, njit


@njit(cache=True, nogil=True, error_model="numpy")
def card_bit(card: int) -> int:
    """Return the mask of one card id."""
    return 1 << (16 * (card & 3) + (card >> 2))


@njit(cache=True, nogil=True, error_model="numpy")
def rest_of_deck(dead: int, rest: Longs) -> int:
    """Write the masks of all cards outside the mask `dead` into rest int64[52], by card id; return how many they are."""
    n = 0
    for card in range(52):
        bit = card_bit(card)
        if not dead & bit:
            rest[n] = bit
            n += 1
    return n


@njit(cache=True, nogil=True, error_model="numpy")
def next_choice(chosen: Longs, k: int, n: int) -> bool:
    """Step the ascending positions chosen[:k] to the colex next of the C(n, k) choices; return False after the last."""
    j = 0
    while j + 1 < k and chosen[j] + 1 == chosen[j + 1]:
        chosen[j] = j
        j += 1
    if k == 0 or chosen[j] + 1 == n:
        return False
    chosen[j] += 1
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def runouts(board: int, dead: int, missing: int) -> Longs:
    """Return the masks of all boards with `missing` = 0..5 more cards, none of them in `dead`; colex order of the added.

    board: the mask that all of them contain; dead: a mask of further cards that cannot come.
    """
    rest = np.empty(52, dtype=np.int64)
    n = rest_of_deck(board | dead, rest)
    count = 1
    for j in range(missing):
        count = count * (n - j) // (j + 1)
    boards = np.empty(count, dtype=np.int64)
    chosen = np.arange(5)
    for i in range(count):
        full = board
        for j in range(missing):
            full |= rest[chosen[j]]
        boards[i] = full
        next_choice(chosen, missing, n)
    return boards


# --- Compiled suit isomorphism: a board's canonical form, its number, and the suit permutation that leads there.


def key_of(sets: Any) -> tuple[Any, Any]:
    """Return (key, permutation byte) of a board, or of each board of an array.

    sets: bit 13 * suit + rank for each card; the key has the same four sets of ranks in descending order, the largest above.
    """
    # Rank set * 4 + (3 - suit) of each suit: one comparison sorts, and ties keep suit order.
    w = ((sets & 0x1FFF) << 2) | 3
    x = (((sets >> 13) & 0x1FFF) << 2) | 2
    y = (((sets >> 26) & 0x1FFF) << 2) | 1
    z = ((sets >> 39) & 0x1FFF) << 2
    w, x = np.maximum(w, x), np.minimum(w, x)
    y, z = np.maximum(y, z), np.minimum(y, z)
    w, y = np.maximum(w, y), np.minimum(w, y)
    x, z = np.maximum(x, z), np.minimum(x, z)
    x, y = np.maximum(x, y), np.minimum(x, y)
    key = ((w >> 2) << 39) | ((x >> 2) << 26) | ((y >> 2) << 13) | (z >> 2)
    permutation = (1 << (2 * (3 - (x & 3)))) | (2 << (2 * (3 - (y & 3)))) | (3 << (2 * (3 - (z & 3))))
    return key, permutation


_key_of = njit(cache=True, nogil=True, error_model="numpy")(key_of)


@njit(cache=True, nogil=True, error_model="numpy")
def canonical_key(board: npt.NDArray[np.integer], n: int) -> tuple[int, int]:
    """Return (key, permutation byte) of the first n cards of a board, in any order."""
    sets = 0
    for i in range(n):
        card = int(board[i])
        sets |= 1 << (13 * (card & 3) + (card >> 2))
    return _key_of(sets)


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
def find_key(key: int, keys: Longs) -> int:
    """Return the number of a canonical key: its index among the ascending keys int64[count] of boards of its size."""
    low = 0
    size = keys.shape[0]
    while size > 1:
        half = size // 2
        low += half if keys[low + half] <= key else 0  # without a branch, which would be guessed wrong half the time
        size -= half
    return low


@njit(cache=True, nogil=True, error_model="numpy")
def canonical_board(board: Bytes, n: int, keys: Longs) -> tuple[int, int]:
    """Return (canonical board number, permutation byte) of the first n cards of a board; keys: as in `find_key`."""
    key, permutation = canonical_key(board, n)
    return find_key(key, keys), permutation
