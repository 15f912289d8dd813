"""Rates of the evaluator, the strengths and the bucket lookups, on one thread.

    python benchmarks/ranking.py [folder with strength tables] [--kujath-table]

Without a folder the training lookups are left out. With --kujath-table only Kujath's way is compared with ours: a table
of the ranks of all C(52, 7) hands, 268 MB, read at his combination index. Each line is the median of five runs, lowest
and highest beside it, in processor time of the thread, so that other programs on the machine matter little.
"""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from math import comb
from pathlib import Path
from statistics import median
from time import thread_time

import numpy as np
import numpy.typing as npt
from combination_index import index_all, index_of, index_terms
from numba import njit

from limpet.protocol.ranking import rank_hands
from limpet.strategies.abstraction.card_table_kernels import BucketTables, fill_round
from limpet.strategies.abstraction.card_tables import load_or_build_strengths
from limpet.strategies.cards import deck_kernels, ranking_kernels
from limpet.strategies.cards.equity import strength_counts
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import canonical_boards

sys.path.insert(0, str(Path(__file__).parents[1]))  # hands one after another are ranked by an oracle of the tests
from tests.oracles.every_hand import count_ranks, every_rank, rank_counts


def report(name: str, unit: str, scale: float, work: Callable[[], object]) -> None:
    """Print scale * processor seconds of work; with a negative scale, -scale / seconds (a rate)."""
    work()  # compiled and in cache
    figures = []
    for _ in range(5):
        start = thread_time()
        work()
        seconds = thread_time() - start
        figures.append(scale * seconds if scale > 0 else -scale / seconds)
    print(f"{name:48} {median(figures):9.2f} {unit:6} ({min(figures):.2f} .. {max(figures):.2f})")


@njit(nogil=True)
def locate_all(boards: npt.NDArray[np.int8], keys: npt.NDArray[np.int64]) -> int:
    total = 0
    for i in range(boards.shape[0]):
        row, permutation = deck_kernels.canonical_board(boards[i], 5, keys)
        total += row + permutation
    return total


def look_up_all(street: int, deals: npt.NDArray[np.int8], tables: BucketTables) -> None:
    buckets = np.empty((len(deals), 1, 4), dtype=np.int32)
    fill_round(street, np.arange(len(deals)), deals[:, None, 5:], deals[:, :5], tables, buckets)


@njit(nogil=True)
def look_up_ranks(
    deals: npt.NDArray[np.int8],
    terms: npt.NDArray[np.int64],
    table: npt.NDArray[np.uint16],
    ranks: npt.NDArray[np.int32],
) -> None:
    for i in range(deals.shape[0]):
        ranks[i] = table[index_of(deals[i], terms)]


def random_deals(number: int) -> npt.NDArray[np.int8]:
    rng = np.random.default_rng(1)
    blocks = [np.argsort(rng.random((1_000_000, 52)), axis=1)[:, :7].astype(np.int8) for _ in range(number)]
    return np.concatenate(blocks)


def kujath_table() -> None:
    deals = random_deals(4)  # of the table's 2.1 million cache lines most are read, and none again soon
    terms = index_terms(7)
    table = every_rank(7)
    counts = np.zeros(ranking_kernels.NUM_RANKS, dtype=np.int64)
    looked_up = np.empty(len(deals), dtype=np.int32)
    look_up_ranks(deals, terms, table, looked_up)
    assert np.array_equal(looked_up, ranking_kernels.rank_batch(deals))

    print(f"table of all seven-card ranks: {len(table):,} hands, {table.nbytes / 1e6:.1f} MB")
    report("fill the table by our evaluator", "s", 1.0, lambda: every_rank(7))
    report("random hands: table", "M/s", -4.0, lambda: look_up_ranks(deals, terms, table, looked_up))
    report("random hands: evaluator", "M/s", -4.0, lambda: ranking_kernels.rank_batch(deals))
    every = comb(52, 7) / 1e6
    report("count all hands: table in order", "M/s", -every, lambda: count_ranks(table, len(table), counts))
    report("count all hands: evaluator", "M/s", -every, lambda: rank_counts(7))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="folder with strength tables, built there if it has none")
    parser.add_argument("--kujath-table", action="store_true", help="compare with a table of all seven-card ranks")
    arguments = parser.parse_args()
    if arguments.kujath_table:
        kujath_table()
        return
    deals = random_deals(1)
    boards = np.ascontiguousarray(deals[:, :5])
    holes = hand_space().holes
    ranking_kernels.rank_batch(deals[:1])  # compiles, or loads what was compiled
    ranking_kernels.hand_strengths(boards[0], holes)

    report("rank, random 7-card hands", "M/s", -1.0, lambda: ranking_kernels.rank_batch(deals))
    report("rank, all 7-card hands, counted by rank", "M/s", -comb(52, 7) / 1e6, lambda: rank_counts(7))
    two = [deals[0, :2].tolist(), deals[1, :2].tolist()]
    board = [card for card in range(52) if card not in two[0] + two[1]][:5]
    report("rank_hands from Python, two hands", "us", 1e2, lambda: [rank_hands(two, board) for _ in range(10_000)])
    some = boards[:1000]
    report(
        "all strengths of a river board", "us", 1e3, lambda: [ranking_kernels.hand_strengths(b, holes) for b in some]
    )

    def count(n: int, number: int) -> None:
        for i in range(number):
            strength_counts(boards[i, :n].tolist())

    report("HS of all hands, river", "us", 1e3, lambda: count(5, 1000))
    report("E[HS] of all hands, turn", "ms", 1e2, lambda: count(4, 10))
    report("E[HS] of all hands, flop", "ms", 1e3, lambda: count(3, 1))

    keys = canonical_boards(5).keys
    report("canonical river board", "ns", 1e3, lambda: locate_all(boards, keys))
    indices = np.empty(len(deals), dtype=np.int64)
    report(
        "combination index of random 7-card hands",
        "M/s",
        -1.0,
        lambda: index_all(deals, index_terms(7), indices),
    )
    if arguments.folder is not None:
        tables = load_or_build_strengths(arguments.folder).tables
        for street, name in enumerate(("preflop", "flop", "turn", "river")):
            look_up = partial(look_up_all, street, deals, tables)
            report(f"bucket in the training tables, {name}", "ns", 1e3, look_up)


if __name__ == "__main__":
    main()
