"""Chances of draws of each size: for all canonical hands at once, or for a small game as one table."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.draw.draws import DISCARDS, OUTCOMES, DrawChances
from limpet.strategies.draw.first_round import draw_kernels as kernels
from limpet.strategies.draw.hands import all_hands
from limpet.strategies.solving.lanes_kernels import WIDTH

Array = NDArray[np.float32]


class HandDraws(Protocol):
    """The hands before a draw, their choices, and the buckets after it.

    Attributes:
        weights: float64 ``[hand]``: probability of each hand.
        discards: int64 ``[mask]``: number of discards of each choice, 0 .. counts - 1.
        counts: number of different numbers of discards.
        buckets: number of buckets after the draw.
    """

    weights: NDArray[np.float64]
    discards: NDArray[np.int64]
    counts: int
    buckets: int

    def values(self, values: Array, result: Array) -> None:
        """Write the mean of ``values[count, bucket]`` after each choice into ``result[hand, mask]``."""
        ...

    def ranges(self, reach: Array, play: Array) -> NDArray[np.float64]:
        """Return the ranges ``[count, bucket]`` after each number of discards, for hands that play ``[hand, mask]``."""
        ...

    def compatible_reach(self, reach: Array) -> float | Array:
        """Return the part of the other's reach that each hand leaves possible, ``[hand]`` or one number for all hands.

        reach: ``[hand]``, possibly padded with zeros.
        """
        ...


class CanonicalDraws:
    """The draws of all canonical five-card hands, exact but for the cards that the opponent holds."""

    def __init__(self, chances: DrawChances) -> None:
        hands = all_hands()
        self.weights = hands.weights
        self.discards = DISCARDS.astype(np.int64)
        self.counts, self.buckets = 6, chances.buckets.count
        self._chances = chances
        self._kept = hands.kept
        self._share = (1 / OUTCOMES).astype(np.float32)
        self._sets = np.zeros((int(hands.size_start[6]), WIDTH), np.float32)

    def values(self, values: Array, result: Array) -> None:
        held = len(self._chances.holders)
        self._sets[:held, : self.counts] = self._chances.holders @ values.T
        self._sets[held:, : self.counts] = values.T[self._chances.buckets.of_class]
        kernels.values_by_count(self._kept, self._sets.ravel(), self.discards, self._share, result)

    def ranges(self, reach: Array, play: Array) -> NDArray[np.float64]:
        self._sets[:] = 0
        kernels.ranges_by_count(self._kept, reach, play, self.discards, self._share, self._sets.ravel())
        held, of_class = len(self._chances.holders), self._chances.buckets.of_class
        ranges = self._sets[:held, : self.counts].T.astype(np.float64) @ self._chances.holders
        for count in range(self.counts):
            ranges[count] += np.bincount(of_class, self._sets[held:, count], self.buckets)
        return np.maximum(ranges, 0)  # rounding may leave less than nothing

    def compatible_reach(self, reach: Array) -> float:
        return float(reach.sum(dtype=np.float64))


class TableDraws:
    """The draws of a small game as one table of chances."""

    def __init__(
        self, weights: NDArray[np.floating], discards: NDArray[np.integer], table: NDArray[np.floating],
        apart: NDArray[np.floating] | None = None,
    ) -> None:  # fmt: skip
        """Take the tables of a game.

        Args:
            weights: ``[hand]``: probability of each hand, or 1 where `apart` and the leaves' values hold all chances.
            discards: ``[mask]``: number of discards of each choice.
            table: ``[hand, mask, bucket]``: probability of each bucket after each choice, or 1 in the same case.
            apart: ``[hand, hand]``: probability that two hands are dealt, if hands are not dealt independently.
        """
        self.weights = np.asarray(weights, np.float64)
        self.discards = np.asarray(discards, np.int64)
        self.counts, self.buckets = int(self.discards.max()) + 1, table.shape[2]
        self._table = np.asarray(table, np.float32)
        self._apart = None if apart is None else np.asarray(apart, np.float64)

    def values(self, values: Array, result: Array) -> None:
        result[:] = np.einsum("hmb,mb->hm", self._table, values[self.discards])

    def ranges(self, reach: Array, play: Array) -> NDArray[np.float64]:
        by_mask = np.einsum("h,hm,hmb->mb", reach, play, self._table)
        ranges = np.zeros((self.counts, self.buckets))
        np.add.at(ranges, self.discards, by_mask)
        return ranges

    def compatible_reach(self, reach: Array) -> float | Array:
        if self._apart is None:
            return float(reach.sum(dtype=np.float64))
        return np.asarray(self._apart @ reach[: len(self._apart)], np.float32)
