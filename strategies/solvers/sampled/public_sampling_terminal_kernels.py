"""Terminals of public chance sampling: values of all hands against all hands, for eight rows of reach at a time.

Within a street a player does the same with all hands of a bucket. So the reach of hand h at a terminal is that at its
part's root, times one number for its bucket of the part's street, times one for its bucket of the last street. Of its
value only sums over those buckets are needed.

A *table* is eight numbers for each bucket, one for each lane. Kernels take arrays, not tuples of arrays: numba counts a
reference whenever an array is taken out of a tuple, and these kernels are called a thousand times a walk.
"""

import numpy as np

from limpet.common.jit import Floats, Longs, UShorts, njit
from limpet.strategies.cards.strength_kernels import without_both
from limpet.strategies.solvers.lanes_kernels import WIDTH, in_lanes, interleave, load, spread, store

F0 = np.float32(0)
U = np.uint64  # unsigned indices are not tested for counting from the end
EIGHT = U(WIDTH)


@njit(cache=True, nogil=True, error_model="numpy")
def read_table(source: Floats, slot: Longs, chosen: Longs, stride: int, present: int, table: Floats) -> None:
    """Write the rows of eight lanes' slots into a table.

    Args:
        source: by slot and bucket, rows `stride` apart.
        slot: slot of each lane.
        chosen: ``[8]``: the lanes.
        present: number of the board's buckets.
    """
    r0, r1, r2, r3 = slot[chosen[0]], slot[chosen[1]], slot[chosen[2]], slot[chosen[3]]
    r4, r5, r6, r7 = slot[chosen[4]], slot[chosen[5]], slot[chosen[6]], slot[chosen[7]]
    r0, r1, r2, r3 = r0 * stride, r1 * stride, r2 * stride, r3 * stride
    r4, r5, r6, r7 = r4 * stride, r5 * stride, r6 * stride, r7 * stride
    for b in range(0, present, WIDTH):
        interleave(source, r0 + b, r1 + b, r2 + b, r3 + b, r4 + b, r5 + b, r6 + b, r7 + b, table, b * WIDTH)


@njit(cache=True, nogil=True, error_model="numpy")
def scale_table(table: Floats, present: int, factor: Floats) -> None:
    """Multiply each lane of a table by its own factor ``[8]``."""
    for b in range(0, present * WIDTH, WIDTH):
        store(table, b, load(table, b) * load(factor, 0))


@njit(cache=True, nogil=True, error_model="numpy")
def add_lane(table: Floats, lane: int, present: int, target: Floats, row: int) -> None:
    """Add one lane of a table to a row by bucket."""
    first, at = U(lane), U(row)
    for b in range(U(present)):
        target[at + b] += table[b * EIGHT + first]


@njit(cache=True, nogil=True, error_model="numpy")
def clear(array: Floats, count: int) -> None:
    """Write `count` zeros, a multiple of eight."""
    for i in range(0, count, WIDTH):
        store(array, i, spread(F0))


@njit(cache=True, nogil=True, error_model="numpy")
def sum_leaves(group: Longs, upper: UShorts, reach: Floats, table: Floats, lanes: int, sums: Floats, row: int) -> None:
    """Sum reach(h) · table(upper bucket of h) by bucket of the last street, into `lanes` rows of `sums`.

    Args:
        group: see `SeenBoard`.
        upper: ``[H]``: buckets of the part's street.
        reach: ``[H]``.
        row: start of the first row; rows are as far apart as the last street's buckets in whole eights.
    """
    stride = in_lanes(len(group) - 1)
    for g in range(len(group) - 1):
        summed = spread(F0)
        for h in range(U(group[g]), U(group[g + 1])):
            summed = summed + spread(reach[h]) * load(table, upper[h] * EIGHT)
        store(table, len(table) - WIDTH, summed)
        for lane in range(lanes):
            sums[row + lane * stride + g] = table[len(table) - WIDTH + lane]


@njit(cache=True, nogil=True, error_model="numpy")
def mix(group: Longs, upper: UShorts, reach: Floats, upper_reach: Floats, lower_reach: Floats, mixed: Floats) -> None:
    """Write the other player's reach hand by hand: that at the part's root times the entries of both streets' tables."""
    for g in range(len(group) - 1):
        below = load(lower_reach, g * WIDTH)
        for h in range(U(group[g]), U(group[g + 1])):
            store(mixed, h * EIGHT, spread(reach[h]) * below * load(upper_reach, upper[h] * EIGHT))


