"""Compiled enumeration of the cards to come: cards and boards are masks with bit 16 * suit + rank for each card."""

import numpy as np
import numpy.typing as npt

from limpet.protocol.jit import njit


@njit(cache=True, nogil=True, error_model="numpy")
def card_bit(card: int) -> int:
    """Return the mask of one card id."""
    return 1 << (16 * (card & 3) + (card >> 2))


@njit(cache=True, nogil=True, error_model="numpy")
def rest_of_deck(dead: int, rest: npt.NDArray[np.int64]) -> int:
    """Write the masks of all cards outside the mask `dead` into rest int64[52], by card id; return how many they are."""
    n = 0
    for card in range(52):
        bit = card_bit(card)
        if not dead & bit:
            rest[n] = bit
            n += 1
    return n


@njit(cache=True, nogil=True, error_model="numpy")
def next_choice(chosen: npt.NDArray[np.int64], k: int, n: int) -> bool:
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
def runouts(board: int, dead: int, missing: int) -> npt.NDArray[np.int64]:
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
