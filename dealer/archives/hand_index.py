"""Where each hand of a file begins, so that any hand of a large file is read without the hands before it.

An index takes about a second for 100 MB, and is extended while a match goes on writing. Files may be packed; a packed file
is unpacked again from its beginning for each reading.
"""

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np

from limpet.protocol.archives.acpc import LogStream
from limpet.protocol.archives.blocks import unpacked
from limpet.protocol.archives.hand_file import HandFile, HandPlace, Skip
from limpet.protocol.archives.hands import TextFile, open_hands
from limpet.protocol.errors import ProtocolError
from limpet.protocol.matchlog import HandRecord

CHUNK = 1 << 20
"""Number of bytes that are read at a time."""
MOST_LINE = 1 << 24
"""Number of bytes after which a line is cut: such a file holds no hands."""
MOST_LAST = 1 << 18
"""Bytes of the longest text that is taken for the last hand of a file."""

_BOM = b"\xef\xbb\xbf"
# A pattern that begins with plain letters is found ten times as fast as one that begins with a line's beginning.
_LOG_HAND = re.compile(rb"STATE:(?<=^STATE:)", re.MULTILINE)
_LOG_GAME = re.compile(rb"# (?<=^# )(?:GAMEDEF; |name/game/hands/seed )", re.MULTILINE)
_PHH_SECTION = re.compile(rb"\[(?<=^\[)[^\[\]\"'\n]+\][ \t]*\r?$", re.MULTILINE)


class HandIndex:
    """The hands of a file by their number from 0, in the order of the file. Nothing is indexed before `extend`."""

    def __init__(self, path: Path) -> None:
        """Look at the kind of the file. Raises `ProtocolError`."""
        self.path = path
        self.size = 0
        """Number of unpacked bytes that are indexed."""
        file = open_hands(path)
        self.kind = "log" if file.format == "ACPC" else file.format
        self._beginning = _PHH_SECTION if self.kind == "PHH" else _LOG_HAND
        if isinstance(file, TextFile) and self.kind != "PHH":
            self._beginning = re.compile(file.beginning.pattern.encode(), re.MULTILINE)
        self._offsets, self._lines = array("q"), array("q")
        self._games = array("q")
        """Offsets of the comments of a log that name or define the game of the hands below them."""
        self._newlines = 0

    def __len__(self) -> int:
        return len(self._offsets)

    @property
    def last_line(self) -> int:
        """Line at which the last hand begins, 0 where there is no hand."""
        return self._lines[-1] if self._lines else 0

    def number_at(self, line: int) -> int:
        """Return the number of the hand that begins at a line, from 1, of the file. Raises `ProtocolError`."""
        at = bisect_left(self._lines, line)
        if at == len(self) or self._lines[at] != line:
            raise ProtocolError(f"{self.path}:{line}: no hand begins at this line; open the file's list of hands")
        return at

    def span(self, line: int) -> tuple[int, int] | None:
        """Return the unpacked offset and length of the hand at a line and all behind it to the next, None where none begins."""
        at = bisect_left(self._lines, line)
        if at == len(self) or self._lines[at] != line:
            return None
        end = self._offsets[at + 1] if at + 1 < len(self) else self.size
        return self._offsets[at], end - self._offsets[at]

    def extend(self) -> Iterator[int]:
        """Index what has been added to the file, and yield the number of hands after each chunk.

        A last line that is not whole yet is left for the next call. Raises `ProtocolError` for a file that cannot be read.
        """
        with unpacked(self.path) as (file, _):
            file.seek(self.size)
            rest = b""
            while data := file.read(CHUNK):
                rest += data
                end = rest.rfind(b"\n") + 1 or (len(rest) if len(rest) > MOST_LINE else 0)
                if end:
                    self._add(rest[:end])
                rest = rest[end:]
                yield len(self)

    def hands(
        self, first: int, count: int, skipped: list[Skip] | None = None
    ) -> Iterator[tuple[HandPlace, HandRecord]]:
        """Yield `count` hands from number `first` on; those that cannot be read are left out, and appended to `skipped`.

        Raises `ProtocolError` for a file that cannot be read.
        """
        after = min(first + count, len(self))
        if not 0 <= first < after:
            return
        with unpacked(self.path) as (file, _):
            begin, line = self._offsets[first], self._lines[first]
            comments = list(self._games_before(file, begin))
            if self.kind == "log":  # a comment behind the hand before may define the game of this one
                begin, line = self._behind(file, first - 1)
            file.seek(begin)
            end = self._offsets[after] if after < len(self) else self._offsets[first] + MOST_LAST * count
            text = _text(file.read(end - begin))
        yield from islice(self._part_of_file(comments, text, line, skipped).hands(), count)

    def _behind(self, file: BinaryIO, number: int) -> tuple[int, int]:
        """Return the offset and the line that follow a hand of a log; those of the file's beginning for number -1."""
        if number < 0:
            return 0, 1
        file.seek(self._offsets[number])
        return self._offsets[number] + len(file.readline()), self._lines[number] + 1

    def _part_of_file(self, comments: list[str], text: str, first_line: int, skipped: list[Skip] | None) -> HandFile:
        """Return the hands of a part of the file that begins at a line. `comments` are those of a log that define its game."""
        file = open_hands(self.path, skip_bad=True, skipped=skipped)
        if isinstance(file, LogStream):
            lines = enumerate(text.removesuffix("\n").split("\n"), first_line)
            return file.with_lines(
                [*((0, comment, True) for comment in comments), *((n, line, True) for n, line in lines)]
            )
        assert isinstance(file, TextFile)
        starts = sorted({0, *(match.start() for match in file.beginning.finditer(text))})
        parts = zip(starts, [*starts[1:], len(text)], strict=True)
        return file.with_texts([(first_line + text.count("\n", 0, start), text[start:end]) for start, end in parts])

    def _games_before(self, file: BinaryIO, offset: int) -> Iterator[str]:
        """Yield the first and the last two comments about games before an offset."""
        count = bisect_left(self._games, offset)
        for number in sorted({0, count - 2, count - 1}):
            if 0 <= number < count:
                file.seek(self._games[number])
                yield _text(file.readline()).removesuffix("\n")

    def _add(self, data: bytes) -> None:
        """Index whole lines that follow what is indexed."""
        if self.size == 0:
            if data.startswith(_BOM):
                data, self.size = data[len(_BOM) :], len(_BOM)
            if self.kind == "PHH" and data[:1] not in (b"\n", b"["):
                self._offsets.append(self.size)
                self._lines.append(1)
        newlines = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
        starts = np.array([match.start() for match in self._beginning.finditer(data)], np.int64)
        self._offsets.extend((starts + self.size).tolist())
        self._lines.extend((np.searchsorted(newlines, starts) + self._newlines + 1).tolist())
        if self.kind == "log":
            self._games.extend(match.start() + self.size for match in _LOG_GAME.finditer(data))
        self._newlines += len(newlines)
        self.size += len(data)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
