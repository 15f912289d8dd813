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
    points: int,
) -> npt.NDArray[np.uint8]:
    """Return uint8[1326, points]: SURELY * P(strength of hand h on the river > threshold i), rounded; 0 where blocked.

    board: n = 3 or 4 cards. bin_of: uint8[FULL + 1], how many thresholds lie below each river count. The rows are one
    minus the distribution function, so their L1 distance is the earth mover's distance, and their sum the mean strength.
    """
    features, histogram = np.empty((1326, points), np.uint8), np.zeros((1326, points + 1), np.uint16)
    scratch, counts = np.empty((4, 1326), np.int32), np.empty(1326, np.int32)
    for river in runouts(card_mask(board, n), 0, 5 - n):
        counts[:] = 0
        add_river_counts(river, holes, scratch, counts)
        for h in range(holes.shape[0]):
            if scratch[0, h] >= 0:
                histogram[h, bin_of[counts[h]]] += np.uint16(1)
    rivers = 46 if n == 4 else 1081
    for h in range(holes.shape[0]):
        above = 0
        for i in range(points - 1, -1, -1):
            above += int(histogram[h, i + 1])
            features[h, i] = (2 * SURELY * above + rivers) // (2 * rivers)
    return features


@njit(cache=True, nogil=True, error_model="numpy")
def strength_moments(board: npt.NDArray[np.int8], n: int, holes: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """Return int64[1326, 2]: each hand's sums over all rivers of its river count and of the count's square; 0 where blocked.

    Divided by the number of rivers they are E[HS] and E[HS²], in units of a count. board: n = 3, 4 or 5 cards.
    """
    moments = np.zeros((1326, 2), np.int64)
    scratch, counts = np.empty((4, 1326), np.int32), np.empty(1326, np.int32)
    for river in runouts(card_mask(board, n), 0, 5 - n):
        counts[:] = 0
        add_river_counts(river, holes, scratch, counts)
        for h in range(holes.shape[0]):
            if scratch[0, h] >= 0:
                count = int(counts[h])
                moments[h, 0] += count
                moments[h, 1] += count * count
    return moments


@njit(cache=True, nogil=True, error_model="numpy")
def group_equities(
    board: npt.NDArray[np.int8], holes: npt.NDArray[np.int8], group_of: npt.NDArray[np.uint8]
) -> npt.NDArray[np.int16]:
    """Return int16[1326, GROUPS]: EQUITY * (P(win) + P(tie) / 2) of hand h on a river against the hands of group g, rounded.

    0 where blocked, EQUITY / 2 where the group has no hand left. board: five cards; group_of: uint8[1326], the group of
    each hand.

    One sweep from weak to strong as in `add_river_counts`, every counter kept once for each group. A hand itself is
    subtracted twice and added once where it is counted, so it is added once more.
    """
    strengths, order, spare, bins = np.empty((4, 1326), np.int32)
    hold_em_strengths(card_mask(board, 5), holes, bins, strengths)
    live = sort_by_strength(strengths, order, spare, bins[:256])
    features = np.zeros((1326, GROUPS), np.int16)
    held, passed = np.zeros((52, GROUPS), np.int32), np.zeros(GROUPS, np.int32)
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
    for i in range(live):
        h = order[i]
        for g in range(GROUPS):
            opponents = without(passed[g], held[holes[h, 0], g], held[holes[h, 1], g]) + (1 if group_of[h] == g else 0)
            if opponents:
                features[h, g] = (EQUITY * int(features[h, g]) + opponents) // (2 * opponents)
            else:
                features[h, g] = EQUITY // 2
    return features
