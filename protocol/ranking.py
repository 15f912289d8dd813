"""The showdown order of hands with any number of cards, of any deck that a game may define.

Cards are ids `rank * 4 + suit`, rank 0..12 for 2..A, suit 0..3 for c d h s. Hands of one to ten cards are ranked by
their best five; with fewer than five cards, by pairs and kickers alone. Only hands of equal size may be compared.

>>> rank([51, 50]) > rank([51, 47])  # a pair of aces beats ace king
True
>>> category(rank([0, 4, 8, 12, 48]))  # 2c 3c 4c 5c Ac
8
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import combinations

from limpet.protocol import ranking_kernels as kernels

_CATEGORY_STARTS = (
    kernels.PAIR,
    kernels.TWO_PAIR,
    kernels.TRIPS,
    kernels.STRAIGHT,
    kernels.FLUSH,
    kernels.FULL_HOUSE,
    kernels.QUADS,
    kernels.STRAIGHT_FLUSH,
)

# A mapping, not a tuple: a negative id must be an error, not a card from the other end.
_CARD_BITS = {card: 1 << (16 * (card & 3) + (card >> 2)) for card in range(52)}


def _mask(cards: Sequence[int], mask: int = 0) -> int:
    """Add distinct cards to a mask, bit 16 * suit + rank each. Raises `ValueError` for a bad or repeated id."""
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
    """Return the rank of a hand of 1 to 10 distinct card ids: higher wins, equal ties (layout in `ranking_kernels`).

    Raises ValueError for an empty hand, more than ten cards, a bad id or a repeated card.
    """
    if not 1 <= len(cards) <= 10:
        raise ValueError(f"a hand has 1 to 10 cards, not {len(cards)}")
    return int(kernels.rank_mask(_mask(cards)))


def shown_cards(hole: Sequence[int], board: Sequence[int], used: int = 0) -> tuple[int, ...]:
    """Return the cards that a showdown ranks: all, or the best five with exactly `used` of the hole cards.

    Raises `ValueError` as `rank` does.
    """
    if not used:
        return (*hole, *board)
    _mask(hole, _mask(board))
    fives = [own + common for own in combinations(hole, used) for common in combinations(board, 5 - used)]
    return max(fives, key=rank)


def rank_hands(holes: Sequence[Sequence[int]], board: Sequence[int], used: int = 0) -> tuple[int, ...]:
    """Return the rank of each private hand together with the board. Raises `ValueError` as `rank` does.

    Cards repeated between two private hands are not noticed; a card shared with the board is.

    used: number of hole cards that count, as `GameDef.hole_cards_used`; 0: as many as are best.
    """
    if used:
        return tuple(rank(shown_cards(hole, board, used)) for hole in holes)
    common = _mask(board)
    ranks = []
    for hole in holes:
        if not 1 <= len(hole) + len(board) <= 10:
            raise ValueError(f"a hand has 1 to 10 cards, not {len(hole) + len(board)}")
        ranks.append(int(kernels.rank_mask(_mask(hole, common))))
    return tuple(ranks)


def category(rank: int) -> int:
    """Return the category of a rank, 0 (high card) .. 8 (straight flush)."""
    return bisect_right(_CATEGORY_STARTS, rank)
