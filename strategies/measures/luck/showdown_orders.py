"""The chances of each order in which known hold'em hands may end at a showdown, exactly, over all boards to come."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.messages import Hole
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.preflop_matrix import BOARDS, hand_matrix
from limpet.strategies.measures.luck.runouts import mask_of
from limpet.strategies.measures.luck.showdown_order_kernels import orders_of_boards

Order = tuple[int, ...]
"""Number of the other hands that each hand beats. Hands with the same number tie."""
_MOST_COUNTED = 6
"""Most hands whose orders are counted in an array of all their codes; those of more are sorted."""


@lru_cache(maxsize=4096)
def order_chances(
    hands: tuple[Hole, ...], dead: tuple[int, ...] = (), board: tuple[int, ...] = ()
) -> dict[Order, float]:
    """Return the probability of each order of hands that are all-in on a board of 0 to 5 cards.

    dead: cards of others, which cannot come any more.
    """
    if len(hands) == 2 and not dead and not board:
        first, second = map(hand_space().index, hands)
        wins, ties = (int(table[first, second]) for table in hand_matrix())
        boards = {(1, 0): wins, (0, 0): ties, (0, 1): BOARDS - wins - ties}
        return {order: count / BOARDS for order, count in boards.items() if count}
    players = len(hands)
    dealt = [*dead, *(card for hand in hands for card in hand)]
    orders = orders_of_boards(
        np.array([mask_of(hand) for hand in hands]), mask_of(dealt), mask_of(board), 5 - len(board)
    )
    codes, counts = _counted(orders, players)
    digits = codes[:, None] // players ** np.arange(players) % players
    chances = counts / len(orders)
    return {tuple(order): chance for order, chance in zip(digits.tolist(), chances.tolist(), strict=True)}


def _counted(orders: NDArray[np.int64], players: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the codes that occur, and how often."""
    if players > _MOST_COUNTED:
        return np.unique(orders, return_counts=True)
    counts = np.bincount(orders)
    codes = np.flatnonzero(counts)
    return codes, counts[codes]
