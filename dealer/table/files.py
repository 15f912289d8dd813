"""The files of a match: a dealer that is killed at any moment has lost nothing that it has shown to a player."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from limpet.configs.loading import ConfigError
from limpet.strategies.storage.folders import naming, replace_file


class LineFile:
    """A file of lines. Lines are handed to the operating system before `write` returns."""

    def __init__(self, path: Path, append: bool) -> None:
        """Open the file. Raises `OSError`."""
        self.path = path
        # Unbuffered: after a failed write, closing has nothing to write again.
        self._file = open(path, "ab" if append else "wb", buffering=0)  # noqa: SIM115

    def write(self, lines: Iterable[str]) -> None:
        """Append lines. Raises `OSError`, which names the file."""
        data = "".join([line + "\n" for line in lines]).encode("utf-8", "surrogateescape")
        with naming(self.path):
            while data:
                data = data[self._file.write(data) :]

    def close(self) -> None:
        self._file.close()


def read_text(path: Path) -> str:
    """Return the text of a file that `LineFile` wrote, empty if there is no such file. Raises `OSError`."""
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return ""


def read_terms(path: Path) -> dict[str, Any]:
    """Read the terms that a match or a tournament was begun with. Raises `ConfigError`."""
    try:
        terms = json.loads(path.read_bytes())
    except ValueError as error:
        raise ConfigError(
            f"{path}: not JSON ({error}); remove it, and the same command goes on with what is there"
        ) from error
    if not isinstance(terms, dict):
        raise ConfigError(f"{path}: no mapping; remove it, and the same command goes on with what is there")
    return terms


def write_terms(path: Path, terms: dict[str, Any]) -> None:
    """Write the terms of a match or a tournament, whole or not at all."""
    replace_file(path, json_text(terms))


def json_text(data: Any) -> str:
    """Return plain data and `msgspec` structs as indented JSON."""
    return json.dumps(data, indent=2, default=msgspec.to_builtins) + "\n"
