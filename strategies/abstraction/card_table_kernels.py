"""Buckets of all hands on a board out of the tables made for training."""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.strategies.abstraction.strength_bucket_kernels import BucketTables, bucket_at, locate
from limpet.strategies.cards.isomorphism_kernels import hand_index


@njit(cache=True, nogil=True, error_model="numpy")
def fill_vector(board: NDArray[np.int8], tables: BucketTables, vector: NDArray[np.int32]) -> None:
    """int32 ``[1326]``: bucket of every hand on a board of 3, 4 or 5 card ids, -1 where it meets the board."""
    n = len(board)
    row, permutation = locate(board, n, tables)
    met = 0
    for card in board:
        met |= 1 << card
    for y in range(1, 52):
        for x in range(y):
            if (met >> x | met >> y) & 1:
                bucket = -1
            elif n == 3:
                bucket = bucket_at(tables.flop, row, permutation, x, y)
            elif n == 4:
                bucket = bucket_at(tables.turn, row, permutation, x, y)
            else:
                bucket = bucket_at(tables.river, row, permutation, x, y)
            vector[hand_index(x, y)] = bucket
