"""The generator of the shipped tables of three hands all-in before the flop: exact counts of the 13 orders over all boards.

``python -m tests.oracles.showdown_counting FILE`` counts all 2,598,960 boards, as 134,459 up to suits, in some 25 minutes of
processor time with 2 GB of memory a process, and writes the tables.

Each hand b is the pivot in turn. With the vectors over classes of the hands that beat b, tie with b and lose to b, the
number of (a, c) with a > b > c is the product of the first and the last. Pairs (a, c) that share a card are taken away again,
card by card. The products are matrix products over all pivots of a class on a batch of boards, in float32, whose sums stay
below 2**24 and so are exact.
"""

import os
import sys
import zlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from limpet.common.jit import njit
from limpet.common.safetensors import write_tensors
from limpet.common.workers import by_processes
from limpet.strategies.cards import preflop_tables
from limpet.strategies.cards.handspace import hand_space, read_only
from limpet.strategies.cards.isomorphism import NUM_CLASSES, canonical_boards, preflop_classes
from limpet.strategies.cards.preflop_tables import ShowdownTables, order_sums
from limpet.strategies.cards.ranges import class_hands
from limpet.strategies.cards.ranking_kernels import card_mask, hold_em_strengths
from limpet.strategies.cards.strength_kernels import sort_by_strength

BATCH = 64
"""Number of boards at a time. 12 * 12 * 12 * 24 * BATCH, the largest sum, must stay below 2**24."""

ALL_BOARDS = 2_598_960
"""Number of boards of a full deck, C(52, 5)."""

ORDERS = ("strict", "top_tie", "low_tie", "all_tie")
"""Names of the four arrays of `ShowdownTables`, as everywhere in a row."""

TRIPLE_BOARDS = 1_370_754
"""Number of boards for three given hands, C(46, 5)."""

Numbers = npt.NDArray[np.int32]
Counts = npt.NDArray[np.int64]
"""int64[4, 169, 169, 169]: numbers of (board, three disjoint combos) that end in each order, for all triples of classes.

The arrays are those of `ShowdownTables`, in the order of `ORDERS`; boards weigh their orbit."""


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
    return _count((*sort_boards(boards[batch], hand_space().holes), orbits[batch]) for batch in batches)


@cache
def triple_weights() -> npt.NDArray[np.int64]:
    """Return int64[169, 169, 169]: number of ways to deal three classes combos without a common card, in this order."""
    # One deal without a board, in which all 1,326 hands tie: the order A=B=C then counts all disjoint combos.
    order, one = np.arange(1326, dtype=np.int32)[None], np.ones(1, np.int32)
    return read_only(_count([(order, np.zeros_like(order), np.array([0, 1326], np.int32), one, one)])[-1].copy())


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
        (up, down), by_card = sum_runs(order, starts, last, classes, cells)
        for pivot, hands in enumerate(class_hands()):
            rows[pivot] = fill_rows(hands, runs, weights, up, down, space.holes, space.card_hands, classes, *sides)
            stronger, weaker = (side[: rows[pivot], pivot:] for side in sides)
            products[pivot, pivot:, pivot:] += stronger.T @ weaker
            twins[pivot, pivot:] += stronger[:, : NUM_CLASSES - pivot].sum(axis=0, dtype=np.float64)
        # Rank by rank, so that what is read and written stays in the processor's cache.
        for rank in range(13):
            up, down = by_card[:, rank]
            for pivot, hands in enumerate(class_hands()):
                fill_card_rows(rank, hands, runs, weights, up, down, space.holes, cells, *card_sides)
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


# --- Compiled first half of counting three hands: for each pivot hand, which classes hold stronger, equal and weaker
# hands.


