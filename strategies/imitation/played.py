"""A model as a strategy that can be asked and played in one game."""

from pathlib import Path

from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.cards.handspace import is_holdem
from limpet.strategies.imitation.hand_cells import strength_cells
from limpet.strategies.imitation.model import Model
from limpet.strategies.strategy import HandKey, HandStrategy, Rows, Strategy


class PlayedModel(Strategy, HandStrategy):
    """Answers by a learnt model. It remembers nothing, so that it answers for any hand itself."""

    def __init__(self, game: GameDef, model: Model) -> None:
        """Raise `ValueError` for a game that is not no-limit hold'em."""
        super().__init__(game, Strategy.Options(), Path())
        if not (is_holdem(game, whole=True) and game.no_limit):
            raise ValueError("models are learnt from no-limit hold'em and play that alone")
        self.model = model

    def start_hand(self, key: HandKey) -> HandStrategy:
        return self

    def slow(self, state: State) -> bool:
        return not self.model.is_ready(state)

    def warm_up(self) -> None:
        for cards in (3, 4, 5):
            strength_cells(tuple(range(cards)), self.model.options.cells)
        self.model.rows(State.start(self.game))

    def rows(self, state: State) -> Rows:
        return self.model.rows(state)
