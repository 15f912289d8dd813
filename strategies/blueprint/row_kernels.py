"""Compiled look-ups in the stored probabilities of a strategy file.

A row holds the whole numbers of the first k - 1 of its k actions; the last one is implied by the total. The first number
is TOTAL + 1 in a row that training never reached.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit


@njit(cache=True, nogil=True, error_model="numpy")
def look_up(stored: NDArray[Any], at: int, actions: int, total: int, row: NDArray[np.float32]) -> None:
    """Write the probabilities of the row that starts at entry `at`, zeros for an untrained row.

    stored: uint8 or uint16; total: the sum of a row's numbers.
    """
    if actions > 1 and stored[at] > total:
        for a in range(actions):
            row[a] = 0.0
        return
    left = total
    for a in range(actions - 1):
        left -= int(stored[at + a])
        row[a] = np.float32(stored[at + a]) / np.float32(total)
    row[actions - 1] = np.float32(left) / np.float32(total)


@njit(cache=True, nogil=True, error_model="numpy")
def look_up_node(stored: NDArray[Any], at: int, total: int, buckets: int, actions: int) -> NDArray[np.float32]:
    """Return all rows of a node, float32 ``[bucket, action]``, that start at entry `at`."""
    rows = np.empty((buckets, actions), np.float32)
    for b in range(buckets):
        look_up(stored, at + b * (actions - 1), actions, total, rows[b])
    return rows


@njit(cache=True, nogil=True, error_model="numpy")
def survey(
    stored: NDArray[Any], start: NDArray[np.int64], offset: NDArray[np.int64], actions: NDArray[np.int32], total: int
) -> tuple[int, int]:
    """Return (number of rows with numbers that no row may have, number of rows never trained)."""
    wrong_rows = 0
    missed = 0
    for node in range(len(actions)):
        k = int(actions[node])
        width = k - 1
        if width <= 0:
            continue
        for row in range((offset[node + 1] - offset[node]) // k):
            at = start[node] + row * width
            held = 0
            for a in range(width):
                held += int(stored[at + a])
            marked = stored[at] > total
            missed += marked
            wrong_rows += held != width * (total + 1) if marked else held > total
    return wrong_rows, missed
