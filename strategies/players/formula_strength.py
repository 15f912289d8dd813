"""Strengths of all private hands on a board, in any game: the chance to beat one random hand.

Hold'em uses exact tables and kernels. Small decks are enumerated. Where that takes too long, the rank of a hand among all
live ones is averaged over a fixed sample of boards.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.ranking_kernels import hand_strengths
from limpet.strategies.cards.handspace import HandSpace, hand_space, is_holdem, read_only
from limpet.strategies.cards.isomorphism import canonical_boards, hand_permutation, preflop_classes
from limpet.strategies.cards.preflop_matrix import class_equities
from limpet.strategies.cards.strength import expected_strengths
from limpet.strategies.sampling import mix

EXACT_WORK = 100_000_000
"""Pairs of hands on all boards up to which strengths are enumerated: about a second."""
QUICK_WORK = 10_000
"""Pairs of hands on all boards that take less than a millisecond."""
SAMPLED_BOARDS = 200
"""Number of boards that are sampled."""

Strengths = NDArray[np.float64]


def strengths(game: GameDef, board: tuple[int, ...]) -> Strengths:
    """Return float64 ``[hand]``: P(win) + P(tie) / 2 against one random hand, over all runouts of the board.

    Hands are in the order of the game's hand space; those that the board blocks have 0. The array is read-only.
    """
    final = game.board_sizes[-1]
    if is_holdem(game) and final == 5 and len(board) in (0, 3, 4, 5):
        # A flop takes 20 ms, and there are only 1,755 of them.
        return _permuted(*canonical_boards(3).find(board)) if len(board) == 3 else _hold_em_board(tuple(sorted(board)))
    return _any_game(tuple(sorted(game.deck)), game.num_hole_cards, tuple(sorted(board)), final)


def quick(game: GameDef, board: tuple[int, ...]) -> bool:
    """Return False where `strengths` may take more than a millisecond the first time."""
    if len(game.deck) == 52:
        return is_holdem(game) and game.board_sizes[-1] == 5 and len(board) in (0, 5)
    boards = comb(len(game.deck) - len(board), game.board_sizes[-1] - len(board))
    return boards * comb(len(game.deck), game.num_hole_cards) ** 2 <= QUICK_WORK


@lru_cache(maxsize=1755)
def _canonical_flop(number: int) -> Strengths:
    return read_only(expected_strengths([int(card) for card in canonical_boards(3).boards[number]]))


@lru_cache(maxsize=64)
def _permuted(number: int, permutation: tuple[int, ...]) -> Strengths:
    return read_only(_canonical_flop(number)[hand_permutation(permutation)])


@lru_cache(maxsize=256)
def _hold_em_board(board: tuple[int, ...]) -> Strengths:
    return read_only(expected_strengths(board) if board else class_equities()[preflop_classes()])


@lru_cache(maxsize=4096)
def _any_game(deck: tuple[int, ...], hole_cards: int, board: tuple[int, ...], final: int) -> Strengths:
    space = hand_space(deck, hole_cards)
    boards = comb(len(deck) - len(board), final - len(board))
    is_small = boards * space.size**2 <= EXACT_WORK
    return read_only((_enumerated if is_small else _sampled)(space, board, final))


def _enumerated(space: HandSpace, board: tuple[int, ...], final: int) -> Strengths:
    """Return exact strengths, over every runout and every pair of hands without a card in common."""
    points, pairs = np.zeros((2, space.size))
    for complete in _runouts(space, board, final):
        ranks = hand_strengths(np.array(complete, np.int8), space.holes)
        meet = space.disjoint & (ranks >= 0) & (ranks >= 0)[:, None]
        points += (meet * (np.sign(ranks[:, None] - ranks) + 1)).sum(axis=1) / 2
        pairs += meet.sum(axis=1)
    return np.divide(points, pairs, out=np.zeros(space.size), where=pairs > 0)


def _sampled(space: HandSpace, board: tuple[int, ...], final: int) -> Strengths:
    """Return the mean share of live hands that each hand beats, as if it did not hold any of their cards.

    It is taken over all runouts where there are few, else over `SAMPLED_BOARDS` of them, always the same.
    """
    rest, count = [card for card in space.deck if card not in board], final - len(board)
    boards = _runouts(space, board, final)
    if comb(len(rest), count) > SAMPLED_BOARDS:
        shuffled = (sorted(rest, key=lambda card: mix(number, card)) for number in range(SAMPLED_BOARDS))
        boards = (board + tuple(ordered[:count]) for ordered in shuffled)
    points, times = np.zeros((2, space.size))
    for complete in boards:
        ranks = hand_strengths(np.array(complete, np.int8), space.holes)
        live = ranks >= 0
        ordered = np.sort(ranks[live])
        below, upto = np.searchsorted(ordered, ranks), np.searchsorted(ordered, ranks, side="right")
        points[live] += ((below + upto)[live] - 1) / 2 / max(1, len(ordered) - 1)
        times += live
    return np.where(space.blocked(board), 0.0, np.divide(points, times, out=np.full(space.size, 0.5), where=times > 0))


def _runouts(space: HandSpace, board: tuple[int, ...], final: int) -> Iterator[tuple[int, ...]]:
    """Yield `board` with all runouts to `final` cards."""
    rest = [card for card in space.deck if card not in board]
    return (board + added for added in combinations(rest, final - len(board)))
