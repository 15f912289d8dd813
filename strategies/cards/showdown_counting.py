"""Counts the 13 orders of three starting-hand classes over boards, exactly: every count is a whole number.

Each hand b is the pivot in turn. With the vectors over classes of the hands that beat b, tie with b and lose to b, the
number of (a, c) with a > b > c is the product of the first and the last. Pairs (a, c) that share a card are taken away again,
card by card. The products are matrix products over all pivots of a class on a batch of boards, in float32, whose sums stay
below 2**24 and so are exact.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from math import sqrt
from pathlib import Path
from typing import TypeVar
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from limpet.common.folders import whole_file
from limpet.common.workers import Report, by_processes, silent
from limpet.configs.loading import ConfigError
from limpet.strategies.cards import equity_kernels as kernels
from limpet.strategies.cards.handspace import hand_space, read_only
from limpet.strategies.cards.isomorphism import NUM_CLASSES, canonical_boards, preflop_classes
from limpet.strategies.cards.preflop_tables import ALL_BOARDS, ORDERS, TRIPLE_BOARDS, ShowdownTables, order_sums
from limpet.strategies.cards.ranges import class_hands

BATCH = 64
"""Number of boards at a time. 12 * 12 * 12 * 24 * BATCH, the largest sum, must stay below 2**24."""

Numbers = npt.NDArray[np.int32]
Counts = npt.NDArray[np.int64]
"""int64[4, 169, 169, 169]: numbers of (board, three disjoint combos) that end in each order, for all triples of classes.

The arrays are those of `ShowdownTables`, in the order of `tables.ORDERS`; boards weigh their orbit."""


@cache
def rank_classes() -> npt.NDArray[np.intp]:
    """Return intp[13, 25]: the classes that hold each rank, ascending."""
    numbers = np.arange(NUM_CLASSES)
    return np.array([np.flatnonzero((numbers // 13 == rank) | (numbers % 13 == rank)) for rank in range(13)])


@cache
def card_cells() -> npt.NDArray[np.int32]:
    """Return int32[1326, 2]: the cell of each card of a hand, 25 * card + the place of the hand's class in `rank_classes`."""
    cells = [
        [25 * card + int(np.searchsorted(rank_classes()[card >> 2], number)) for card in hand]
        for hand, number in zip(hand_space().holes.tolist(), preflop_classes(), strict=True)
    ]
    return np.array(cells, dtype=np.int32)


def count_boards(boards: npt.NDArray[np.int8], orbits: npt.NDArray[np.int32]) -> Counts:
    """Return the counts over boards int8[B, 5], each weighing its orbit int32[B] of at most 24."""
    batches = [slice(start, start + BATCH) for start in range(0, len(boards), BATCH)]
    return _count((*kernels.sort_boards(boards[batch], hand_space().holes), orbits[batch]) for batch in batches)


def triple_weights() -> npt.NDArray[np.int64]:
    """Return int64[169, 169, 169]: number of ways to deal three classes combos without a common card, in this order."""
    # One deal without a board, in which all 1,326 hands tie: the order A=B=C then counts all disjoint combos.
    order, one = np.arange(1326, dtype=np.int32)[None], np.ones(1, np.int32)
    return np.asarray(_count([(order, np.zeros_like(order), np.array([0, 1326], np.int32), one, one)])[-1])


