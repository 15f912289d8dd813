"""All in or out before the flop, by two fixed ranges: a yardstick for short stacks. Hold'em only."""

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import CALL, FOLD, Action, State
from limpet.strategies.cards.handspace import is_holdem
from limpet.strategies.cards.isomorphism import preflop_classes
from limpet.strategies.cards.ranges import class_weights, parse_range
from limpet.strategies.raises import sized_raise
from limpet.strategies.strategy import HandKey, HandStrategy, Rows, Strategy


class Jam(Strategy, HandStrategy):
    """Moves all in with a fixed range while nobody has raised, and calls raises with another; checks or folds the rest."""

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """Ranges: `jam` is played all in unless somebody has raised, and `call` is called with after a raise."""

        jam: str = "random"
        call: str = "22+ A2s+ A7o+ KTs+ KQo"

    def __init__(self, game: GameDef, options: Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        if not is_holdem(game, whole=True):
            raise ValueError("the ranges hold hold'em starting hands; player 'raise' with size max plays any game")
        self.jam, self.call = in_range(options.jam), in_range(options.call)

    def start_hand(self, key: HandKey) -> HandStrategy:
        return self

    def rows(self, state: State) -> Rows:
        free = not state.can_fold
        passive = CALL if free else FOLD
        if "r" in state.betting:
            chosen, active = self.call, CALL
        else:
            chosen, active = self.jam, sized_raise(state, "max") or CALL
        return _rows(chosen, passive, active)


@lru_cache(maxsize=64)
def in_range(text: str) -> "Chosen":
    """Return the classes of which a range holds any hand. Raises `ValueError` for a text that is no range."""
    return Chosen(class_weights(parse_range(text)) > 0)


class Chosen:
    """bool ``[169]``: the starting hand classes of a range, compared by identity so that rows made of them are kept."""

    def __init__(self, classes: NDArray[np.bool_]) -> None:
        self.classes = classes


@lru_cache(maxsize=1024)
def _rows(chosen: Chosen, passive: Action, active: Action) -> Rows:
    if passive == active:
        return Rows((active,), np.ones((1, 169), np.float32), preflop_classes())
    return Rows((passive, active), np.array([~chosen.classes, chosen.classes], np.float32), preflop_classes())
