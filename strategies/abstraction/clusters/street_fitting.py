"""Finding the buckets of one street: hands are sampled, their features computed, and clustered or cut into percentiles."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from limpet.strategies.abstraction.clusters.clustering import Clusters, find_clusters
from limpet.strategies.abstraction.clusters.config import (
    Clustered,
    Method,
    Nested,
    OpponentClusters,
    PotentialAware,
    Strength,
)
from limpet.strategies.abstraction.clusters.features import preflop_groups, strength_moments
from limpet.strategies.abstraction.clusters.potential import fit_potential
from limpet.strategies.abstraction.clusters.street_buckets import (
    Buckets,
    FlopTable,
    Nearest,
    Percentiles,
    StreetBuckets,
    board_features,
    feature_kind,
    hand_features,
)
from limpet.strategies.cards.flop_hands import FLOP_HANDS, flop_numbers
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import canonical_boards
from limpet.strategies.workers.progress import Advance
from limpet.strategies.workers.thread_parts import fill_rows

_HANDS_A_BOARD = 250  # hands taken of a sampled turn or river board, so that a sample has many boards
_CARDS = {"flop": 3, "turn": 4, "river": 5}


@dataclass(frozen=True, eq=False)
class Sample:
    """Boards with the features of all their hands, and which hands are to shape the clusters.

    boards: int8[B, n], canonical. orbit: int64[B], number of boards in each class. vectors: [B, 1326, D], features.
    taken: bool[B, 1326].
    """

    boards: npt.NDArray[np.int8]
    orbit: npt.NDArray[np.int64]
    vectors: npt.NDArray[Any]
    taken: npt.NDArray[np.bool_]

    def hands(self, boards: npt.NDArray[np.bool_] | None = None) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
        """Return (vectors [N, D], weights int64[N]) of the hands taken, on all boards or those of a mask bool[B]."""
        taken = self.taken if boards is None else self.taken & boards[:, None]
        weights = np.broadcast_to(self.orbit[:, None], taken.shape)[taken]
        return np.ascontiguousarray(self.vectors[taken]), weights


def draw_sample(
    config: Clustered, n: int, features: Callable[[tuple[int, ...]], npt.NDArray[Any]], pool: ThreadPoolExecutor,
    advance: Advance,
) -> Sample:  # fmt: skip
    """Return about a config's sample of hands on canonical boards of n cards: all flops, or boards that hold enough hands.

    features: returns the features [1326, D] of all hands on a board.
    """
    every = canonical_boards(n)
    rng = np.random.default_rng((config.seed, n))
    board_count = every.count if n == 3 else min(every.count, -(-config.sample // _HANDS_A_BOARD))
    rows = np.sort(rng.permutation(every.count)[:board_count])
    boards = every.boards[rows]
    live = np.stack([~hand_space().blocked(board.tolist()) for board in boards])
    share = config.sample / board_count / live[0].sum()
    if share < 1:  # the same number of each board, the hands with the lowest random keys
        keys = np.where(live, rng.random(live.shape, dtype=np.float32), np.float32(2))
        most = np.partition(keys, int(share * live[0].sum()), axis=1)[:, int(share * live[0].sum()), None]
        taken = keys < most
    else:
        taken = live
    first = features(tuple(boards[0].tolist()))
    vectors = np.empty((len(boards), *first.shape), dtype=first.dtype)
    fill_rows(pool, vectors, lambda row: features(tuple(boards[row].tolist())), advance)
    return Sample(boards, every.orbit[rows].astype(np.int64), vectors, taken)


def fit_flop(
    config: Clustered, turn: tuple[StreetBuckets, Buckets] | None, pool: ThreadPoolExecutor, advance: Advance
) -> FlopTable:
    """Return the buckets of all flops, as a table. turn: the turn's buckets and table, for a potential-aware flop."""
    if isinstance(config.flop, PotentialAware):
        assert turn is not None
        return fit_potential(config, turn[0].tensors()["centres"], turn[1], pool, advance)
    buckets, sample = fit_street(config, "flop", pool, advance)
    table = np.empty(FLOP_HANDS, dtype=np.uint16)
    for board, vectors in zip(sample.boards.tolist(), sample.vectors, strict=True):
        live, numbers = flop_numbers(tuple(board))
        table[numbers] = buckets.of_vectors(vectors, tuple(board))[live]
    return FlopTable(table, buckets.count)


