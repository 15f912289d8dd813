"""Buckets of dealt hands out of the tables made for training."""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.strategies.abstraction.strength_bucket_kernels import BucketTables, bucket_at, locate
from limpet.strategies.cards.isomorphism_kernels import hand_index


@njit(cache=True, nogil=True, error_model="numpy")
def fill_round(
    round_: int,
    which: NDArray[np.int64],
    holes: NDArray[np.int8],
    board: NDArray[np.int8],
    tables: BucketTables,
    buckets: NDArray[np.int32],
) -> None:
    """Write buckets ``[deal, P, round_]`` of every position in the deals `which`; hold'em.

    holes: ``[deals, P, 2]``; board: ``[deals, 5]`` in dealing order; buckets: ``[deals, P, 4]``.
    """
    players = holes.shape[1]
    for w in range(which.shape[0]):
        deal = which[w]
        if round_ == 0:
            for p in range(players):
                x, y = int(holes[deal, p, 0]), int(holes[deal, p, 1])
                buckets[deal, p, 0] = tables.preflop[hand_index(x, y)]
            continue
        row, permutation = locate(board[deal], round_ + 2, tables)
        for p in range(players):
            x, y = int(holes[deal, p, 0]), int(holes[deal, p, 1])
            if round_ == 1:
                buckets[deal, p, 1] = bucket_at(tables.flop, row, permutation, x, y)
            elif round_ == 2:
                buckets[deal, p, 2] = bucket_at(tables.turn, row, permutation, x, y)
            else:
                buckets[deal, p, 3] = bucket_at(tables.river, row, permutation, x, y)
