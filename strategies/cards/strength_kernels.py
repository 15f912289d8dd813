"""Compiled hand strength, exact with card removal: each hold'em hand against a uniformly random one.

Strength is counted, never rounded. On a river a hand meets 990 opposing hands, and its *count* is twice those it beats
plus those it ties, 0 .. 1,980. On earlier streets the count is the sum over all ways to complete the board that miss
the hand: 46 rivers after a turn, 1,081 turn and river pairs after a flop. Count over full count is the probability of
winning plus half that of a tie, E[HS]. Counts are whole numbers, so equal strengths compare equal.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from limpet.common.jit import njit
from limpet.strategies.cards.deck_kernels import card_bit, runouts
from limpet.strategies.cards.ranking_kernels import BLOCKED, card_mask, hold_em_strengths

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
def sort_by_strength(
    strengths: npt.NDArray[np.int32],
    order: npt.NDArray[np.int32],
    spare: npt.NDArray[np.int32],
    bins: npt.NDArray[np.int32],
) -> int:
    """Put the hands that are not BLOCKED into order, weakest first, and return how many there are.

    order and spare: int32[>= hands]; bins: int32[256] scratch. Two stable counting passes of seven bits: ranks are
    below 2**14. Ties keep index order.
    """
    bins[:] = 0
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
def add_river_counts(
    board: int, holes: npt.NDArray[np.int8], scratch: npt.NDArray[np.int32], totals: npt.NDArray[np.int32]
) -> None:
    """Add every live hand's river count to totals int32[1326]; leave hands that share a card with the board alone.

    board: mask of five cards; holes: int8[1326, 2]; scratch: int32[4, 1326], whose first row then holds the
    strength of every hand, BLOCKED for those that share a card with the board.

    Hands are swept from weak to strong, a group of equals at a time, keeping how many have been passed in all and how
    many of them hold each card. A hand {a, b} beats `passed - with_a - with_b` before its group is added; afterwards
    the same difference counts wins and ties, but for the hand itself, which is subtracted twice and was added once.
    """
    strengths = scratch[0]
    order = scratch[1]
    hold_em_strengths(board, holes, scratch[3], strengths)
    live = sort_by_strength(strengths, order, scratch[2], scratch[3, :256])
    holding = scratch[3, 256:308]
    holding[:] = 0
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
def with_suits(board: int, suits: npt.NDArray[np.int64]) -> int:
    """Return the mask of a board after suit s becomes suits[s]."""
    moved = 0
    for suit in range(4):
        moved |= ((board >> (16 * suit)) & 0x1FFF) << (16 * suits[suit])
    return moved


@njit(cache=True, nogil=True, error_model="numpy")
def strength_counts(
    board: npt.NDArray[np.int8],
    n: int,
    holes: npt.NDArray[np.int8],
    suits: npt.NDArray[np.int64],
    moved: npt.NDArray[np.int32],
) -> npt.NDArray[np.int32]:
    """Return int32[1326]: every hand's count on the first n = 3, 4 or 5 cards of a board; BLOCKED is -1.

    Divide by FULL_COUNT[n] for E[HS]. holes: int8[1326, 2]. suits: int64[G, 4], a group of suit permutations that leave
    the board as it is; moved: int32[G, 1326], the hand that each makes of a hand. Of full boards that the group turns into
    each other only the least is looked at, as often as there are others; then each hand has the mean over its images.
    """
    mask, group = card_mask(board, n), suits.shape[0]
    scratch, sums = np.empty((4, 1326), dtype=np.int32), np.zeros((3, 1326), dtype=np.int32)
    one, weighted = sums[0], sums[1]
    totals: npt.NDArray[np.int32] = sums[2]
    for full in runouts(mask, 0, 5 - n):
        same = 0
        for g in range(group):
            image = with_suits(full, suits[g])
            if image < full:
                same = 0
                break
            same += image == full
        if same:
            one[:] = 0
            add_river_counts(full, holes, scratch, one)
            for h in range(1326):
                weighted[h] += group // same * one[h]
    for h in range(1326):
        if mask & (card_bit(int(holes[h, 0])) | card_bit(int(holes[h, 1]))):
            totals[h] = BLOCKED
        else:
            for g in range(group):
                totals[h] += weighted[moved[g, h]]
            totals[h] //= group
    return totals
