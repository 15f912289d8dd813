"""Compiled features of hands: what the clusters see of a hand on a board. All whole numbers, so that equal is equal.

A hand's river count is twice the opposing hands it beats plus those it ties, of FULL = 1,980 (`strength_kernels`).
"""

import numpy as np
import numpy.typing as npt

from limpet.protocol.jit import njit
from limpet.protocol.ranking_kernels import card_mask, hold_em_strengths
from limpet.strategies.cards.card_removal_kernels import without
from limpet.strategies.cards.strength_kernels import add_river_counts, sort_by_strength

FULL = 1980
GROUPS = 8  # parts of the starting hands
EQUITY = 1000  # an equity of 1 in `group_equities`
SURELY = 255  # a probability of 1 in `survival`


@njit(cache=True, nogil=True, error_model="numpy")
def _add_histogram(
    board: int,
    holes: npt.NDArray[np.int8],
    bin_of: npt.NDArray[np.uint8],
    scratch: npt.NDArray[np.int32],
    counts: npt.NDArray[np.int32],
    histogram: npt.NDArray[np.uint16],
) -> None:
    """Count one river, a mask, in every live hand's bin; counts: int32[1326] scratch."""
    counts[:] = 0
    add_river_counts(board, holes, scratch, counts)
    for h in range(holes.shape[0]):
        if scratch[0, h] >= 0:
            histogram[h, bin_of[counts[h]]] += np.uint16(1)


@njit(cache=True, nogil=True, error_model="numpy")
def survival(
    board: npt.NDArray[np.int8],
    n: int,
    holes: npt.NDArray[np.int8],
    bin_of: npt.NDArray[np.uint8],
    scratch: npt.NDArray[np.int32],
    histogram: npt.NDArray[np.uint16],
    features: npt.NDArray[np.uint8],
) -> None:
    """features[h, i] = SURELY * P(strength of hand h on the river > threshold i), rounded; a board of n = 3 or 4 cards.

    The rows are one minus the distribution function, so their L1 distance is the earth mover's distance, and their sum
    the mean strength. bin_of: uint8[FULL + 1], how many thresholds lie below each river count. scratch: int32[5, 1326];
    histogram: uint16[1326, points + 1]; features: uint8[1326, points], zero where blocked.
    """
    mask = card_mask(board, n)
    counts = scratch[4]
    histogram[:] = 0
    for river in range(52):
        river_bit = 1 << (16 * (river & 3) + (river >> 2))
        if mask & river_bit:
            continue
        if n == 4:
            _add_histogram(mask | river_bit, holes, bin_of, scratch, counts, histogram)
            continue
        for turn in range(river):
            turn_bit = 1 << (16 * (turn & 3) + (turn >> 2))
            if not mask & turn_bit:
                _add_histogram(mask | river_bit | turn_bit, holes, bin_of, scratch, counts, histogram)
    rivers = 46 if n == 4 else 1081
    points = features.shape[1]
    for h in range(holes.shape[0]):
        above = 0
        for i in range(points - 1, -1, -1):
            above += int(histogram[h, i + 1])
            features[h, i] = (2 * SURELY * above + rivers) // (2 * rivers)


@njit(cache=True, nogil=True, error_model="numpy")
def _add_moments(
    board: int, holes: npt.NDArray[np.int8], scratch: npt.NDArray[np.int32], moments: npt.NDArray[np.int64]
) -> None:
    """Add one river, a mask, to every live hand's sums of count and squared count."""
    counts = scratch[4]
    counts[:] = 0
    add_river_counts(board, holes, scratch, counts)
    for h in range(holes.shape[0]):
        if scratch[0, h] >= 0:
            count = int(counts[h])
            moments[h, 0] += count
            moments[h, 1] += count * count


@njit(cache=True, nogil=True, error_model="numpy")
def strength_moments(
    board: npt.NDArray[np.int8],
    n: int,
    holes: npt.NDArray[np.int8],
    scratch: npt.NDArray[np.int32],
    moments: npt.NDArray[np.int64],
) -> None:
    """moments[h] = sums of the river count and of its square over all rivers of hand h: E[HS] and E[HS²] times those.

    board: n = 3, 4 or 5 cards; scratch: int32[5, 1326]; moments: int64[1326, 2], zero where blocked.
    """
    mask = card_mask(board, n)
    moments[:] = 0
    if n == 5:
        _add_moments(mask, holes, scratch, moments)
        return
    for river in range(52):
        river_bit = 1 << (16 * (river & 3) + (river >> 2))
        if mask & river_bit:
            continue
        if n == 4:
            _add_moments(mask | river_bit, holes, scratch, moments)
            continue
        for turn in range(river):
            turn_bit = 1 << (16 * (turn & 3) + (turn >> 2))
            if not mask & turn_bit:
                _add_moments(mask | river_bit | turn_bit, holes, scratch, moments)


@njit(cache=True, nogil=True, error_model="numpy")
def group_equities(
    board: npt.NDArray[np.int8],
    holes: npt.NDArray[np.int8],
    group_of: npt.NDArray[np.uint8],
    scratch: npt.NDArray[np.int32],
    held: npt.NDArray[np.int32],
    features: npt.NDArray[np.int16],
) -> None:
    """features[h, g] = EQUITY * P(win) + tie / 2 of hand h on a river against the hands of group g, rounded.

    board: five cards; group_of: uint8[1326], the group of each hand; scratch: int32[5, 1326]; held: int32[54, GROUPS];
    features: int16[1326, GROUPS], zero where blocked, one half where the group has no hand left.

    One sweep from weak to strong as in `add_river_counts`, every counter kept once for each group. A hand itself is
    subtracted twice and added once where it is counted, so it is added once more.
    """
    strengths = scratch[0]
    order = scratch[1]
    hold_em_strengths(card_mask(board, 5), holes, scratch[3], strengths)
    live = sort_by_strength(strengths, order, scratch[2], scratch[3, :256])
    passed = held[52]
    total = held[53]
    features[:] = 0
    held[:] = 0
    start = 0
    while start < live:
        strength = strengths[order[start]]
        end = start
        while end < live and strengths[order[end]] == strength:
            h = order[end]
            for g in range(GROUPS):
                features[h, g] = without(passed[g], held[holes[h, 0], g], held[holes[h, 1], g])
            end += 1
        for i in range(start, end):
            h = order[i]
            g = group_of[h]
            held[holes[h, 0], g] += 1
            held[holes[h, 1], g] += 1
            passed[g] += 1
        for i in range(start, end):
            h = order[i]
            for g in range(GROUPS):
                features[h, g] += without(passed[g], held[holes[h, 0], g], held[holes[h, 1], g])
            features[h, group_of[h]] += 1
        start = end
    total[:] = passed
    for i in range(live):
        h = order[i]
        for g in range(GROUPS):
            opponents = without(total[g], held[holes[h, 0], g], held[holes[h, 1], g]) + (1 if group_of[h] == g else 0)
            if opponents:
                features[h, g] = (EQUITY * int(features[h, g]) + opponents) // (2 * opponents)
            else:
                features[h, g] = EQUITY // 2
