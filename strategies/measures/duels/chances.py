"""Chances of all hands against ranges if nobody bets again: to win less to lose, on any board of hold'em.

Before the flop and on it they come from a matrix of all pairs of hands, which the last flop keeps: many ranges meet there.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.cards.equity import versus_range
from limpet.strategies.cards.flop_chances import all_in_chances
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.preflop_matrix import BOARDS, hand_matrix

LIVE_RIVERS = 44
"""Number of river cards that may come for two hands that are known."""
FLOPS_KEPT = 4

Vectors = NDArray[np.float64]
Matrix = NDArray[np.float32]


class Chances:
    """Chances on all boards of a hand, and those of the boards that it might have had."""

    def __init__(self) -> None:
        self._flops: dict[tuple[int, ...], Matrix] = {}

    def ahead(self, board: tuple[int, ...], weights: Vectors) -> Vectors:
        """Return float64 ``[range, 1326]``: P(win) - P(lose) of each hand, summed over a range's hands that share no card.

        weights: float64 ``[range, 1326]``, not negative; what the board blocks counts for nothing. Hands that the board
        blocks have 0.
        """
        live = ~hand_space().blocked(board)
        held = weights * live
        if len(board) < 4:
            return np.asarray((held.astype(np.float32) @ self._matrix(board).T) * live, np.float64)
        scores = [versus_range(row, board) for row in held]
        return np.array([each.win - each.lose for each in scores]) / (LIVE_RIVERS if len(board) == 4 else 1)

    def equities(self, board: tuple[int, ...], weights: Vectors) -> Vectors:
        """Return P(win) + P(tie) / 2 of each hand, ``[range, 1326]``; 0 where a range has no hand against it."""
        live = ~hand_space().blocked(board)
        total = np.array([hand_space().apart(row * live) for row in weights]) * live
        is_opposed = total > 1e-12 * np.maximum(weights.max(axis=1, keepdims=True), 1e-300)
        share = np.divide(self.ahead(board, weights), total, out=np.full(total.shape, -1.0), where=is_opposed)
        return np.asarray((1 + share) / 2)

    def _matrix(self, board: tuple[int, ...]) -> Matrix:
        if not board:
            return _before_flop()
        flop = tuple(sorted(board))
        if flop not in self._flops:
            if len(self._flops) >= FLOPS_KEPT:
                del self._flops[next(iter(self._flops))]
            held = np.flatnonzero(~hand_space().blocked(flop))
            matrix = np.zeros((1326, 1326), np.float32)
            matrix[np.ix_(held, held)] = all_in_chances(flop, held)
            self._flops[flop] = matrix
        return self._flops[flop]


@cache
def _before_flop() -> Matrix:
    """Return float32 ``[1326, 1326]``: the row hand's chance to win less its chance to lose before the flop."""
    wins, _ = hand_matrix()
    return np.asarray((wins - wins.T) / BOARDS, np.float32)
