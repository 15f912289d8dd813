"""Plays like the players of recorded hands: a model that `limpet model` learnt."""

from pathlib import Path

from limpet.configs.fitting import Misfit
from limpet.configs.loading import expanded
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.base.strategy import Rows, Stateless, Strategy
from limpet.strategies.cards.handspace import is_holdem
from limpet.strategies.opponents.imitation.boosted import BoostedModel
from limpet.strategies.opponents.imitation.model import Model
from limpet.strategies.opponents.imitation.model_file import checksums, read_card, read_model


class PlayedModel(Stateless):
    """Answers by a learnt model."""

    def __init__(self, game: GameDef, model: Model | BoostedModel) -> None:
        """Raise `ValueError` for a game that is not no-limit hold'em."""
        super().__init__(game, Strategy.Options(), Path())
        if not (is_holdem(game, whole=True) and game.no_limit):
            raise ValueError("models are learnt from no-limit hold'em and play that alone")
        self.model = model

    def slow(self, state: State) -> bool:
        # A new flop takes some 20 ms, and so do trees for all hands.
        return state.round == 1 or (state.round > 1 and isinstance(self.model, BoostedModel))

    def warm_up(self) -> None:
        self.model.warm_up(self.game)

    def rows(self, state: State) -> Rows:
        return self.model.rows(state)

    def rows_for(self, state: State, hand: int) -> Rows:
        return self.model.rows_for(state, hand)


class Imitation(PlayedModel):
    """Takes every action as often as the learnt player did with hands and situations like these. No-limit hold'em.

    Situations that the player never was in are played as coarser ones were. Any number of players and any stacks can be
    played; how good the imitation is there depends on what was recorded.
    """

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True, kw_only=True):
        """`model`: a folder that ``limpet model --output`` wrote, relative to the config."""

        model: str

    def __init__(self, game: GameDef, options: Options, folder: Path) -> None:
        self.folder = folder / expanded(options.model)
        try:
            model = read_model(self.folder)
        except ValueError as error:
            raise Misfit(str(error), ("model",)) from error
        super().__init__(game, model)

    def checksums(self) -> tuple[str, ...]:
        return checksums(self.folder)

    def describe(self) -> dict[str, str]:
        card = read_card(self.folder)
        players = ", ".join(card.players) or "everybody"
        return {
            "model": f"{self.folder}: {players}, {card.hands:,} hands, {100 * card.seen_share:.0f} % of decisions shown"
        }
