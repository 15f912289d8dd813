"""Bytes into lines, however the bytes were cut into segments: never more memory than one line."""

from typing import Any

MAX_LINE = 65_536
"""Bytes of the longest line that is kept. The reference cuts lines at 4,095 bytes and reads the pieces as lines."""


class LineSplitter:
    """Splits a stream of bytes at LF. A carriage return stays on its line."""

    def __init__(self, max_line: int = MAX_LINE) -> None:
        self._max_line = max_line
        self._part = b""  # the beginning of a line whose end has not come
        self._dropping = False

    def feed(self, data: bytes) -> list[bytes | None]:
        """Return the lines that `data` completes, without their newline, and None for each line that is too long.

        The None comes as soon as the line exceeds the limit; the rest of that line is dropped.
        """
        data = self._part + data if self._part else data
        lines: list[Any] = data.split(b"\n")
        part = lines.pop()
        if self._dropping and lines:
            del lines[0]
            self._dropping = False
        if len(data) > self._max_line:
            lines = [line if len(line) <= self._max_line else None for line in lines]
        if self._dropping or len(part) > self._max_line:
            if not self._dropping:
                lines.append(None)
            self._dropping, part = True, b""
        self._part = part
        return lines

    def end(self) -> list[bytes | None]:
        """Return the line that the end of the stream left without a newline, if there is one."""
        part, self._part = self._part, b""
        return [part] if part else []
