"""Plays like the players of recorded hands: a model that `limpet model` learnt."""

from pathlib import Path

from limpet.configs.fitting import Misfit
from limpet.configs.loading import expanded
from limpet.protocol.gamedef import GameDef
from limpet.strategies.imitation.model_file import checksums, read_card, read_model
from limpet.strategies.imitation.played import PlayedModel
from limpet.strategies.strategy import Strategy


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
        who = ", ".join(card.players) or "everybody"
        return {
            "model": f"{self.folder}: {who}, {card.hands:,} hands, {100 * card.seen_share:.0f} % of decisions shown"
        }
