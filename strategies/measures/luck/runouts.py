"""Exact values of a showdown before the last cards are dealt, for every hand of one player."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.messages import Hole
from limpet.protocol.ranking_kernels import card_mask, hand_strengths
from limpet.protocol.settlement import settle_ranks
from limpet.protocol.state import State
from limpet.strategies.cards.handspace import game_hands, hand_space, is_holdem, read_only
from limpet.strategies.cards.preflop_matrix import BOARDS, hand_matrix
from limpet.strategies.measures.luck.runout_kernels import no_card, one_card, two_cards

MOST_BOARDS = 20_000


def showdown_values(state: State, board: tuple[int, ...], position: int, holes: Sequence[Hole]) -> NDArray[np.float64]:
    """Return mean net chips of `position` over every way to complete `board`, if all who have not folded showed down now.

    float64 ``[hand]``; 0 for hands that share a card with the board or the others' hands. Raises `ValueError` if over
    20,000 boards would have to be looked at one by one, as before the flop with three or more players.

    state: any state of the hand; it says who put what into the pot. holes: hole cards by position, of which those of
    `position` are not looked at.
    """
    game = state.game
    space = game_hands(game)
    others = [card for p, hole in enumerate(holes) if p != position for card in hole]
    size = sum(game.num_board_cards)
    missing = size - len(board)
    blocked = space.blocked([*others, *board])
    if game.num_players == 2 and is_holdem(game, whole=True):
        share = 2 * hold_em_equities(tuple(holes[1 - position]), board) - 1
        return np.where(blocked, 0.0, min(state.spent) * share)
    left = [card for card in space.deck if card not in {*others, *board}]
    if comb(len(left), missing) > MOST_BOARDS:
        raise ValueError(
            f"{comb(len(left), missing):,} boards may still follow, too many to look at; "
            "all-in hands of three or more players are evaluated from the flop on"
        )
    total, count = np.zeros(space.size), np.zeros(space.size)
    for cards in combinations(left, missing):
        full = (*board, *cards)
        live = ~(blocked | space.blocked(full))
        total[live] += _full_board_values(state, full, position, holes)[live]
        count += live
    return np.divide(total, count, out=total, where=count > 0)


def _full_board_values(
    state: State, board: tuple[int, ...], position: int, holes: Sequence[Hole]
) -> NDArray[np.float64]:
    """Return net chips of every hand on a full board. Only the order between a hand and the others' counts."""
    game = state.game
    cards = np.array(board, np.int8)
    own = hand_strengths(cards, game_hands(game).holes)
    ranks = [
        int(hand_strengths(cards, np.array([hole], np.int8))[0]) if p != position else 0 for p, hole in enumerate(holes)
    ]
    levels = sorted({rank for p, rank in enumerate(ranks) if p != position})
    # Doubled, so that there is room between two levels.
    level = np.searchsorted(levels, own, "left") + np.searchsorted(levels, own, "right")
    payoff = np.empty(2 * len(levels) + 1)
    for mine in range(len(payoff)):
        order = [mine if p == position else 2 * levels.index(rank) + 1 for p, rank in enumerate(ranks)]
        payoff[mine] = settle_ranks(state.spent, state.folded, order)[position]
    values: NDArray[np.float64] = payoff[level]
    return values


@lru_cache(maxsize=256)
def hold_em_equities(other: Hole, board: tuple[int, ...]) -> NDArray[np.float64]:
    """Return P(win) + P(tie) / 2 of every hold'em hand against one, with 0, 3, 4 or 5 board cards dealt.

    float64 ``[1326]``, read-only; numbers of hands that share a card with the other hand or the board mean nothing.
    """
    if not board:
        wins, ties = hand_matrix()
        index = hand_space().index(other)
        equities = (wins[:, index] + ties[:, index] / 2) / BOARDS
    elif len(board) == 3:
        equities = turn_equities(other, board).sum(axis=0) / 45  # each turn leaves 44 of the 990 pairs, each pair twice
    else:
        scores = np.zeros(1326, np.int16)
        kernel, boards = (one_card, 44) if len(board) == 4 else (no_card, 1)
        kernel(mask_of(board), mask_of(other), hand_space().holes, scores)
        equities = scores / (2.0 * boards)
    return read_only(equities)


@lru_cache(maxsize=64)
def turn_equities(other: Hole, flop: tuple[int, ...]) -> NDArray[np.float64]:
    """Return P(win) + P(tie) / 2 of every hold'em hand against one after each turn card; takes some 20 ms.

    float64 ``[52, 1326]``, read-only; 0 for a turn that the hand, the other hand or the flop holds.
    """
    scores = np.zeros((52, 1326), np.int16)
    two_cards(mask_of(flop), mask_of(other), hand_space().holes, scores)
    return read_only(scores / (2.0 * 44))


def mask_of(cards: Sequence[int]) -> int:
    """Return cards as the bits of one number."""
    return int(card_mask(np.array(cards, np.int8), len(cards)))
