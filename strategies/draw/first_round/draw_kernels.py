"""Compiled learning at draws: hands in rows of 32 masks of kept cards, eight counts of discards side by side."""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.strategies.solving.lanes_kernels import WIDTH, load, store

F0 = np.float32(0)
F1 = np.float32(1)
MASKS = 32


@njit(cache=True, nogil=True, error_model="numpy")
def values_by_count(
    kept: NDArray[np.int32], set_values: NDArray[np.float32], count: NDArray[np.int64], share: NDArray[np.float32],
    result: NDArray[np.float32],
) -> None:  # fmt: skip
    """Write what each hand may expect of each mask, ``result[hand, 32]``, where values depend on the number of discards.

    set_values: ``[sets, 8]`` flat: for each number of discards the sum of values over all hands that hold a set.
    count, share: ``[32]``: number of discards of each mask, and 1 / number of its draws. By inclusion and exclusion as in
    `set_kernels`.
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
def ranges_by_count(
    kept: NDArray[np.int32], reach: NDArray[np.float32], play: NDArray[np.float32], count: NDArray[np.int64],
    share: NDArray[np.float32], result: NDArray[np.float32],
) -> None:  # fmt: skip
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
def match_masks(weights: NDArray[np.float32], play: NDArray[np.float32]) -> None:
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
    regret: NDArray[np.float32], average: NDArray[np.float32], play: NDArray[np.float32], gain: NDArray[np.float32],
    reach: NDArray[np.float32], factors: NDArray[np.float32], value: NDArray[np.float32],
) -> None:  # fmt: skip
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
