"""Strategies that a page may open, by name."""

from pathlib import Path

import msgspec

from limpet.configs.loading import ConfigError
from limpet.strategies.blueprint.named import kind_of
from limpet.strategies.storage.folders import data_folder, shipped_strategies


class StrategyChoice(msgspec.Struct, frozen=True):
    """A strategy: its name, where it lies (``ships`` or ``own``), and in words why it has no tree to browse, empty if it has."""

    name: str
    place: str
    why_not: str = ""


NO_TREE: dict[str, str] = {
    "solution": "a solved spot: `limpet solve --load` shows it, and Solve solves spots here",
    "draw": "a strategy of five-card draw, which has no tree of boards: `limpet strategy show` reads it",
}
"""Why strategies of other kinds than trained ones cannot be browsed."""


def strategy_choices() -> tuple[StrategyChoice, ...]:
    """Return the strategies that ship and the user's own, those that can be browsed first."""
    choices = {}
    for place, folder in (("ships", shipped_strategies()), ("own", data_folder() / "strategies")):
        for manifest in sorted(folder.glob("*/manifest.yaml")):
            name = manifest.parent.name
            choices[name] = StrategyChoice(name, place, NO_TREE.get(kind_of(manifest.parent), ""))
    return tuple(sorted(choices.values(), key=lambda choice: bool(choice.why_not)))


def choice_folder(name: str) -> Path:
    """Return the folder of one of the strategies that `strategy_choices` lists. Raises `ConfigError` for another name."""
    choice = next((choice for choice in strategy_choices() if choice.name == name), None)
    if choice is not None and choice.why_not:
        raise ConfigError(f"{name} is {choice.why_not}")
    if choice is None:
        names = ", ".join(choice.name for choice in strategy_choices() if not choice.why_not)
        raise ConfigError(f"there is no trained strategy {name!r} to browse; there are {names}")
    folder = shipped_strategies() if choice.place == "ships" else data_folder() / "strategies"
    return folder / name
