"""Compiled features of hands on a board, by which they are clustered; whole numbers, the same on every machine.

A hand's river count is twice the opposing hands it beats plus those it ties, of FULL = 1,980 (`strength_kernels`).
"""

import numpy as np
import numpy.typing as npt

from limpet.protocol.jit import njit
from limpet.protocol.ranking_kernels import card_mask, hold_em_strengths
from limpet.strategies.cards.card_removal_kernels import without
from limpet.strategies.cards.deck_kernels import runouts
from limpet.strategies.cards.strength_kernels import add_river_counts, sort_by_strength

FULL = 1980
"""River count of a hand that beats every other."""
GROUPS = 8
"""Number of groups of starting hands."""
EQUITY = 1000
"""An equity of 1 in `group_equities`."""
SURELY = 255
"""A probability of 1 in `survival`."""


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
    """Write features[h, i] = SURELY * P(strength of hand h on the river > threshold i), rounded; n = 3 or 4 board cards.

    The rows are one minus the distribution function, so their L1 distance is the earth mover's distance, and their sum
    the mean strength. bin_of: uint8[FULL + 1], how many thresholds lie below each river count. scratch: int32[5, 1326];
    histogram: uint16[1326, points + 1]; features: uint8[1326, points], zero where blocked.
    """
    counts = scratch[4]
    histogram[:] = 0
    for river in runouts(card_mask(board, n), 0, 5 - n):
        counts[:] = 0
        add_river_counts(river, holes, scratch, counts)
        for h in range(holes.shape[0]):
            if scratch[0, h] >= 0:
                histogram[h, bin_of[counts[h]]] += np.uint16(1)
    rivers = 46 if n == 4 else 1081
    points = features.shape[1]
    for h in range(holes.shape[0]):
        above = 0
        for i in range(points - 1, -1, -1):
            above += int(histogram[h, i + 1])
            features[h, i] = (2 * SURELY * above + rivers) // (2 * rivers)


@njit(cache=True, nogil=True, error_model="numpy")
def strength_moments(
    board: npt.NDArray[np.int8],
    n: int,
    holes: npt.NDArray[np.int8],
    scratch: npt.NDArray[np.int32],
    moments: npt.NDArray[np.int64],
) -> None:
    """Write moments[h] = sums over all rivers of hand h of its river count and of that count's square.

    Divided by the number of rivers they are E[HS] and E[HS²], in units of a count. board: n = 3, 4 or 5 cards; scratch:
    int32[5, 1326]; moments: int64[1326, 2], zero where blocked.
    """
    counts = scratch[4]
    moments[:] = 0
    for river in runouts(card_mask(board, n), 0, 5 - n):
        counts[:] = 0
        add_river_counts(river, holes, scratch, counts)
        for h in range(holes.shape[0]):
            if scratch[0, h] >= 0:
                count = int(counts[h])
                moments[h, 0] += count
                moments[h, 1] += count * count


@njit(cache=True, nogil=True, error_model="numpy")
def group_equities(
    board: npt.NDArray[np.int8],
    holes: npt.NDArray[np.int8],
    group_of: npt.NDArray[np.uint8],
    scratch: npt.NDArray[np.int32],
    held: npt.NDArray[np.int32],
    features: npt.NDArray[np.int16],
) -> None:
    """Write features[h, g] = EQUITY * (P(win) + P(tie) / 2) of hand h on a river against the hands of group g, rounded.

    board: five cards; group_of: uint8[1326], the group of each hand; scratch: int32[5, 1326]; held: int32[54, GROUPS];
    features: int16[1326, GROUPS], zero where blocked, EQUITY / 2 where the group has no hand left.

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
    for g in range(GROUPS):
        total[g] = passed[g]
    for i in range(live):
        h = order[i]
        for g in range(GROUPS):
            opponents = without(total[g], held[holes[h, 0], g], held[holes[h, 1], g]) + (1 if group_of[h] == g else 0)
            if opponents:
                features[h, g] = (EQUITY * int(features[h, g]) + opponents) // (2 * opponents)
            else:
                features[h, g] = EQUITY // 2
