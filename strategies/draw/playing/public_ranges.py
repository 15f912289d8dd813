"""Ranges of both players by what is public: bets and numbers of discards, as the strategy file plays them."""

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.draw import set_kernels
from limpet.strategies.draw.draws import DISCARDS, OUTCOMES, DrawChances
from limpet.strategies.draw.hands import CLASSES, all_hands
from limpet.strategies.draw.playing.draw_codes import unpack_draws
from limpet.strategies.draw.playing.draw_file import DrawStrategyFile

Range = NDArray[np.float64]


def range_before_draw(file: DrawStrategyFile, position: int, node: int, mix: float = 0.0) -> Range:
    """Return float64 ``[class]``, summing to 1: the range of a position at a node of the first round.

    mix: share of the range that stays as it was at each action of the position.
    """
    tree = file.trees.first
    reach = all_hands().weights
    for parent, child in tree.steps(node):
        if tree.player[parent] == 1 - position:
            narrowed = reach * file.betting(parent)[child - tree.first_child[parent]]
            reach = _mixed(narrowed, reach, mix)
    return reach


def range_after_draw(
    before: Range, codes: NDArray[np.uint16], count: int, chances: DrawChances, mix: float = 0.0
) -> Range:
    """Return float64 ``[bucket]``, summing to 1: the range of a player who has discarded `count` cards.

    mix: share of the range for hands that discard any `count` cards, all choices alike.
    """
    return chances.reached(_discarding(before, codes, count, mix))


def classes_after_draw(before: Range, codes: NDArray[np.uint16], count: int, mix: float = 0.0) -> Range:
    """Return float64 ``[class]``, summing to 1: as `range_after_draw`, over all hands instead of buckets."""
    hands = all_hands()
    sets = np.zeros(int(hands.size_start[6]))
    reach = _discarding(before, codes, count, mix) / OUTCOMES
    set_kernels.drawn_to_sets(hands.kept, reach.astype(np.float32), sets)
    held = int(hands.size_start[5])
    # Each set of up to four kept cards is completed by all hands that hold it; a set of five is a hand that stands pat.
    each = sets[:held] / hands.copies[:held]
    after = each[hands.kept[:, :31]].sum(axis=1) * hands.combos + sets[held : held + CLASSES]
    after = np.maximum(after, 0)
    return np.asarray(after / after.sum())


def _discarding(before: Range, codes: NDArray[np.uint16], count: int, mix: float) -> Range:
    """Return float64 ``[class, 32]``, summing to 1: the hands that discard `count` cards, by the masks they keep."""
    fits = np.asarray(np.equal(DISCARDS, count), np.float64)
    play = unpack_draws(codes).dense() * fits
    even = before[:, None] * fits / fits.sum()
    return _mixed(play * before[:, None], even, mix)


def _mixed(narrowed: Range, before: Range, mix: float) -> Range:
    """Return reach after an action, scaled to 1, with a share of the reach before it. Without any reach it is that."""
    total = narrowed.sum()
    if total <= 0:
        return np.asarray(before / before.sum())
    return np.asarray((1 - mix) * narrowed / total + mix * before / before.sum())
