"""Compiled strengths of all hands on a flop, and equities against any part of them by the same order of the hands."""

import numpy as np
import numpy.typing as npt

from limpet.protocol.jit import njit
from limpet.protocol.ranking_kernels import card_mask
from limpet.strategies.cards.card_removal_kernels import without
from limpet.strategies.cards.deck_kernels import runouts
from limpet.strategies.cards.strength_kernels import add_river_counts

RUNOUTS = 1176
"""Number of turn and river pairs after a flop."""
LIVE = 1081
"""Number of hands that five cards leave."""
GROUP_END = 2048
"""Bit of a hand in an order that says that the next hand is stronger."""
HAND = GROUP_END - 1
"""Bits of the hand itself."""


@njit(cache=True, nogil=True, error_model="numpy")
def sweep_flop(
    flop: npt.NDArray[np.int8], holes: npt.NDArray[np.int8]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int16]]:
    """Return each hand's sum of the squares of its river count, and the order of the hands on each river.

    holes: int8[1326, 2]. The sums are int64[1326], as of `strength_moments`; the orders int16[RUNOUTS, LIVE], hands
    from weak to strong, the last of equals with GROUP_END.
    """
    squares, orders = np.zeros(1326, np.int64), np.empty((RUNOUTS, LIVE), np.int16)
    scratch, counts = np.empty((4, 1326), np.int32), np.empty(1326, np.int32)
    strengths = scratch[0]
    order = scratch[1]
    rivers = runouts(card_mask(flop, 3), 0, 2)
    for r in range(RUNOUTS):
        counts[:] = 0
        add_river_counts(rivers[r], holes, scratch, counts)
        for i in range(LIVE):
            h = order[i]
            squares[h] += int(counts[h]) * int(counts[h])
            last = i + 1 == LIVE or strengths[order[i + 1]] != strengths[h]
            orders[r, i] = h + GROUP_END if last else h
    return squares, orders


@njit(cache=True, nogil=True, error_model="numpy")
def count_range(
    orders: npt.NDArray[np.int16], holes: npt.NDArray[np.int8], inside: npt.NDArray[np.int32]
) -> npt.NDArray[np.int64]:
    """Return int64[1326]: twice the hands of a range that each hand beats, plus those that it ties, over all rivers.

    orders: as of `sweep_flop`; inside: int32[1326], 1 for the hands of the range, else 0. The sweep is that of `add_river_sums`, without ranking and sorting the hands again.
    """
    counts, holding = np.zeros(1326, np.int64), np.empty(52, np.int32)
    for r in range(orders.shape[0]):
        holding[:] = 0
        passed = 0
        start = 0
        while start < LIVE:
            end = start
            more = True
            while more:
                entry = orders[r, end]
                h = entry & HAND
                counts[h] += without(passed, holding[holes[h, 0]], holding[holes[h, 1]])
                more = entry == h
                end += 1
            for i in range(start, end):
                h = orders[r, i] & HAND
                held = inside[h]
                passed += held
                holding[holes[h, 0]] += held
                holding[holes[h, 1]] += held
            for i in range(start, end):
                h = orders[r, i] & HAND
                counts[h] += without(passed, holding[holes[h, 0]], holding[holes[h, 1]]) + inside[h]
            start = end
    return counts
