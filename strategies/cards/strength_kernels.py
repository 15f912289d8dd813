"""Compiled hand strength, exact with card removal: each hold'em hand against a uniformly random one.

Strength is counted, never rounded. On a river a hand meets 990 opposing hands, and its *count* is twice those it beats
plus those it ties, 0 .. 1,980. On earlier streets the count is the sum over all ways to complete the board that miss
the hand: 46 rivers after a turn, 1,081 turn and river pairs after a flop. Count over full count is the probability of
winning plus half that of a tie, E[HS]. Counts are whole numbers, so equal strengths compare equal.
"""

from typing import Any

import numpy as np

from limpet.common.jit import Bytes, Ints, Longs, UBytes, UShorts, njit
from limpet.strategies.cards.ranking_kernels import (
    card_mask,
    flush_rank,
    higher,
    hold_em_strengths,
    rank_pair_table,
    set_size,
)

# --- Sums over the hands that share no card with a hand, from sums by card: inclusion and exclusion.

Sum = Any
"""For type checkers: a number, or lanes of them."""


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def without(total: Sum, of_a: Sum, of_b: Sum) -> Sum:
    """Return T - C(a) - C(b), subtracted one after the other."""
    return total - of_a - of_b


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def without_both(total: Sum, of_a: Sum, of_b: Sum) -> Sum:
    """Return T - (C(a) + C(b)): a shorter chain of dependent operations, for lanes."""
    return total - (of_a + of_b)


@njit(cache=True, nogil=True, error_model="numpy")
def sort_by_strength(strengths: Ints, order: Ints, spare: Ints, bins: Ints) -> int:
    """Put the hands that are not BLOCKED into order, weakest first, and return how many there are.

    order and spare: int32[>= hands]; bins: int32[256] scratch. Two stable counting passes of seven bits: ranks are
    below 2**14. Ties keep index order.
    """
    for i in range(256):
        bins[i] = 0
    for h in range(strengths.shape[0]):
        strength = strengths[h]
        if strength >= 0:
            bins[strength & 127] += 1
            bins[128 + (strength >> 7)] += 1
    low_start = 0
    high_start = 0
    for i in range(128):
        low_start, bins[i] = low_start + bins[i], low_start
        high_start, bins[128 + i] = high_start + bins[128 + i], high_start
    for h in range(strengths.shape[0]):
        strength = strengths[h]
        if strength >= 0:
            at = bins[strength & 127]
            bins[strength & 127] = at + 1
            spare[at] = h
    for i in range(low_start):
        h = spare[i]
        digit = 128 + (strengths[h] >> 7)
        at = bins[digit]
        bins[digit] = at + 1
        order[at] = h
    return low_start


@njit(cache=True, nogil=True, error_model="numpy")
def add_counts(strengths: Ints, holes: Bytes, scratch: Ints, totals: Ints) -> None:
    """Add the river count of every hand that is not BLOCKED to totals int32[1326].

    strengths: int32[1326], ranks on a river; holes: int8[1326, 2]; scratch: int32[>= 3, 1326].

    Hands are swept from weak to strong, a group of equals at a time, keeping how many have been passed in all and how
    many of them hold each card. A hand {a, b} beats `passed - with_a - with_b` before its group is added; afterwards
    the same difference counts wins and ties, but for the hand itself, which is subtracted twice and was added once.
    """
    order = scratch[0]
    live = sort_by_strength(strengths, order, scratch[1], scratch[2, :256])
    holding = scratch[2, 256:308]
    for card in range(52):
        holding[card] = 0
    start = 0
    while start < live:
        strength = strengths[order[start]]
        end = start
        while end < live and strengths[order[end]] == strength:
            h = order[end]
            totals[h] += without(start, holding[holes[h, 0]], holding[holes[h, 1]])
            end += 1
        for i in range(start, end):
            h = order[i]
            holding[holes[h, 0]] += 1
            holding[holes[h, 1]] += 1
        for i in range(start, end):
            h = order[i]
            totals[h] += without(end, holding[holes[h, 0]], holding[holes[h, 1]]) + 1
        start = end


@njit(cache=True, nogil=True, error_model="numpy")
def add_river_counts(board: int, holes: Bytes, scratch: Ints, totals: Ints) -> None:
    """Add every live hand's river count to totals int32[1326]; leave hands that share a card with the board alone.

    board: mask of five cards; holes: int8[1326, 2]; scratch: int32[4, 1326], whose first row then holds the
    strength of every hand, BLOCKED for those that share a card with the board.
    """
    hold_em_strengths(board, holes, scratch[3], scratch[0])
    add_counts(scratch[0], holes, scratch[1:], totals)


@njit(cache=True, nogil=True, error_model="numpy")
def sum_rivers(
    strengths: Ints, weights: Longs, holes: Bytes, bin_of: UBytes, scratch: Ints, moments: Longs, bins: UShorts
) -> None:
    """Add to moments int64[1326, 2] each hand's weighted sums over rivers of its river count and of the count's square.

    Rivers on which the hand is BLOCKED add nothing. strengths: int32[R, 1326], ranks on each river; weights: int64[R];
    holes: int8[1326, 2]. bins: uint16[1326, B], to which each river adds its weight in the bin ``bin_of[count]`` of the
    hand; bin_of: uint8[1981]; scratch: int32[4, 1326].
    """
    counts = scratch[3]
    for r in range(strengths.shape[0]):
        for h in range(1326):
            counts[h] = 0
        add_counts(strengths[r], holes, scratch, counts)
        for h in range(1326):
            if strengths[r, h] >= 0:
                count, weight = np.int64(counts[h]), weights[r]
                moments[h, 0] += weight * count
                moments[h, 1] += weight * count * count
                bins[h, bin_of[count]] += np.uint16(weight)


# --- Hands that were dealt: what a few beat on whole boards, where a sweep would rank all 1,326. Opponents are counted by their
# two ranks, of which there are 91 pairs, and not one by one. Where three cards or more of the board share a suit, the
# opponents that make a flush of it are counted again by themselves.

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
