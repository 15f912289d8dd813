"""The formula's draws: which cards of each hand it throws away, and how strong a hand is among hands that have drawn."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.ranking import STRAIGHT
from limpet.protocol.ranking_kernels import rank_batch
from limpet.strategies.cards.handspace import game_hands, read_only
from limpet.strategies.players.simple import discard_sets
from limpet.strategies.strategy import Rows, draw_actions

SAMPLED_HANDS = 50_000
"""Number of random hands that draw, among which the strength of a hand is its rank."""
SEED = 20


@lru_cache(maxsize=8)
def draw_rows(game: GameDef) -> Rows:
    """Return the rows of a draw: one class of hands for each set of places, which it throws away for certain."""
    sets = discard_sets(game)
    number = np.zeros(1 << game.num_hole_cards, np.int8)
    number[list(sets)] = np.arange(len(sets))
    classes = number[thrown_away(game_hands(game).holes, game) @ (1 << np.arange(game.num_hole_cards))]
    return Rows(draw_actions(sets), np.eye(len(sets), dtype=np.float32), read_only(classes), discards=sets)


def thrown_away(hands: NDArray[np.int8], game: GameDef) -> NDArray[np.bool_]:
    """Return bool ``[hand, place]``, whether the rule throws a card away. The cards of `hands` ascend.

    Kept are straights and better, cards of equal rank, four cards to a flush or in a row, and else the higher half of the
    hand. The lowest cards go first where a draw may not exchange all the others.
    """
    cards = hands.shape[1]
    ranks, suits = hands >> 2, hands & 3
    kept = (ranks[:, :, None] == ranks[:, None, :]).sum(axis=2) > 1
    if cards == 1:
        middle = 12 - (game.num_ranks - 1) / 2
        kept = ranks >= middle
    nothing = ~kept.any(axis=1)
    half = np.arange(cards) >= cards - max(1, cards // 2)
    kept[nothing] = half if cards > 1 else False
    if cards == 5:
        for first, out in ((0, 4), (1, 0)):
            row = nothing & (ranks[:, first + 3] - ranks[:, first] == 3)
            kept[row] = np.arange(5) != out
        suited = (suits[:, :, None] == suits[:, None, :]).sum(axis=2)
        four = nothing & (suited == 4).any(axis=1)
        kept[four] = suited[four] == 4
        kept[rank_batch(np.ascontiguousarray(hands)) >= STRAIGHT] = True
    out = ~kept
    return np.asarray(out & (np.cumsum(out, axis=1) <= game.max_discard))


@lru_cache(maxsize=8)
def drawn_strengths(game: GameDef) -> NDArray[np.float64]:
    """Return float64 ``[hand]``: the share of random hands, each after one draw by the rule, that a hand beats."""
    rng = np.random.Generator(np.random.PCG64(SEED))
    deck, cards = np.array(sorted(game.deck), np.int8), game.num_hole_cards
    dealt = rng.permuted(np.tile(deck, (SAMPLED_HANDS, 1)), axis=1)[:, : 2 * cards]
    hands = np.sort(dealt[:, :cards], axis=1)
    drawn = np.where(thrown_away(hands, game), dealt[:, cards:], hands)
    others = np.sort(rank_batch(np.ascontiguousarray(drawn)))
    ranks = rank_batch(game_hands(game).holes)
    beaten, level = (np.searchsorted(others, ranks, side=side) for side in ("left", "right"))
    return read_only((beaten + level) / (2 * SAMPLED_HANDS))
