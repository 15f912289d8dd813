"""A decision as the numbers that trees see: the betting of all streets so far, the board, and a hand on it.

Nothing here depends on the names of suits, on the size of the blinds, or on who sits where but by position.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import State
from limpet.strategies.cards.handspace import hand_space, read_only
from limpet.strategies.cards.isomorphism import preflop_classes
from limpet.strategies.cards.preflop_tables import class_equities
from limpet.strategies.cards.ranking_kernels import hand_strengths
from limpet.strategies.opponents.hand_cells import strength_cells
from limpet.strategies.opponents.situations import acts_last, betting_facts, possible_kinds, raise_size, shorter_stack

Numbers = NDArray[np.float64]

NONE = -1.0
"""Number that stands for what there is none of, such as a raiser before the first raise."""
STRENGTHS = 1000
"""Number of parts of all hands by their chance to beat a random one, of which a hand's part is a feature."""

BETTING = (
    "street", "may fold", "may raise", "seats", "players", "position", "acts last", "raises", "raises preflop",
    "raises flop", "raises turn", "raises street before", "callers", "callers preflop", "raiser", "raiser's position",
    "size", "first size", "size street before", "own last action", "own raises", "own raise preflop",
    "led street before", "leader", "quiet", "pot", "odds", "to call", "chips behind", "pots behind", "players behind",
    "all in", "folds",
    "highest rank", "second rank", "lowest rank", "paired", "cards of a suit", "straight", "last rank", "last is highest",
    "last pairs", "cards of last suit",
)  # fmt: skip
"""Names of the features of betting and board. Ranks are 0 to 12, chips are big blinds."""

HAND = (
    "preflop equity", "high card", "low card", "suited", "pair", "strength", "strength before", "made quantile",
    "overcards", "pairs", "kicker", "flush", "own suit", "straight cards", "made", "flush card",
)  # fmt: skip
"""Names of the features of a hand on a board. `pairs` is the place of the highest board rank that the hand pairs."""

OWN = "own"
"""Name of the last feature: 1 for decisions of the players who are learnt, 0 for those of others."""
FEATURES = (*BETTING, *HAND, OWN)


def betting_features(state: State) -> list[float]:
    """Return the features of betting and board, see `BETTING`."""
    game, street, me = state.game, state.round, state.actor
    facts = betting_facts(state)
    raises = (*facts.raises, 0, 0, 0)
    callers = own_raises = own_preflop = folds = 0
    sizes, leaders, first_size = [NONE] * 4, [-1] * 4, 0.0
    for before, after in pairwise(state.path()):
        action = after.action
        assert action is not None
        if action.kind == "r":
            size = raise_size(before, after.max_spent)
            sizes[before.round], leaders[before.round] = size, before.actor
            first_size = first_size or size
            own_raises += before.actor == me
            own_preflop |= before.actor == me and before.round == 0
        elif action.kind == "c":
            callers += before.round == 0 and before.to_call > 0
        else:
            folds += before.round == street

    def order(position: int) -> int:
        """Return when a position acts after the flop."""
        return (position - game.first_player[-1]) % game.num_players

    def seat(position: int) -> float:
        """Return how many seats a position is before the button; heads-up, its number."""
        if position < 0:
            return NONE
        return position if game.num_players == 2 else game.num_players - 1 - position

    def side(position: int) -> float:
        """Return 0 for a player before the actor, 1 for one behind, 2 for the actor."""
        return NONE if position < 0 else 2 if position == me else float(order(position) > order(me))

    live = [position for position in range(game.num_players) if not state.has_folded(position)]
    may_fold, _, may_raise = possible_kinds(state)
    pot, to_call, big_blind = max(1, state.pot), state.to_call, game.big_blind
    behind = shorter_stack(state) - state.max_spent
    return [
        street, may_fold, may_raise, game.num_players, len(live), seat(me), acts_last(state), facts.raises[-1],
        *raises[:3], raises[street - 1] if street else NONE, facts.callers, callers, side(facts.raiser),
        seat(facts.raiser), facts.size, first_size, sizes[street - 1] if street else NONE, "-cr".index(facts.own),
        own_raises, own_preflop, float(leaders[street - 1] == me) if street else NONE, side(facts.leader), facts.quiet,
        pot / big_blind, to_call / (pot + to_call), to_call / big_blind, behind / big_blind, behind / pot,
        sum(order(position) > order(me) for position in live),
        sum(state.spent[position] >= game.stack[position] for position in live), folds,
        *_board_features(state.board),
    ]  # fmt: skip


@lru_cache(maxsize=1024)
def _board_features(board: tuple[int, ...]) -> tuple[float, ...]:
    if not board:
        return (NONE,) * (len(BETTING) - BETTING.index("highest rank"))
    ranks = sorted((card // 4 for card in board), reverse=True)
    suits, last = [card % 4 for card in board], board[-1]
    earlier = [card // 4 for card in board[:-1]]
    straight = int(_straight_cards(np.array(sum(1 << rank for rank in set(ranks)))))
    return (
        ranks[0], ranks[1], ranks[-1], len(ranks) - len(set(ranks)), max(map(suits.count, suits)), straight, last // 4,
        last // 4 > max(earlier), last // 4 in earlier, suits.count(last % 4),
    )  # fmt: skip


def _straight_cards(ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the most ranks that lie within one straight. `ranks`: sets of ranks as bits; the ace counts below the deuce too."""
    with_low_ace = (ranks << 1) | (ranks >> 12 & 1)
    return np.asarray(np.max([np.bitwise_count(with_low_ace >> low & 31) for low in range(10)], axis=0))


@lru_cache(maxsize=256)
def hand_features(board: Sequence[int]) -> Numbers:
    """Return float64 ``[hand, feature]``: the features of all 1,326 hands on a board, see `HAND`; read-only.

    Hands that share a card with the board have numbers without meaning. A new flop takes some 20 ms.
    """
    holes = hand_space().holes.astype(np.int64)
    ranks, suits = np.sort(holes // 4, axis=1), holes % 4
    low, high = ranks.T
    suited = suits[:, 0] == suits[:, 1]
    features = np.full((len(holes), len(HAND)), NONE)
    features[:, :5] = np.stack([class_equities()[preflop_classes()], high, low, suited, high == low], axis=1)
    if board:
        made = hand_strengths(np.array(board, np.int8), hand_space().holes)
        live = np.sort(made[made >= 0])
        quantile = np.searchsorted(live, made) + np.searchsorted(live, made, side="right")
        board_ranks = np.array([card // 4 for card in board])
        place = np.full(13, 9)
        for number, rank in enumerate(sorted(set(board_ranks.tolist()), reverse=True)):
            place[rank] = number
        of_suit = np.bincount([card % 4 for card in board], minlength=4)
        own_suit = (of_suit[suits] + 1 + suited[:, None]).max(axis=1)
        common = np.bitwise_or.reduce(1 << board_ranks)
        straight = _straight_cards(common | (1 << low) | (1 << high)) - _straight_cards(common)
        before = strength_cells(tuple(board[:-1]), STRENGTHS) if len(board) > 3 else np.full(len(holes), NONE)
        columns = (
            strength_cells(tuple(board), STRENGTHS),
            before,
            quantile / (2 * len(live)),
            (ranks > board_ranks.max()).sum(axis=1),
            place[ranks].min(axis=1),
            np.where(place[high] == 9, high, low),
            own_suit - of_suit.max(),
            own_suit,
            straight,
            made,
            np.where(of_suit[suits] == of_suit.max(), holes // 4, -1).max(axis=1),
        )
        features[:, 5:] = np.stack(columns, axis=1)
    return read_only(features)