def fit_street(
    config: Clustered, street: str, pool: ThreadPoolExecutor, advance: Advance
) -> tuple[Percentiles | Nearest, Sample]:
    """Return a street's buckets, and the sample of hands that shaped them."""
    method: Method = getattr(config, street)
    n = _CARDS[street]
    assert not isinstance(method, PotentialAware)
    if isinstance(method, (Strength, Nested)):
        sample = draw_sample(config, n, strength_moments, pool, advance)
        vectors, weights = sample.hands()
        squared = method.squared if isinstance(method, Nested) else 1
        return percentiles(vectors, weights, method.buckets, squared), sample
    groups = None
    if isinstance(method, OpponentClusters) or method.boards > 1:
        groups = preflop_groups(config.seed)

    def features(board: tuple[int, ...]) -> npt.NDArray[Any]:
        return hand_features(method, board, groups)

    sample = draw_sample(config, n, features, pool, lambda share: advance(0.4 * share))
    squared_metric = feature_kind(method)[2]

    def find(
        vectors: npt.NDArray[Any], weights: npt.NDArray[np.int64], k: int, part: int, begin: float, end: float
    ) -> Clusters:
        return find_clusters(
            vectors, weights, k, squared_metric, (config.seed, n, part), pool,
            lambda share: advance(begin + (end - begin) * share),
        )[0]  # fmt: skip

    if method.boards == 1:
        return Nearest(method, [find(*sample.hands(), method.buckets, 0, 0.4, 1.0)], None, groups), sample
    assert groups is not None
    pairs = zip(sample.vectors, sample.boards.tolist(), strict=True)
    means = np.stack([board_features(vectors, tuple(board), groups) for vectors, board in pairs])
    boards = find(means, sample.orbit, method.boards, 0, 0.4, 0.5)
    labels = boards.nearest(means)
    step = 0.5 / len(boards)
    hands = [
        find(*sample.hands(labels == part), method.buckets, part + 1, 0.5 + step * part, 0.5 + step * (part + 1))
        for part in range(len(boards))
    ]
    return Nearest(method, hands, boards, groups), sample


def percentiles(
    moments: npt.NDArray[np.int64], weights: npt.NDArray[np.int64], buckets: int, squared: int
) -> Percentiles:
    """Return the cuts of weighted moments [N, 2] (sums of counts and of squares) into equal parts, and of each by squares."""
    cuts = percentile_cuts(moments[:, 0], weights, buckets)
    outer = np.searchsorted(cuts, moments[:, 0], side="right")
    inner = np.zeros((buckets, squared - 1), dtype=np.int64)
    for bucket in range(buckets):
        inside = outer == bucket
        if inside.any():
            inner[bucket] = percentile_cuts(moments[inside, 1], weights[inside], squared)
    return Percentiles(cuts, inner)


def percentile_cuts(values: npt.NDArray[np.int64], weights: npt.NDArray[np.int64], parts: int) -> npt.NDArray[np.int64]:
    """Return int64[parts - 1]: cut i is the least value with at least i / parts of all weight below it; ties never part."""
    different, which = np.unique(values, return_inverse=True)
    weight_of = np.zeros(len(different), dtype=np.int64)
    np.add.at(weight_of, which, weights)
    below = np.concatenate([[0], np.cumsum(weight_of)])
    at = np.searchsorted(below * parts, np.arange(1, parts) * below[-1], side="left")
    cuts: npt.NDArray[np.int64] = different[np.minimum(at, len(different) - 1)]
    return cuts
