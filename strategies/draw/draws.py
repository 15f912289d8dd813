"""Discards of a five-card hand, and exact chances of the buckets that a draw leads to.

A player draws from the 47 cards outside the own hand; cards that the opponent holds are not taken out.
"""

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.draw import set_kernels as kernels
from limpet.strategies.draw.exponential_buckets import HandBuckets
from limpet.strategies.draw.hands import CLASSES, all_hands

DISCARDS = np.array([5 - mask.bit_count() for mask in range(32)])
"""Number of discarded cards for each mask of kept cards."""
OUTCOMES = np.array([comb(47, count) for count in DISCARDS])
"""Number of draws for each mask of kept cards."""


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
        set_values = np.concatenate([self.holders @ wide, wide[self.buckets.of_class]])
        result = np.empty((CLASSES, 32), np.float32)
        kernels.drawn_from_sets(hands.kept, set_values, result)
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
