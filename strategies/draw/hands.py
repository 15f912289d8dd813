"""All five-card hands up to suits, 134,459 canonical classes in order of strength; their draws, buckets and showdowns."""

from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.cards.handspace import hand_space, read_only
from limpet.strategies.cards.isomorphism import board_keys
from limpet.strategies.cards.ranking_kernels import rank_batch
from limpet.strategies.draw import hand_kernels as kernels
from limpet.strategies.solvers.lanes_kernels import WIDTH
from limpet.strategies.solvers.round_solver import Paired

Array = NDArray[np.float32]

COMBOS = 2_598_960
"""Number of five-card hands of a full deck."""
CLASSES = 134_459
"""Number of canonical classes: hands that a permutation of suits turns into each other are one."""
STRENGTHS = 7_462
"""Number of strength classes: hands that tie are one."""


@dataclass(frozen=True, eq=False)
class CanonicalHands:
    """The canonical classes, weakest first, ties by canonical key. `all_hands` makes and keeps them.

    A *set* is a canonical set of 0 to 5 cards; the 152,829 sets are numbered by size, those of five cards as the classes.

    Attributes:
        cards: int8 ``[134459, 5]``: the cards of one hand of each class, ascending.
        strength: int32 ``[134459]``: strength class, 0 .. 7461, ascending.
        combos: int32 ``[134459]``: number of hands in each class, 4, 12 or 24.
        class_of: int32 ``[2598960]``: class of each hand by colex number.
        kept: int32 ``[134459, 32]``: set of the cards of `cards` that each mask keeps; bit i keeps card i.
        copies: int32 ``[152829]``: number of card sets in each set.
        size_start: int64 ``[7]``: number of the first set of each size, and the number of all.
    """

    cards: NDArray[np.int8]
    strength: NDArray[np.int32]
    combos: NDArray[np.int32]
    class_of: NDArray[np.int32]
    kept: NDArray[np.int32]
    copies: NDArray[np.int32]
    size_start: NDArray[np.int64]

    @property
    def run_end(self) -> NDArray[np.int64]:
        """Return int64 ``[7462]``: the end of each strength class's run of canonical classes."""
        return np.searchsorted(self.strength, np.arange(STRENGTHS), side="right")

    @property
    def weights(self) -> NDArray[np.float64]:
        """Return float64 ``[134459]``: the probability of each class among dealt hands."""
        return self.combos / COMBOS


@lru_cache(maxsize=1)
def all_hands() -> CanonicalHands:
    """Return the canonical classes, built once in about two seconds."""
    keys, copies = [], [np.ones(1, np.int64)]
    for size in range(1, 6):
        keys_of_size = board_keys(size)
        if size < 5:
            unique, counts = np.unique(keys_of_size, return_counts=True)
            keys.append(unique)
            copies.append(counts)
    unique, first, which, counts = np.unique(keys_of_size, return_index=True, return_inverse=True, return_counts=True)
    cards = hand_space(k=5).holes[first]
    ranks = rank_batch(cards)
    order = np.lexsort((unique, ranks))
    ranks = ranks[order]
    new_number = np.empty(CLASSES, np.int32)
    new_number[order] = np.arange(CLASSES, dtype=np.int32)
    cards = np.ascontiguousarray(cards[order])
    copies.append(counts[order])
    start = np.cumsum([0, *map(len, copies)]).astype(np.int64)
    kept = np.empty((CLASSES, 32), np.int32)
    kernels.kept_sets(cards, np.concatenate(keys), start, kept)
    kept[:, 31] = start[5] + np.arange(CLASSES)
    return CanonicalHands(
        cards=read_only(cards),
        strength=read_only(np.cumsum(np.diff(ranks, prepend=ranks[:1]) > 0, dtype=np.int32)),
        combos=read_only(counts[order].astype(np.int32)),
        class_of=read_only(new_number[which]),
        kept=read_only(kept),
        copies=read_only(np.concatenate(copies).astype(np.int32)),
        size_start=read_only(start),
    )


# --- Buckets whose sizes fall exponentially with strength: formulas 14 and 15 of Tarasiewicz 2018.

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
        rows = [np.bincount(self.of_class, row, self.count) for row in flat]
        return np.array(rows, np.float64).reshape(*np.shape(classes)[:-1], self.count)


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
    weights = np.asarray(np.bincount(of_class, all_hands().weights), np.float64)
    return HandBuckets(len(weights), of_class.astype(np.int32), weights)


# --- Discards of a five-card hand, and exact chances of the buckets that a draw leads to.

DISCARDS = np.array([5 - mask.bit_count() for mask in range(32)])
"""Number of discarded cards for each mask of kept cards."""
OUTCOMES = np.array([comb(47, count) for count in DISCARDS])
"""Number of draws for each mask of kept cards."""


@dataclass(frozen=True, eq=False)
class DrawChances:
    """Exact draws of all canonical classes at once, into `buckets`, by inclusion and exclusion over the discarded cards.

    holders: float32 ``[18370, buckets]``: number of hands of each bucket that hold a set of 0 to 4 cards.
    """

    buckets: HandBuckets
    holders: NDArray[np.float32]

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
    """Exact sums over the hands that share no card with each of the 134,459 canonical hands."""

    def __init__(self) -> None:
        hands = all_hands()
        self._signed = np.ascontiguousarray(hands.kept[:, _BY_PARITY])
        self._share = (hands.combos[:, None] / hands.copies[self._signed]).astype(np.float32)
        self._run_end = hands.run_end
        self._scale = (1 / hands.combos).astype(np.float32)[:, None]
        self._sums = np.zeros(int(hands.size_start[5]) * WIDTH, np.float32)

    def sums(self, reach: Array) -> tuple[Array, Array]:
        """Return what each hand wins less what it loses against eight ranges, and the reach that it leaves possible.

        All are float32 ``[class, 8]``. Ranges are probabilities of whole classes. They must come from play that knows suits
        only up to permutation, as all play does where no card is public. Takes some 30 ms.
        """
        net, compatible = np.empty_like(reach), np.empty_like(reach)
        scaled = reach * self._scale
        kernels.apart_sums(
            self._signed, self._share, self._run_end, scaled.ravel(), self._sums, net.ravel(), compatible.ravel()
        )  # fmt: skip
        return net, compatible


def removal_between(buckets: HandBuckets) -> Paired:
    """Return the showdowns of buckets whose hands are dealt uniformly within each bucket, exact for such ranges.

    Weights are relative to two hands dealt at random, so that two such hands meet with weight 1. Takes a pass of
    `CardRemoval` for each eight buckets.
    """
    exact, count, weights = CardRemoval(), buckets.count, all_hands().weights
    pair_sums = np.empty((2, count, count))
    for first in range(0, count, WIDTH):
        reach = np.zeros((CLASSES, WIDTH), np.float32)
        held = np.flatnonzero(buckets.of_class // WIDTH == first // WIDTH)
        reach[held, buckets.of_class[held] - first] = weights[held] / buckets.weights[buckets.of_class[held]]
        for kind, sums in enumerate(exact.sums(reach)):
            for bucket in range(first, min(first + WIDTH, count)):
                weighted = sums[:, bucket - first] * weights
                pair_sums[kind, :, bucket] = np.bincount(buckets.of_class, weighted, count) / buckets.weights
    pair_sums /= buckets.weights @ pair_sums[1] @ buckets.weights
    return Paired(compatible=pair_sums[1], gain=pair_sums[0])
