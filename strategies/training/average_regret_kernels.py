"""Sums over the rows of a regret table."""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit


@njit(cache=True, nogil=True, error_model="numpy")
def positive_regret(
    begin: NDArray[np.int64], end: NDArray[np.int64], actions: NDArray[np.int32], regret: NDArray[np.float32]
) -> np.float64:
    """Return Σ over rows of max(0, largest regret).

    begin, end, actions: ``[D]``: the rows of each decision node are ``begin:end`` in steps of its actions.
    """
    total = np.float64(0)
    for node in range(len(begin)):
        for row in range(begin[node], end[node], actions[node]):
            largest = np.float32(0)
            for a in range(actions[node]):
                largest = max(largest, regret[row + a])
            total += np.float64(largest)
    return total
