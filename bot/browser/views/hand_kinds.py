"""Hands of hold'em by what they are on a board: made hands, and draws to flushes and straights.

A made hand is named by what the two hole cards add. So a pair keeps its name on a board that is paired itself, and who
holds nothing beside a board's straight plays the board.
"""

from collections import Counter
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.ranking import CATEGORIES, FLUSH, STRAIGHT, category, rank_hands
from limpet.strategies.cards.boards import STRAIGHTS
from limpet.strategies.cards.handspace import hand_space

MADE = (
    *CATEGORIES[:3:-1],
    "set",
    "trips",
    "two pair",
    "overpair",
    "top pair",
    "lower pocket pair",
    "second pair",
    "lower pair",
    "ace high",
    "nothing",
    "the board plays",
)
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
    alone = rank_hands(((),), board)[0] if len(board) == 5 else -1
    common, suits = Counter(card // 4 for card in board), Counter(card % 4 for card in board)
    for hand, hole, rank in zip(live.tolist(), holes, rank_hands(holes, board), strict=True):
        made[hand] = MADE.index(_made(hole, common, category(rank), rank == alone))
        if len(board) < 5:
            draws[hand] = DRAWS.index(_draw(hole, frozenset(common), suits, rank))
    return made, draws


def _made(hole: tuple[int, ...], common: Counter[int], kind: int, plays_board: bool) -> str:
    """Return what a hand of a category, `kind`, is made of. common: number of the board's cards by rank."""
    low, high = hole[0] // 4, hole[1] // 4  # the higher card is the second one
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


def _draw(hole: tuple[int, ...], common: frozenset[int], suits: Counter[int], rank: int) -> str:
    """Return what a hand with a rank draws to with at least one of its own cards.

    common: the board's ranks. suits: number of the board's cards by suit.
    """
    first, second = hole[0] % 4, hole[1] % 4
    own = 1 + (first == second)
    flush = rank < FLUSH and 4 in (suits[first] + own, suits[second] + own)
    outs = _straight_outs(frozenset(card // 4 for card in hole) - common, common) if rank < STRAIGHT else 0
    if flush:
        return "flush and straight draw" if outs else "flush draw"
    return ("no draw", "gutshot", "open-ended straight draw")[min(outs, 2)]


@lru_cache(maxsize=4096)
def _straight_outs(own: frozenset[int], common: frozenset[int]) -> int:
    """Return the number of ranks with each of which one's own ranks make a straight, above any that the board then has."""
    held = own | common
    best = [[straight for straight in STRAIGHTS if held | {out} >= set(straight)][-1:] for out in set(range(13)) - held]
    return sum(bool(own & set(straight)) for straights in best for straight in straights)
