"""Finding the buckets of one street: hands are sampled, their features computed, and clustered or cut into percentiles."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from limpet.common.workers import Advance, fill_rows, run_parts, silent
from limpet.strategies.abstraction import potential_kernels as kernels
from limpet.strategies.abstraction import street_buckets
from limpet.strategies.abstraction.cards import Clustered, Method, Nested, OpponentClusters, PotentialAware, Strength
from limpet.strategies.abstraction.clustering import Clusters, find_clusters, preflop_groups
from limpet.strategies.abstraction.potential_kernels import ATOMS, UNIT, Centre, Centres
from limpet.strategies.abstraction.street_buckets import Buckets, FlopTable, Nearest, StreetBuckets, hand_features
from limpet.strategies.cards.equity import strength_moments
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import FLOP_HANDS, canonical_boards, flop_numbers, hand_permutation

# --- Potential-aware flops: hands clustered by the turn buckets that they may meet (Ganzfried & Sandholm 2014).

ROUNDS = 12
"""Most rounds of improvement."""
_SAMPLE = 200_000  # most hands that shape the clusters: moving earth is slow
_IN_THE_MIDDLE = 2  # hands of a cluster that may become its centre
_FAR = 1 << 60


class FlopHands(NamedTuple):
    """N hands with flops, and the number of deals that each stands for.

    atoms: uint16 ``[N, 47]``: the turn buckets that each hand may get, ascending; sums: int16 ``[N, D]``: sum of their centres.
    """

    atoms: npt.NDArray[np.uint16]
    sums: npt.NDArray[np.int16]
    deals: npt.NDArray[np.int64]

    def take(self, chosen: npt.NDArray[np.int64]) -> "FlopHands":
        """Return the hands of some numbers, in their order."""
        return FlopHands(self.atoms[chosen], self.sums[chosen], self.deals[chosen])


class TurnDistances:
    """Turn buckets and the distances between them.

    centres: uint8[K, D], those of an emd turn. size: the most turn buckets in a centre's support, at most 256.
    ground: uint16[K, K], the L1 distance of each two centres.
    """

    def __init__(self, centres: npt.NDArray[np.uint8], size: int) -> None:
        wide = centres.astype(np.int32)
        self.centres = centres
        self.ground = np.stack([np.abs(wide - each).sum(axis=1) for each in wide]).astype(np.uint16)
        self.size = min(size, len(centres))

    def centre(self, counts: npt.NDArray[np.int64]) -> Centre:
        """Return the centre of a histogram int64[K]: its heaviest buckets, scaled by largest remainder."""
        support = np.argsort(-counts, kind="stable")[: min(self.size, int((counts > 0).sum()))]
        exact = counts[support] * (ATOMS * UNIT) / counts[support].sum()
        weights = np.floor(exact).astype(np.int32)
        short = ATOMS * UNIT - int(weights.sum())
        weights[np.argsort(weights - exact, kind="stable")[:short]] += 1
        nearest = np.zeros((len(self.centres), self.size), dtype=np.uint8)
        nearest[:, : len(support)] = np.argsort(self.ground[:, support], axis=1, kind="stable")
        mean = np.rint(weights @ self.centres[support].astype(np.int64) / UNIT).astype(np.int16)
        padding = (0, self.size - len(support))  # at the end, with no weight
        return Centre(np.pad(support, padding).astype(np.uint16), np.pad(weights, padding), nearest, mean)


def from_weak_to_strong(unsorted: list[Centre]) -> Centres:
    """Return several centres in ascending order of the sum of their means."""
    totals = np.array([int(each.mean.sum(dtype=np.int64)) for each in unsorted])
    order = np.argsort(totals, kind="stable")
    supports, weights, nearest, means = (np.stack([unsorted[at][part] for at in order]) for part in range(4))
    return Centres(supports, weights, nearest, means, totals[order])


def fit_potential(
    config: Clustered,
    turn_centres: npt.NDArray[np.uint8],
    turn_table: Buckets,
    pool: ThreadPoolExecutor,
    advance: Advance,
) -> FlopTable:
    """Return the buckets of all flops, clustered by turn buckets, for a config whose flop is `PotentialAware`.

    turn_centres: uint8[K, D]; turn_table: uint16[16432, 1326], buckets of the canonical turn boards.
    """
    assert isinstance(config.flop, PotentialAware)
    turn = TurnDistances(turn_centres, config.flop.support)
    atoms, deals = flop_atoms(turn_table, lambda share: advance(0.05 * share))
    sums = np.empty((len(atoms), turn_centres.shape[1]), dtype=np.int16)
    run_parts(pool, len(atoms), lambda a, b: kernels.sum_atoms(atoms, turn_centres, a, b, sums))
    hands = FlopHands(atoms, sums, deals)
    rng = np.random.default_rng((config.seed, 3))
    sample = hands.take(np.sort(rng.permutation(len(atoms))[: min(config.sample, _SAMPLE)]))
    centres = find_centres(turn, sample, config.flop.buckets, rng, pool, lambda share: advance(0.05 + 0.75 * share))
    labels, _ = assign(turn, centres, hands, pool)
    advance(1.0)
    return FlopTable(labels.astype(np.uint16), len(centres.totals))


def flop_atoms(turn_table: Buckets, advance: Advance = silent) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.int64]]:
    """Return (uint16[1286792, 47], int64[1286792]): the hands with flops by their `flop_numbers`.

    The first holds the turn buckets that each may get, ascending, the second the number of deals that share the number.
    """
    atoms, deals = np.empty((FLOP_HANDS, ATOMS), dtype=np.uint16), np.zeros(FLOP_HANDS, dtype=np.int64)
    turns = canonical_boards(4)
    flops = canonical_boards(3)
    for number, flop in enumerate(flops.boards.tolist()):
        after = []
        for card in range(52):
            if card not in flop:
                row, permutation = turns.find((*flop, card))
                after.append(turn_table[row][hand_permutation(permutation)])
        live, numbers = flop_numbers(tuple(flop))
        # Of 49 turns a live hand blocks two; their NO_BUCKET is the highest number, so that sorting puts it last.
        atoms[numbers] = np.sort(np.stack(after)[:, live], axis=0)[:ATOMS].T
        np.add.at(deals, numbers, flops.orbit[number])
        advance((number + 1) / flops.count)
    return atoms, deals


def find_centres(
    turn: TurnDistances, hands: FlopHands, k: int, rng: np.random.Generator, pool: ThreadPoolExecutor,
    advance: Advance = silent,
) -> Centres:  # fmt: skip
    """Return centres by k-means++ and at most ROUNDS of improvement, each hand weighing its number of deals.

    k-means would take the mean of a cluster's histograms, but earth is moved by distances and not by their squares, and
    a scattered mean is far from every hand. So a centre changes to the mean of its hands, or to one of the hands in their
    middle, only if that is nearer to them, and the cost falls in every round. A cluster without hands is dropped.
    """
    hands = hands.take(np.argsort(hands.sums.sum(axis=1, dtype=np.int64), kind="stable"))
    atoms, sums, weights = hands
    unsorted: list[Centre] = []
    costs = np.full(len(atoms), 1 << 40, dtype=np.int64)
    chosen = int(np.searchsorted(np.cumsum(weights), rng.integers(int(weights.sum())), side="right"))
    for number in range(k):
        new = turn.centre(np.bincount(atoms[chosen], minlength=len(turn.centres)))
        unsorted.append(new)
        run_parts(pool, len(atoms), partial(kernels.draw_nearer, atoms, sums, new, turn.ground, costs))
        running = np.cumsum(weights * costs)
        advance(0.3 * (number + 1) / k)
        if running[-1] == 0:
            break
        chosen = int(np.searchsorted(running, rng.integers(int(running[-1])), side="right"))
    before = None
    for round_ in range(ROUNDS):
        centres = from_weak_to_strong(unsorted)
        labels, costs = assign(turn, centres, hands, pool)
        advance(0.3 + 0.7 * (round_ + 1) / ROUNDS)
        cost = int((weights * costs).sum())
        if before is not None and before - cost <= before // 1000:
            break
        before = cost
        members = np.argsort(labels, kind="stable")
        starts = np.searchsorted(labels[members], np.arange(len(centres.totals) + 1)).tolist()
        groups = [(centres.centre(c), members[a:b]) for c, (a, b) in enumerate(pairwise(starts)) if a < b]
        unsorted = list(pool.map(partial(_better_centre, turn, hands), *zip(*groups, strict=True)))
    return centres


def _better_centre(turn: TurnDistances, hands: FlopHands, centre: Centre, members: npt.NDArray[np.int64]) -> Centre:
    """Return the nearest to a cluster's members of: its centre, their mean, and some hands in their middle."""
    atoms, sums, weights = hands

    def cost_of(each: Centre, enough: int) -> int:
        return int(kernels.total_cost(atoms, members, weights, each, turn.ground, enough))

    buckets = len(turn.centres)
    repeated = np.repeat(weights[members], ATOMS)
    candidates = [np.bincount(atoms[members].ravel(), repeated, buckets).astype(np.int64)]
    from_middle = np.abs(sums[members] - np.median(sums[members], axis=0)).sum(axis=1)
    for hand in members[np.argsort(from_middle, kind="stable")[:_IN_THE_MIDDLE]]:
        candidates.append(np.bincount(atoms[hand], minlength=buckets))
    best = cost_of(centre, _FAR)
    for candidate in candidates:
        other = turn.centre(candidate)
        cost = cost_of(other, best)
        if cost < best:
            best, centre = cost, other
    return centre


