"""Compiled look-ups and sums of five-card hands: sets of kept cards, and draws."""

from typing import TYPE_CHECKING

import numpy as np

from limpet.common.jit import Bytes, Doubles, Floats, Ints, Longs, njit
from limpet.strategies.cards.deck_kernels import canonical_key, find_key
from limpet.strategies.solvers.lanes_kernels import WIDTH, load, spread, store

if TYPE_CHECKING:
    from limpet.strategies.solvers.lanes_kernels import Lanes


@njit(cache=True, nogil=True, error_model="numpy")
def kept_sets(cards: Bytes, keys: Longs, start: Longs, result: Ints) -> None:
    """Write the canonical set of every choice of each hand's cards into ``result[N, 32]``; bit i keeps card i.

    keys: ascending keys of the canonical sets of 1, 2, 3 and 4 cards end to end; those of k cards begin at ``start[k]``
    in the numbering of all sets, which has the empty set first. Column 31, the hand itself, is left alone.
    """
    chosen = np.empty(5, np.int8)
    for h in range(cards.shape[0]):
        result[h, 0] = 0
        for mask in range(1, 31):
            size = 0
            for i in range(5):
                if (mask >> i) & 1:
                    chosen[size] = cards[h, i]
                    size += 1
            key, _ = canonical_key(chosen, size)
            result[h, mask] = start[size] + find_key(key, keys[start[size] - 1 : start[size + 1] - 1])


# --- Compiled sums over the sets of cards in five-card hands: inclusion and exclusion for card removal and for draws.

F0 = np.float32(0)


@njit(cache=True, nogil=True, error_model="numpy")
def apart_sums(
    signed: Ints, share: Floats, run_end: Longs, reach: Floats, sums: Floats, net: Floats, compatible: Floats
) -> None:
    """Write, for eight reach rows at once, the reach of hands without a common card, and wins minus losses among them.

    signed: ``[hand, 31]``: entry of the table of sums for each set of 0 to 4 of a hand's cards, even sizes first (16),
        then odd ones (15).
    share: ``[hand, 31]``: weight with which the hand's reach enters each of these sums.
    reach, net, compatible: ``[hand, 8]`` flat. sums: the table, ``[sets, 8]`` flat.

    The hands that share no card with a hand are all hands, less those with each of its cards, plus those with each two of
    them, and so on; the set of all five is the hand itself. Going through the hands by strength, the same sums say how
    much reach was passed before a run of ties and after it.
    """
    zero = spread(F0)
    for x in range(0, len(sums), WIDTH):
        store(sums, x, zero)
    begin = 0
    for end in run_end:
        for h in range(begin, end):
            store(net, h * WIDTH, _passed(signed, sums, h))
        for h in range(begin, end):
            own = load(reach, h * WIDTH)
            for s in range(31):
                at = signed[h, s] * WIDTH
                store(sums, at, load(sums, at) + own * spread(share[h, s]))
        for h in range(begin, end):
            passed = _passed(signed, sums, h) - load(reach, h * WIDTH)
            store(net, h * WIDTH, load(net, h * WIDTH) + passed)
        begin = end
    for h in range(begin):
        everything = _passed(signed, sums, h) - load(reach, h * WIDTH)
        store(compatible, h * WIDTH, everything)
        store(net, h * WIDTH, load(net, h * WIDTH) - everything)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _passed(signed: Ints, sums: Floats, h: int) -> "Lanes":
    total = spread(F0)
    for s in range(16):
        total = total + load(sums, signed[h, s] * WIDTH)
    for s in range(16, 31):
        total = total - load(sums, signed[h, s] * WIDTH)
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def drawn_to_sets(kept: Ints, share: Floats, result: Doubles) -> None:
    """Add, to ``result[sets]``, the weights of sets that stand for the draws of each hand.

    share: ``[hand, 32]``: reach of keeping each mask's cards, divided by the number of draws. By inclusion and exclusion
    over the discarded cards, hands with the kept cards and none of the others are a Möbius transform of 32 numbers.
    """
    row = np.empty(32, np.float64)
    for h in range(kept.shape[0]):
        for mask in range(32):
            row[mask] = share[h, mask]
        for i in range(5):
            bit = 1 << i
            for mask in range(32):
                if not mask & bit:
                    row[mask | bit] -= row[mask]
        for mask in range(32):
            result[kept[h, mask]] += row[mask]


