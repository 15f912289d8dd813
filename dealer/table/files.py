"""The files of a match, which lose nothing in a kill, and how a match goes on from them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from limpet.common.folders import naming, replace_file
from limpet.configs.loading import ConfigError
from limpet.dealer.table.table import END_COMMENT, Table
from limpet.protocol.errors import ProtocolError
from limpet.protocol.matchlog import numbered_lines, read_transactions, whole_lines


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


def read_json(path: Path) -> dict[str, Any]:
    """Read the mapping in a file that `write_json` wrote: terms of a match, counters. Raises `ConfigError`."""
    try:
        data = json.loads(path.read_bytes())
        if isinstance(data, dict):
            return data
        wrong = "no mapping"
    except ValueError as error:
        wrong = f"not JSON ({error})"
    raise ConfigError(f"{path}: {wrong}; remove it, and the same command goes on with what is there")


def write_json(path: Path, data: Any) -> None:
    """Write plain data and `msgspec` structs as indented JSON, whole or not at all. Raises `OSError`."""
    replace_file(path, json_text(data))


def json_text(data: Any) -> str:
    """Return plain data and `msgspec` structs as indented JSON."""
    return json.dumps(data, indent=2, default=msgspec.to_builtins) + "\n"


# --- An interrupted match goes on: its files are checked, and repaired where a kill cut a line off.


SAME_ARGUMENTS = "resume with the arguments the match was started with, or start it anew without -a"
"""Remedy for files of another match."""


class ResumeError(ValueError):
    """A file does not belong to the match that is to go on. The message names file, line and remedy."""


def resume(table: Table, log: Path | None, transactions: Path) -> None:
    """Play `table` up to the end of its transaction log, and bring both files to exactly that point.

    Both files may be missing: then the match begins. `log` is None for a match without a log.

    Raises:
        ResumeError: if a file belongs to another match or cannot be read as one; the files are then as before.
        OSError: if a file cannot be read or written.
    """
    text = read_text(transactions)
    try:
        played = read_transactions(text, table.terms.game, str(transactions))
        hands = table.replay(played, str(transactions))
    except ProtocolError as error:
        raise ResumeError(f"{error}; {SAME_ARGUMENTS}") from error
    log_lines = [*str(table.terms.header).split("\n"), *hands]
    if log is not None:
        _check_log(log, log_lines)
        replace_file(log, "".join([f"{line}\n" for line in log_lines]))
    if (whole := whole_lines(text)) != text:
        replace_file(transactions, whole)


def _check_log(path: Path, log_lines: list[str]) -> None:
    """Check that the lines of the log are the beginning of `log_lines`. Raises `ResumeError`.

    Limits may differ, so that a match that ended because time ran out can go on with more.
    """
    passed_over = (END_COMMENT, "SCORE:", "#--")
    kept = [(at, line) for at, line in numbered_lines(read_text(path)) if not line.startswith(passed_over)]
    should_be = [line for line in log_lines if not line.startswith(passed_over)]
    for (at, line), right in zip(kept, should_be, strict=False):
        if line != right:
            wrong = f"'{line}' should be '{right}' by the transaction log and the arguments"
            raise ResumeError(f"{path}:{at}: {wrong}; {SAME_ARGUMENTS}")
    if len(kept) > len(should_be):
        at, line = kept[len(should_be)]
        raise ResumeError(
            f"{path}:{at}: '{line}' is not in the transaction log, which ends earlier; "
            "put the transaction log of this match back, or start it anew without -a"
        )
