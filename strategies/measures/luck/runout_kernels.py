"""Compiled runouts: every hold'em hand against a single one, over the cards that may still be dealt."""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.protocol.ranking_kernels import hold_em_strengths, rank_mask
from limpet.strategies.cards.deck_kernels import rest_of_deck


@njit(cache=True, nogil=True, error_model="numpy")
def no_card(board: int, other: int, holes: NDArray[np.int8], scores: NDArray[np.int16]) -> None:
    """Add to scores int16[1326] twice the wins and once the ties of each hand on a full board.

    board, other: masks of five and two cards; holes: int8[1326, 2]. Hands that the board blocks are left alone; scores of
    those that share a card with `other` mean nothing.
    """
    table, strengths = np.empty(169, np.int32), np.empty(1326, np.int32)
    _add_scores(board, other, holes, table, strengths, scores)


@njit(cache=True, nogil=True, error_model="numpy")
def one_card(board: int, other: int, holes: NDArray[np.int8], scores: NDArray[np.int16]) -> None:
    """Add the scores of `no_card` over all rivers that may follow a turn, a mask of four cards."""
    table, strengths, rest = np.empty(169, np.int32), np.empty(1326, np.int32), np.empty(52, np.int64)
    for i in range(rest_of_deck(board | other, rest)):
        _add_scores(board | rest[i], other, holes, table, strengths, scores)


@njit(cache=True, nogil=True, error_model="numpy")
def two_cards(board: int, other: int, holes: NDArray[np.int8], scores: NDArray[np.int16]) -> None:
    """Add the scores of `one_card` for every turn card that may follow a flop: scores int16[52, 1326], a row a card id.

    Every pair of cards is looked at once and counts for both as the turn.
    """
    table, strengths, rest = np.empty(169, np.int32), np.empty(1326, np.int32), np.empty(52, np.int64)
    pair = np.empty(1326, np.int16)
    for i in range(rest_of_deck(board | other, rest)):
        for j in range(i):
            pair[:] = 0
            _add_scores(board | rest[i] | rest[j], other, holes, table, strengths, pair)
            first, second = _card(rest[i]), _card(rest[j])
            for h in range(holes.shape[0]):
                scores[first, h] += pair[h]
                scores[second, h] += pair[h]


@njit(cache=True, nogil=True, error_model="numpy")
def _add_scores(
    board: int,
    other: int,
    holes: NDArray[np.int8],
    table: NDArray[np.int32],
    strengths: NDArray[np.int32],
    scores: NDArray[np.int16],
) -> None:
    """Add the scores of one full board. Scratch: table int32[169], strengths int32[1326]."""
    hold_em_strengths(board, holes, table, strengths)
    theirs = rank_mask(board | other)
    for h in range(holes.shape[0]):
        own = strengths[h]
        if own >= 0:
            scores[h] += np.int16(own > theirs) + np.int16(own >= theirs)


@njit(cache=True, nogil=True, error_model="numpy")
def _card(bit: int) -> int:
    """Return the id of the one card in a mask."""
    index = 0
    while bit > 1:
        bit >>= 1
        index += 1
    return 4 * (index % 16) + index // 16
