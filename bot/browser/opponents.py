"""The bots that a person may choose to play against."""

from collections.abc import Sequence
from functools import cache

import msgspec

from limpet.configs.loading import shipped_names
from limpet.strategies.botconfig import load_bot


class OpponentView(msgspec.Struct, frozen=True):
    """A bot of the list: its config, its name, the first line of its description, and the players of its own game."""

    config: str
    name: str
    about: str
    players: int
    holdem: bool
    """Whether its own game is no-limit hold'em, whose stacks can be chosen."""


def opponents(named: Sequence[str]) -> list[OpponentView]:
    """Return the bots that were named, then those that ship."""
    return [_opponent(config) for config in dict.fromkeys((*named, *shipped_names("bots")))]


@cache
def _opponent(config: str) -> OpponentView:
    bot = load_bot(config)
    text = bot.path.read_text(encoding="utf-8")
    about = text.partition("\n")[0].removeprefix("#").strip() if text.startswith("#") else ""
    game = bot.game
    return OpponentView(config, bot.name, about, game.num_players, game.no_limit and game.num_hole_cards == 2)
