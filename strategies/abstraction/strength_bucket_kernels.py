"""Compiled part of the strength buckets: filling the tables, and looking one hand up from another kernel.

The lookups are inlined into their callers: handing seven arrays to a function costs more than the lookup.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from limpet.protocol.jit import njit
from limpet.strategies.cards.isomorphism_kernels import canonical_board, hand_index, permute_hand
from limpet.strategies.cards.strength_kernels import strength_counts

NO_BUCKET = 255  # in tables and vectors: the hand meets the board


class BucketTables(NamedTuple):
    """Everything a training kernel needs to look buckets up; all arrays read-only, so that one compilation serves.

    preflop: uint8[1326]. flop, turn, river: uint8[1755 | 16432 | 134459, 1326], bucket of each hand on each canonical
    board. *_slots: int64[2**b, 2], the canonical board lookups (`isomorphism_kernels.find_key`).
    """

    preflop: npt.NDArray[np.uint8]
    flop: npt.NDArray[np.uint8]
    turn: npt.NDArray[np.uint8]
    river: npt.NDArray[np.uint8]
    flop_slots: npt.NDArray[np.int64]
    turn_slots: npt.NDArray[np.int64]
    river_slots: npt.NDArray[np.int64]


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def locate(board: npt.NDArray[np.int8], n: int, tables: BucketTables) -> tuple[int, int]:
    """(table row, suit permutation byte) of the first n = 3, 4 or 5 board cards: once per board, then `bucket_at`."""
    if n == 3:
        return canonical_board(board, 3, tables.flop_slots)
    if n == 4:
        return canonical_board(board, 4, tables.turn_slots)
    return canonical_board(board, 5, tables.river_slots)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def bucket_at(table: npt.NDArray[np.uint8], row: int, permutation: int, x: int, y: int) -> int:
    """Bucket of the hand of card ids x, y on a located board; NO_BUCKET if it meets the board."""
    return int(table[row, permute_hand(x, y, permutation)])


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def bucket(street: int, x: int, y: int, board: npt.NDArray[np.int8], tables: BucketTables) -> int:
    """Bucket of the hand of card ids x, y on street 0..3; board: at least as many cards as the street shows."""
    if street == 0:
        return int(tables.preflop[hand_index(x, y)])
    if street == 1:
        row, permutation = canonical_board(board, 3, tables.flop_slots)
        return bucket_at(tables.flop, row, permutation, x, y)
    if street == 2:
        row, permutation = canonical_board(board, 4, tables.turn_slots)
        return bucket_at(tables.turn, row, permutation, x, y)
    row, permutation = canonical_board(board, 5, tables.river_slots)
    return bucket_at(tables.river, row, permutation, x, y)


@njit(cache=True, nogil=True, error_model="numpy")
def count_boards(
    boards: npt.NDArray[np.int8],
    first: int,
    last: int,
    holes: npt.NDArray[np.int8],
    scratch: npt.NDArray[np.int32],
    totals: npt.NDArray[np.int32],
    counts: npt.NDArray[np.int32],
) -> None:
    """Strength counts of every hand on boards first .. last - 1 into those rows of counts (int16 or int32[B, 1326])."""
    for i in range(first, last):
        strength_counts(boards[i], boards.shape[1], holes, scratch, totals)
        for h in range(totals.shape[0]):
            counts[i, h] = totals[h]


@njit(cache=True, nogil=True, error_model="numpy")
def weigh_counts(counts: npt.NDArray[np.int32], orbit: npt.NDArray[np.int32], weights: npt.NDArray[np.int64]) -> None:
    """Add to weights[c] how many (board, hand) pairs of the full deck have strength count c; orbit: int32[B]."""
    for i in range(counts.shape[0]):
        for h in range(counts.shape[1]):
            count = counts[i, h]
            if count >= 0:
                weights[count] += orbit[i]


@njit(cache=True, nogil=True, error_model="numpy")
def assign_buckets(
    counts: npt.NDArray[np.int32],
    first: int,
    last: int,
    bucket_of: npt.NDArray[np.uint8],
    table: npt.NDArray[np.uint8],
) -> None:
    """Turn counts into buckets, rows first .. last - 1; bucket_of: uint8[full count + 1]. Blocked hands: NO_BUCKET."""
    for i in range(first, last):
        for h in range(counts.shape[1]):
            count = counts[i, h]
            table[i, h] = bucket_of[count] if count >= 0 else NO_BUCKET


@njit(cache=True, nogil=True, error_model="numpy")
def first_wrong(
    table: npt.NDArray[np.uint8], boards: npt.NDArray[np.int8], hands: npt.NDArray[np.uint64], buckets: int
) -> int:
    """The first row that has another value than 0 .. buckets - 1 for a live hand or NO_BUCKET for a blocked one, or -1.

    hands: uint64[1326], a bit for each of a hand's cards.
    """
    for i in range(table.shape[0]):
        on_board = np.uint64(0)
        for card in boards[i]:
            on_board |= np.uint64(1) << np.uint64(card)
        wrong = 0
        for h in range(table.shape[1]):  # without a way out, so that it is done many hands at a time
            value = table[i, h]
            wrong += (value != NO_BUCKET) if hands[h] & on_board else (value >= buckets)
        if wrong:
            return i
    return -1