def _count(batches: Iterable[tuple[Numbers, Numbers, Numbers, Numbers, Numbers]]) -> Counts:
    """Return the counts over batches of at most `BATCH` boards: what `sort_boards` returns for each, and the orbits int32[B].

    Columns 0..168 of an axis of 338 are the classes of hands that tie with the pivot, 169..337 of those that are stronger
    (first such axis) or weaker (second); the 50 of a rank's 25 classes likewise. Tied classes below the pivot's are not
    used, because the pivot may be any of the tied.
    """
    space, cells, classes = hand_space(), card_cells(), preflop_classes()
    # For each pivot class the numbers of pairs of hands beside it, those that share a card too; the numbers of cards that
    # these pairs share, by rank; and of tied hands paired with themselves, whose second shared card is one too many.
    products = np.zeros((NUM_CLASSES, 2 * NUM_CLASSES, 2 * NUM_CLASSES))
    shared = np.zeros((NUM_CLASSES, 13, 50, 50))
    twins = np.zeros((NUM_CLASSES, NUM_CLASSES))
    sides = [np.empty((12 * BATCH, 2 * NUM_CLASSES), dtype=np.float32) for _ in range(2)]
    card_sides = [np.empty((12 * BATCH, 200), dtype=np.float32) for _ in range(2)]
    rows = np.zeros(NUM_CLASSES, dtype=np.int64)
    for order, runs, starts, last, orbits in batches:
        weights = orbits.astype(np.float32)
        (up, down), by_card = kernels.sum_runs(order, starts, last, classes, cells)
        for pivot, hands in enumerate(class_hands()):
            rows[pivot] = kernels.fill_rows(
                hands, runs, weights, up, down, space.holes, space.card_hands, classes, *sides
            )
            stronger, weaker = (side[: rows[pivot], pivot:] for side in sides)
            products[pivot, pivot:, pivot:] += stronger.T @ weaker
            twins[pivot, pivot:] += stronger[:, : NUM_CLASSES - pivot].sum(axis=0, dtype=np.float64)
        # Rank by rank, so that what is read and written stays in the processor's cache.
        for rank in range(13):
            up, down = by_card[:, rank]
            for pivot, hands in enumerate(class_hands()):
                kernels.fill_card_rows(rank, hands, runs, weights, up, down, space.holes, cells, *card_sides)
                strong, weak = (side[: rows[pivot]].reshape(-1, 50) for side in card_sides)
                shared[pivot, rank] += strong.T @ weak
    for rank, of_rank in enumerate(rank_classes()):
        columns = np.concatenate([of_rank, of_rank + NUM_CLASSES])
        products[:, columns[:, None], columns] -= shared[:, rank]
    numbers = np.arange(NUM_CLASSES)
    products[:, numbers, numbers] += twins
    tied, other = slice(0, NUM_CLASSES), slice(NUM_CLASSES, None)
    whole = products.astype(np.int64)
    strict = whole[:, other, other].transpose(1, 0, 2)
    top_tie = _symmetric(whole[:, tied, other])
    low_tie = _symmetric(whole[:, other, tied].transpose(0, 2, 1)).transpose(2, 0, 1)
    return np.stack([strict, top_tie, low_tie, _all_symmetric(whole[:, tied, tied])])


def _symmetric(upper: Counts) -> Counts:
    """Return the array with [x, y] for y >= x copied to [y, x]."""
    low, high = np.minimum(*np.indices((NUM_CLASSES,) * 2)), np.maximum(*np.indices((NUM_CLASSES,) * 2))
    filled: Counts = upper[low, high]
    return filled


def _all_symmetric(upper: Counts) -> Counts:
    """Return the array with [x, y, z] for x <= y <= z copied to all orders of the three."""
    x, y, z = np.indices((NUM_CLASSES,) * 3, dtype=np.int16)
    low, high = np.minimum(np.minimum(x, y), z), np.maximum(np.maximum(x, y), z)
    filled: Counts = upper[low, x + y + z - low - high, high]
    return filled


# --- Builds the tables on several processes: from all boards, in pieces that are kept on disk, or from boards drawn
# at random.

PIECES = 64
"""Number of pieces that the canonical boards are cut into; a kill loses what is done of one for each process."""
DRAWN = 512
"""Number of random boards that one process counts at a time."""

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def exact_tables(
    kept: Path, processes: int, progress: Report = silent, stop: Callable[[], bool] = lambda: False
) -> ShowdownTables | None:
    """Return the tables of all boards, or None if `stop` ended the work before its time.

    kept: file to which the counts are written after each piece, and from which a later call goes on; the caller removes it.
    progress(pieces done, PIECES) is called after each piece. Raises `ConfigError` for a file that is no such file.
    """
    counts, done = _read(kept) if kept.is_file() else (None, np.zeros(PIECES, dtype=np.bool_))
    progress(int(done.sum()), PIECES)
    for piece, counted in each_on_one_core(_count_piece, np.flatnonzero(~done).tolist(), processes, stop):
        counts = counted if counts is None else counts + counted
        done[piece] = True
        with whole_file(kept) as file:
            np.savez(file, done=done, **dict(zip(ORDERS, counts, strict=True)))
        progress(int(done.sum()), PIECES)
    return tables_from_counts(counts, ALL_BOARDS, 0.0) if counts is not None and done.all() else None


