"""Compiled look-ups of five-card hands: strength classes, canonical classes and the canonical sets of kept cards."""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.strategies.cards.isomorphism_kernels import canonical_key, find_key

# A sum of five of these, at most four of them equal, tells which ranks were added up.
_RANK_WEIGHT = np.array([0, 1, 5, 22, 94, 312, 992, 2422, 5624, 12522, 19998, 43258, 79415])
SUMS = 4 * 79415 + 43258 + 1
"""Number of entries of a table by sums of rank weights."""
# One number for each card: the weight of its rank, and its rank as a bit above bit 24.
_CARD = np.array([int(_RANK_WEIGHT[card >> 2]) | 1 << (24 + (card >> 2)) for card in range(52)])
_SUIT = np.array([1 << (card & 3) for card in range(52)], np.uint8)


@njit(cache=True, nogil=True, error_model="numpy")
def strengths_of(
    cards: NDArray[np.int8], by_sum: NDArray[np.int16], by_ranks: NDArray[np.int16], result: NDArray[np.int16]
) -> None:
    """Write the strength class of each of N hands ``cards[N, 5]`` into `result`.

    by_sum: ``int16 [SUMS]``, by the sum of rank weights, without flushes. by_ranks: ``int16 [8192]``, flushes by rank set.
    """
    for h in range(cards.shape[0]):
        a, b, c = np.uint8(cards[h, 0]), np.uint8(cards[h, 1]), np.uint8(cards[h, 2])
        d, e = np.uint8(cards[h, 3]), np.uint8(cards[h, 4])
        # Rank bits may carry into each other where a rank comes twice; they are read for flushes only, where none does.
        packed = _CARD[a] + _CARD[b] + _CARD[c] + _CARD[d] + _CARD[e]
        if _SUIT[a] & _SUIT[b] & _SUIT[c] & _SUIT[d] & _SUIT[e]:
            result[h] = by_ranks[(packed >> 24) & 0x1FFF]
        else:
            result[h] = by_sum[packed & 0xFFFFFF]


@njit(cache=True, nogil=True, error_model="numpy")
def rank_sum(cards: NDArray[np.int8]) -> int:
    """Return the sum of the rank weights of some cards, below `SUMS`."""
    total = 0
    for card in cards:
        total += _RANK_WEIGHT[card >> 2]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def hand_number(a: int, b: int, c: int, d: int, e: int) -> int:
    """Return the colex number of five different cards in any order, 0 .. 2,598,959."""
    a, b = min(a, b), max(a, b)
    d, e = min(d, e), max(d, e)
    c, e = min(c, e), max(c, e)
    c, d = min(c, d), max(c, d)
    a, d = min(a, d), max(a, d)
    a, c = min(a, c), max(a, c)
    b, e = min(b, e), max(b, e)
    b, d = min(b, d), max(b, d)
    b, c = min(b, c), max(b, c)
    number = a + b * (b - 1) // 2 + c * (c - 1) * (c - 2) // 6 + d * (d - 1) * (d - 2) * (d - 3) // 24
    return number + e * (e - 1) * (e - 2) * (e - 3) * (e - 4) // 120


@njit(cache=True, nogil=True, error_model="numpy")
def classes_of(cards: NDArray[np.int8], class_of: NDArray[np.int32], result: NDArray[np.int32]) -> None:
    """Write the canonical class of each of N hands ``cards[N, 5]`` into `result`. class_of: by colex number."""
    for h in range(cards.shape[0]):
        number = hand_number(int(cards[h, 0]), int(cards[h, 1]), int(cards[h, 2]), int(cards[h, 3]), int(cards[h, 4]))
        result[h] = class_of[number]


@njit(cache=True, nogil=True, error_model="numpy")
def kept_sets(
    cards: NDArray[np.int8], keys: NDArray[np.int64], start: NDArray[np.int64], result: NDArray[np.int32]
) -> None:
    """Write the canonical set of every choice of each hand's cards into ``result[N, 32]``; bit i keeps card i.

    keys: ascending keys of the canonical sets of 1, 2, 3 and 4 cards end to end; those of k cards begin at ``start[k]``
    in the numbering of all sets, which has the empty set first. Column 31, the hand itself, is left alone.
    """
    chosen = np.empty(5, np.int8)
    for h in range(cards.shape[0]):
        result[h, 0] = 0
        for mask in range(1, 31):
            size = 0
            for i in range(5):
                if (mask >> i) & 1:
                    chosen[size] = cards[h, i]
                    size += 1
            key, _ = canonical_key(chosen, size)
            result[h, mask] = start[size] + find_key(key, keys[start[size] - 1 : start[size + 1] - 1])
