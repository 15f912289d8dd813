"""Bots that a person makes tighter or looser."""

from pathlib import Path
from typing import Any

import msgspec
import yaml

from limpet.configs.loading import shipped_folder
from limpet.strategies.botconfig import load_bot
from limpet.strategies.expert.style import Style
from limpet.strategies.expert.style_xml import read_style
from limpet.strategies.storage.folders import replace_file


def styled(config: str, style: float, folder: Path) -> str:
    """Return the config of the bot with a style from -1, tight, to 1, loose, which is written into `folder`.

    A bot without a style, and any bot at 0, is returned as it is. Raises `ConfigError`.
    """
    bot = load_bot(config)
    if not style or bot.config.player != "expert":
        return config
    way, percent = "loose" if style > 0 else "tight", round(100 * abs(style))
    end = read_style(shipped_folder("bots").parent / "styles" / f"{way.capitalize()}.xml")
    mixed = _between(msgspec.to_builtins(Style()), msgspec.to_builtins(end), abs(style))
    name = f"expert-{way}-{percent}"
    path = folder / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    config_text = yaml.safe_dump(
        {
            "name": name,
            "player": "expert",
            "game": bot.config.game,
            "seed": bot.config.seed,
            "options": {"style": mixed},
        }
    )
    replace_file(path, f"# The expert, {percent} % of the way to its {way} style.\n{config_text}")
    return str(path)


def _between(first: Any, second: Any, share: float) -> Any:
    """Return the parameters that lie between two nested sets of them, `share` of the way."""
    if isinstance(first, dict):
        return {key: _between(value, second[key], share) for key, value in first.items()}
    return round(first + share * (second - first), 6)
