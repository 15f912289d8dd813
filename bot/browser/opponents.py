"""The bots that a person may choose to play against."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from limpet.configs.loading import find_config, shipped_names
from limpet.dealer.sit_and_go.structure import load_structure
from limpet.protocol.holdem import has_holdem_cards
from limpet.strategies.botconfig import load_bot


class OpponentView(msgspec.Struct, frozen=True):
    """A bot of the list: its config, its name, the first line of its description, and the players of its own game."""

    config: str
    name: str
    about: str
    players: int
    holdem: bool
    """Whether its own game is no-limit hold'em, whose stacks can be chosen."""
    style: bool
    """Whether it can play tighter or looser."""


@cache
def structures() -> list[dict[str, Any]]:
    """Return the structures of sit-and-goes that ship. ``seats`` is None for any number of players."""
    found = []
    for name in shipped_names("sit_and_go"):
        structure = load_structure(name, None)
        found.append(
            {
                "name": name,
                "about": _about(find_config("sit_and_go", name)),
                "seats": structure.seats,
                "stack": structure.start_stack,
                "buy_in": structure.buy_in,
                "payouts": structure.payouts,
            }
        )
    return found


def opponents(named: Sequence[str]) -> list[OpponentView]:
    """Return the bots that were named, then those that ship."""
    return [_opponent(config) for config in dict.fromkeys((*named, *shipped_names("bots")))]


def bot_called(named: Sequence[str], name: str) -> str | None:
    """Return the config of the bot of that name, among those that were named and those that ship; None if there is none."""
    return next((bot.config for bot in opponents(named) if bot.name == name), None)


@cache
def _opponent(config: str) -> OpponentView:
    bot = load_bot(config)
    game = bot.game
    holdem = game.no_limit and has_holdem_cards(game)
    return OpponentView(config, bot.name, _about(bot.path), game.num_players, holdem, bot.config.player == "expert")


def _about(path: Path) -> str:
    """Return the comment in the first line of a config."""
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    return first.removeprefix("#").strip() if first.startswith("#") else ""
