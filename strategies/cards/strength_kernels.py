"""Compiled hand strength, exact with card removal: each hold'em hand against a uniformly random one.

Strength is counted, never rounded. On a river a hand meets 990 opposing hands, and its *count* is twice those it beats
plus those it ties, 0 .. 1,980. On earlier streets the count is the sum over all ways to complete the board that miss
the hand: 46 rivers after a turn, 1,081 turn and river pairs after a flop. Count over full count is the probability of
winning plus half that of a tie, E[HS]. Counts are whole numbers, so equal strengths compare equal.
"""

from typing import Any

import numpy as np

from limpet.common.jit import Bytes, Ints, Longs, UBytes, UShorts, njit
from limpet.strategies.cards.ranking_kernels import hold_em_strengths

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
