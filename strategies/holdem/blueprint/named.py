"""Finds trained strategies by their names or paths. Imports numpy only where a strategy is opened, so that help is quick."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from limpet.common.folders import find_strategy
from limpet.configs.loading import ConfigError, Document, load_game, mistakes
from limpet.protocol.gamedef import GameDef

if TYPE_CHECKING:
    from limpet.strategies.base.strategy import Strategy
    from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintSeat, Passive
    from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile

PASSIVE = ("call", "fold")
"""Names that stand for players without a file."""


def any_folder(name: str | Path) -> Path:
    """Return the folder of a trained strategy or a solved spot. Raises `ValueError` if there is none of this name or path."""
    if isinstance(name, Path):
        name = f"{name}/" if name.is_dir() else str(name)
    return find_strategy(f"{name}." if name.endswith("/") else name, Path("."))


Kind = Literal["trained", "draw", "solution"]
"""Kind of a strategy's folder: trained over a betting tree and buckets, trained for five-card draw, or a solved spot."""


_PLAYERS = {"trained": ("blueprint", "strategy"), "draw": ("draw", "strategy"), "solution": ("solved", "solution")}
"""Player that plays each kind, and the option that names the strategy."""


def kind_of(folder: Path) -> Kind:
    """Return the kind of a strategy's folder, by the format that its manifest names."""
    manifest = Document.read(folder / "manifest.yaml").data
    form = str(manifest.get("format")) if isinstance(manifest, dict) else ""
    kinds: dict[str, Kind] = {"limpet-solution": "solution", "limpet-draw-strategy": "draw"}
    return kinds.get(form.partition("/")[0], "trained")


def named_folder(name: str | Path) -> Path:
    """Return the folder of a trained strategy. Raises `ValueError` if there is none of this name, or one of another kind."""
    folder = any_folder(name)
    kind = kind_of(folder)
    if kind == "solution":
        remedy = "player 'solved' plays it, limpet solve shows it"
        raise ConfigError(f"{name}: a solved spot, not a trained strategy; {remedy}")
    if kind == "draw":
        raise ConfigError(
            f"{name}: a strategy of five-card draw, which has no betting tree with card buckets; limpet strategy show and "
            "verify read it, player 'draw' plays it, and limpet match measures it"
        )
    return folder


def open_named(name: str | Path) -> "StrategyFile":
    """Open a trained strategy. Raises `ValueError` if there is none of this name, or it is damaged."""
    from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile

    return StrategyFile.open(named_folder(name))


def open_contender(game: GameDef, name: str, **reading: Any) -> "tuple[BlueprintSeat | Passive, ...]":
    """Return who plays each position: `call`, `fold`, one strategy for all, or one for each with commas between.

    reading: how a strategy is read; see `open_seats`. Raises `ValueError`.
    """
    from limpet.strategies.holdem.blueprint.blueprint_hand import Passive, open_seats

    if name in PASSIVE:
        return (Passive(name),) * 2
    return open_seats(game, tuple(f"{named_folder(each)}/" for each in name.split(",")), Path("."), **reading)


def load_strategy(name_or_path: str | Path) -> "Strategy":
    """Return the strategy of a folder that ships or was trained, by name, or of a path: a `Path`, or a text with a slash.

    It plays the game that it was made for; ask it by `Strategy.probabilities` and `Strategy.rows_at`. Raises `ConfigError`
    where there is no such strategy, and `ValueError` for a damaged one.
    """
    from limpet.strategies.base.botconfig import load_bot

    with mistakes():
        folder = any_folder(name_or_path)
        player, option = _PLAYERS[kind_of(folder)]
        data = Document.read(folder / "manifest.yaml").data
    game = (
        GameDef.parse(data["game"], f"{folder}: game")
        if "game" in data
        else load_game("holdem.nolimit.2p.reverse_blinds")
    )
    config = {"name": folder.name, "player": player, "game": "", "options": {option: f"{folder}/"}}
    return load_bot(config, game).build()
