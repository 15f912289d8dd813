"""Kernel of `flop_chances`: who wins on each runout, for all pairs of hands."""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit


@njit(cache=True, nogil=True, error_model="numpy")
def count_wins(ranks: NDArray[np.int16], first: int, end: int, wins: NDArray[np.int16]) -> None:
    """``wins[h, i]`` += boards on which hand h beats i, less those on which i beats h, for hands `first` to `end`.

    ranks: ``[B, H]``; a hand that a board blocks has a rank of its own, below all others.
    """
    hands = ranks.shape[1]
    for h in range(first, end):
        row = wins[h]
        for b in range(ranks.shape[0]):
            mine, others = ranks[b, h], ranks[b]
            for i in range(hands):
                row[i] += np.int16(mine > others[i]) - np.int16(mine < others[i])
