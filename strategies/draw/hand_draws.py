"""The draw of all canonical hands at once, and showdowns between hands that share no card."""

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.draw import hand_kernels as kernels
from limpet.strategies.draw.hands import CLASSES, DISCARDS, OUTCOMES, DrawChances, HandBuckets, all_hands
from limpet.strategies.solvers.lanes_kernels import WIDTH
from limpet.strategies.solvers.round_solver import Paired

Array = NDArray[np.float32]


class CanonicalDraws:
    """The draws of all canonical five-card hands, exact but for the cards that the opponent holds.

    Attributes:
        weights: float64 ``[hand]``: probability of each hand.
        discards: int64 ``[mask]``: number of discards of each choice, 0 .. counts - 1.
        counts: number of different numbers of discards.
        buckets: number of buckets after the draw.
    """

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
        """Write the mean of ``values[count, bucket]`` after each choice into ``result[hand, mask]``."""
        held = len(self._chances.holders)
        self._sets[:held, : self.counts] = self._chances.holders @ values.T
        self._sets[held:, : self.counts] = values.T[self._chances.buckets.of_class]
        kernels.values_by_count(self._kept, self._sets.ravel(), self.discards, self._share, result)

    def ranges(self, reach: Array, play: Array) -> NDArray[np.float64]:
        """Return the ranges ``[count, bucket]`` after each number of discards, for hands that play ``[hand, mask]``."""
        self._sets[:] = 0
        kernels.ranges_by_count(self._kept, reach, play, self.discards, self._share, self._sets.ravel())
        held, of_class = len(self._chances.holders), self._chances.buckets.of_class
        ranges = self._sets[:held, : self.counts].T.astype(np.float64) @ self._chances.holders
        for count in range(self.counts):
            ranges[count] += np.bincount(of_class, self._sets[held:, count], self.buckets)
        return np.maximum(ranges, 0)  # rounding may leave less than nothing

    def compatible_reach(self, reach: Array) -> float | Array:
        """Return the part of the other's reach that each hand leaves possible, ``[hand]`` or one number for all hands.

        reach: ``[hand]``, possibly padded with zeros.
        """
        return float(reach.sum(dtype=np.float64))


# --- Showdowns of canonical five-card hands with card removal: a hand meets only hands that share no card with it.

_BY_PARITY = sorted(range(31), key=lambda mask: (mask.bit_count() % 2, mask))
"""Masks of 0 to 4 kept cards, those of an even number of cards first."""


class CardRemoval:
    """The model of showdowns (`round_solver.Showdown`) over the 134,459 canonical classes, exact.

    Ranges are probabilities of whole classes. They must come from play that knows suits only up to permutation, as all
    play does where no card is public.
    """

    def __init__(self) -> None:
        hands = all_hands()
        self.buckets = CLASSES
        sets = np.ascontiguousarray(hands.kept[:, _BY_PARITY])
        self._signed = sets
        self._share = (hands.combos[:, None] / hands.copies[sets]).astype(np.float32)
        self._run_end = hands.run_end
        self._scale = (1 / hands.combos).astype(np.float32)
        self._sums = np.zeros(int(hands.size_start[5]) * WIDTH, np.float32)
        self._reach, self._net, self._compatible = (np.zeros(CLASSES * WIDTH, np.float32) for _ in range(3))

    def outcomes(self, reach: Array, rows: NDArray[np.int64], shown: int, lanes: int, outcome: Array) -> None:
        """Do as `Showdown.outcomes`, for one pair of ranges. Takes some 30 ms for each eight rows."""
        if lanes != 1:
            raise ValueError("card removal weighs one pair of ranges at a time")
        stride = reach.shape[1]
        blocks = [(part, True) for part in _eights(0, shown)] + [(part, False) for part in _eights(shown, len(rows))]
        for part, is_shown in blocks:
            padded = np.resize(rows[part], WIDTH)
            kernels.to_lanes(reach.ravel(), padded * stride, self._scale, CLASSES, self._reach)
            kernels.apart_sums(
                self._signed, self._share, self._run_end, self._reach, self._sums, self._net, self._compatible, is_shown
            )  # fmt: skip
            for lane, row in enumerate(range(part.start, part.stop)):
                if is_shown:
                    kernels.from_lanes(self._net, lane, CLASSES, outcome.ravel(), row * stride)
                kernels.from_lanes(self._compatible, lane, CLASSES, outcome.ravel(), (shown + row) * stride)


def removal_between(buckets: HandBuckets) -> Paired:
    """Return the showdowns of buckets whose hands are dealt uniformly within each bucket, exact for such ranges.

    Weights are relative to two hands dealt at random, so that two such hands meet with weight 1. Takes a pass of
    `CardRemoval` for each eight buckets.
    """
    exact, count = CardRemoval(), buckets.count
    hands = all_hands()
    reach = np.zeros((count, CLASSES), np.float32)
    reach[buckets.of_class, np.arange(CLASSES)] = hands.weights / buckets.weights[buckets.of_class]
    pair_sums = np.empty((2, count, count))
    for part in _eights(0, count):
        rows = np.arange(part.start, part.stop)
        outcome = np.empty((2 * len(rows), CLASSES), np.float32)
        exact.outcomes(reach, rows, len(rows), 1, outcome)
        for kind in (0, 1):
            for i, row in enumerate(rows):
                weighted = outcome[kind * len(rows) + i] * hands.weights
                pair_sums[kind, :, row] = np.bincount(buckets.of_class, weighted, count) / buckets.weights
    pair_sums /= buckets.weights @ pair_sums[1] @ buckets.weights
    return Paired(compatible=pair_sums[1], gain=pair_sums[0])


def _eights(first: int, last: int) -> list[slice]:
    return [slice(start, min(start + WIDTH, last)) for start in range(first, last, WIDTH)]
