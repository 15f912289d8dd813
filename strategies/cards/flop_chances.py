"""Chances of hands against each other once all chips are in on a flop, exactly, over all runouts."""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.ranking_kernels import hand_strengths
from limpet.strategies.cards.equity_kernels import count_wins
from limpet.strategies.cards.handspace import hand_space

RUN_OUTS = 990
"""Number of runouts of a flop that a pair of hands leaves: two of 45 cards."""


def all_in_chances(flop: tuple[int, ...], held: NDArray[np.integer]) -> NDArray[np.float32]:
    """Return float32 ``[H, H]``: the row hand's chance to win less its chance to lose; 0 for pairs that share a card.

    held: hands that do not share a card with the flop. A hand that a runout blocks counts as beaten there by all others;
    over all runouts that is 91 wins too many for either hand of a pair, so it cancels. Raises `ValueError` for a board of
    other than three cards.
    """
    if len(flop) != 3:
        raise ValueError(f"all-ins are run out from a flop, not from {len(flop)} cards")
    holes = hand_space().holes[held]
    left = [card for card in range(52) if card not in flop]
    boards = [np.array([*flop, *cards], np.int8) for cards in combinations(left, 2)]
    ranks = np.array([np.maximum(hand_strengths(board, holes), -1) for board in boards], np.int16)  # below 2**14
    wins = count_wins(ranks)
    return np.where(hand_space().disjoint[np.ix_(held, held)], wins * np.float32(1 / RUN_OUTS), np.float32(0))
