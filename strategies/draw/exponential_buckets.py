"""Buckets whose sizes fall exponentially with strength: formulas 14 and 15 of Tarasiewicz 2018."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.draw.hands import COMBOS, all_hands

BUCKETS = 100
DECAY = 2.5
"""λ: the last bucket has about exp(-λ) times the hands of the first."""


def exponential_edges(buckets: int = BUCKETS) -> NDArray[np.int64]:
    """Return int64 ``[buckets + 1]``: where each bucket begins among the hands from weak to strong, and their number.

    Formula 14 rounds every size up, so that the last buckets have fewer hands.
    """
    shares = np.exp(-DECAY * np.arange(buckets) / buckets)
    sizes = np.ceil(COMBOS * shares / shares.sum()).astype(np.int64)
    return np.asarray(np.minimum(np.append(0, np.cumsum(sizes)), COMBOS))


@dataclass(frozen=True, eq=False)
class HandBuckets:
    """A map from canonical hands to buckets that are in order of strength.

    Attributes:
        count: number of buckets.
        of_class: int32 ``[134459]``: bucket of each canonical class.
        weights: float64 ``[count]``: probability of each bucket among dealt hands.
    """

    count: int
    of_class: NDArray[np.int32]
    weights: NDArray[np.float64]

    def range_of(self, classes: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return a range over buckets ``[..., count]`` from one over canonical classes (formula 16)."""
        flat = np.asarray(classes, np.float64).reshape(-1, len(self.of_class))
        rows = [_sums(self.of_class, row, self.count) for row in flat]
        return np.array(rows).reshape(*np.shape(classes)[:-1], self.count)


def exponential_buckets(buckets: int = BUCKETS, snap: bool = False) -> HandBuckets:
    """Return exponential buckets of the canonical hands.

    A class of hands that an edge would cut lies in the bucket of its first hand. snap: whether that holds for all hands of
    a strength class together; hands that tie then share a bucket, and some buckets may be empty, which are left out.
    """
    hands = all_hands()
    first = np.cumsum(hands.combos) - hands.combos
    if snap:
        first = first[np.searchsorted(hands.strength, hands.strength)]
    bucket = np.searchsorted(exponential_edges(buckets), first, side="right") - 1
    if snap:
        bucket = np.unique(bucket, return_inverse=True)[1]
    return _buckets(bucket)


def strength_buckets() -> HandBuckets:
    """Return the 7,462 strength classes as buckets: nothing that a showdown sees is lost."""
    return _buckets(all_hands().strength)


def _buckets(of_class: NDArray[np.integer]) -> HandBuckets:
    count = int(of_class.max()) + 1
    return HandBuckets(count, of_class.astype(np.int32), _sums(of_class, all_hands().weights, count))


def _sums(buckets: NDArray[np.integer], weights: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    return np.asarray(np.bincount(buckets, weights, count), np.float64)
