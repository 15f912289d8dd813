"""k-means and k-medians of whole-number vectors, seeded and exact, and the features that hands are clustered by."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from limpet.common.workers import Advance, run_parts, silent
from limpet.strategies.abstraction import clustering_kernels as kernels
from limpet.strategies.abstraction.clustering_kernels import EQUITY, GROUPS
from limpet.strategies.cards.equity import FULL_COUNT, dealt_counts, dealt_turn_counts, river_sums
from limpet.strategies.cards.handspace import hand_space, read_only
from limpet.strategies.cards.isomorphism import preflop_class, preflop_classes
from limpet.strategies.cards.ranking_kernels import BLOCKED, board_strengths, hand_strengths

Vectors = npt.NDArray[Any]
Numbers = npt.NDArray[np.int64]

ROUNDS = 40
"""Most rounds of improvement; the cost of clusters has settled to a per mille long before."""
FULL = FULL_COUNT[5]
"""River count of a hand that beats every other."""
SURELY = 255
"""A probability of 1 in `survival`."""
_PARTS = 32  # parts of the vectors that threads draw the first centres from


class Clusters:
    """Cluster centres, and the search for the nearest of them.

    centres: [K, D], uint8 for L1, int16 for L2, ascending by the sum of their entries and then by the entries, so
    bucket numbers do not depend on the order in which clusters came about. squared: distances are L2, otherwise L1.
    """

    def __init__(self, centres: Vectors, squared: bool) -> None:
        if centres.ndim != 2 or len(centres) == 0 or (np.diff(sums := centres.sum(axis=1, dtype=np.int64)) < 0).any():
            raise ValueError("cluster centres are a table [K, D] with ascending sums of the entries")
        self.centres = centres
        self._wide = centres.astype(np.int16, order="C")  # of either type and whatever file: one compilation
        self.squared = squared
        self.sums = sums

    def __len__(self) -> int:
        return len(self.centres)

    def assign(self, vectors: Vectors, weights: Numbers, labels: npt.NDArray[np.uint16]) -> int:
        """Write the number of the centre nearest to each of vectors[N, D] of a weight above 0 into labels uint16[N].

        Ties go to the lowest number. Returns the weighted sum of the distances (L2: of their squares).
        """
        wide = np.ascontiguousarray(vectors, np.int16)
        return int(kernels.assign(wide, weights, self._wide, self.sums, self.squared, labels))

    def nearest(self, vectors: Vectors) -> npt.NDArray[np.uint16]:
        """Return uint16[N]: the number of the centre nearest to each of vectors[N, D]."""
        if len(vectors) == 1:  # in play: numpy needs no compiler, and no longer
            return np.array([self._distances(vectors[0]).argmin()], np.uint16)
        labels = np.empty(len(vectors), dtype=np.uint16)
        self.assign(vectors, np.ones(len(vectors), dtype=np.int64), labels)
        return labels

    def _distances(self, vector: Vectors) -> Vectors:
        """Return the distance of one vector [D] to each centre [K], as `assign` measures it."""
        apart = self._entries - vector.astype(np.int16)[:, None]
        if self.squared:
            wide = apart.astype(np.int32)
            return np.asarray(np.einsum("dk,dk->k", wide, wide))
        return np.asarray(np.abs(apart).sum(axis=0, dtype=np.int32))

    @cached_property
    def _entries(self) -> Vectors:
        """int16[D, K]: the entries of all centres side by side."""
        return np.ascontiguousarray(self._wide.T)


def find_clusters(
    vectors: Vectors, weights: Numbers, k: int, squared: bool, seed: int | tuple[int, ...], pool: ThreadPoolExecutor,
    advance: Advance = silent, rounds: int = ROUNDS,
) -> tuple[Clusters, int]:  # fmt: skip
    """Return at most k (below 2**16) clusters of vectors[N, D] and the weighted sum of distances to them.

    L1 takes medians (vectors must be uint8), L2 means, both in whole numbers. Centres start by k-means++ (Arthur &
    Vassilvitskii 2007; the chance of a vector is its weight times its distance, for L2 squared). Rounds end when nothing
    changes, after `rounds`, or when the cost falls by less than a ten thousandth. Fewer than k come back if there are
    fewer different vectors, or a cluster lost all members. advance(share of the work done) is called from this thread.
    """
    sums = vectors.sum(axis=1, dtype=np.int64)
    order = np.argsort(sums, kind="stable")  # neighbours are compared with the same centres, which stay in the cache
    vectors, weights, sums = vectors[order], weights[order], sums[order]
    centres = _first_centres(vectors, weights, sums, k, squared, np.random.default_rng(seed), pool, advance)
    labels = np.zeros(len(vectors), dtype=np.uint16)
    cost = None
    for round_ in range(rounds):
        different = np.unique(centres, axis=0)  # sorted by their entries, and then by the sum
        by_sum = np.argsort(different.sum(axis=1, dtype=np.int64), kind="stable")
        clusters = Clusters(np.ascontiguousarray(different[by_sum]), squared)
        costs: list[int] = []

        def assign(first: int, last: int, clusters: Clusters = clusters, costs: list[int] = costs) -> None:
            costs.append(clusters.assign(vectors[first:last], weights[first:last], labels[first:last]))

        run_parts(pool, len(vectors), assign)
        now = sum(costs)
        advance(0.5 + 0.5 * (round_ + 1) / rounds)
        if cost is not None and cost - now <= cost // 10_000:
            break
        cost = now
        centres = _centres(vectors, weights, labels, clusters, pool)
    used = np.bincount(labels, minlength=len(clusters)) > 0
    return Clusters(np.ascontiguousarray(clusters.centres[used]), squared), now


def _first_centres(
    vectors: Vectors, weights: Numbers, sums: Numbers, k: int, squared: bool, rng: np.random.Generator,
    pool: ThreadPoolExecutor, advance: Advance,
) -> Vectors:  # fmt: skip
    """Return at most k centres [K, D] by k-means++: fewer if all vectors are at a centre before."""
    bounds = np.linspace(0, len(vectors), _PARTS + 1).astype(np.int64)
    slices = [slice(int(a), int(b)) for a, b in pairwise(bounds) if a < b]
    nearest = np.full(len(vectors), 2**31, dtype=np.int64)
    chosen = [int(np.searchsorted(np.cumsum(weights), rng.integers(int(weights.sum())), side="right"))]
    while True:
        centre = vectors[chosen[-1] : chosen[-1] + 1]
        tasks = [
            pool.submit(kernels.draw_nearer, vectors[s], sums[s], centre, squared, weights[s], nearest[s])
            for s in slices
        ]
        shares = np.cumsum([task.result() for task in tasks])
        advance(0.5 * len(chosen) / k)
        if len(chosen) == k or shares[-1] == 0:
            return vectors[chosen]
        share = int(rng.integers(int(shares[-1])))
        part = int(np.searchsorted(shares, share, side="right"))
        share -= int(shares[part - 1]) if part else 0
        s = slices[part]
        chosen.append(s.start + int(np.searchsorted(np.cumsum(weights[s] * nearest[s]), share, side="right")))


def _centres(
    vectors: Vectors, weights: Numbers, labels: npt.NDArray[np.uint16], clusters: Clusters, pool: ThreadPoolExecutor
) -> Vectors:
    """Return the weighted mean or median of each cluster's vectors; a cluster without any keeps its centre."""
    members = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[members], np.arange(len(clusters) + 1))
    centres = clusters.centres.copy()
    middle = kernels.means if clusters.squared else kernels.medians
    run_parts(pool, len(clusters), lambda a, b: middle(vectors, weights, members, starts, a, b, centres))
    return centres