def sampled_tables(boards: int, seed: int, processes: int = 1, progress: Report = silent) -> ShowdownTables:
    """Return tables from boards drawn at random with replacement, fixed by the seed; 1,000 boards take some 10 s.

    A larger number begins with the same boards. progress(boards done, boards) is called now and then. Raises `ValueError`
    if some triple was never dealt on so few boards.
    """
    pieces = [(seed, start // DRAWN, min(DRAWN, boards - start)) for start in range(0, boards, DRAWN)]
    counts, done = None, 0
    progress(done, boards)
    for number, counted in each_on_one_core(_count_drawn, pieces, processes):
        counts = counted if counts is None else counts + counted
        done += number
        progress(done, boards)
    if counts is None:
        raise ValueError("0 boards are too few; ask for more")
    return tables_from_counts(counts, boards, standard_error_bound(boards))


def standard_error_bound(boards: int) -> float:
    """Return the largest standard error that a probability can have on so many random boards, to first order.

    A board gives each triple a share in 0..1, whose deviation is at most 1/2, and a weight: the fraction w of the triple's
    combos that miss the board. As w <= 1, the boards count for at least E[w] of their number: C(46, 5) / C(52, 5).
    """
    return 0.5 / sqrt(boards * TRIPLE_BOARDS / ALL_BOARDS)


def random_boards(seed: int, piece: int, number: int) -> npt.NDArray[np.int8]:
    """Return int8[number, 5]: boards of the full deck drawn with replacement, fixed by seed and piece, cards ascending."""
    random = np.random.Generator(np.random.Philox(key=np.array([seed, piece], dtype=np.uint64)))
    return np.sort(np.argpartition(random.random((number, 52)), 5, axis=1)[:, :5], axis=1).astype(np.int8)


def tables_from_counts(counts: Counts, boards: int, standard_error: float) -> ShowdownTables:
    """Return the tables of some counts. Raises `ValueError` if a triple that can be dealt was not counted at all."""
    weights = triple_weights()
    total = order_sums(*counts)
    if missing := np.count_nonzero((total == 0) & (weights > 0)):
        raise ValueError(f"{boards} boards are too few: {missing:,} triples of classes were never dealt; ask for more")
    shares = [read_only((each / np.maximum(total, 1)).astype(np.float32)) for each in counts]
    return ShowdownTables(
        triple_weights=read_only(weights.astype(np.float32)),
        **dict(zip(ORDERS, shares, strict=True)),
        boards=boards,
        standard_error=standard_error,
    )


def each_on_one_core(
    work: Callable[[Piece], Result], pieces: Iterable[Piece], processes: int, stop: Callable[[], bool] = lambda: False
) -> Iterator[Result]:
    """Yield the results of `by_processes`, each process with one thread for its matrix products."""
    name = "OPENBLAS_NUM_THREADS"
    before = os.environ.get(name)
    os.environ[name] = "1"  # read by processes that begin
    try:
        yield from by_processes(work, pieces, processes, stop=stop)
    finally:
        os.environ.pop(name)
        if before is not None:
            os.environ[name] = before


def _count_piece(piece: int) -> tuple[int, Counts]:
    """Return the number of a piece, and the counts over every PIECES-th canonical board from that number on."""
    boards = canonical_boards(5)
    return piece, count_boards(boards.boards[piece::PIECES], boards.orbit[piece::PIECES])


def _read(path: Path) -> tuple[Counts, npt.NDArray[np.bool_]]:
    """Return the counts of a kept file and which pieces they are of. Raises `ConfigError`."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return np.stack([arrays[name] for name in ORDERS]), arrays["done"]
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise ConfigError(f"{path}: no counts to go on with ({error}); delete it, and they are begun anew") from error


def _count_drawn(piece: tuple[int, int, int]) -> tuple[int, Counts]:
    """Return the number of boards of a piece (seed, piece, number of boards), and their counts."""
    boards = random_boards(*piece)
    return len(boards), count_boards(boards, np.ones(len(boards), dtype=np.int32))
