"""Hand strength on a board: the chance of every hold'em hand to beat a random one, E[HS]."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from limpet.strategies.cards import strength_kernels as kernels
from limpet.strategies.cards.handspace import board_cards, hand_space

FULL_COUNT = {3: 1081 * 1980, 4: 46 * 1980, 5: 1980}
"""Strength count of a hand that beats every other, by number of board cards."""


def strength_counts(board: Sequence[int]) -> npt.NDArray[np.int32]:
    """Return int32[1326]: each hand's count out of FULL_COUNT[len(board)], twice wins plus ties; -1 where blocked.

    Raises ValueError unless the board is 3, 4 or 5 distinct card ids. A flop takes some 20 ms, a turn 1, a river 0.02.
    """
    cards = np.array(board_cards(board, 3, 4, 5), dtype=np.int8)
    return np.asarray(kernels.strength_counts(cards, len(cards), hand_space().holes))


def expected_strengths(board: Sequence[int]) -> npt.NDArray[np.float64]:
    """Return float64[1326]: E[HS] of each hand, P(win) + P(tie) / 2 against a random hand; 0 where blocked.

    Raises ValueError as `strength_counts` does.
    """
    counts = strength_counts(board)
    return np.where(counts >= 0, counts / FULL_COUNT[len(board)], 0.0)
