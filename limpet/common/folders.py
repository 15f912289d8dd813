"""The folders of strategies, runs and measures: which ship, where the user's lie, and how files are written whole."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import resources
from pathlib import Path
from typing import BinaryIO, Generic, TypeVar
from uuid import uuid4

import msgspec

from limpet.common.workers import ended_by_signals
from limpet.configs.loading import ConfigError, expanded


def data_folder() -> Path:
    """Return ``$LIMPET_DATA``, else ``limpet`` under ``$XDG_DATA_HOME`` or ``~/.local/share``. It may not exist yet."""
    if own := os.environ.get("LIMPET_DATA"):
        return Path(own)
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "limpet"


def shipped_strategies() -> Path:
    """Return the folder of the strategies that ship."""
    return Path(str(resources.files("limpet.strategies.files")))


def find_strategy(name_or_path: str, relative_to: Path) -> Path:
    """Return the folder of a strategy named by a path (with a slash, from `relative_to`) or by a name.

    A name is looked for among the user's own, which ``limpet train`` writes, then among those that ship. Raises
    `ValueError` naming both folders and the strategies in them.
    """
    if "/" in name_or_path or "\\" in name_or_path:
        folder = relative_to / expanded(name_or_path)
        if (folder / "manifest.yaml").is_file():
            return folder
        raise ValueError(f"{folder}: no strategy here: a strategy is a folder with a manifest.yaml")
    known = {folder.name: folder for folder in strategy_folders()}
    if name_or_path in known:
        return known[name_or_path]
    beside = relative_to / name_or_path
    if name_or_path and (beside / "manifest.yaml").is_file():
        raise ValueError(
            f"strategy {name_or_path!r} has no name that is known; write the path of its folder: {name_or_path}/"
        )
    raise ValueError(
        f"strategy {name_or_path!r} is neither in {data_folder() / 'strategies'} nor among those that ship; "
        f"known: {', '.join(known) or 'none'}; 'limpet train' and 'limpet solve --export' make them"
    )


def strategy_folders() -> list[Path]:
    """Return the folders of all strategies that have a name, sorted by it; the user's own hide those that ship."""
    found = {
        manifest.parent.name: manifest.parent
        for folder in (shipped_strategies(), data_folder() / "strategies")
        for manifest in folder.glob("*/manifest.yaml")
    }
    return [found[name] for name in sorted(found)]


def require_writable(folder: Path, remedy: str = "name another folder") -> None:
    """Raise `ConfigError` with a remedy if `folder` cannot be made or written to. Long work calls this before it begins."""
    ancestor = folder
    while not ancestor.exists() and ancestor != ancestor.parent:
        ancestor = ancestor.parent
    if not ancestor.is_dir():
        raise ConfigError(f"{ancestor} is a file; {remedy}")
    if not os.access(ancestor, os.W_OK | os.X_OK):
        raise ConfigError(f"{ancestor} cannot be written to; {remedy}")


def holds_something(folder: Path) -> bool:
    """Return whether a folder exists and is not empty."""
    return folder.is_dir() and any(folder.iterdir())


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Give the name of a file to an `OSError` raised inside that has none, as the system's has none on a full disk."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a new file that replaces `path` when it is on the disk; an exception removes it. Raises `OSError`.

    A link is followed to the file that it names. A device or a pipe is written to as it is.
    """
    path = path.resolve() if path.is_symlink() else path
    if path.exists() and not path.is_file() and not path.is_dir():
        with naming(path), path.open("wb") as file:
            yield file
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(path.name + ".new")
    try:
        with naming(path), fresh.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, path)
    except BaseException:
        with suppress(OSError):
            fresh.unlink()
        raise


def replace_file(path: Path, content: bytes | str) -> None:
    """Write a file whole or not at all, as `whole_file` does: a reader sees the old content or the new."""
    with whole_file(path) as file:
        file.write(content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape"))


def new_lines(path: Path, offset: int) -> Iterator[bytes]:
    """Yield the whole lines of a growing file from an offset on, with their ends; none of a file that is not there yet."""
    with suppress(FileNotFoundError), path.open("rb") as file:
        file.seek(offset)
        yield from (line for line in file if line.endswith(b"\n"))


@contextmanager
def written_whole(folder: Path) -> Iterator[Path]:
    """Yield an empty folder beside `folder` for the caller to fill, and rename it to `folder` at the end.

    After an exception, or a signal that ends the process, it is removed. A killed process's unfinished folder is removed
    when the same folder is next written. If `folder` exists at the end, another process was faster, and its folder stays.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    for left_behind in folder.parent.glob(f"{folder.name}.*.tmp"):
        with suppress(OSError), locked(left_behind):  # a locked one is being filled by another process
            shutil.rmtree(left_behind, ignore_errors=True)
    with ended_by_signals():
        unfinished = folder.with_name(f"{folder.name}.{uuid4().hex}.tmp")
        unfinished.mkdir()
        try:
            with locked(unfinished):
                yield unfinished
                try:
                    unfinished.rename(folder)
                except OSError:
                    if not folder.is_dir():
                        raise
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)


@contextmanager
def locked(folder: Path, wait: bool = False) -> Iterator[None]:
    """Keep a folder locked, until the process ends at the latest.

    Raise `OSError` where another process has locked it, unless that is to be waited for.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(held)


# --- Results of a long measure, kept so that it can go on: a line of JSON with the terms, then one for each result.

Line = TypeVar("Line", bound=msgspec.Struct)


class MeasureFile(Generic[Line]):
    """A file of results; `found` are those of the file, in the order in which they were added. Without a path none is kept."""

    def __init__(self, path: Path | None, terms: msgspec.Struct, line: type[Line]) -> None:
        """Read the file if there is one. Raises `ConfigError` for a file of other terms or that cannot be read."""
        self.path = path
        self._terms = terms
        self._whole = False
        self.found = self._read(path, line) if path is not None and path.is_file() else []

    def add(self, line: Line) -> None:
        """Append a result, which a kill of the program afterwards does not lose. Raise `OSError`."""
        self.found.append(line)
        if self.path is None:
            return
        if not self._whole:
            # Written anew without a line that a kill has torn.
            replace_file(self.path, msgspec.json.Encoder().encode_lines([self._terms, *self.found[:-1]]))
            self._whole = True
        with naming(self.path), self.path.open("ab") as file:
            file.write(msgspec.json.encode(line) + b"\n")

    def _read(self, path: Path, line_type: type[Line]) -> list[Line]:
        first, *lines = path.read_bytes().split(b"\n")
        try:
            terms = msgspec.json.decode(first, type=type(self._terms))
        except msgspec.DecodeError as error:
            raise ConfigError(f"{path}:1: cannot read it: {error}; delete it, or name another --output") from error
        names = self._terms.__struct_fields__
        if other := [name for name in names if getattr(terms, name) != getattr(self._terms, name)]:
            raise ConfigError(
                f"{path}:1: measured with another {' and '.join(other)}; delete it, or name another --output"
            )
        results = []
        for number, line in enumerate(lines[:-1], 2):  # what follows the last end of line was torn by a kill
            try:
                results.append(msgspec.json.decode(line, type=line_type))
            except msgspec.DecodeError as error:
                raise ConfigError(f"{path}:{number}: cannot read it: {error}; delete it and what follows") from error
        return results