@njit(cache=True, nogil=True, error_model="numpy")
def sort_boards(
    boards: npt.NDArray[np.int8], holes: npt.NDArray[np.int8]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return (order, runs, starts, last) of the hands of boards int8[B, 5], sorted by strength; holes: int8[1326, 2].

    order: int32[B, 1326], the hands that miss each board, weakest first. runs: int32[B, 1326], the run of each hand, -1 if
    it meets the board. starts: int32[runs], first place in the order of each run. last: int32[B], the number behind each
    board's runs, whose start is the number of hands.
    """
    order, runs = np.empty((len(boards), 1326), dtype=np.int32), np.empty((len(boards), 1326), dtype=np.int32)
    starts, last = np.empty(len(boards) * 1327, dtype=np.int32), np.empty(len(boards), dtype=np.int32)
    table = np.empty(169, dtype=np.int32)
    strengths = np.empty(1326, dtype=np.int32)
    spare = np.empty(1326, dtype=np.int32)
    bins = np.empty(256, dtype=np.int32)
    run = -1
    for b in range(boards.shape[0]):
        hold_em_strengths(card_mask(boards[b], 5), holes, table, strengths)
        live = sort_by_strength(strengths, order[b], spare, bins)
        runs[b] = -1
        for i in range(live):
            h = order[b, i]
            if i == 0 or strengths[h] != strengths[order[b, i - 1]]:
                run += 1
                starts[run] = i
            runs[b, h] = run
        run += 1
        starts[run] = live
        last[b] = run
    return order, runs, starts[: run + 1].copy(), last


@njit(cache=True, nogil=True, error_model="numpy")
def sum_runs(
    order: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int32],
    last: npt.NDArray[np.int32],
    classes: npt.NDArray[np.uint8],
    cells: npt.NDArray[np.int32],
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Count the hands that are in each run of a batch of boards, stronger and weaker, by class and by card and class.

    order, starts, last: as of `sort_boards`; classes: uint8[1326]; cells: int32[1326, 2], the cell of each card of a hand
    (`card_cells`). Returns uint8[2, runs, 338], hands in the run by class in columns 0..168, and those above or
    below in 169..337; and uint8[2, 13, runs, 200], the same by rank and suit of a card: 50 columns for a suit, 25 classes
    in the run and 25 above or below. Stronger hands come first in both.
    """
    both, both_by_card = np.empty((2, len(starts), 338), np.uint8), np.empty((2, 13, len(starts), 200), np.uint8)
    below = np.empty(169, dtype=np.uint8)
    below_by_card = np.empty(1300, dtype=np.uint8)
    run = 0
    for b in range(order.shape[0]):
        for backwards in range(2):  # from the weakest run up for `weaker`, then from the strongest down for `stronger`
            sums, sums_by_card = both[1 - backwards], both_by_card[1 - backwards]
            below[:] = 0
            below_by_card[:] = 0
            for i in range(last[b] - run):
                here = last[b] - 1 - i if backwards else run + i
                for j in range(169):
                    sums[here, 169 + j] = below[j]
                for card in range(52):
                    for j in range(25):
                        sums_by_card[card >> 2, here, 50 * (card & 3) + 25 + j] = below_by_card[25 * card + j]
                for k in range(starts[here], starts[here + 1]):
                    h = order[b, k]
                    below[classes[h]] += np.uint8(1)
                    below_by_card[cells[h, 0]] += np.uint8(1)
                    below_by_card[cells[h, 1]] += np.uint8(1)
                for j in range(169):
                    sums[here, j] = below[j] - sums[here, 169 + j]
                for card in range(52):
                    column = 50 * (card & 3)
                    for j in range(25):
                        upto = below_by_card[25 * card + j]
                        sums_by_card[card >> 2, here, column + j] = (
                            upto - sums_by_card[card >> 2, here, column + 25 + j]
                        )
        run = last[b] + 1
    return both, both_by_card


@njit(cache=True, nogil=True, error_model="numpy")
def fill_rows(
    pivots: npt.NDArray[np.int64],
    runs: npt.NDArray[np.int32],
    orbits: npt.NDArray[np.float32],
    run_stronger: npt.NDArray[np.uint8],
    run_weaker: npt.NDArray[np.uint8],
    holes: npt.NDArray[np.int8],
    card_hands: npt.NDArray[np.int32],
    classes: npt.NDArray[np.uint8],
    stronger: npt.NDArray[np.float32],
    weaker: npt.NDArray[np.float32],
) -> int:
    """Write the rows of some pivot hands on all boards of a batch, by class, and return how many there are.

    A row counts hands that share no card with its pivot and board. pivots: int64[n], hands of one class; runs: as
    `sort_boards` has them; orbits: float32[B], weights of the boards; run_stronger, run_weaker: uint8[runs, 338], as
    `sum_runs` has them; holes: int8[1326, 2]; card_hands: int32[52, 51], the hands that hold each card; classes:
    uint8[1326]. Written, K >= n * B rows: stronger float32[K, 338], times the orbit, and weaker float32[K, 338].
    """
    row = 0
    for b in range(runs.shape[0]):
        orbit = orbits[b]
        for pivot in pivots:
            run = runs[b, pivot]
            if run < 0:
                continue
            for j in range(338):
                stronger[row, j] = orbit * np.float32(run_stronger[run, j])
            for j in range(338):
                weaker[row, j] = np.float32(run_weaker[run, j])
            # Hands that share a card with the pivot are taken away, the pivot itself with its first card.
            for k in range(2):
                for h in card_hands[holes[pivot, k]]:
                    other = runs[b, h]
                    if other < 0 or (k == 1 and h == pivot):
                        continue
                    column = classes[h] + 169 * (other != run)
                    stronger[row, column] -= orbit * np.float32(other >= run)
                    weaker[row, column] -= np.float32(other <= run)
            row += 1
    return row


@njit(cache=True, nogil=True, error_model="numpy")
def fill_card_rows(
    rank: int,
    pivots: npt.NDArray[np.int64],
    runs: npt.NDArray[np.int32],
    orbits: npt.NDArray[np.float32],
    run_stronger: npt.NDArray[np.uint8],
    run_weaker: npt.NDArray[np.uint8],
    holes: npt.NDArray[np.int8],
    cells: npt.NDArray[np.int32],
    stronger: npt.NDArray[np.float32],
    weaker: npt.NDArray[np.float32],
) -> None:
    """Write the rows of `fill_rows` once more, of the hands that hold each card of a rank.

    run_stronger, run_weaker: uint8[runs, 200], the rank's part of what `sum_runs` counts by card; cells: as there. Written:
    stronger and weaker float32[K, 200], 50 columns for each suit.
    """
    row = 0
    for b in range(runs.shape[0]):
        orbit = orbits[b]
        for pivot in pivots:
            run = runs[b, pivot]
            if run < 0:
                continue
            for j in range(200):
                stronger[row, j] = orbit * np.float32(run_stronger[run, j])
            for j in range(200):
                weaker[row, j] = np.float32(run_weaker[run, j])
            for suit in range(4):
                card = 4 * rank + suit
                if card == holes[pivot, 0] or card == holes[pivot, 1]:
                    stronger[row, 50 * suit : 50 * suit + 50] = 0
                    weaker[row, 50 * suit : 50 * suit + 50] = 0
                    continue
                for k in range(2):  # the two hands that hold this card and one of the pivot's
                    mate = int(holes[pivot, k])
                    low = min(card, mate)
                    high = max(card, mate)
                    h = low + high * (high - 1) // 2
                    other = runs[b, h]
                    column = cells[h, int(card > mate)] - 25 * card + 50 * suit + 25 * (other != run)
                    stronger[row, column] -= orbit * np.float32(other >= run)
                    weaker[row, column] -= np.float32((other >= 0) & (other <= run))
            row += 1


# --- The tables of all boards, on several processes.

PIECES = 64
"""Number of pieces that the canonical boards are cut into."""


def tables_from_counts(counts: Counts, boards: int) -> ShowdownTables:
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
    )


