"""Finds who plays each position of the matches that the commands of ``limpet strategy`` are given by name or by path."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from limpet.protocol.gamedef import GameDef
from limpet.strategies.blueprint.named import named_folder

if TYPE_CHECKING:
    from limpet.strategies.blueprint.seat import Passive, Seat

PASSIVE = ("call", "fold")
"""Names that stand for players without a file."""


def open_contender(game: GameDef, name: str, **reading: Any) -> "tuple[Seat | Passive, ...]":
    """Return who plays each position: `call`, `fold`, one strategy for all, or one for each with commas between.

    reading: how a strategy is read; see `open_seats`. Raises `ValueError`.
    """
    from limpet.strategies.blueprint.seat import Passive, open_seats

    if name in PASSIVE:
        return (Passive("fold" if name == "fold" else "call"),) * 2
    folders = tuple(f"{named_folder(each)}/" for each in name.split(","))
    return open_seats(game, folders, Path("."), **reading)
