"""The bots that a person may choose to play against, and make tighter or looser."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import yaml

from limpet.configs.loading import find_config, first_sentence, shipped_folder, shipped_names
from limpet.dealer.sit_and_go.structure import load_structure
from limpet.protocol.holdem import has_holdem_cards
from limpet.strategies.botconfig import load_bot
from limpet.strategies.expert.style import Style
from limpet.strategies.expert.style_xml import read_style
from limpet.strategies.storage.folders import replace_file


class OpponentView(msgspec.Struct, frozen=True):
    """A bot of the list: its config, its name, the first line of its description, and the players of its own game."""

    config: str
    name: str
    about: str
    players: int
    holdem: bool  # whether its own game is no-limit hold'em, whose stacks can be chosen
    style: bool  # whether it can play tighter or looser


@cache
def structures() -> list[dict[str, Any]]:
    """Return the structures of sit-and-goes that ship. ``seats`` is None for any number of players."""
    views = []
    for name in shipped_names("sit_and_go"):
        structure = load_structure(name, None)
        views.append(
            {
                "name": name,
                "about": first_sentence(find_config("sit_and_go", name)),
                "seats": structure.seats,
                "stack": structure.start_stack,
                "buy_in": structure.buy_in,
                "payouts": structure.payouts,
            }
        )
    return views


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
    return OpponentView(
        config, bot.name, first_sentence(bot.path), game.num_players, holdem, bot.config.player == "expert"
    )


def looks_at_clock(config: str) -> bool:
    """Return whether a bot solves against the clock, so that its rows cannot be worked out again. Raises `ConfigError`."""
    bot = load_bot(config).config
    return bot.player == "resolve" and bot.options.get("bank") is not None


def styled(config: str, style: float, folder: Path) -> str:
    """Return the config of the bot with a style from -1, tight, to 1, loose, which is written into `folder`.

    A bot without a style, and any bot at 0, is returned as it is. Raises `ConfigError`.
    """
    bot = load_bot(config)
    if not style or bot.config.player != "expert":
        return config
    direction, percent = "loose" if style > 0 else "tight", round(100 * abs(style))
    end = read_style(shipped_folder("bots").parent / "styles" / f"{direction.capitalize()}.xml")
    mixed = _interpolated(msgspec.to_builtins(Style()), msgspec.to_builtins(end), abs(style))
    name = f"expert-{direction}-{percent}"
    path = folder / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    facts = {"name": name, "player": "expert", "game": bot.config.game, "seed": bot.config.seed}
    text = yaml.safe_dump({**facts, "options": {"style": mixed}})
    replace_file(path, f"# The expert, {percent} % of the way to its {direction} style.\n{text}")
    return str(path)


def _interpolated(first: Any, second: Any, share: float) -> Any:
    """Return the parameters that lie between two nested sets of them, `share` of the way."""
    if isinstance(first, dict):
        return {key: _interpolated(value, second[key], share) for key, value in first.items()}
    return round(first + share * (second - first), 6)
