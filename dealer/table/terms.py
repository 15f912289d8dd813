"""The terms of a match: everything that the command line fixes before the first card."""

from dataclasses import dataclass, field

from limpet.dealer.table.clocks import Limits
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import Header


@dataclass(frozen=True)
class Terms:
    """The terms of one match. `players` are names per seat; `game_text` is the game as the command line gave it."""

    name: str
    game: GameDef
    game_text: str
    hands: int
    seed: int
    players: tuple[str, ...]
    fixed_button: bool = False
    limits: Limits = field(default_factory=Limits)

    @property
    def header(self) -> Header:
        """The log's header, with limits in milliseconds, truncated as at the reference."""
        return Header(
            self.name,
            self.game_text,
            self.hands,
            self.seed,
            self.limits.response // 1000,
            self.limits.hand // 1000,
            self.limits.per_hand // 1000,
        )
