"""Bytes into lines: any segmentation, either line end, any length, never more memory than one line."""

from typing import NamedTuple

MAX_LINE = 65_536
"""Longest line kept, in bytes. The reference cuts lines at 4,095 bytes and reads the pieces as lines."""


class Lines(NamedTuple):
    """What came out of some bytes: whole lines without their newline, and how many were too long to keep."""

    lines: list[str]
    dropped: int = 0


class LineSplitter:
    """Splits at newlines and decodes as latin-1, which no byte can fail. A carriage return stays on its line."""

    def __init__(self, max_line: int = MAX_LINE) -> None:
        self.max_line = max_line
        self._part = b""
        self._dropping = False

    def feed(self, data: bytes) -> Lines:
        """More bytes. A line that grows too long is counted once and its bytes are dropped up to its newline."""
        if self._part:
            data = self._part + data
        whole, newline, self._part = data.rpartition(b"\n")
        lines = whole.split(b"\n") if newline else []
        if self._dropping and lines:
            del lines[0]
            self._dropping = False
        kept = [line for line in lines if len(line) <= self.max_line]
        dropped = len(lines) - len(kept)
        if self._dropping or len(self._part) > self.max_line:
            dropped += not self._dropping
            self._dropping = True
            self._part = b""
        return Lines([line.decode("latin-1") for line in kept], dropped)

    def end(self) -> Lines:
        """The connection is closed: what came after the last newline is a line too, as at the reference."""
        part, self._part = self._part, b""
        return Lines([part.decode("latin-1")] if part and not self._dropping else [])
