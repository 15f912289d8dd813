"""The stand-in that plays where a strategy has no answer of its own."""

from pathlib import Path
from typing import Literal

import numpy as np

from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.players.formula import Formula
from limpet.strategies.players.simple import Call
from limpet.strategies.strategy import HandStrategy, Rows, Stateless

StandInName = Literal["formula", "call"]


class StandIn(HandStrategy):
    """Plays by the formula, or checks and calls. All its rows count as missed. It answers for any hand."""

    def __init__(self, name: StandInName, game: GameDef, folder: Path) -> None:
        self.answers = 0
        """Number of times that rows were asked for."""
        self._player: Stateless = Call(game, Call.Options(), folder)
        if name == "formula":
            self._player = Formula(game, Formula.Options(), folder)

    def warm_up(self) -> None:
        self._player.warm_up()

    def slow(self, state: State) -> bool:
        return self._player.slow(state)

    def rows(self, state: State) -> Rows:
        self.answers += 1
        rows = self._player.rows(state)
        return Rows(rows.actions, rows.probabilities, rows.classes, np.ones(rows.probabilities.shape[1], np.bool_))
