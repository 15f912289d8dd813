"""Equity of every private hand against a range, in any game with two players and a deck that can be enumerated."""

from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.ranking_kernels import hand_strengths
from limpet.strategies.cards.equity import versus_range
from limpet.strategies.cards.handspace import HandSpace, game_hands, is_holdem

MOST_WORK = 100_000_000  # pairs of hands times boards: about a second


def range_equity(game: GameDef, board: tuple[int, ...], weights: NDArray[np.floating]) -> NDArray[np.float64]:
    """P(win) + P(tie) / 2 of every hand against a weighted range, all of the board run out.

    weights: ``[hand]``, not negative. Returns float64 ``[hand]``, 0 where a hand can meet nothing.

    Raises `ValueError` for a game whose hands and boards are too many to enumerate.
    """
    space = game_hands(game)
    held = np.where(space.blocked(board), 0, weights)
    largest = float(held.max())
    if largest <= 0:
        return np.zeros(space.size)
    if is_holdem(game) and game.board_sizes[-1] == 5:
        return np.asarray(versus_range((held / largest).astype(np.float32), board).equity)
    pairs = _pair_equities(space, tuple(sorted(board)), game.board_sizes[-1])
    met = _apart(space) @ held
    found: NDArray[np.float64] = np.divide(pairs @ held, met, out=np.zeros(space.size), where=met > 0)
    return found


@lru_cache(maxsize=64)
def _apart(space: HandSpace) -> NDArray[np.float64]:
    """1 for pairs of hands without a card in common, else 0: float64 ``[hand, hand]``."""
    shared = (space.holes[:, None, :, None] == space.holes[None, :, None, :]).any(axis=(2, 3))
    return np.asarray(~shared, np.float64)


@lru_cache(maxsize=1024)
def _pair_equities(space: HandSpace, board: tuple[int, ...], final: int) -> NDArray[np.float64]:
    """Mean points of the row's hand against the column's over all boards, 0 for pairs that cannot meet."""
    rest = [card for card in space.deck if card not in board]
    boards = comb(len(rest), final - len(board))
    if boards * space.size**2 > MOST_WORK:
        raise ValueError(
            f"{boards:,} boards with {space.size:,} hands each are too many to enumerate; hold'em and small decks work"
        )
    points, pairs = np.zeros((space.size, space.size)), np.zeros((space.size, space.size))
    for more in combinations(rest, final - len(board)):
        ranks = hand_strengths(np.array(board + more, np.int8), space.holes)
        meet = _apart(space) * np.outer(ranks >= 0, ranks >= 0)
        points += meet * (np.sign(ranks[:, None] - ranks) + 1) / 2
        pairs += meet
    return np.divide(points, pairs, out=np.zeros_like(points), where=pairs > 0)
