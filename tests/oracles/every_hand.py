"""The ranks of all hands of a size, one after another: what the evaluator is counted and timed by."""

from math import comb

import numpy as np
import numpy.typing as npt

from limpet.common.jit import njit
from limpet.strategies.cards import ranking_kernels as kernels


def every_rank(n: int) -> npt.NDArray[np.uint16]:
    """Return ranks uint16[C(52, n)] of all hands of n = 2 to 7 cards, in lexicographic order of their ascending card ids.

    With seven cards 268 MB. Raises ValueError for another n.
    """
    _check_every(n)
    ranks = np.empty(comb(52, n), dtype=np.uint16)
    at = 0
    for first in range(53 - n):
        at += ranks_from(first, n, ranks[at:])
    return ranks


def rank_counts(n: int) -> npt.NDArray[np.int64]:
    """Return how many of all hands of n = 2 to 7 cards have each rank, int64[NUM_RANKS]. Raises ValueError for another n."""
    _check_every(n)
    counts = np.zeros(kernels.NUM_RANKS, dtype=np.int64)
    ranks = np.empty(comb(51, n - 1), dtype=np.uint16)
    for first in range(53 - n):
        count_ranks(ranks, ranks_from(first, n, ranks), counts)
    return counts


def _check_every(n: int) -> None:
    if not 2 <= n <= 7:
        raise ValueError(f"all hands are ranked for 2 to 7 cards, not {n}; rank single hands instead")


@njit(cache=True, nogil=True, error_model="numpy")
def _rank_last(
    mask: int, s1: int, s2: int, s3: int, s4: int, first: int, ranks: npt.NDArray[np.uint16], at: int
) -> None:
    """Write to ranks[at:] the rank of a hand, given as mask and nested sets, plus each of the cards first .. 51.

    The up to four cards of a rank share the rank without flushes. A flush needs four cards of its suit before the last.
    """
    card = first
    place = at
    while card < 52:
        bit = 1 << (card >> 2)
        made = kernels.rank_sets(s1 | bit, s2 | (s1 & bit), s3 | (s2 & bit), s4 | (s3 & bit))
        above = (card | 3) + 1
        while card < above:
            ranks[place] = made
            place += 1
            card += 1
    for suit in range(4):
        held = (mask >> (16 * suit)) & 0x1FFF
        if kernels.set_size(held) >= 4:
            flush = int(kernels._FLUSH_RANK[held])
            for place in range(at, at + 52 - first):
                ranks[place] = max(int(ranks[place]), flush)
            for card in range(first + ((suit - first) & 3), 52, 4):
                place = at + card - first
                ranks[place] = max(int(ranks[place]), int(kernels._FLUSH_RANK[held | (1 << (card >> 2))]))


@njit(cache=True, nogil=True, error_model="numpy")
def ranks_from(first: int, n: int, ranks: npt.NDArray[np.uint16]) -> int:
    """Write the ranks of all n-card hands, 2 <= n <= 10, whose lowest card is `first`, and return their number.

    Hands are in lexicographic order of their ascending cards. All but the last card are dealt one after the other, each
    adding itself to the mask and the nested sets of those before.
    """
    hands = np.zeros((n, 6), dtype=np.int64)  # row d: of the first d cards, last + 1, mask, s1, s2, s3, s4
    at = 0
    d = 1
    card = first
    while True:
        bit = 1 << (card >> 2)
        mask = hands[d - 1, 1] | (bit << (16 * (card & 3)))
        s1 = hands[d - 1, 2] | bit
        s2 = hands[d - 1, 3] | (hands[d - 1, 2] & bit)
        s3 = hands[d - 1, 4] | (hands[d - 1, 3] & bit)
        s4 = hands[d - 1, 5] | (hands[d - 1, 4] & bit)
        card += 1
        if d == n - 1:
            _rank_last(mask, s1, s2, s3, s4, card, ranks, at)
            at += 52 - card
        else:
            hands[d, 0] = card
            hands[d, 1] = mask
            hands[d, 2] = s1
            hands[d, 3] = s2
            hands[d, 4] = s3
            hands[d, 5] = s4
            d += 1
        while d > 1 and card > 51 - n + d:
            d -= 1
            card = hands[d, 0]
        if d == 1:
            return at


@njit(cache=True, nogil=True, error_model="numpy")
def count_ranks(ranks: npt.NDArray[np.uint16], number: int, counts: npt.NDArray[np.int64]) -> None:
    """Add the first `number` ranks to counts[NUM_RANKS]."""
    for i in range(number):
        counts[ranks[i]] += 1
