"""Compiled equities of every hand against a weighted range, over all remaining boards.

Boards are masks, bit 16 * suit + rank for each card; hands are numbered by colex index (`handspace.hand_space`).
"""

import numpy as np

from limpet.common.jit import Bytes, Doubles, Ints, Shorts, njit
from limpet.strategies.cards.deck_kernels import runouts
from limpet.strategies.cards.ranking_kernels import hold_em_strengths
from limpet.strategies.cards.strength_kernels import sort_by_strength, without


@njit(cache=True, nogil=True, error_model="numpy")
def add_river_sums(board: int, holes: Bytes, weights: Doubles, wins: Doubles, ties: Doubles) -> None:
    """Add to wins and ties float64[1326] the weight of the opposing hands that each hand beats and ties on one river.

    board: mask of five cards; holes: int8[1326, 2]; weights: float64[1326]. Hands that share a card with the board are
    left alone.

    Hands are swept from weak to strong, a group of equals at a time, with the weight passed so far in all and of the
    hands that hold each card. A hand {a, b} beats `passed - with_a - with_b`: nothing passed holds both cards but the
    hand itself, which joins with its group. Afterwards the same difference, plus the hand's own weight that was taken
    off twice and put on once, is wins and ties together; the hand does not meet itself, so it is taken off once more.
    """
    # Row by row: arrays that an array is unpacked into are of no known layout, for which kernels are compiled once more.
    scratch = np.empty((4, 1326), dtype=np.int32)
    strengths, order, spare, bins = scratch[0], scratch[1], scratch[2], scratch[3]
    hold_em_strengths(board, holes, bins, strengths)
    live = sort_by_strength(strengths, order, spare, bins[:256])
    holding = np.zeros(52, dtype=np.float64)
    passed = 0.0
    start = 0
    while start < live:
        strength = strengths[order[start]]
        end = start
        group = 0.0
        while end < live and strengths[order[end]] == strength:
            h = order[end]
            beaten = passed - holding[holes[h, 0]] - holding[holes[h, 1]]
            wins[h] += beaten
            ties[h] -= beaten
            group += weights[h]
            end += 1
        passed += group
        for i in range(start, end):
            h = order[i]
            holding[holes[h, 0]] += weights[h]
            holding[holes[h, 1]] += weights[h]
        for i in range(start, end):
            h = order[i]
            ties[h] += passed - holding[holes[h, 0]] - holding[holes[h, 1]] + weights[h]
        start = end


@njit(cache=True, nogil=True, error_model="numpy")
def range_sums(board: int, missing: int, holes: Bytes, weights: Doubles) -> tuple[Doubles, Doubles]:
    """Return the wins and ties of `add_river_sums`, over all boards with `missing` = 0..5 more cards."""
    wins, ties = np.zeros(1326, dtype=np.float64), np.zeros(1326, dtype=np.float64)
    for full in runouts(board, 0, missing):
        add_river_sums(full, holes, weights, wins, ties)
    return wins, ties


@njit(cache=True, nogil=True, error_model="numpy")
def number_pairs(holes: Bytes, permuted: Ints) -> Ints:
    """Number the pairs of disjoint hands up to suit permutation and order.

    holes: int8[1326, 2]; permuted: int32[24, 1326], every hand after each suit permutation. Returns int32[1326, 1326]:
    n + 1 if the first hand leads class n, -(n + 1) if the second does, 0 if the hands share a card. A class is led by the
    higher hand of its smallest pair, by higher and then by lower index, and classes are numbered in the order of those
    pairs.
    """
    numbers = np.zeros((1326, 1326), dtype=np.int32)
    count = 0
    for high in range(1326):
        a = holes[high, 0]
        b = holes[high, 1]
        for low in range(high):
            c = holes[low, 0]
            d = holes[low, 1]
            if a in (c, d) or b in (c, d):
                continue
            best = 1326 * 1326
            swapped = False
            for p in range(permuted.shape[0]):
                x = int(permuted[p, high])
                y = int(permuted[p, low])
                key = 1326 * max(x, y) + min(x, y)
                if key < best:
                    best = key
                    swapped = x < y
            if best == 1326 * high + low:
                count += 1
                number = count
            else:
                number = int(numbers[best // 1326, best % 1326])
            if swapped:
                number = -number
            numbers[high, low] = number
            numbers[low, high] = -number
    return numbers


@njit(cache=True, nogil=True, error_model="numpy")
def count_wins(ranks: Shorts) -> Shorts:
    """Return int16 ``[H, H]``: boards on which the row's hand beats the column's, less those on which it is beaten.

    ranks: ``[B, H]``; a hand that a board blocks has a rank of its own, below all others.
    """
    boards, hands = ranks.shape
    wins = np.zeros((hands, hands), np.int16)
    for h in range(hands):
        row = wins[h]
        for b in range(boards):
            mine, others = ranks[b, h], ranks[b]
            for i in range(hands):
                row[i] += np.int16(mine > others[i]) - np.int16(mine < others[i])
    return wins


@njit(cache=True, nogil=True, error_model="numpy")
def sum_disjoint(holes: Bytes, reach: Doubles, sums: Doubles) -> None:
    """Write float64[1326]: total reach of the hands that share no card with each, never negative; holes[1326, 2]."""
    holding = np.zeros(52)
    total = 0.0
    for h in range(holes.shape[0]):
        total += reach[h]
        holding[holes[h, 0]] += reach[h]
        holding[holes[h, 1]] += reach[h]
    for h in range(holes.shape[0]):
        sums[h] = max(0.0, without(total, holding[holes[h, 0]], holding[holes[h, 1]]) + reach[h])
