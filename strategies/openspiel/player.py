"""Plays by a policy or a bot of OpenSpiel, which is asked about each hand in OpenSpiel's own state of the decision."""

from pathlib import Path

import numpy as np

from limpet.common.verified import file_digest
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.base.strategy import Rows, Stateless, Strategy
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.openspiel.games import openspiel_game, openspiel_state
from limpet.strategies.openspiel.policies import load_answer

FEW_HANDS = 60
"""Most hands of a game that a table answers for at once. Bots take as long as they like."""


class OpenSpielPlayer(Stateless):
    """Plays by a policy or a bot of OpenSpiel."""

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """Options of an OpenSpiel player.

        policy: the file of a tabular policy, as ``limpet strategy export`` writes it, or ``MODULE:FUNCTION``, which is called
            with OpenSpiel's game and returns a policy or a bot, or one for each position.
        """

        policy: str

    def __init__(self, game: GameDef, options: Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        self._table = openspiel_game(game)
        self._file = folder / options.policy
        self._slow = not self._file.is_file() or game_hands(game).size > FEW_HANDS
        self._answer = load_answer(options.policy, self._table, folder)

    def rows(self, state: State) -> Rows:
        actions, space = state.legal_actions(), game_hands(self.game)
        probabilities = np.zeros((len(actions), space.size), np.float32)
        for hand in np.flatnonzero(~space.blocked(state.board)).tolist():
            theirs = openspiel_state(self._table, state, tuple(space.holes[hand].tolist()))
            probabilities[:, hand] = self._answer(theirs)
        return Rows(actions, probabilities)

    def slow(self, state: State) -> bool:
        return self._slow

    def checksums(self) -> tuple[str, ...]:
        return (file_digest(self._file),) if self._file.is_file() else ()

    def describe(self) -> dict[str, str]:
        return {"openspiel": str(self._table)}
