"""Compiled showdowns that are matrices: what each bucket meets, from the reach of the other player's buckets."""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.strategies.solving.lanes_kernels import WIDTH, load, spread, store

F0 = np.float32(0)


@njit(cache=True, nogil=True, error_model="numpy")
def weigh(
    tables: NDArray[np.float32], which: NDArray[np.int64], buckets: int, reach: NDArray[np.float32],
    rows: NDArray[np.int64], outcome: NDArray[np.float32], stride: int,
) -> None:  # fmt: skip
    """Write row i of the outcomes: the sum of a table's rows, each times the reach of its bucket in ``rows[i]``.

    tables: ``[table, bucket of the other, stride]`` flat; which: the table of each outcome. Buckets that are not there
    cost nothing.
    """
    for i in range(len(rows)):
        source, target, table = rows[i] * stride, i * stride, which[i] * buckets * stride
        for x in range(0, stride, WIDTH):
            store(outcome, target + x, spread(F0))
        for bucket in range(buckets):
            there = reach[source + bucket]
            if there == F0:
                continue
            weight, row = spread(there), table + bucket * stride
            for x in range(0, stride, WIDTH):
                store(outcome, target + x, load(outcome, target + x) + weight * load(tables, row + x))
