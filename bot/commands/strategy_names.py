"""Finds the strategies that the commands of ``limpet strategy`` are given by name or by path."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from limpet.configs.loading import ConfigError, Document
from limpet.protocol.gamedef import GameDef
from limpet.strategies.storage.folders import find_strategy

if TYPE_CHECKING:
    from limpet.strategies.blueprint.seat import Passive, Seat
    from limpet.strategies.blueprint.strategy_file import StrategyFile

PASSIVE = ("call", "fold")
"""Names that stand for players without a file."""


def any_folder(name: str) -> Path:
    """Return the folder of a trained strategy or a solved spot. Raises `ValueError` if there is none of this name."""
    return find_strategy(f"{name}." if name.endswith("/") else name, Path("."))


def is_solution(folder: Path) -> bool:
    """Return whether a strategy's folder holds a solved spot."""
    made = Document.read(folder / "manifest.yaml").data
    return isinstance(made, dict) and str(made.get("format")).startswith("limpet-solution")


def named_folder(name: str) -> Path:
    """Return the folder of a trained strategy. Raises `ValueError` if there is none of this name, or a solved spot."""
    folder = any_folder(name)
    if is_solution(folder):
        raise ConfigError(
            f"{name}: a solved spot, not a trained strategy; player 'solved' plays it, limpet solve shows it"
        )
    return folder


def open_named(name: str) -> "StrategyFile":
    """Open a trained strategy. Raises `ValueError` if there is none of this name, or it is damaged."""
    from limpet.strategies.blueprint.strategy_file import StrategyFile

    return StrategyFile.open(named_folder(name))


def open_contender(game: GameDef, name: str, **reading: Any) -> "tuple[Seat | Passive, ...]":
    """Return who plays each position: `call`, `fold`, one strategy for all, or one for each with commas between.

    reading: how a strategy is read; see `open_seats`. Raises `ValueError`.
    """
    from limpet.strategies.blueprint.seat import Passive, open_seats

    if name in PASSIVE:
        return (Passive("fold" if name == "fold" else "call"),) * 2
    folders = tuple(f"{named_folder(each)}/" for each in name.split(","))
    return open_seats(game, folders, Path("."), **reading)
