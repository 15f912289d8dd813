"""Compiled equities: one hand against another, and every hand against a weighted range, over all remaining boards.

Boards are masks, bit 16 * suit + rank for each card; hands are numbered by colex index (`handspace.hand_space`).
"""

import numpy as np
import numpy.typing as npt

from limpet.protocol.jit import njit
from limpet.protocol.ranking_kernels import card_mask, hold_em_strengths, rank_mask
from limpet.strategies.cards.strength_kernels import sort_by_strength

INT_SCRATCH = (4, 1326)  # int32 working space of `range_sums`
FLOAT_SCRATCH = 52  # float64 working space of `range_sums`

_BEATS_ALL = np.int16(32767)


@njit(cache=True, nogil=True, error_model="numpy")
def rest_of_deck(dead: int, rest: npt.NDArray[np.int64]) -> int:
    """Write the masks of all cards outside the mask `dead` into rest int64[52], by card id; return how many they are."""
    n = 0
    for card in range(52):
        bit = 1 << (16 * (card & 3) + (card >> 2))
        if not dead & bit:
            rest[n] = bit
            n += 1
    return n


@njit(cache=True, nogil=True, error_model="numpy")
def next_choice(chosen: npt.NDArray[np.int64], k: int, n: int) -> bool:
    """Step the ascending positions chosen[:k] to the colex next of the C(n, k) choices; false after the last."""
    j = 0
    while j + 1 < k and chosen[j] + 1 == chosen[j + 1]:
        chosen[j] = j
        j += 1
    if k == 0 or chosen[j] + 1 == n:
        return False
    chosen[j] += 1
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def hand_counts(first: int, second: int, board: int, missing: int, counts: npt.NDArray[np.int64]) -> None:
    """Add (wins, ties, losses) of the first hand to counts int64[3], over all boards with `missing` more cards.

    first, second and board are masks without a common card; missing is 0..5.
    """
    rest = np.empty(52, dtype=np.int64)
    n = rest_of_deck(first | second | board, rest)
    chosen = np.arange(5)
    more = True
    while more:
        full = board
        for j in range(missing):
            full |= rest[chosen[j]]
        ours = rank_mask(full | first)
        theirs = rank_mask(full | second)
        counts[0] += ours > theirs
        counts[1] += ours == theirs
        counts[2] += ours < theirs
        more = next_choice(chosen, missing, n)


@njit(cache=True, nogil=True, error_model="numpy")
def add_river_sums(
    board: int,
    holes: npt.NDArray[np.int8],
    weights: npt.NDArray[np.float64],
    ints: npt.NDArray[np.int32],
    holding: npt.NDArray[np.float64],
    wins: npt.NDArray[np.float64],
    ties: npt.NDArray[np.float64],
) -> None:
    """Add to wins and ties float64[1326] what opposing hands weigh that each hand beats and ties on one river.

    board: mask of five cards; holes: int8[1326, 2]; weights: float64[1326]; ints and holding: scratch of INT_SCRATCH
    and FLOAT_SCRATCH. Hands that meet the board are left alone.

    Hands are swept from weak to strong, a group of equals at a time, with the weight passed so far in all and of the
    hands that hold each card. A hand {a, b} beats `passed - with_a - with_b`: nothing passed holds both cards but the
    hand itself, which joins with its group. Afterwards the same difference, plus the hand's own weight that was taken
    off twice and put on once, is wins and ties together; the hand does not meet itself, so it is taken off once more.
    """
    strengths = ints[0]
    order = ints[1]
    hold_em_strengths(board, holes, ints[3], strengths)
    live = sort_by_strength(strengths, order, ints[2], ints[3, :256])
    holding[:] = 0
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
def range_sums(
    board: int,
    missing: int,
    holes: npt.NDArray[np.int8],
    weights: npt.NDArray[np.float64],
    ints: npt.NDArray[np.int32],
    holding: npt.NDArray[np.float64],
    wins: npt.NDArray[np.float64],
    ties: npt.NDArray[np.float64],
) -> None:
    """`add_river_sums` over all boards with `missing` = 0..5 more cards."""
    rest = np.empty(52, dtype=np.int64)
    n = rest_of_deck(board, rest)
    chosen = np.arange(5)
    more = True
    while more:
        full = board
        for j in range(missing):
            full |= rest[chosen[j]]
        add_river_sums(full, holes, weights, ints, holding, wins, ties)
        more = next_choice(chosen, missing, n)


@njit(cache=True, nogil=True, error_model="numpy")
def number_pairs(holes: npt.NDArray[np.int8], permuted: npt.NDArray[np.int32], numbers: npt.NDArray[np.int32]) -> int:
    """Number the pairs of disjoint hands up to suit permutation and order; return how many classes there are.

    holes: int8[1326, 2]; permuted: int32[24, 1326], every hand after each suit permutation. numbers: int32[1326, 1326], written: n + 1 if the
    first hand leads class n, -(n + 1) if the second does, 0 if the hands share a card. A class is led by the higher
    hand of its smallest pair, by higher and then by lower index, and classes are numbered in the order of those pairs.
    """
    count = 0
    for high in range(1326):
        numbers[high, high] = 0
        a = holes[high, 0]
        b = holes[high, 1]
        for low in range(high):
            c = holes[low, 0]
            d = holes[low, 1]
            if a in (c, d) or b in (c, d):
                numbers[high, low] = numbers[low, high] = 0
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
    return count


@njit(cache=True, nogil=True, error_model="numpy")
def add_wins(
    boards: npt.NDArray[np.int8],
    orbits: npt.NDArray[np.int16],
    holes: npt.NDArray[np.int8],
    strengths: npt.NDArray[np.int16],
    table: npt.NDArray[np.int32],
    row: npt.NDArray[np.int32],
    sums: npt.NDArray[np.int16],
    wins: npt.NDArray[np.int32],
) -> None:
    """Add to wins int32[1326, 1326] the orbits of those river boards on which one hand beats another.

    boards: int8[n, 5]; orbits: int16[n], with a sum below 2**15. Scratch: strengths int16[>= n, 1326], table int32[169],
    row int32[1326], sums int16[1326]. The sums of one row are kept short and close so that the innermost loop, where
    all the time goes, runs in vector registers.
    """
    for b in range(boards.shape[0]):
        hold_em_strengths(card_mask(boards[b], 5), holes, table, row)
        for h in range(1326):
            strengths[b, h] = row[h] if row[h] >= 0 else _BEATS_ALL  # nobody beats a hand that is not there
    for first in range(1326):
        sums[:] = 0
        for b in range(boards.shape[0]):
            strength = strengths[b, first]
            if strength == _BEATS_ALL:
                continue
            orbit = orbits[b]
            others = strengths[b]
            for second in range(1326):
                sums[second] += orbit if strength > others[second] else np.int16(0)
        for second in range(1326):
            wins[first, second] += sums[second]
