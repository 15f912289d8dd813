"""Texts of many hands, cut into the texts of single hands without reading the whole file."""

import codecs
import re
from collections.abc import Iterator
from pathlib import Path

from limpet.protocol.archives.packed import unpacked

CHUNK = 1 << 20
"""Number of bytes that are read at a time."""
MOST_CHARACTERS = 1 << 18
"""Characters of the longest text that is taken for a hand; a longer one is cut off there."""


class Blocks:
    """The blocks of a file, each from one match of `beginning` to the next. Text before the first one is left out.

    `beginning` must match at the start of a line only, within a line.
    """

    def __init__(self, path: Path, beginning: re.Pattern[str]) -> None:
        self.path, self.beginning = path, beginning
        self.bytes_read = 0
        """Bytes read of the file on disk, so that progress can be shown for packed files too."""

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Yield the line number from 1 and the text of each block. Raises `ProtocolError` for an unreadable file."""
        line, rest, inside = 1, "", False
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

    def _texts(self) -> Iterator[str]:
        """Yield the text of the file in chunks that end with a whole line, except where a line is very long."""
        decoder = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape")
        part = ""
        with unpacked(self.path) as (file, raw):
            while data := file.read(CHUNK):
                self.bytes_read = raw.tell()
                text = part + decoder.decode(data)
                if "\r" in text:
                    text = text.replace("\r\n", "\n")
                end = text.rfind("\n") + 1 or (len(text) if len(text) > MOST_CHARACTERS else 0)
                part = text[end:]
                yield text[:end]
        yield part + decoder.decode(b"", True)
