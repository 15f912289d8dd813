"""Potential-aware flops: hands clustered by the turn buckets that they may meet (Ganzfried & Sandholm 2014)."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from limpet.strategies.abstraction import potential_kernels as kernels
from limpet.strategies.abstraction.potential_kernels import ATOMS, UNIT
from limpet.strategies.abstraction.street_buckets import Buckets, FlopTable, flop_numbers
from limpet.strategies.cards.indexing import hand_indexer
from limpet.strategies.cards.isomorphism import canonical_boards, hand_permutation

ROUNDS = 12
_SAMPLE = 200_000  # hands that shape the clusters, at most: earth is heavy
_PARTS = 64
_IN_THE_MIDDLE = 2  # hands of a cluster that may become its centre
_FAR = 1 << 60

Advance = Callable[[float], None]
Centre = tuple[npt.NDArray[np.uint16], npt.NDArray[np.int32], npt.NDArray[np.uint8], npt.NDArray[np.int16]]
"""Support, weights, nearest and mean of one centre."""


@dataclass(frozen=True, eq=False)
class Centres:
    """Histograms over turn buckets, as `potential_kernels.assign` takes them."""

    supports: npt.NDArray[np.uint16]
    weights: npt.NDArray[np.int32]
    nearest: npt.NDArray[np.uint8]
    means: npt.NDArray[np.int16]
    totals: npt.NDArray[np.int64]

    @staticmethod
    def of(made: list["Centre"]) -> "Centres":
        """Several centres, sorted by the sum of their means: from weak to strong."""
        totals = np.array([int(mean.sum(dtype=np.int64)) for *_, mean in made])
        order = np.argsort(totals, kind="stable")
        parts = [np.stack([made[at][part] for at in order]) for part in range(4)]
        return Centres(parts[0], parts[1], parts[2], parts[3], totals[order])

    def __len__(self) -> int:
        return len(self.supports)

    def __getitem__(self, number: int) -> "Centre":
        return self.supports[number], self.weights[number], self.nearest[number], self.means[number]


class Earth:
    """Turn buckets and the distances between them.

    centres: uint8[K, D], those of an emd turn. size: the most turn buckets in a centre's support, at most 256.
    """

    def __init__(self, centres: npt.NDArray[np.uint8], size: int) -> None:
        wide = centres.astype(np.int32)
        self.centres = centres
        self.ground = np.stack([np.abs(wide - each).sum(axis=1) for each in wide]).astype(np.uint16)
        self.size = min(size, len(centres))

    def centre(self, counts: npt.NDArray[np.int64]) -> Centre:
        """(support, weights, nearest, mean) of a histogram int64[K]: its heaviest buckets, scaled by largest remainder."""
        support = np.argsort(-counts, kind="stable")[: min(self.size, int((counts > 0).sum()))]
        exact = counts[support] * (ATOMS * UNIT) / counts[support].sum()
        weights = np.floor(exact).astype(np.int32)
        short = ATOMS * UNIT - int(weights.sum())
        weights[np.argsort(weights - exact, kind="stable")[:short]] += 1
        nearest = np.zeros((len(self.centres), self.size), dtype=np.uint8)
        nearest[:, : len(support)] = np.argsort(self.ground[:, support], axis=1, kind="stable")
        mean = np.rint(weights @ self.centres[support].astype(np.int64) / UNIT).astype(np.int16)
        # No earth is left for the empty places at the end.
        empty = (0, self.size - len(support))
        return np.pad(support, empty).astype(np.uint16), np.pad(weights, empty), nearest, mean


def fit_potential(
    turn_centres: npt.NDArray[np.uint8],
    turn_table: Buckets,
    buckets: int,
    support: int,
    sample: int,
    seed: int,
    pool: ThreadPoolExecutor,
    advance: Advance,
) -> FlopTable:
    """Buckets of all flops, clustered by turn buckets.

    turn_centres: uint8[K, D]; turn_table: uint16[16432, 1326], buckets of the canonical turn boards.
    """
    earth = Earth(turn_centres, support)
    atoms = flop_atoms(turn_table, lambda share: advance(0.05 * share))
    sums = np.empty((len(atoms), turn_centres.shape[1]), dtype=np.int16)
    in_parts(pool, len(atoms), lambda a, b: kernels.sum_atoms(atoms, turn_centres, a, b, sums))
    rng = np.random.default_rng((seed, 3))
    taken = np.sort(rng.permutation(len(atoms))[: min(sample, _SAMPLE)])
    weights = hand_indexer((2, 3)).orbits(taken).astype(np.int64)
    centres = find_centres(
        earth, atoms[taken], sums[taken], weights, buckets, rng, pool, lambda share: advance(0.05 + 0.75 * share)
    )
    labels, _ = assign(earth, centres, atoms, sums, pool)
    advance(1.0)
    return FlopTable(labels.astype(np.uint16), len(centres))


def flop_atoms(turn_table: Buckets, advance: Advance = lambda share: None) -> npt.NDArray[np.uint16]:
    """uint16[1286792, 47]: the turn buckets that each hand may meet after each flop, ascending, by `HandIndexer`."""
    atoms = np.empty((hand_indexer((2, 3)).count, ATOMS), dtype=np.uint16)
    turns = canonical_boards(4)
    flops = canonical_boards(3).boards.tolist()
    for number, flop in enumerate(flops):
        met = []
        for card in range(52):
            if card not in flop:
                row, permutation = turns.find((*flop, card))
                met.append(turn_table[row][hand_permutation(permutation)])
        live, numbers = flop_numbers(tuple(flop))
        # Of 49 turns a live hand blocks two: NO_BUCKET, the highest number, which sorting puts last.
        atoms[numbers] = np.sort(np.stack(met)[:, live], axis=0)[:ATOMS].T
        advance((number + 1) / len(flops))
    return atoms


def find_centres(
    earth: Earth,
    atoms: npt.NDArray[np.uint16],
    sums: npt.NDArray[np.int16],
    weights: npt.NDArray[np.int64],
    k: int,
    rng: np.random.Generator,
    pool: ThreadPoolExecutor,
    advance: Advance = lambda share: None,
) -> Centres:
    """k-means++ and at most ROUNDS of improvement, each hand weighing its deals; a cluster without hands is dropped.

    The mean of histograms is what k-means asks for, but earth is moved by distances and not by their squares: a mean
    that lies scattered is far from all. So a centre changes to the mean of its hands, or to one in their middle, only if
    that is nearer to them, and the cost falls in every round.
    """
    order = np.argsort(sums.sum(axis=1, dtype=np.int64), kind="stable")
    atoms, sums, weights = atoms[order], sums[order], weights[order]
    made: list[Centre] = []
    costs = np.full(len(atoms), 1 << 40, dtype=np.int64)
    chosen = int(np.searchsorted(np.cumsum(weights), rng.integers(int(weights.sum())), side="right"))
    for number in range(k):
        new = earth.centre(np.bincount(atoms[chosen], minlength=len(earth.centres)))
        made.append(new)

        def lower(first: int, last: int, new: Centre = new) -> None:
            support, heavy, nearest, mean = new
            kernels.draw_nearer(atoms, sums, support, heavy, nearest, mean[None], earth.ground, first, last, costs)

        in_parts(pool, len(atoms), lower)
        running = np.cumsum(weights * costs)
        advance(0.3 * (number + 1) / k)
        if running[-1] == 0:
            break
        chosen = int(np.searchsorted(running, rng.integers(int(running[-1])), side="right"))
    before = None
    for round_ in range(ROUNDS):
        centres = Centres.of(made)
        labels, costs = assign(earth, centres, atoms, sums, pool)
        advance(0.3 + 0.7 * (round_ + 1) / ROUNDS)
        cost = int((weights * costs).sum())
        if before is not None and before - cost <= before // 1000:
            break
        before = cost
        members = np.argsort(labels, kind="stable")
        starts = np.searchsorted(labels[members], np.arange(len(centres) + 1)).tolist()
        groups = [(c, members[a:b]) for c, (a, b) in enumerate(pairwise(starts)) if a < b]

        def better(group: tuple[int, npt.NDArray[np.int64]], centres: Centres = centres) -> Centre:
            return _better_centre(earth, centres[group[0]], group[1], atoms, sums, weights)

        made = list(pool.map(better, groups))
    return centres


def _better_centre(
    earth: Earth,
    centre: Centre,
    hands: npt.NDArray[np.int64],
    atoms: npt.NDArray[np.uint16],
    sums: npt.NDArray[np.int16],
    weights: npt.NDArray[np.int64],
) -> Centre:
    """The centre of a cluster's hands, their mean, or one of the hands in their middle: what is nearest to them."""

    def cost_of(each: Centre, enough: int) -> int:
        return int(kernels.total_cost(atoms, hands, weights, *each[:3], earth.ground, enough))

    buckets = len(earth.centres)
    repeated = np.repeat(weights[hands], ATOMS)
    candidates = [np.bincount(atoms[hands].ravel(), repeated, buckets).astype(np.int64)]
    from_middle = np.abs(sums[hands] - np.median(sums[hands], axis=0)).sum(axis=1)
    for hand in hands[np.argsort(from_middle, kind="stable")[:_IN_THE_MIDDLE]]:
        candidates.append(np.bincount(atoms[hand], minlength=buckets))
    best = cost_of(centre, _FAR)
    for candidate in candidates:
        other = earth.centre(candidate)
        cost = cost_of(other, best)
        if cost < best:
            best, centre = cost, other
    return centre


def assign(
    earth: Earth,
    centres: Centres,
    atoms: npt.NDArray[np.uint16],
    sums: npt.NDArray[np.int16],
    pool: ThreadPoolExecutor,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """(nearest centre, cost of moving there) of every hand, int32[N] and int64[N]; a cost of UNIT moves an atom by 1."""
    labels = np.empty(len(atoms), dtype=np.int32)
    costs = np.empty(len(atoms), dtype=np.int64)

    def work(first: int, last: int) -> None:
        kernels.assign(
            atoms, sums, centres.supports, centres.weights, centres.nearest, centres.means, centres.totals,
            earth.ground, first, last, labels, costs,
        )  # fmt: skip

    in_parts(pool, len(atoms), work)
    return labels, costs


def in_parts(pool: ThreadPoolExecutor, count: int, work: Callable[[int, int], None]) -> None:
    """work(first, last) for parts of 0 .. count, on the pool's threads."""
    bounds = np.unique(np.linspace(0, count, _PARTS + 1).astype(int)).tolist()
    for step in [pool.submit(work, a, b) for a, b in pairwise(bounds)]:
        step.result()
