"""Hands of hold'em by what they are on a board: made hands, and draws to flushes and straights.

A made hand is named by what the two hole cards add. So a pair keeps its name on a board that is paired itself, and who
holds nothing beside a board's straight plays the board.
"""

from collections import Counter
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.ranking import CATEGORIES, FLUSH, STRAIGHT, category, rank_hands
from limpet.strategies.cards.boards import STRAIGHTS
from limpet.strategies.cards.handspace import hand_space

MADE = (
    *CATEGORIES[:3:-1], "set", "trips", "two pair", "overpair", "top pair", "lower pocket pair", "second pair", "lower pair",
    "ace high", "nothing", "the board plays",
)  # fmt: skip
"""What a hand is made of, from the strongest; quads down to straights by their usual names."""
DRAWS = ("flush and straight draw", "flush draw", "open-ended straight draw", "gutshot", "no draw")
"""What a hand draws to; of straights that it has no more than one card to, by one rank or by two or more ("open-ended")."""

Kinds = NDArray[np.int8]


@lru_cache(maxsize=64)
def hand_kinds(board: tuple[int, ...]) -> tuple[Kinds, Kinds]:
    """Return int8 ``[1326]`` twice: the number in `MADE` and in `DRAWS` of each hand on a board of 3 to 5 cards.

    Hands that share a card with the board have -1, and so have all draws on a river.
    """
    space = hand_space()
    made, draws = np.full((2, space.size), -1, np.int8)
    live = np.flatnonzero(~space.blocked(board))
    holes = [space.cards(hand) for hand in live.tolist()]
    common = rank_hands(((),), board)[0] if len(board) == 5 else -1
    for hand, hole, rank in zip(live.tolist(), holes, rank_hands(holes, board), strict=True):
        made[hand] = MADE.index(_made(hole, board, category(rank), rank == common))
        if len(board) < 5:
            draws[hand] = DRAWS.index(_draw(hole, board, rank))
    return made, draws


def _made(hole: tuple[int, ...], board: tuple[int, ...], kind: int, plays_board: bool) -> str:
    """Return what a hand of a category, `kind`, is made of."""
    common = Counter(card // 4 for card in board)
    low, high = sorted(card // 4 for card in hole)
    name = CATEGORIES[kind]
    if kind >= category(STRAIGHT):
        if plays_board:
            return "the board plays"
        if name != "four of a kind" or max(common.values()) < 4:
            return name
    if low == high:
        return "set" if common[low] else "overpair" if low > max(common) else "lower pocket pair"
    paired = [rank for rank in (high, low) if common[rank]]
    if not paired:
        return "ace high" if high == 12 else "nothing"
    if any(common[rank] == 2 for rank in paired):
        return "trips"
    if len(paired) == 2:
        return "two pair"
    above = sum(rank > paired[0] for rank in common)
    return ("top pair", "second pair", "lower pair")[min(above, 2)]


def _draw(hole: tuple[int, ...], board: tuple[int, ...], rank: int) -> str:
    """Return what a hand with a rank draws to with at least one of its own cards."""
    suits = Counter(card % 4 for card in (*hole, *board))
    flush = rank < FLUSH and any(suits[card % 4] == 4 for card in hole)
    common = frozenset(card // 4 for card in board)
    outs = _straight_outs(frozenset(card // 4 for card in hole) - common, common) if rank < STRAIGHT else 0
    if flush:
        return "flush and straight draw" if outs else "flush draw"
    return ("no draw", "gutshot", "open-ended straight draw")[min(outs, 2)]


@cache
def _straight_outs(own: frozenset[int], common: frozenset[int]) -> int:
    """Return the number of ranks with each of which one's own ranks make a straight, above any that the board then has."""
    held = own | common
    best = [[straight for straight in STRAIGHTS if held | {out} >= set(straight)][-1:] for out in set(range(13)) - held]
    return sum(bool(own & set(straight)) for straights in best for straight in straights)
