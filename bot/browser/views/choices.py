"""Strategies and spots that a page may open, by name. Imports no numpy, so that the page's server can ask."""

from pathlib import Path

import msgspec

from limpet.configs.loading import ConfigError, shipped_names
from limpet.strategies.blueprint.named import kind_of
from limpet.strategies.storage.folders import data_folder, shipped_strategies


class StrategyChoice(msgspec.Struct, frozen=True):
    """A strategy that may be opened: its name, and where it lies: ``ships`` or ``own``."""

    name: str
    place: str


def strategy_choices() -> tuple[StrategyChoice, ...]:
    """Return the trained strategies among those that ship and the user's own."""
    found = {}
    for place, folder in (("ships", shipped_strategies()), ("own", data_folder() / "strategies")):
        for manifest in sorted(folder.glob("*/manifest.yaml")):
            if kind_of(manifest.parent) == "trained":
                found[manifest.parent.name] = StrategyChoice(manifest.parent.name, place)
    return tuple(found.values())


def choice_folder(name: str) -> Path:
    """Return the folder of one of the strategies that `strategy_choices` lists. Raises `ConfigError` for another name."""
    choice = next((choice for choice in strategy_choices() if choice.name == name), None)
    if choice is None:
        known = ", ".join(choice.name for choice in strategy_choices())
        raise ConfigError(f"there is no trained strategy {name!r} to browse; there are {known}")
    folder = shipped_strategies() if choice.place == "ships" else data_folder() / "strategies"
    return folder / name


def spot_choices() -> tuple[str, ...]:
    """Return the names of the spots that ship."""
    return tuple(shipped_names("spots"))
