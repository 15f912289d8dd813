"""All in or out before the flop, by two fixed ranges: a yardstick for short stacks. Hold'em only."""

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import CALL, FOLD, Action, State
from limpet.strategies.cards.handspace import is_holdem, read_only
from limpet.strategies.cards.isomorphism import preflop_classes
from limpet.strategies.cards.ranges import class_weights, parse_range
from limpet.strategies.raises import sized_raise
from limpet.strategies.strategy import Rows, Stateless, Strategy


class Jam(Stateless):
    """Moves all in with a fixed range while nobody has raised, and calls raises with another; checks or folds the rest."""

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """Ranges: `jam` is played all in unless somebody has raised, and `call` is called with after a raise."""

        jam: str = "random"
        call: str = "22+ A2s+ A7o+ KTs+ KQo"

    def __init__(self, game: GameDef, options: Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        if not is_holdem(game, whole=True):
            raise ValueError("the ranges hold hold'em starting hands; player 'raise' with size max plays any game")
        self.options = options
        for text in (options.jam, options.call):
            in_range(text)  # refuses a text that is none

    def rows(self, state: State) -> Rows:
        text, active = self.options.call, CALL
        if "r" not in state.betting:
            text, active = self.options.jam, sized_raise(state, "max") or CALL
        return _rows(text, FOLD if state.can_fold else CALL, active)


@lru_cache(maxsize=64)
def in_range(text: str) -> NDArray[np.bool_]:
    """Return bool ``[169]``: the classes of which a range holds any hand; read-only. Raises `ValueError` for no range."""
    return read_only(class_weights(parse_range(text)) > 0)


def either_rows(passive: Action, active: Action, frequencies: NDArray[np.float64] | NDArray[np.bool_]) -> Rows:
    """Return the rows of one action with the given frequency ``[169]``, and of another else."""
    act = frequencies.astype(np.float32)
    if passive == active:
        return Rows((active,), np.ones((1, len(act)), np.float32), preflop_classes())
    return Rows((passive, active), np.array([1 - act, act]), preflop_classes())


@lru_cache(maxsize=1024)
def _rows(text: str, passive: Action, active: Action) -> Rows:
    return either_rows(passive, active, in_range(text))
