"""Showdown order: which of several hands is best, for any number of cards in any deck a game may define.

Cards are ids `rank * 4 + suit`, rank 0..12 for 2..A, suit 0..3 for c d h s. Hands of one to ten cards are ranked by
their best five; with fewer than five cards, by pairs and kickers alone. Only hands of equal size may be compared.

>>> rank([51, 50]) > rank([51, 47])  # a pair of aces beats ace king
True
>>> category_name(rank([0, 4, 8, 12, 48]))  # 2c 3c 4c 5c Ac
'straight flush'
"""

from bisect import bisect_right
from collections.abc import Sequence
from math import comb

import numpy as np
import numpy.typing as npt

from limpet.protocol import ranking_kernels as kernels

CATEGORY_NAMES = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)

_CATEGORY_STARTS = (
    kernels.PAIR,
    kernels.TWO_PAIR,
    kernels.TRIPS,
    kernels.STRAIGHT,
    kernels.FLUSH,
    kernels.FULL_HOUSE,
    kernels.QUADS,
    kernels.STRAIGHT_FLUSH,
    kernels.NUM_RANKS,
)

# A mapping, not a tuple: a negative id must be an error, not a card from the other end.
_CARD_BITS = {card: 1 << (16 * (card & 3) + (card >> 2)) for card in range(52)}


def _mask(cards: Sequence[int], mask: int = 0) -> int:
    """Add distinct cards to a mask, bit 16 * suit + rank each. Raises ValueError for a bad or repeated id."""
    for card in cards:
        try:
            bit = _CARD_BITS[card]
        except KeyError:
            raise ValueError(f"card id {card} is not in 0..51") from None
        if mask & bit:
            raise ValueError(f"card id {card} appears twice")
        mask |= bit
    return mask


def rank(cards: Sequence[int]) -> int:
    """Rank of a hand of 1 to 10 distinct card ids: higher wins, equal ties (layout in `ranking_kernels`).

    Raises ValueError for an empty hand, more than ten cards, a bad id or a repeated card.
    """
    if not 1 <= len(cards) <= 10:
        raise ValueError(f"a hand has 1 to 10 cards, not {len(cards)}")
    return int(kernels.rank_mask(_mask(cards)))


def rank_hands(holes: Sequence[Sequence[int]], board: Sequence[int]) -> tuple[int, ...]:
    """Rank of each private hand together with the board. Raises ValueError as `rank` does.

    Cards repeated between two private hands are not noticed; a card shared with the board is.
    """
    common = _mask(board)
    ranks = []
    for hole in holes:
        if not 1 <= len(hole) + len(board) <= 10:
            raise ValueError(f"a hand has 1 to 10 cards, not {len(hole) + len(board)}")
        ranks.append(int(kernels.rank_mask(_mask(hole, common))))
    return tuple(ranks)


def every_rank(n: int) -> npt.NDArray[np.uint16]:
    """Ranks uint16[C(52, n)] of all hands of n = 2 to 7 cards, in lexicographic order of their ascending card ids.

    With seven cards 268 MB. Raises ValueError for another n.
    """
    _check_every(n)
    ranks = np.empty(comb(52, n), dtype=np.uint16)
    at = 0
    for first in range(53 - n):
        at += kernels.ranks_from(first, n, ranks[at:])
    return ranks


def rank_counts(n: int) -> npt.NDArray[np.int64]:
    """How many of all hands of n = 2 to 7 cards have each rank, int64[NUM_RANKS]. Raises ValueError for another n."""
    _check_every(n)
    counts = np.zeros(kernels.NUM_RANKS, dtype=np.int64)
    ranks = np.empty(comb(51, n - 1), dtype=np.uint16)
    for first in range(53 - n):
        kernels.count_ranks(ranks, kernels.ranks_from(first, n, ranks), counts)
    return counts


def _check_every(n: int) -> None:
    if not 2 <= n <= 7:
        raise ValueError(f"all hands are ranked for 2 to 7 cards, not {n}; rank single hands instead")


def category(rank: int) -> int:
    """Category of a rank, 0 (high card) .. 8 (straight flush). Raises ValueError for a number that is no rank."""
    if not 0 <= rank < kernels.NUM_RANKS:
        raise ValueError(f"{rank} is not a hand rank (0..{kernels.NUM_RANKS - 1})")
    return bisect_right(_CATEGORY_STARTS, rank)


def category_name(rank: int) -> str:
    """The category in words, such as 'full house'."""
    return CATEGORY_NAMES[category(rank)]
