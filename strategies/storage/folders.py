"""Where strategies and training runs lie: what ships in the package, the rest in the user's data directory."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from uuid import uuid4

from limpet.configs.loading import ConfigError, expanded
from limpet.strategies.workers.interrupts import ended_by_signals


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


def holds_something(folder: Path) -> bool:
    """Whether a folder is there and not empty."""
    return folder.is_dir() and any(folder.iterdir())


@contextmanager
def written_whole(folder: Path) -> Iterator[Path]:
    """Yields an empty folder beside `folder`, to be filled, which becomes `folder` at the end.

    After an exception, or a signal that ends the process, it is removed. What a killed process left behind is removed
    when the same folder is next written. If `folder` is there at the end, another process was faster.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    for left_behind in folder.parent.glob(f"{folder.name}.*.tmp"):
        try:
            held = _held(left_behind)
        except OSError:
            continue  # another process fills it
        shutil.rmtree(left_behind, ignore_errors=True)
        _let_go(held)
    with ended_by_signals():
        unfinished = folder.with_name(f"{folder.name}.{uuid4().hex}.tmp")
        unfinished.mkdir()
        try:
            held = _held(unfinished)
            try:
                yield unfinished
                try:
                    unfinished.rename(folder)
                except OSError:
                    if not folder.is_dir():
                        raise
            finally:
                _let_go(held)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)


def _held(folder: Path) -> int | None:
    """A lock on a folder, which ends with the process at the latest. Raises `OSError` where another process has it."""
    if sys.platform == "win32":
        return None
    import fcntl

    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(held)
        raise
    return held


def _let_go(held: int | None) -> None:
    if held is not None:
        os.close(held)
