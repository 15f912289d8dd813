"""Rates of the evaluator, the strengths and the bucket lookups, on one thread.

    python benchmarks/ranking.py [folder with strength tables]

Without a folder the training lookups are left out. Each line is the median of five runs, fastest and slowest beside it.
"""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
import numpy.typing as npt
from numba import njit

from limpet.protocol import ranking_kernels
from limpet.protocol.ranking import rank_hands
from limpet.strategies.abstraction import strength_bucket_kernels, strength_buckets
from limpet.strategies.abstraction.strength_bucket_kernels import BucketTables
from limpet.strategies.abstraction.strength_tables import load_or_build
from limpet.strategies.cards import isomorphism_kernels, strength_kernels
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import canonical_boards


def report(name: str, unit: str, scale: float, work: Callable[[], object]) -> None:
    """Print scale * seconds of work; with a negative scale, -scale / seconds (a rate)."""
    work()  # compiled and in cache
    figures = []
    for _ in range(5):
        start = perf_counter()
        work()
        seconds = perf_counter() - start
        figures.append(scale * seconds if scale > 0 else -scale / seconds)
    print(f"{name:48} {median(figures):9.2f} {unit:6} ({min(figures):.2f} .. {max(figures):.2f})")


@njit(nogil=True)
def locate_all(boards: npt.NDArray[np.int8], slots: npt.NDArray[np.int64]) -> int:
    total = 0
    for i in range(boards.shape[0]):
        row, permutation = isomorphism_kernels.canonical_board(boards[i], 5, slots)
        total += row + permutation
    return total


@njit(nogil=True)
def look_up_all(street: int, deals: npt.NDArray[np.int8], tables: BucketTables) -> int:
    total = 0
    for i in range(deals.shape[0]):
        total += strength_bucket_kernels.bucket(street, deals[i, 5], deals[i, 6], deals[i], tables)
    return total


def main() -> None:
    ranking_kernels.warm_up()
    strength_buckets.warm_up()
    rng = np.random.default_rng(1)
    deals = np.argsort(rng.random((1_000_000, 52)), axis=1)[:, :7].astype(np.int8)
    boards = np.ascontiguousarray(deals[:, :5])
    holes = hand_space().holes

    report("rank, random 7-card hands", "M/s", -1.0, lambda: ranking_kernels.rank_batch(deals))
    two = [deals[0, :2].tolist(), deals[1, :2].tolist()]
    board = [card for card in range(52) if card not in two[0] + two[1]][:5]
    report("rank_hands from Python, two hands", "us", 1e2, lambda: [rank_hands(two, board) for _ in range(10_000)])
    some = boards[:1000]
    report(
        "all strengths of a river board", "us", 1e3, lambda: [ranking_kernels.hand_strengths(b, holes) for b in some]
    )

    scratch = np.empty(strength_kernels.SCRATCH_SHAPE, dtype=np.int32)
    totals = np.empty(1326, dtype=np.int32)

    def count(n: int, number: int) -> None:
        for i in range(number):
            strength_kernels.strength_counts(boards[i], n, holes, scratch, totals)

    report("HS of all hands, river", "us", 1e3, lambda: count(5, 1000))
    report("E[HS] of all hands, turn", "ms", 1e2, lambda: count(4, 10))
    report("E[HS] of all hands, flop", "ms", 1e3, lambda: count(3, 1))

    slots = canonical_boards(5).slots
    report("canonical river board", "ns", 1e3, lambda: locate_all(boards, slots))
    if len(sys.argv) > 1:
        tables = load_or_build(Path(sys.argv[1])).tables
        for street, name in enumerate(("preflop", "flop", "turn", "river")):
            look_up = partial(look_up_all, street, deals, tables)
            report(f"bucket in the training tables, {name}", "ns", 1e3, look_up)


if __name__ == "__main__":
    main()
