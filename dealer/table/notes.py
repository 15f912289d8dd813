"""What the dealer tells whoever watches it, on stderr."""

from collections.abc import Iterable
from typing import BinaryIO


class Notes:
    """Lines for stderr, kept until `flush` because a system call for each would cost more than the line."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._lines: list[str] = []

    def add(self, lines: Iterable[str]) -> None:
        self._lines.extend(lines)

    def flush(self) -> None:
        """Write what is waiting. A reader that went away does not stop a match."""
        if not self._lines:
            return
        text = "".join([f"{printable(line)}\n" for line in self._lines])
        self._lines.clear()
        try:
            self._file.write(text.encode("utf-8", "surrogateescape"))
            self._file.flush()
        except OSError:
            pass


def printable(line: str) -> str:
    r"""`line` with control characters written as escapes: a player's bytes must not steer a terminal.

    >>> printable("FROM 1 \x1b[2J")
    'FROM 1 \\x1b[2J'
    """
    body = line.rstrip("\r")
    if body.isprintable():
        return line
    return "".join([c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in body]) + line[len(body) :]
