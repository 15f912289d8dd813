"""Compiled sums over the hands that share no card with each hand."""

import numpy as np
import numpy.typing as npt

from limpet.protocol.jit import njit
from limpet.strategies.cards.card_removal_kernels import without


@njit(cache=True, nogil=True, error_model="numpy")
def sum_disjoint(holes: npt.NDArray[np.int8], reach: npt.NDArray[np.float64], sums: npt.NDArray[np.float64]) -> None:
    """Write for each hand the total reach of the hands that share no card with it, never negative.

    holes: int8[1326, 2]; reach, sums: float64[1326].
    """
    holding = np.zeros(52)
    total = 0.0
    for h in range(holes.shape[0]):
        total += reach[h]
        holding[holes[h, 0]] += reach[h]
        holding[holes[h, 1]] += reach[h]
    for h in range(holes.shape[0]):
        sums[h] = max(0.0, without(total, holding[holes[h, 0]], holding[holes[h, 1]]) + reach[h])
