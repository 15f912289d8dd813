"""Compiled orders of hands at a showdown, over all boards that may still come. Cards are masks as in `deck_kernels`."""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.protocol.ranking_kernels import rank_mask
from limpet.strategies.cards.deck_kernels import runouts


@njit(cache=True, nogil=True, error_model="numpy")
def orders_of_boards(hands: NDArray[np.int64], dead: int, board: int, missing: int) -> NDArray[np.int64]:
    """Return the order of hands on every board with `missing` more cards, int64 ``[board]``.

    An order is a number whose digit p, in base `len(hands)`, is the number of hands that hand p beats.

    Args:
        hands: int64 ``[hand]``: masks of the hands that are shown.
        dead: mask of all cards that cannot come, those of the hands among them.
        board: mask of the board so far.
    """
    count = len(hands)
    boards = runouts(board, dead, missing)
    orders = np.zeros(len(boards), np.int64)
    ranks = np.empty(count, np.int64)
    for b in range(len(boards)):
        for p in range(count):
            ranks[p] = rank_mask(boards[b] | hands[p])
        order = 0
        for p in range(count - 1, -1, -1):
            beaten = 0
            for q in range(count):
                beaten += ranks[q] < ranks[p]
            order = count * order + beaten
        orders[b] = order
    return orders
