"""Kujath's index of combinations: the n-card hands of m cards numbered 0 .. C(m, n) - 1 in lexicographic order.

With cards k1 < ... < kn counted from 1 and k0 = 0 the thesis defines, its misprinted upper limit corrected,

    X = sum over i of the sum over a = k(i-1) + 1 .. k(i) - 1 of C(m - a, n - i),

all hands that first differ at card i and have a lower one there. The inner sums telescope: counting cards from 0,
X = C(m, n) - 1 - sum over i of C(m - 1 - k(i), n - i + 1), the hands that are not later.

>>> combination_index([0, 1, 2, 3, 4, 5, 6]), combination_index([51, 50, 49, 48, 47, 46, 45])
(0, 133784559)
>>> combination(133784559, 7)
(45, 46, 47, 48, 49, 50, 51)
"""

from collections.abc import Sequence
from functools import lru_cache
from math import comb

import numpy as np
import numpy.typing as npt

from limpet.common.jit import njit
from limpet.strategies.cards.ranking_kernels import set_size


def combination_index(cards: Sequence[int], m: int = 52) -> int:
    """Return the index of distinct cards 0 .. m - 1 in any order. Raises ValueError for a repeat or a card outside."""
    hand = sorted(set(cards))
    if len(hand) != len(cards) or (hand and not 0 <= hand[0] <= hand[-1] < m):
        raise ValueError(f"a combination is distinct cards of 0..{m - 1}, not {tuple(cards)}")
    n = len(hand)
    return comb(m, n) - 1 - sum(comb(m - 1 - card, n - i) for i, card in enumerate(hand))


def combination(index: int, n: int, m: int = 52) -> tuple[int, ...]:
    """Return the n cards of an index, ascending. Raises IndexError outside 0 .. C(m, n) - 1."""
    if not 0 <= index < comb(m, n):
        raise IndexError(f"combination {index} of {n} out of {m} cards is not in 0..{comb(m, n) - 1}")
    cards: list[int] = []
    for card in range(m):
        if len(cards) == n:
            break
        with_card = comb(m - 1 - card, n - len(cards) - 1)
        if index < with_card:
            cards.append(card)
        else:
            index -= with_card
    return tuple(cards)


def combination_indices(hands: npt.NDArray[np.int8], m: int = 52) -> npt.NDArray[np.int64]:
    """Return the indices int64[N] of hands int8[N, n], n >= 1, in any order of cards, m <= 63.

    Raises ValueError for another shape, a larger m, or a card outside 0 .. m - 1; repeated cards are not noticed.
    """
    if hands.ndim != 2 or not 1 <= hands.shape[1] <= m <= 63:
        raise ValueError(f"combinations are an array [N, 1 <= n <= m] with m <= 63, not {hands.shape} with m = {m}")
    if hands.size and not 0 <= hands.min() <= hands.max() < m:
        raise ValueError(f"cards here are 0..{m - 1}, not {hands.min()}..{hands.max()}")
    indices = np.empty(len(hands), dtype=np.int64)
    index_all(np.ascontiguousarray(hands, dtype=np.int8), index_terms(hands.shape[1], m), indices)
    return indices


@lru_cache(maxsize=32)
def index_terms(n: int, m: int = 52) -> npt.NDArray[np.int64]:
    """Return the table that the kernels look up, int64[1 + m, n], read-only.

    Entry [0, 0] is C(m, n), and [1 + card, i] is C(m - 1 - card, n - i), subtracted if i cards are below.
    """
    terms = np.array([[comb(m, n)] * n] + [[comb(m - 1 - card, n - i) for i in range(n)] for card in range(m)])
    terms.flags.writeable = False
    return terms


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def index_of(cards: npt.NDArray[np.int8], terms: npt.NDArray[np.int64]) -> int:
    """Return the index of the n distinct cards int8[n], in any order; terms as `index_terms` makes them.

    The rank of a card among the sorted ones is the number of cards below it, so nothing is sorted.
    """
    n = terms.shape[1]
    held = 0
    for i in range(n):
        held |= 1 << int(cards[i])
    index = terms[0, 0] - 1
    for i in range(n):
        card = int(cards[i])
        index -= terms[1 + card, set_size(held & ((1 << card) - 1))]
    return int(index)


@njit(cache=True, nogil=True, error_model="numpy")
def index_all(hands: npt.NDArray[np.int8], terms: npt.NDArray[np.int64], indices: npt.NDArray[np.int64]) -> None:
    """Write the indices of hands int8[N, n] into indices[N]."""
    for h in range(hands.shape[0]):
        indices[h] = index_of(hands[h], terms)
