"""Texts of many hands, cut into the texts of single hands without reading the whole file."""

import codecs
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

from limpet.protocol.archives.packed import unpacked

CHUNK = 1 << 20
"""Number of bytes that are read at a time."""
MOST_CHARACTERS = 1 << 18
"""Characters of the longest text that is taken for a hand; a longer one is cut off there."""


LONGEST = 4 * (MOST_CHARACTERS + 2 * CHUNK)
"""Bytes without a beginning after which a piece ends in the middle of a block, of which only the first characters are read."""
TAIL = 1 << 16
"""Bytes at the end of a piece in which the last beginning is looked for first."""


class Piece(NamedTuple):
    """A part of a file, unpacked, that ends before a block. Without a block in sight, a long piece ends anywhere."""

    line: int
    """Line of the file at which the piece begins, from 1."""
    data: bytes


class Blocks:
    """The blocks of a file, each from one match of `beginning` to the next. Text before the first one is left out.

    `beginning` must match at the start of a line only, within a line.
    """

    def __init__(self, path: Path, beginning: re.Pattern[str], piece: Piece | None = None) -> None:
        """Prepare the reading of a file, or of a piece of it alone."""
        self.path, self.beginning = path, beginning
        self._piece = piece
        self.bytes_read = 0
        """Bytes read of the file on disk, so that progress can be shown for packed files too."""

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Yield the line number from 1 and the text of each block. Raises `ProtocolError` for an unreadable file."""
        line, rest, inside = self._piece.line if self._piece else 1, "", False
        for text in self._texts():
            rest += text
            starts = [match.start() for match in self.beginning.finditer(rest)]
            # The last line may go on in the next chunk, and with it a beginning that is not yet whole.
            at = 0
            for start in starts:
                if start > at:
                    block = rest[at:start]
                    if inside:
                        yield line, block
                    line += block.count("\n")
                inside, at = True, start
            rest = rest[at:]
            if len(rest) > MOST_CHARACTERS + CHUNK:
                cut = rest.rfind("\n", 0, -MOST_CHARACTERS) + 1 or len(rest) - MOST_CHARACTERS
                if inside:
                    yield line, rest[:MOST_CHARACTERS]
                line += rest.count("\n", 0, cut)
                rest, inside = rest[cut:], False
        if inside and rest:
            yield line, rest

    def pieces(self, size: int) -> Iterator[Piece]:
        """Yield the file in pieces of about `size` bytes, which hold the same blocks. Raises `ProtocolError` as reading does."""
        beginning = re.compile(self.beginning.pattern.encode(), re.MULTILINE)
        line, rest = 1, b""
        with unpacked(self.path) as (file, raw):
            while data := file.read(size):
                self.bytes_read = raw.tell()
                rest += data
                end = _last_beginning(rest, beginning)
                if not end and len(rest) > LONGEST:
                    end = rest.rfind(b"\n") + 1 or len(rest)
                if end:
                    yield Piece(line, rest[:end])
                    line += rest.count(b"\n", 0, end)
                    rest = rest[end:]
        yield Piece(line, rest)

    def _opened(self) -> AbstractContextManager[tuple[BinaryIO, BinaryIO]]:
        if self._piece is None:
            return unpacked(self.path)
        file = BytesIO(self._piece.data)
        return nullcontext((file, file))

    def _texts(self) -> Iterator[str]:
        """Yield the text of the file in chunks that end with a whole line, except where a line is very long."""
        decoder = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape")
        part = ""
        with self._opened() as (file, raw):
            while data := file.read(CHUNK):
                self.bytes_read = raw.tell()
                text = part + decoder.decode(data)
                if "\r" in text:
                    text = text.replace("\r\n", "\n")
                end = text.rfind("\n") + 1 or (len(text) if len(text) > MOST_CHARACTERS else 0)
                part = text[end:]
                yield text[:end]
        yield part + decoder.decode(b"", True)


def _last_beginning(data: bytes, beginning: re.Pattern[bytes]) -> int:
    """Return the index at which the last block begins, 0 if none begins after the first byte."""
    tail = TAIL
    while True:
        starts = [match.start() for match in beginning.finditer(data, max(0, len(data) - tail))]
        if starts:
            return starts[-1]
        if tail >= len(data):
            return 0
        tail *= 8
