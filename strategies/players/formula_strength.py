"""How strong every private hand is on a board: the chance to beat one random hand, in any game.

Hold'em uses exact tables and kernels. Small decks are enumerated, and what is too large for that is sampled: the rank
of a hand among all live ones, averaged over a fixed sample of boards.
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.ranking_kernels import hand_strengths
from limpet.strategies.cards.handspace import HandSpace, hand_space, is_holdem
from limpet.strategies.cards.isomorphism import canonical_boards, hand_permutation
from limpet.strategies.cards.preflop_equity import hand_equities
from limpet.strategies.cards.strength import expected_strengths
from limpet.strategies.sampling import mix

EXACT_WORK = 100_000_000  # hand pairs looked at before sampling takes over: about a second
QUICK_WORK = 10_000
SAMPLED_BOARDS = 200

Strengths = NDArray[np.float64]


def strengths(game: GameDef, board: tuple[int, ...]) -> Strengths:
    """P(win) + P(tie) / 2 of every hand against one random hand, all of the board run out.

    float64 ``[hand]`` in the order of the game's hand space, 0 for hands that the board blocks; read-only.
    """
    final = game.board_sizes[-1]
    if is_holdem(game) and final == 5 and len(board) in (0, 3, 4, 5):
        return _hold_em(board)
    return _any_game(tuple(sorted(game.deck)), game.num_hole_cards, tuple(sorted(board)), final)


def quick(game: GameDef, board: tuple[int, ...]) -> bool:
    """False where `strengths` may take more than a millisecond the first time."""
    if len(game.deck) == 52:
        return is_holdem(game) and game.board_sizes[-1] == 5 and len(board) in (0, 5)
    to_come = game.board_sizes[-1] - len(board)
    hands = comb(len(game.deck), game.num_hole_cards)
    return comb(len(game.deck) - len(board), to_come) * hands**2 <= QUICK_WORK


def _hold_em(board: tuple[int, ...]) -> Strengths:
    if not board:
        return _hold_em_preflop()
    if len(board) == 3:
        # A flop takes 20 ms, and there are only 1,755 of them.
        boards = canonical_boards(3)
        number, permutation = boards.find(board)
        return _permuted(number, permutation)
    return _hold_em_later(tuple(sorted(board)))


@cache
def _hold_em_preflop() -> Strengths:
    return _read_only(hand_equities())


@lru_cache(maxsize=1755)
def _canonical_flop(number: int) -> Strengths:
    return _read_only(expected_strengths([int(card) for card in canonical_boards(3).boards[number]]))


@lru_cache(maxsize=64)
def _permuted(number: int, permutation: tuple[int, ...]) -> Strengths:
    return _read_only(_canonical_flop(number)[hand_permutation(permutation)])


@lru_cache(maxsize=256)
def _hold_em_later(board: tuple[int, ...]) -> Strengths:
    return _read_only(expected_strengths(board))


@lru_cache(maxsize=4096)
def _any_game(deck: tuple[int, ...], hole_cards: int, board: tuple[int, ...], final: int) -> Strengths:
    space = hand_space(deck, hole_cards)
    boards = comb(len(deck) - len(board), final - len(board))
    if boards * space.size**2 <= EXACT_WORK:
        return _read_only(_enumerated(space, board, final))
    return _read_only(_sampled(space, board, final))


def _enumerated(space: HandSpace, board: tuple[int, ...], final: int) -> Strengths:
    """Every board against every pair of hands without a card in common."""
    apart = ~(space.holes[:, None, :, None] == space.holes[None, :, None, :]).any(axis=(2, 3))
    points = np.zeros(space.size)
    pairs = np.zeros(space.size)
    for complete in _completions(space.deck, board, final):
        ranks = hand_strengths(np.array(complete, np.int8), space.holes)
        meet = apart & (ranks >= 0) & (ranks >= 0)[:, None]
        points += (meet * (np.sign(ranks[:, None] - ranks) + 1)).sum(axis=1) / 2
        pairs += meet.sum(axis=1)
    return np.divide(points, pairs, out=np.zeros(space.size), where=pairs > 0)


def _sampled(space: HandSpace, board: tuple[int, ...], final: int) -> Strengths:
    """The share of live hands that each one beats, which leaves its own two cards out of account."""
    points = np.zeros(space.size)
    times = np.zeros(space.size)
    for complete in _sample(space.deck, board, final):
        ranks = hand_strengths(np.array(complete, np.int8), space.holes)
        live = ranks >= 0
        ordered = np.sort(ranks[live])
        below, upto = np.searchsorted(ordered, ranks), np.searchsorted(ordered, ranks, side="right")
        points[live] += ((below + upto)[live] - 1) / 2 / max(1, len(ordered) - 1)
        times += live
    return np.where(space.blocked(board), 0.0, np.divide(points, times, out=np.full(space.size, 0.5), where=times > 0))


def _completions(deck: tuple[int, ...], board: tuple[int, ...], final: int) -> Iterator[tuple[int, ...]]:
    rest = [card for card in deck if card not in board]
    for added in combinations(rest, final - len(board)):
        yield board + added


def _sample(deck: tuple[int, ...], board: tuple[int, ...], final: int) -> Iterator[tuple[int, ...]]:
    """All completions where they are few, else `SAMPLED_BOARDS` of them, always the same."""
    rest = [card for card in deck if card not in board]
    count = final - len(board)
    if comb(len(rest), count) <= SAMPLED_BOARDS:
        yield from _completions(deck, board, final)
        return
    for number in range(SAMPLED_BOARDS):
        ordered = sorted(rest, key=lambda card: mix(number, card))
        yield board + tuple(ordered[:count])


def _read_only(values: Strengths) -> Strengths:
    values.flags.writeable = False
    return values
