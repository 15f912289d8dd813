"""Compiled runouts: every hold'em hand against a single one, over the cards that may still be dealt."""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.protocol.ranking_kernels import hold_em_strengths, rank_mask
from limpet.strategies.cards.equity_kernels import rest_of_deck


@njit(cache=True, nogil=True, error_model="numpy")
def no_card(
    board: int,
    other: int,
    holes: NDArray[np.int8],
    table: NDArray[np.int32],
    strengths: NDArray[np.int32],
    rest: NDArray[np.int64],
    scores: NDArray[np.int16],
) -> None:
    """Add to scores int16[1326] twice the wins and once the ties of each hand on a full board.

    board, other: masks of five and two cards; holes: int8[1326, 2]. Scratch: table int32[169], strengths int32[1326],
    rest int64[52]. Hands that meet the board are left alone; what stands for those that meet `other` means nothing.
    """
    hold_em_strengths(board, holes, table, strengths)
    theirs = rank_mask(board | other)
    for h in range(holes.shape[0]):
        own = strengths[h]
        if own >= 0:
            scores[h] += np.int16(own > theirs) + np.int16(own >= theirs)


@njit(cache=True, nogil=True, error_model="numpy")
def one_card(
    board: int,
    other: int,
    holes: NDArray[np.int8],
    table: NDArray[np.int32],
    strengths: NDArray[np.int32],
    rest: NDArray[np.int64],
    scores: NDArray[np.int16],
) -> None:
    """`no_card` over all rivers that may follow a turn, a mask of four cards."""
    n = rest_of_deck(board | other, rest)
    for i in range(n):
        no_card(board | rest[i], other, holes, table, strengths, rest, scores)


@njit(cache=True, nogil=True, error_model="numpy")
def two_cards(
    board: int,
    other: int,
    holes: NDArray[np.int8],
    table: NDArray[np.int32],
    strengths: NDArray[np.int32],
    rest: NDArray[np.int64],
    scores: NDArray[np.int16],
) -> None:
    """`one_card` for every turn card that may follow a flop: scores int16[52, 1326], a row for each card id.

    Every pair of cards is looked at once and counts for both as the turn.
    """
    n = rest_of_deck(board | other, rest)
    for i in range(n):
        first = _card(rest[i])
        for j in range(i):
            second = _card(rest[j])
            full = board | rest[i] | rest[j]
            hold_em_strengths(full, holes, table, strengths)
            theirs = rank_mask(full | other)
            for h in range(holes.shape[0]):
                own = strengths[h]
                if own >= 0:
                    score = np.int16(own > theirs) + np.int16(own >= theirs)
                    scores[first, h] += score
                    scores[second, h] += score


@njit(cache=True, nogil=True, error_model="numpy")
def _card(bit: int) -> int:
    """The id of the one card in a mask."""
    place = 0
    while bit > 1:
        bit >>= 1
        place += 1
    return 4 * (place % 16) + place // 16
