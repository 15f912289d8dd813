"""Compiled parts of building and checking the strength tables."""

import numpy as np
import numpy.typing as npt

from limpet.protocol.jit import njit


@njit(cache=True, nogil=True, error_model="numpy")
def weigh_counts(counts: npt.NDArray[np.int32], orbit: npt.NDArray[np.int32], weights: npt.NDArray[np.int64]) -> None:
    """Add to weights[c] the number of (board, hand) pairs of the full deck with strength count c; orbit: int32[B]."""
    for i in range(counts.shape[0]):
        for h in range(counts.shape[1]):
            count = counts[i, h]
            if count >= 0:
                weights[count] += orbit[i]


@njit(cache=True, nogil=True, error_model="numpy")
def first_wrong(
    table: npt.NDArray[np.uint8], boards: npt.NDArray[np.int8], hands: npt.NDArray[np.uint64], buckets: int
) -> int:
    """Return the first row with a live hand outside 0 .. buckets - 1 or a blocked one that is not 255; -1 without one.

    hands: uint64[1326], a bit for each of a hand's cards.
    """
    for i in range(table.shape[0]):
        on_board = np.uint64(0)
        for card in boards[i]:
            on_board |= np.uint64(1) << np.uint64(card)
        wrong = 0
        for h in range(table.shape[1]):  # without an early exit, so that the loop is vectorised
            value = table[i, h]
            wrong += (value != 255) if hands[h] & on_board else (value >= buckets)
        if wrong:
            return i
    return -1
