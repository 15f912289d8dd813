"""Where strategies and training runs lie: what ships in the package, the rest in the user's data directory."""

import os
from importlib import resources
from pathlib import Path

from limpet.configs.loading import ConfigError, expanded


def data_folder() -> Path:
    """``$LIMPET_DATA``, else ``limpet`` under ``$XDG_DATA_HOME`` or ``~/.local/share``. May not exist yet."""
    if own := os.environ.get("LIMPET_DATA"):
        return Path(own)
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "limpet"


def shipped_strategies() -> Path:
    return Path(str(resources.files("limpet.strategies.files")))


def find_strategy(name_or_path: str, relative_to: Path) -> Path:
    """The folder of a strategy: a path (with a slash, from `relative_to`), or a name.

    A name is looked for among your own (``limpet train`` writes there), then among those that ship. Raises
    `ValueError` naming the places and what is there.
    """
    if "/" in name_or_path or "\\" in name_or_path:
        folder = relative_to / expanded(name_or_path)
        if (folder / "manifest.yaml").is_file():
            return folder
        raise ValueError(f"{folder}: no strategy here: a strategy is a folder with a manifest.yaml")
    places = [data_folder() / "strategies", shipped_strategies()]
    for place in places:
        if (place / name_or_path / "manifest.yaml").is_file():
            return place / name_or_path
    known = sorted({manifest.parent.name for place in places for manifest in place.glob("*/manifest.yaml")})
    raise ValueError(
        f"strategy {name_or_path!r} is neither in {places[0]} nor among those that ship; "
        f"known: {', '.join(known) or 'none'}; 'limpet train' and 'limpet solve --export' make them"
    )


def require_writable(folder: Path) -> None:
    """Raises `ConfigError` where `folder` could not be made or written to: asked before the work that it is for."""
    there = folder
    while not there.exists() and there != there.parent:
        there = there.parent
    if not there.is_dir():
        raise ConfigError(f"{folder}: {there} is a file; name another folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise ConfigError(f"{folder}: {there} cannot be written to; name another folder")
