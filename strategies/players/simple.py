"""Players that do not look at their cards: call, fold, raise, random. Yardsticks and test partners."""

from dataclasses import dataclass
from functools import lru_cache
from math import comb
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np

from limpet.protocol.gamedef import BET, GameDef
from limpet.protocol.state import CALL, FOLD, Action, State
from limpet.strategies.base.sampling import uniform
from limpet.strategies.base.strategy import (
    HandKey,
    HandStrategy,
    RaiseSize,
    Rows,
    Stateless,
    Strategy,
    draw_actions,
    same_for_all,
    sized_raise,
)

Positive = Annotated[float, msgspec.Meta(gt=0)]
Weight = Annotated[float, msgspec.Meta(ge=0, le=1)]


def discard_sets(game: GameDef) -> tuple[int, ...]:
    """Return all sets of places, as bits, that a draw of the game may throw away, by their number of cards."""
    sets = [mask for mask in range(1 << game.num_hole_cards) if mask.bit_count() <= game.max_discard]
    return tuple(sorted(sets, key=lambda mask: (mask.bit_count(), mask)))


class CardBlind(Stateless):
    """A strategy whose rows are the same for all private hands."""

    def __init__(self, game: GameDef, options: Strategy.Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        self.hands = comb(len(game.deck), game.num_hole_cards)

    def always(self, action: Action) -> Rows:
        return _pure_rows(action, self.hands)


@lru_cache(maxsize=4096)
def _pure_rows(action: Action, hands: int) -> Rows:
    return same_for_all({action: 1.0}, hands)


class Call(CardBlind):
    """Checks and calls, and stands pat in a draw."""

    def rows(self, state: State) -> Rows:
        return self.always(state.fixed(CALL))


class Fold(CardBlind):
    """Folds whenever there is something to fold to, and checks otherwise; stands pat in a draw."""

    def rows(self, state: State) -> Rows:
        return self.always(state.fixed(FOLD))


class Raise(CardBlind):
    """Raises while raising is legal, and calls otherwise; stands pat in a draw."""

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """`size`: ``min``, ``max`` or a pot fraction. Limit games have one size and ignore it."""

        size: RaiseSize = "min"

    def __init__(self, game: GameDef, options: Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        self.size = options.size

    def rows(self, state: State) -> Rows:
        return self.always(sized_raise(state, self.size) or state.fixed(CALL))


class Random(Strategy):
    """Folds, calls and raises with fixed probabilities; raises by any legal amount, all equally likely.

    In a draw all sets of cards that it may exchange are equally likely.

    The probabilities are shared out among what is legal. The defaults are the reference's example player.
    """

    RAISE_SIZE = 1
    """Counter of the random number that picks the size: the rows of a decision hold one raise."""

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """Probabilities of ``fold``, ``call`` and ``raise``; they need not sum to 1, and ``call`` is positive."""

        fold: Weight = 0.06
        call: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.47
        raise_: Weight = msgspec.field(default=0.47, name="raise")

    def __init__(self, game: GameDef, options: Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        self.options = options
        self.hands = comb(len(game.deck), game.num_hole_cards)
        self.discards = discard_sets(game)

    def start_hand(self, key: HandKey) -> HandStrategy:
        return _RandomHand(self, key)


@dataclass(eq=False)
class _RandomHand(HandStrategy):
    player: Random
    key: HandKey

    def rows(self, state: State) -> Rows:
        if state.phase is not BET:
            sets = self.player.discards
            rows = np.full((len(sets), 1), 1 / len(sets), np.float32)
            return Rows(draw_actions(sets), rows, np.zeros(self.player.hands, np.int8), discards=sets)
        options = self.player.options
        weights = {FOLD: options.fold} if state.can_fold and options.fold else {}
        weights[CALL] = options.call
        bounds = state.raise_bounds()
        if bounds is not None and options.raise_:
            made = len(state.betting) - state.betting.count("/")  # grows with every action
            draw = uniform(self.key, Random.RAISE_SIZE, made)
            sizes = state.raise_sizes() or range(bounds[0], bounds[1] + 1)
            weights[Action("r", sizes[int(draw * len(sizes))])] = options.raise_
        total = sum(weights.values())
        return same_for_all({action: weight / total for action, weight in weights.items()}, self.player.hands)
