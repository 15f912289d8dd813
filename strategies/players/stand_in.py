"""The stand-in that plays where a strategy has no answer of its own."""

from math import comb
from pathlib import Path
from typing import Literal

import numpy as np

from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import CALL, State
from limpet.strategies.players.formula import Formula
from limpet.strategies.strategy import HandStrategy, Rows, same_for_all

StandInName = Literal["formula", "call"]


class StandIn(HandStrategy):
    """Plays by the formula, or checks and calls. All its rows count as missed. It answers for any hand."""

    def __init__(self, name: StandInName, game: GameDef, folder: Path) -> None:
        self.answers = 0
        """Number of times that rows were asked for."""
        self._formula = Formula(game, Formula.Options(), folder) if name == "formula" else None
        self._hands = comb(len(game.deck), game.num_hole_cards)

    def warm_up(self) -> None:
        if self._formula is not None:
            self._formula.warm_up()

    def slow(self, state: State) -> bool:
        return self._formula is not None and self._formula.slow(state)

    def rows(self, state: State) -> Rows:
        self.answers += 1
        rows = same_for_all({CALL: 1.0}, self._hands) if self._formula is None else self._formula.rows(state)
        return Rows(rows.actions, rows.probabilities, rows.classes, np.ones(rows.probabilities.shape[1], np.bool_))