def count_piece(piece: int) -> Counts:
    """Return the counts over every PIECES-th canonical board from that number on."""
    boards = canonical_boards(5)
    return count_boards(boards.boards[piece::PIECES], boards.orbit[piece::PIECES])


def write_tables(path: Path, tables: ShowdownTables) -> None:
    """Write the file that `preflop_tables.open_tables` reads; equal tables make equal files."""
    packed = {}
    for name in preflop_tables._EXCHANGED:
        array = getattr(tables, name)
        words = array if name == "triple_weights" else np.rint(array * np.float32(preflop_tables.STEPS))
        packed[name] = np.frombuffer(zlib.compress(_packed(words.astype(np.uint16), name), 9), dtype=np.uint8)
    about = {
        "format": preflop_tables.FORMAT,
        "boards": str(tables.boards),
        "standard_error": "0.0",
        "sha256": preflop_tables._digest(packed),
    }
    write_tensors(path, packed, about)


def _packed(words: npt.NDArray[np.uint16], name: str) -> bytes:
    """Return the differences of an array's stored cells, all low bytes before all high bytes."""
    by_rank = preflop_tables._by_rank()
    words = words[np.ix_(by_rank, by_rank, by_rank)]
    for axis in range(3):
        words = np.diff(words, axis=axis, prepend=np.zeros_like(words.take([0], axis=axis)))
    signed = words[preflop_tables._stored(preflop_tables._EXCHANGED[name])].view(np.int16)
    folded = ((signed << 1) ^ (signed >> 15)).view(np.uint16)  # small numbers of either sign have a high byte of 0
    return folded.astype("<u2").view(np.uint8).reshape(-1, 2).T.tobytes()


def main() -> None:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read by the processes that begin: each has one thread for its products
    counts = np.zeros((4, NUM_CLASSES, NUM_CLASSES, NUM_CLASSES), np.int64)
    for done, counted in enumerate(by_processes(count_piece, range(PIECES), os.cpu_count() or 1), 1):
        counts += counted
        print(f"{done} of {PIECES} pieces", file=sys.stderr)
    write_tables(Path(sys.argv[1]), tables_from_counts(counts, ALL_BOARDS))


if __name__ == "__main__":
    main()
