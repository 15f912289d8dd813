"""Rule-based players: `formula`, by hand strength against pot odds, and `chart`, by starting hands before the flop.

The formula is of the family of Billings et al., "The challenge of poker" (2002): a strength, a few thresholds, and a little
bluffing. The chart's groups and rules of position are Sklansky's as printed in Kujath's thesis (Fig 12): groups 1-4 are played in
any position, 5 from middle position on (loose: from early), 6 in late position (loose: in middle), 7-8 there by the first in.
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import BET, GameDef
from limpet.protocol.ranking import STRAIGHT
from limpet.protocol.state import State
from limpet.strategies.base.sampling import mix
from limpet.strategies.base.strategy import (
    RaiseSize,
    Rows,
    Stateless,
    Strategy,
    draw_actions,
    fold_call_raise,
    sized_raise,
)
from limpet.strategies.cards.equity import known_strengths
from limpet.strategies.cards.handspace import HandSpace, game_hands, is_holdem, read_only, require_all_cards
from limpet.strategies.cards.isomorphism import NUM_CLASSES, preflop_classes
from limpet.strategies.cards.ranges import class_weights, parse_range
from limpet.strategies.cards.ranking_kernels import hand_strengths, rank_batch
from limpet.strategies.players.simple import Positive, Weight, discard_sets

# --- The formula's draws: which cards of each hand it throws away, and how strong a hand is among hands that have
# drawn.

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
    kept = np.zeros(hands.shape, np.bool_)
    equal = ranks[:, 1:] == ranks[:, :-1]
    kept[:, 1:] |= equal
    kept[:, :-1] |= equal
    if cards == 1:
        kept = ranks >= 12 - (game.num_ranks - 1) / 2
    nothing = ~kept.any(axis=1)
    half = np.arange(cards) >= cards - max(1, cards // 2)
    kept[nothing] = half if cards > 1 else False
    if cards == 5:
        for first, apart in ((0, 4), (1, 0)):
            row = nothing & (ranks[:, first + 3] - ranks[:, first] == 3)
            kept[row] = np.arange(5) != apart
        suited = np.zeros_like(hands)
        for place in range(5):
            suited += suits == suits[:, place, None]
        four = nothing & (suited == 4).any(axis=1)
        kept[four] = suited[four] == 4
        kept[rank_batch(np.ascontiguousarray(hands)) >= STRAIGHT] = True
    return np.asarray(~kept & (np.cumsum(~kept, axis=1, dtype=np.int8) <= game.max_discard))


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


# --- Strengths of all private hands on a board, in any game: the chance to beat one random hand.

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
        return known_strengths(board)
    return _any_game(game_hands(game), tuple(sorted(board)), final)


def quick(game: GameDef, board: tuple[int, ...]) -> bool:
    """Return False where `strengths` may take more than a millisecond the first time."""
    if len(game.deck) == 52:
        return is_holdem(game) and game.board_sizes[-1] == 5 and len(board) in (0, 5)
    boards = comb(len(game.deck) - len(board), game.board_sizes[-1] - len(board))
    return boards * comb(len(game.deck), game.num_hole_cards) ** 2 <= QUICK_WORK


@lru_cache(maxsize=4096)
def _any_game(space: HandSpace, board: tuple[int, ...], final: int) -> Strengths:
    boards = comb(len(space.deck) - len(board), final - len(board))
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


class Formula(Stateless):
    """Bets and raises strong hands, calls when its chances beat the price, and bluffs with some of the weakest.

    The strength of a hand is its chance to beat everybody still in: that against one random hand, to the power of the
    number of opponents. After k raises in the round (blinds are none), with wary = 1 - (1 - caution)^k:

        strong   strength >= t + (1 - t) * wary, where t is `bet` if k = 0 and `raise` otherwise, as for two players:
                 with n still in it is t * 2 / n, the same multiple of a fair share
        callable strength >= price + (1 - price) * caution * wary, price = to call / (pot + to call)
        bluffing where checking is free, the weakest `bluff_share` of the live hands bet with probability `bluff`

    Strong hands raise by `size`, callable ones call, and the rest check or fold. In a draw the formula
    keeps what is made, four to a flush or straight, or the higher half of the hand (`thrown_away`); after a draw a random
    hand is one that has drawn as it does.
    """

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """Thresholds are strengths from 0 to 1, `size` is a pot fraction, the others are shares from 0 to 1."""

        bet: Weight = 0.65
        raise_: Weight = msgspec.field(default=0.8, name="raise")
        caution: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.25
        size: Positive = 0.75
        bluff: Weight = 0.1
        bluff_share: Weight = 0.25

    def __init__(self, game: GameDef, options: Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        require_all_cards(game)
        self.options = options

    def slow(self, state: State) -> bool:
        return not self.game.num_draws and not quick(self.game, state.board)

    def warm_up(self) -> None:
        if self.game.num_draws:
            draw_rows(self.game)
            for drawn in (False, True):
                _win_chances(self.game, drawn, (), 1, self.options.bluff_share)
            return
        # One board of each round compiles the kernels and fills the preflop table.
        for size in self.game.board_sizes:
            strengths(self.game, self.game.deck[:size])

    def rows(self, state: State) -> Rows:
        if state.phase is not BET:
            return draw_rows(self.game)
        options = self.options
        drawn = any(self.game.num_draws[: state.round + 1])
        strength, classes, low = _win_chances(self.game, drawn, state.board, state.remaining - 1, options.bluff_share)
        wary = 1 - (1 - options.caution) ** state.raises
        raises = np.zeros(len(strength), np.float32)
        bigger = sized_raise(state, options.size)
        if bigger is not None:
            threshold = (options.raise_ if state.raises else options.bet) * 2 / state.remaining
            raises[:] = strength >= threshold + (1 - threshold) * wary
            if not state.can_fold and options.bluff:
                raises[(strength <= low) & (raises == 0)] = options.bluff
        price = state.to_call / (state.pot + state.to_call) if state.can_fold else 0.0
        calls = strength >= price + (1 - price) * options.caution * wary
        return fold_call_raise(state, calls, raises, bigger, classes)


@lru_cache(maxsize=16)
def _draw_classes(game: GameDef, drawn: bool) -> tuple[Strengths, NDArray[np.int32], NDArray[np.int64]]:
    """Return the strengths that hands of a game with draws have, int32 ``[hand]`` which, and how many have that or less."""
    strength = drawn_strengths(game) if drawn else strengths(game, ())
    values, classes, counts = np.unique(strength, return_inverse=True, return_counts=True)
    return read_only(values), read_only(classes.astype(np.int32)), np.cumsum(counts)


@lru_cache(maxsize=64)
def _win_chances(
    game: GameDef, drawn: bool, board: tuple[int, ...], opponents: int, share: float
) -> tuple[Strengths, NDArray[np.int32] | None, float]:
    """Return float64 ``[class]``: the chance to beat several random hands, taken as independent, and of what hands.

    The others are int32 ``[hand]``, the class of each hand, None where each is its own, and the chance that `share` of the
    live hands do not exceed. Games with draws have millions of hands, so that hands of equal strength share a class.

    drawn: whether hands have been exchanged before, in a game with draws.
    """
    if game.num_draws:
        values, classes, up_to = _draw_classes(game, drawn)
        weakest = np.searchsorted(up_to, int(share * (len(classes) - 1)), side="right")
        return values**opponents, classes, float(values[weakest] ** opponents)
    chances = np.asarray(strengths(game, board) ** opponents)
    live = np.sort(chances[chances > 0]) if (chances > 0).any() else np.zeros(1)
    return chances, None, float(live[int(share * (len(live) - 1))])


GROUPS = (
    "AA-JJ AKs",
    "TT AQs AJs KQs AKo",
    "99 ATs KJs QJs JTs AQo",
    "88 KTs QTs J9s T9s 98s AJo KQo",
    "77 A9s-A2s Q9s T8s 97s 87s 76s KJo QJo JTo",
    "66 55 K9s J8s 86s 75s 54s ATo KTo QTo",
    "44-22 K8s-K2s Q8s T7s 64s 53s 43s J9o T9o 98o",
    "J7s 96s 85s 74s 42s 32s A9o K9o Q9o J8o T8o 87o 76o 65o 54o",
)
NO_GROUP = 9
"""Group number of hands that are in none."""
ANY_POSITION = 4
"""Weakest group that is played in any position."""


class Chart(Stateless):
    """Enters the pot with the groups its position allows: raising if it is the first, calling after others.

    After a second raise only the groups for any position go on, after a third the first two. Group 1 raises whoever
    raised, up to the third raise, and groups 1 and 2 raise callers. Checking is never refused. Position counts from the
    button, which acts last from the flop on: late is the button and the seat before it, middle the two before those.
    """

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """`size` of preflop raises (``min``, ``max`` or a pot fraction); `loose` games; the `formula` behind it."""

        size: RaiseSize = 1.0
        loose: bool = False
        formula: Formula.Options = Formula.Options()

    def __init__(self, game: GameDef, options: Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        if not is_holdem(game) or game.num_board_cards[0] != 0:
            raise ValueError(
                "the chart holds hold'em starting hands: two of 52 cards and no board in the first round; "
                f"this game deals {game.num_hole_cards} of {len(game.deck)} and "
                f"{game.num_board_cards[0]} board cards; player 'formula' plays all that the highest hand wins"
            )
        self.options = options
        self.formula = Formula(game, options.formula, folder)

    def slow(self, state: State) -> bool:
        return bool(state.board) and self.formula.slow(state)

    def warm_up(self) -> None:
        self.formula.warm_up()
        hand_groups()

    def rows(self, state: State) -> Rows:
        if state.round > 0:
            return self.formula.rows(state)
        first = state.raises == 0 and "c" not in state.betting
        played = hand_groups() <= self.last_group(state, first)
        last = NO_GROUP - 1 if first else (2, 1, 1)[state.raises] if state.raises < 3 else 0
        bigger = sized_raise(state, self.options.size)
        return fold_call_raise(state, played, played & (hand_groups() <= last), bigger, preflop_classes())

    def last_group(self, state: State, first: bool) -> int:
        """Return the weakest group that the actor plays in `state`; first: whether nobody has entered the pot."""
        if state.raises > 1:
            return 2 if state.raises > 2 else ANY_POSITION
        from_button = self.game.num_players - 1 - state.actor
        if from_button <= 1:
            return 8 if first else 6
        return (5 if from_button <= 3 else ANY_POSITION) + self.options.loose


@cache
def hand_groups() -> NDArray[np.int8]:
    """Return int8 ``[169]``: the group 1 to 8 of each starting hand class, `NO_GROUP` for the rest; read-only."""
    groups = np.full(NUM_CLASSES, NO_GROUP, np.int8)
    for number, group in enumerate(GROUPS, 1):
        groups[class_weights(parse_range(group)) > 0] = number
    return read_only(groups)