def assign(
    turn: TurnDistances, centres: Centres, hands: FlopHands, pool: ThreadPoolExecutor
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Return (nearest centre int32[N], cost of moving there int64[N]) of every hand; moving an atom by 1 costs UNIT."""
    labels, costs = np.empty(len(hands.atoms), dtype=np.int32), np.empty(len(hands.atoms), dtype=np.int64)
    work = partial(kernels.assign, hands.atoms, hands.sums, centres, turn.ground, labels, costs)
    run_parts(pool, len(labels), work)
    return labels, costs


_HANDS_A_BOARD = 250  # hands taken of a sampled turn or river board, so that a sample has many boards
_CARDS = {"flop": 3, "turn": 4, "river": 5}


@dataclass(frozen=True, eq=False)
class StreetSample:
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
) -> StreetSample:  # fmt: skip
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
    return StreetSample(boards, every.orbit[rows].astype(np.int64), vectors, taken)


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
) -> tuple[street_buckets.Percentiles | Nearest, StreetSample]:
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
    squared_metric = street_buckets.feature_kind(method)[2]

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
    means = np.stack([street_buckets.board_features(vectors, tuple(board), groups) for vectors, board in pairs])
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
) -> street_buckets.Percentiles:
    """Return the cuts of weighted moments [N, 2] (sums of counts and of squares) into equal parts, and of each by squares."""
    cuts = percentile_cuts(moments[:, 0], weights, buckets)
    outer = np.searchsorted(cuts, moments[:, 0], side="right")
    inner = np.zeros((buckets, squared - 1), dtype=np.int64)
    for bucket in range(buckets):
        inside = outer == bucket
        if inside.any():
            inner[bucket] = percentile_cuts(moments[inside, 1], weights[inside], squared)
    return street_buckets.Percentiles(cuts, inner)


def percentile_cuts(values: npt.NDArray[np.int64], weights: npt.NDArray[np.int64], parts: int) -> npt.NDArray[np.int64]:
    """Return int64[parts - 1]: cut i is the least value with at least i / parts of all weight below it; ties never part."""
    different, which = np.unique(values, return_inverse=True)
    weight_of = np.zeros(len(different), dtype=np.int64)
    np.add.at(weight_of, which, weights)
    below = np.concatenate([[0], np.cumsum(weight_of)])
    at = np.searchsorted(below * parts, np.arange(1, parts) * below[-1], side="left")
    cuts: npt.NDArray[np.int64] = different[np.minimum(at, len(different) - 1)]
    return cuts
