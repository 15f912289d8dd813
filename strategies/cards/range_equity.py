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

MOST_WORK = 100_000_000
"""Largest number of pairs of hands times boards that is enumerated: about a second."""


def range_equity(game: GameDef, board: tuple[int, ...], weights: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return P(win) + P(tie) / 2 of every hand against a weighted range, over all boards to come.

    weights: ``[hand]``, not negative. Returns float64 ``[hand]``, 0 where every opposing hand is blocked.

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
    opposing = space.disjoint @ held
    equity: NDArray[np.float64] = np.divide(pairs @ held, opposing, out=np.zeros(space.size), where=opposing > 0)
    return equity


@lru_cache(maxsize=1024)
def _pair_equities(space: HandSpace, board: tuple[int, ...], final: int) -> NDArray[np.float64]:
    """Return ``[hand, hand]``: the row's mean points against the column over all boards, 0 for pairs that share a card."""
    rest = [card for card in space.deck if card not in board]
    boards = comb(len(rest), final - len(board))
    if boards * space.size**2 > MOST_WORK:
        raise ValueError(
            f"{boards:,} boards with {space.size:,} hands each are too many to enumerate; hold'em and small decks work"
        )
    points, pairs = np.zeros((space.size, space.size)), np.zeros((space.size, space.size))
    for more in combinations(rest, final - len(board)):
        ranks = hand_strengths(np.array(board + more, np.int8), space.holes)
        meet = space.disjoint * np.outer(ranks >= 0, ranks >= 0)
        points += meet * (np.sign(ranks[:, None] - ranks) + 1) / 2
        pairs += meet
    return np.divide(points, pairs, out=np.zeros_like(points), where=pairs > 0)