# --- Features of every hand on a board, by which hands are clustered, and the eight groups of the starting hands.

_STARTS = 24  # runs of the clustering of starting hands, of which the best is kept


@cache
def _bins(points: int) -> npt.NDArray[np.uint8]:
    """Return uint8[FULL + 1]: how many of the thresholds (2 i + 1) / (2 points) lie below each river count."""
    doubled = 2 * points * np.arange(FULL + 1)
    below = (doubled[:, None] > FULL * (2 * np.arange(points) + 1)).sum(axis=1)
    return read_only(below.astype(np.uint8))


@cache
def _shares(rivers: int) -> npt.NDArray[np.uint8]:
    """Return uint8[rivers + 1]: SURELY * n / rivers for each number n of rivers, rounded."""
    return ((2 * SURELY * np.arange(rivers + 1) + rivers) // (2 * rivers)).astype(np.uint8)


def survival(board: tuple[int, ...], points: int) -> npt.NDArray[np.uint8]:
    """Return uint8[1326, points]: SURELY * P(strength of hand h on the river > threshold i), rounded; 0 where blocked.

    board: 3 or 4 cards. Thresholds are at (2 i + 1) / (2 points). The rows are one minus the distribution function, so
    their L1 distance is the earth mover's distance in units of 1 / (SURELY * points), by the midpoint rule, and their
    sum the mean strength.
    """
    _, counted = river_sums(board, _bins(points), points + 1)
    above = np.cumsum(counted[:, :0:-1], axis=1, dtype=np.uint16)[:, ::-1]
    return np.asarray(_shares(1081 if len(board) == 3 else 46)[above])


def survival_of_hand(board: tuple[int, ...], points: int, hand: int) -> npt.NDArray[np.uint8]:
    """Return uint8[points]: the row of `survival` of one hand that misses a board of 4 cards."""
    space = hand_space()
    own = space.cards(hand)
    others = np.flatnonzero(~space.blocked((*board, *own)))
    holes = read_only(space.holes[np.append(others, hand)])
    rivers = [card for card in space.deck if card not in board and card not in own]
    strengths = board_strengths(np.array([(*board, river) for river in rivers], np.int8), holes)
    opposing, strength = strengths[:, :-1], strengths[:, -1:]
    counts = 2 * ((opposing < strength) & (opposing != BLOCKED)).sum(axis=1) + (opposing == strength).sum(axis=1)
    above = (_bins(points)[counts][:, None] > np.arange(points)).sum(axis=0)
    return np.asarray(_shares(len(rivers))[above])


def survival_of_deals(boards: npt.NDArray[np.int8], points: int, hands: Numbers) -> npt.NDArray[np.uint8]:
    """Return uint8[D, P, points]: the rows of `survival` of the hands [D, P] that were dealt with boards [D, 4]."""
    counts = dealt_turn_counts(boards, hand_space().holes[hands])
    bins = np.where(counts < 0, np.uint8(0), _bins(points)[counts])
    above = (bins[..., None] > np.arange(points, dtype=np.uint8)).sum(axis=1)
    return np.asarray(_shares(46)[above])


def group_equities(board: tuple[int, ...], groups: npt.NDArray[np.uint8]) -> npt.NDArray[np.int16]:
    """Return int16[1326, 8]: EQUITY * (P(win) + P(tie) / 2) of each hand on a river against the hands of each group, rounded.

    0 where blocked, EQUITY / 2 where the group has no hand left. groups: uint8[169], the group of each class of starting
    hands (`preflop_groups`).
    """
    holes, group_of = hand_space().holes, groups[preflop_classes()]
    strengths = hand_strengths(np.array(board, np.int8), holes)
    order = np.argsort(strengths.astype(np.int16), kind="stable")[np.count_nonzero(strengths < 0) :]
    counts, held = np.zeros((1326, GROUPS), np.int32), np.zeros((53, GROUPS), np.int32)
    kernels.group_counts(strengths, order, holes, group_of, counts, held)
    opponents = held[52] - held[holes[:, 0]] - held[holes[:, 1]]
    for sums in (counts, opponents):
        sums[np.arange(1326), group_of] += 1  # the hand itself, subtracted with each of its cards
    equities = _equities(counts, opponents)
    equities[strengths < 0] = 0
    return equities


def group_equities_of_hand(board: tuple[int, ...], groups: npt.NDArray[np.uint8], hand: int) -> npt.NDArray[np.int16]:
    """Return int16[8]: the row of `group_equities` of one hand that misses the board."""
    space = hand_space()
    strengths = hand_strengths(np.array(board, np.int8), space.holes)
    against = np.flatnonzero(~space.blocked((*board, *space.cards(hand))))
    theirs, group_of = strengths[against], groups[preflop_classes()[against]]
    beaten, tied, opponents = (
        np.bincount(group_of[which], minlength=GROUPS)
        for which in (theirs < strengths[hand], theirs == strengths[hand], slice(None))
    )
    return _equities(2 * beaten + tied, opponents)


def group_equities_of_deals(
    boards: npt.NDArray[np.int8], groups: npt.NDArray[np.uint8], hands: Numbers
) -> npt.NDArray[np.int16]:
    """Return int16[D, P, 8]: the rows of `group_equities` of the hands [D, P] that were dealt with boards [D, 5]."""
    return _equities(*dealt_counts(boards, hand_space().holes[hands], groups[_classes_of_ranks()], GROUPS))


@cache
def _classes_of_ranks() -> npt.NDArray[np.uint8]:
    """Return uint8[13, 13]: the class of starting hands of two ranks, suited at [higher, lower], else at [lower, higher]."""
    classes = [[preflop_class(4 * row, 4 * column + (column >= row)) for column in range(13)] for row in range(13)]
    return read_only(np.array(classes, np.uint8))


def _equities(counts: Vectors, opponents: Vectors) -> npt.NDArray[np.int16]:
    """Return rounded equities from twice the opponents beaten plus those tied: a half where there are no opponents."""
    equities = (EQUITY * counts + opponents) // (2 * np.maximum(opponents, 1))
    equities[opponents == 0] = EQUITY // 2
    return np.asarray(equities, np.int16)


@cache
def preflop_groups(seed: int) -> npt.NDArray[np.uint8]:
    """Return uint8[169]: eight groups of starting hands alike in their equities against all classes, the weakest first.

    k-means (L2) on the 169 rows of the exact equity table, a class weighing its number of hands. After Johanson et al.
    2013, "Evaluating state-space abstractions in extensive-form games".
    """
    from limpet.strategies.cards.preflop_tables import class_matrix

    rows = np.rint(EQUITY * class_matrix().equities).astype(np.int16)
    weights = np.bincount(preflop_classes(), minlength=169).astype(np.int64)
    with ThreadPoolExecutor(1) as pool:
        runs = [find_clusters(rows, weights, GROUPS, True, (seed, start), pool) for start in range(_STARTS)]
    clusters, _ = min(runs, key=lambda run: run[1])
    return read_only(clusters.nearest(rows).astype(np.uint8))
