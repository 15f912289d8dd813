"""Results of a long measure, kept so that it can go on: a line of JSON with the terms, then one for each result."""

from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from limpet.configs.loading import ConfigError
from limpet.strategies.storage.folders import naming, replace_file

Line = TypeVar("Line", bound=msgspec.Struct)


class MeasureFile(Generic[Line]):
    """A file of results; `found` are those of the file, in the order in which they were added."""

    def __init__(self, path: Path, terms: msgspec.Struct, line: type[Line]) -> None:
        """Read the file if there is one; nothing is written before the first `add`.

        Raises `ConfigError` for a file of other terms, and for one that cannot be read.
        """
        self.path = path
        self._terms = terms
        self._whole = False
        self.found = self._read(line) if path.is_file() else []

    def add(self, line: Line) -> None:
        """Append a result, which a kill of the program afterwards does not lose. Raise `OSError`."""
        if not self._whole:
            # Written anew without a line that a kill has torn.
            replace_file(self.path, msgspec.json.Encoder().encode_lines([self._terms, *self.found]))
            self._whole = True
        self.found.append(line)
        with naming(self.path), self.path.open("ab") as file:
            file.write(msgspec.json.encode(line) + b"\n")

    def _read(self, line_type: type[Line]) -> list[Line]:
        first, *lines = self.path.read_bytes().split(b"\n")
        try:
            terms = msgspec.json.decode(first, type=type(self._terms))
        except msgspec.DecodeError as error:
            raise ConfigError(f"{self.path}:1: cannot read it: {error}; delete it, or name another --output") from error
        names = self._terms.__struct_fields__
        if other := [name for name in names if getattr(terms, name) != getattr(self._terms, name)]:
            raise ConfigError(
                f"{self.path}:1: measured with another {' and '.join(other)}; delete it, or name another --output"
            )
        results = []
        for number, line in enumerate(lines[:-1], 2):  # what follows the last end of line was torn by a kill
            try:
                results.append(msgspec.json.decode(line, type=line_type))
            except msgspec.DecodeError as error:
                raise ConfigError(
                    f"{self.path}:{number}: cannot read it: {error}; delete it and what follows"
                ) from error
        return results
