"""Compiled counts of dealt hands on whole boards: what a few hands beat, where a sweep would rank all 1,326.

Opponents are counted by their two ranks, of which there are 91 pairs, and not one by one. Where three cards or more of the
board share a suit, the opponents that make a flush of it are counted again by themselves.
"""

from typing import Any

import numpy as np

from limpet.common.jit import Bytes, Ints, Longs, UBytes, njit
from limpet.strategies.cards.ranking_kernels import card_mask, flush_rank, higher, rank_pair_table, set_size

NO_COUNT = -1
"""Count of a hand that shares a card with the board."""


@njit(cache=True, nogil=True, error_model="numpy")
def count_dealt(
    boards: Bytes, holes: Bytes, group_of: UBytes, table: Ints, free: Longs, counts: Ints, opponents: Ints
) -> None:
    """Write twice the opposing hands that each dealt hand beats plus those it ties, and how many there are, by group.

    boards: int8[B, 5]. holes: int8[B, P, 2], the hands dealt with each board. group_of: uint8[13, 13], group below G of
    opposing hands by their ranks: suited ones at [higher, lower], the others at [lower, higher]. counts and opponents:
    int32[B, P, G], zeros at first; where a hand shares a card with its board, its counts become NO_COUNT. Scratch: table
    int32[169], free int64[13].
    """
    for b in range(boards.shape[0]):
        board = card_mask(boards[b], 5)
        rank_pair_table(board, table)
        flush = -1
        for suit in range(4):
            if set_size((board >> (16 * suit)) & 0x1FFF) >= 3:
                flush = suit
        for p in range(holes.shape[1]):
            own = card_mask(holes[b, p], 2)
            if own & board:
                for g in range(counts.shape[2]):
                    counts[b, p, g] = NO_COUNT
                continue
            first = np.int64(holes[b, p, 0]) >> 2
            second = np.int64(holes[b, p, 1]) >> 2
            rank: Any = np.int64(table[13 * first + second if first > second else 13 * second + first])
            dead = board | own
            if flush >= 0:
                rank = higher(rank, flush_rank((dead >> (16 * flush)) & 0x1FFF))
            _count_by_ranks(dead, rank, table, group_of, free, counts[b, p], opponents[b, p])
            if flush >= 0:
                _count_flushes(board, dead, flush, rank, table, group_of, counts[b, p])


@njit(cache=True, nogil=True, error_model="numpy")
def _count_by_ranks(
    dead: int, rank: int, table: Ints, group_of: UBytes, free: Longs, counts: Ints, opponents: Ints
) -> None:
    """Add the opponents of one hand and what it counts against them, as if there were no flushes."""
    one_group = counts.shape[0] == 1
    counted = 0
    met = 0
    for r in range(13):
        suits = 0
        for suit in range(4):
            suits |= (1 - ((dead >> (16 * suit + r)) & 1)) << suit
        free[r] = suits
        held = set_size(suits)
        for q in range(r + 1):
            theirs = table[13 * r + q]
            points = 2 if rank > theirs else 1 if rank == theirs else 0
            suited = set_size(suits & free[q])
            others = held * set_size(free[q]) - suited
            if q == r:
                suited, others = 0, others // 2
            if one_group:  # sums in registers: one after the other in memory they take twice as long
                counted += points * (suited + others)
                met += suited + others
                continue
            of_suited, of_others = group_of[r, q], group_of[q, r]
            counts[of_suited] += points * suited
            opponents[of_suited] += suited
            counts[of_others] += points * others
            opponents[of_others] += others
    if one_group:
        counts[0] += counted
        opponents[0] += met


@njit(cache=True, nogil=True, error_model="numpy")
def _count_flushes(board: int, dead: int, flush: int, rank: int, table: Ints, group_of: UBytes, counts: Ints) -> None:
    """Correct the counts for the opponents that make a flush of suit `flush`."""
    shown = (board >> (16 * flush)) & 0x1FFF
    needed = 5 - set_size(shown)
    start, step = (flush, 4) if needed == 2 else (0, 1)
    for x in range(start, 52, step):
        if (dead >> (16 * (x & 3) + (x >> 2))) & 1:
            continue
        with_x = shown | (1 << (x >> 2)) if x & 3 == flush else shown
        for y in range(start, x, step):
            if (dead >> (16 * (y & 3) + (y >> 2))) & 1:
                continue
            with_both = with_x | (1 << (y >> 2)) if y & 3 == flush else with_x
            made = flush_rank(with_both)
            r, q = x >> 2, y >> 2
            theirs = table[13 * r + q]
            if made <= theirs:
                continue
            points = (2 if rank > made else 1 if rank == made else 0) - (
                2 if rank > theirs else 1 if rank == theirs else 0
            )
            counts[group_of[r, q] if x & 3 == y & 3 else group_of[q, r]] += points