@njit(cache=True, nogil=True, error_model="numpy")
def holders(kept: Ints, combos: Ints, copies: Ints, of_class: Ints, result: Floats) -> None:
    """Add, to ``result[sets, buckets]``, the number of hands of each bucket that hold a set of 0 to 4 cards."""
    for h in range(kept.shape[0]):
        for mask in range(31):
            s = kept[h, mask]
            result[s, of_class[h]] += np.float32(combos[h]) / np.float32(copies[s])


# --- Compiled learning at draws: hands in rows of 32 masks of kept cards, eight counts of discards side by side.

F1 = np.float32(1)
MASKS = 32


@njit(cache=True, nogil=True, error_model="numpy")
def values_by_count(kept: Ints, set_values: Floats, count: Longs, share: Floats, result: Floats) -> None:
    """Write what each hand may expect of each mask, ``result[hand, 32]``, where values depend on the number of discards.

    set_values: ``[sets, 8]`` flat: for each number of discards the sum of values over all hands that hold a set.
    count, share: ``[32]``: number of discards of each mask, and 1 / number of its draws. By inclusion and exclusion as in
    `drawn_to_sets`, of which this is the transpose.
    """
    rows = np.empty(MASKS * WIDTH, np.float32)
    for h in range(kept.shape[0]):
        for mask in range(MASKS):
            store(rows, mask * WIDTH, load(set_values, kept[h, mask] * WIDTH))
        for i in range(5):
            bit = 1 << i
            for mask in range(MASKS):
                if not mask & bit:
                    store(rows, mask * WIDTH, load(rows, mask * WIDTH) - load(rows, (mask | bit) * WIDTH))
        for mask in range(MASKS):
            result[h, mask] = rows[mask * WIDTH + count[mask]] * share[mask]


@njit(cache=True, nogil=True, error_model="numpy")
def ranges_by_count(kept: Ints, reach: Floats, play: Floats, count: Longs, share: Floats, result: Floats) -> None:
    """Add, to ``result[sets, 8]`` flat, weights of sets that stand for the draws of all hands, by number of discards.

    reach: ``[hand]``. play: ``[hand, 32]``: probability of each mask. This is the transpose of `values_by_count`.
    """
    rows = np.zeros(MASKS * WIDTH, np.float32)
    for h in range(kept.shape[0]):
        if reach[h] == F0:
            continue
        rows[:] = F0
        for mask in range(MASKS):
            rows[mask * WIDTH + count[mask]] = reach[h] * play[h, mask] * share[mask]
        for i in range(5):
            bit = 1 << i
            for mask in range(MASKS):
                if not mask & bit:
                    above = (mask | bit) * WIDTH
                    store(rows, above, load(rows, above) - load(rows, mask * WIDTH))
        for mask in range(MASKS):
            at = kept[h, mask] * WIDTH
            store(result, at, load(result, at) + load(rows, mask * WIDTH))


@njit(cache=True, nogil=True, error_model="numpy")
def match_masks(weights: Floats, play: Floats) -> None:
    """Write ``play[hand, mask]`` in proportion to positive weights, uniform where there are none."""
    masks = weights.shape[1]
    even = F1 / np.float32(masks)
    for h in range(weights.shape[0]):
        total = F0
        for m in range(masks):
            total += max(weights[h, m], F0)
        for m in range(masks):
            play[h, m] = max(weights[h, m], F0) / total if total > np.float32(1e-30) else even


@njit(cache=True, nogil=True, error_model="numpy")
def learn_masks(
    regret: Floats, average: Floats, play: Floats, gain: Floats, reach: Floats, factors: Floats, value: Floats
) -> None:
    """Add what each mask gains over the strategy to regrets, the strategy to the average, and its value to ``value[hand]``.

    factors: those of old positive and old negative regrets, and the weight of this strategy in the average.
    """
    for h in range(regret.shape[0]):
        mixed = F0
        for m in range(regret.shape[1]):
            mixed += play[h, m] * gain[h, m]
        weight = factors[2] * reach[h]
        for m in range(regret.shape[1]):
            old = regret[h, m]
            kept = old * factors[0] if old > F0 else old * factors[1]
            regret[h, m] = kept + gain[h, m] - mixed
            average[h, m] += weight * play[h, m]
        value[h] += mixed
