"""Distinct discards of a five-card hand, and exact chances of the hands and buckets that a draw leads to.

A player draws from the 47 cards outside the own hand; cards that the opponent holds are not taken out.
"""

from dataclasses import dataclass
from itertools import permutations
from math import comb

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.cards import cards_text
from limpet.strategies.cards.deck_kernels import card_bit, runouts
from limpet.strategies.draw import set_kernels as kernels
from limpet.strategies.draw.exponential_buckets import HandBuckets
from limpet.strategies.draw.hands import CLASSES, all_hands

STAND_PAT = 31
"""Mask that keeps all five cards."""
DISCARDS = np.array([5 - mask.bit_count() for mask in range(32)])
"""Number of discarded cards for each mask of kept cards."""
OUTCOMES = np.array([comb(47, count) for count in DISCARDS])
"""Number of draws for each mask of kept cards."""


def distinct_masks(hand: int) -> NDArray[np.int64]:
    """Return int64 ``[32]``: for each mask of kept cards of a canonical class the smallest mask that is the same play.

    Two masks are the same if a permutation of suits maps the hand to itself, and the kept cards to the kept cards.
    """
    cards = all_hands().cards[hand].astype(int)
    first = np.arange(32)
    held = set(cards.tolist())
    for suits in permutations(range(4)):
        image = (cards & ~3) | np.array(suits)[cards & 3]
        if set(image.tolist()) != held:
            continue
        place = np.searchsorted(cards, image)
        for mask in range(32):
            moved = sum(1 << int(place[i]) for i in range(5) if mask >> i & 1)
            first[mask] = min(first[mask], first[moved])
    return first[first]


def mask_text(hand: int, mask: int) -> str:
    """Return the cards that a mask of a canonical class discards, such as ``7s2h``; empty to stand pat."""
    cards = all_hands().cards[hand]
    return cards_text([int(cards[i]) for i in range(5) if not mask >> i & 1])


def drawn_hands(hand: int, mask: int) -> NDArray[np.int64]:
    """Return int64 ``[C(47, k)]``: canonical class after each draw for the k cards that a mask discards, by enumeration."""
    hands = all_hands()
    cards = hands.cards[hand].astype(int)
    kept = [int(card) for i, card in enumerate(cards) if mask >> i & 1]
    dead = sum(card_bit(int(card)) for card in cards if card not in kept)
    masks = runouts(sum(map(card_bit, kept)), dead, 5 - len(kept))
    bits = (masks[:, None] >> np.array([16 * (card & 3) + (card >> 2) for card in range(52)])) & 1
    drawn = np.nonzero(bits)[1].reshape(-1, 5).astype(np.int8)
    return hands.classes(drawn).astype(np.int64)


@dataclass(frozen=True, eq=False)
class DrawChances:
    """Exact draws of all canonical classes at once, into buckets, by inclusion and exclusion over the discarded cards.

    Attributes:
        buckets: buckets of the hands after the draw.
        holders: float32 ``[18370, buckets]``: number of hands of each bucket that hold a set of 0 to 4 cards.
    """

    buckets: HandBuckets
    holders: NDArray[np.float32]

    def expected(self, values: NDArray[np.floating]) -> NDArray[np.float32]:
        """Return float32 ``[134459, 32]``: mean value of the hand after the draw, for each class and mask of kept cards.

        values: ``[bucket]``. Takes some 20 ms.
        """
        hands = all_hands()
        wide = np.asarray(values, np.float32)
        worth = np.concatenate([self.holders @ wide, wide[self.buckets.of_class]])
        result = np.empty((CLASSES, 32), np.float32)
        kernels.drawn_from_sets(hands.kept, worth, result)
        result /= OUTCOMES.astype(np.float32)
        return result

    def reached(self, reach: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return float64 ``[bucket]``: range after the draw, from the reach ``[134459, 32]`` of each class and mask.

        A mask that is to count for nothing has reach 0, so that ranges after each number of discards come one by one.
        """
        hands = all_hands()
        share = np.asarray(reach / OUTCOMES, np.float32)
        sets = np.zeros(int(hands.size_start[6]))
        kernels.drawn_to_sets(hands.kept, share, sets)
        held = len(self.holders)
        whole = np.bincount(self.buckets.of_class, sets[held:], self.buckets.count)
        return np.asarray(sets[:held] @ self.holders + whole, np.float64)


def draw_chances(buckets: HandBuckets) -> DrawChances:
    """Return the chances of draws into `buckets`; 7 MB for 100 buckets, half a second."""
    hands = all_hands()
    holders = np.zeros((int(hands.size_start[5]), buckets.count), np.float32)
    kernels.holders(hands.kept, hands.combos, hands.copies, buckets.of_class, holders)
    return DrawChances(buckets, np.rint(holders))
