"""The classic rule-based player: hand strength against pot odds.

The family of formula-based players of Billings et al., "The challenge of poker" (2002): a strength, a few thresholds,
and a little bluffing.
"""

from functools import lru_cache
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.phases import BET
from limpet.protocol.state import State
from limpet.strategies.cards.handspace import require_all_cards
from limpet.strategies.players.formula_draw import draw_rows, drawn_strengths
from limpet.strategies.players.formula_strength import quick, strengths
from limpet.strategies.players.simple import Positive, Weight
from limpet.strategies.raises import sized_raise
from limpet.strategies.strategy import Rows, Stateless, Strategy, fold_call_raise


class Formula(Stateless):
    """Bets and raises strong hands, calls when its chances beat the price, and bluffs with some of the weakest.

    The strength of a hand is its chance to beat everybody still in: that against one random hand, to the power of the
    number of opponents. After k raises in the round (blinds are none), with wary = 1 - (1 - caution)^k:

        strong   strength >= t + (1 - t) * wary, where t is `bet` if k = 0 and `raise` otherwise, as for two players:
                 with n still in it is t * 2 / n, the same multiple of a fair share
        callable strength >= price + (1 - price) * caution * wary, price = to call / (pot + to call)
        bluffing where checking is free, the weakest `bluff_share` of the live hands bet with probability `bluff`

    Strong hands raise by `size`, callable ones call, and the rest check or fold. In a draw the formula
    keeps what is made, four to a flush or straight, or the higher half of the hand (`formula_draw`); after a draw a random
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
            for round_ in range(self.game.num_rounds):
                _strengths_by_class(self.game, round_, 1, self.options.bluff_share)
            return
        # One board of each round compiles the kernels and fills the preflop table.
        for size in self.game.board_sizes:
            strengths(self.game, self.game.deck[:size])

    def rows(self, state: State) -> Rows:
        if state.phase is not BET:
            return draw_rows(self.game)
        options = self.options
        opponents = state.remaining - 1
        has_draws, share = self.game.num_draws, options.bluff_share
        classed = _strengths_by_class(self.game, state.round, opponents, share) if has_draws else None
        strength = classed.strength if classed else _win_chances(self.game, state.board, opponents)
        wary = 1 - (1 - options.caution) ** state.raises
        raises = np.zeros(len(strength), np.float32)
        bigger = sized_raise(state, options.size)
        if bigger is not None:
            threshold = (options.raise_ if state.raises else options.bet) * 2 / state.remaining
            raises[:] = strength >= threshold + (1 - threshold) * wary
            if not state.can_fold and options.bluff:
                low = classed.low if classed else _quantile(self.game, state.board, opponents, share)
                weakest = strength <= low
                raises[weakest & (raises == 0)] = options.bluff
        price = state.to_call / (state.pot + state.to_call) if state.can_fold else 0.0
        calls = strength >= price + (1 - price) * options.caution * wary
        return fold_call_raise(state, calls, raises, bigger, classed.classes if classed else None)


class _Classes(NamedTuple):
    """Hands of equal strength in one round of a game with draws."""

    strength: NDArray[np.float64]  # [class]: the chance to beat several random hands, ascending
    classes: NDArray[np.integer]  # [hand]: the class of each hand
    low: float  # strength that a given share of the hands do not exceed


@lru_cache(maxsize=64)
def _strengths_by_class(game: GameDef, round_: int, opponents: int, share: float) -> _Classes:
    """Return the strengths of a round by class, because a game of five cards has millions of hands."""
    strength = drawn_strengths(game) if any(game.num_draws[: round_ + 1]) else strengths(game, ())
    values, classes = np.unique(strength, return_inverse=True)
    low = np.sort(strength)[int(share * (len(strength) - 1))] ** opponents
    return _Classes(values**opponents, classes.astype(np.int32), float(low))


@lru_cache(maxsize=64)
def _win_chances(game: GameDef, board: tuple[int, ...], opponents: int) -> NDArray[np.float64]:
    """Return float64 ``[hand]``: the chance to beat several random hands, taken as independent."""
    return np.asarray(strengths(game, board) ** opponents)


@lru_cache(maxsize=64)
def _quantile(game: GameDef, board: tuple[int, ...], opponents: int, share: float) -> float:
    """Return the strength that `share` of the live hands do not exceed."""
    strength = _win_chances(game, board, opponents)
    live = np.sort(strength[strength > 0]) if (strength > 0).any() else np.zeros(1)
    return float(live[int(share * (len(live) - 1))])