@njit(cache=True, nogil=True, error_model="numpy")
def value_ends(
    shows: bool, group: Longs, upper: UShorts, sums: UShorts, weakest: UShorts, card: Longs, holders: UShorts,
    mixed: Floats, passed: Floats, held: Floats, weight: Floats, value: Floats, upper_own: Floats, upper_gain: Floats,
    fold_own: Floats, show_own: Floats, fold_gain: Floats, show_gain: Floats,
) -> None:  # fmt: skip
    """Value the folds of eight rows of reach, and their showdowns where there are some.

    With T the other's reach in all, and C(c) that of the hands that hold card c, hand {a, b} can meet T - C(a) - C(b) +
    own of it (inclusion and exclusion: its own reach was taken away twice). The same sums over weaker hands, and over
    weaker and equal ones, add up to twice the reach that it beats and once the reach that it ties, itself counted -1;
    less the reach of all, that is wins minus losses.

    Args:
        shows: whether there are showdowns; the arrays of theirs are left alone otherwise.
        group, sums, weakest, card, holders: see `SeenBoard`.
        upper: ``[H]``: buckets of the part's street.
        mixed: ``[H]`` rows of eight: the reach.
        passed, held: scratch for sums of reach, by strength ``[H + 1]`` and by card ``[2 H + C]`` rows of eight.
        weight: ``[H]``: how often the walker is dealt each hand, a factor of all its values.
        value: ``[H]`` rows of eight: each terminal's value times `upper_own` is added.
        upper_own, upper_gain: tables of the part's street: own reach, and the sum of values over hands, added to.
        fold_own, show_own: tables of the last street: own reach from its root on, times the stake.
        fold_gain, show_gain: tables of the last street, written: sums over hands of values for a stake of 1.
    """
    summed, twice = spread(F0), spread(F0)
    if shows:
        for n in range(U(len(weakest))):
            store(passed, n * EIGHT, summed)
            summed = summed + load(mixed, weakest[n])
        store(passed, len(weakest) * WIDTH, summed)
    for c in range(len(card) - 1):
        of_card = spread(F0)
        for n in range(U(card[c]), U(card[c + 1])):
            if shows:
                store(held, (n + U(c)) * EIGHT, of_card)
            of_card = of_card + load(mixed, holders[n])
        store(held, (card[c + 1] + c) * WIDTH, of_card)
        twice = twice + of_card
    if not shows:
        summed = twice * spread(np.float32(0.5))  # each hand was counted with both of its cards
    for g in range(len(group) - 1):
        fold_sum, show_sum = spread(F0), spread(F0)
        of_fold, of_show = load(fold_own, g * WIDTH), load(show_own, g * WIDTH)
        for h in range(U(group[g]), U(group[g + 1])):
            i = h * EIGHT
            apart = without_both(summed, load(held, sums[i + U(4)]), load(held, sums[i + U(7)]))
            fold = spread(weight[h]) * (apart + load(mixed, i))
            fold_sum = fold_sum + fold
            hand_value = of_fold * fold
            if shows:
                show = load(passed, sums[i]) + load(passed, sums[i + U(1)])
                show = without_both(show, load(held, sums[i + U(2)]), load(held, sums[i + U(3)]))
                show = without_both(show, load(held, sums[i + U(5)]), load(held, sums[i + U(6)])) - apart
                show = spread(weight[h]) * show
                show_sum = show_sum + show
                hand_value = hand_value + of_show * show
            at = upper[h] * EIGHT
            store(upper_gain, at, load(upper_gain, at) + hand_value)
            store(value, i, load(value, i) + load(upper_own, at) * hand_value)
        store(fold_gain, g * WIDTH, fold_sum)
        if shows:
            store(show_gain, g * WIDTH, show_sum)


@njit(cache=True, nogil=True, error_model="numpy")
def sum_lanes(lanes: Floats, hands: int, across: Floats, value: Floats) -> None:
    """Write value(h), the sum of the eight numbers of hand h, for hands in whole eights; across: scratch ``[64]``."""
    for h in range(0, hands, WIDTH):  # the lanes of eight hands are transposed, so that they can be added up
        at = h * WIDTH
        interleave(lanes, at, at + 8, at + 16, at + 24, at + 32, at + 40, at + 48, at + 56, across, 0)
        summed = load(across, 0)
        for lane in range(WIDTH, WIDTH * WIDTH, WIDTH):
            summed = summed + load(across, lane)
        store(value, h, summed)
