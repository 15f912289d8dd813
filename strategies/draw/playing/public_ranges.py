"""Ranges of both players by what is public: bets and numbers of discards, as the strategy file plays them."""

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.draw.draws import DISCARDS, DrawChances
from limpet.strategies.draw.hands import all_hands
from limpet.strategies.draw.playing.draw_codes import unpack_draws
from limpet.strategies.draw.playing.draw_file import DrawStrategyFile

Range = NDArray[np.float64]


def range_before_draw(file: DrawStrategyFile, position: int, node: int, mix: float = 0.0) -> Range:
    """Return float64 ``[class]``, summing to 1: the range of a position at a node of the first round.

    mix: share of the range that stays as it was at each action of the position.
    """
    tree = file.trees.first
    line = []
    while node:
        line.append(node)
        node = int(tree.parent[node])
    reach = all_hands().weights
    for child in reversed(line):
        parent = int(tree.parent[child])
        if tree.player[parent] == 1 - position:
            taken = reach * file.betting(parent)[child - tree.first_child[parent]]
            reach = _mixed(taken, reach, mix)
    return reach


def range_after_draw(
    before: Range, codes: NDArray[np.uint16], count: int, chances: DrawChances, mix: float = 0.0
) -> Range:
    """Return float64 ``[bucket]``, summing to 1: the range of a player who has discarded `count` cards.

    mix: share of the range for hands that discard any `count` cards, all choices alike.
    """
    fits = np.asarray(np.equal(DISCARDS, count), np.float64)
    play = unpack_draws(codes).dense() * fits
    even = before[:, None] * fits / fits.sum()
    return chances.reached(_mixed(play * before[:, None], even, mix))


def _mixed(taken: Range, before: Range, mix: float) -> Range:
    """Return reach after an action, scaled to 1, with a share of the reach before it. Without any reach it is that."""
    total = taken.sum()
    if total <= 0:
        return np.asarray(before / before.sum())
    return np.asarray((1 - mix) * taken / total + mix * before / before.sum())
