"""Bytes in, lines out, however the bytes were cut into segments."""

from typing import NamedTuple

MAX_LINE = 1 << 16
"""Bytes of the longest line read. The reference dealer's own buffer is 4,096."""


class OverlongLine(NamedTuple):
    """A line beyond the limit. Its bytes were dropped as they came, all but the beginning."""

    start: bytes
    length: int


class LineSplitter:
    """Splits at LF and strips one CR before it, because a dealer may end its lines either way."""

    def __init__(self, limit: int = MAX_LINE) -> None:
        self._limit = limit
        self._pieces: list[bytes] = []  # of a line that has no end yet; joined once, when it ends
        self._length = 0

    def feed(self, data: bytes) -> list[bytes | OverlongLine]:
        """The lines that `data` completes, without their ends."""
        *ended, rest = data.split(b"\n")
        lines: list[bytes | OverlongLine] = []
        for piece in ended:
            if self._pieces or len(piece) > self._limit:
                self._keep(piece)
                lines.append(self._take())
            else:
                lines.append(piece[:-1] if piece.endswith(b"\r") else piece)
        if rest:
            self._keep(rest)
        return lines

    def end(self) -> list[bytes | OverlongLine]:
        """The line that the end of the stream cut short, if there is one."""
        return [self._take()] if self._pieces else []

    def _keep(self, piece: bytes) -> None:
        self._length += len(piece)
        if self._length <= self._limit:
            self._pieces.append(piece)
        else:  # nobody will read it: only its beginning is kept, for the error message
            self._pieces = [b"".join([*self._pieces, piece[:80]])[:80]]

    def _take(self) -> bytes | OverlongLine:
        line, length = b"".join(self._pieces), self._length
        self._pieces, self._length = [], 0
        if length > self._limit:
            return OverlongLine(line, length)
        return line[:-1] if line.endswith(b"\r") else line
