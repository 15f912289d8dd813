"""Texts of many hands, cut into the texts of single hands without reading the whole file."""

import codecs
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from limpet.protocol.archives.packed import unpacked

CHUNK = 1 << 20
"""Number of bytes that are read at a time."""
MOST_CHARACTERS = 1 << 18
"""Characters of the longest text that is taken for a hand; a longer one is cut off there."""


def blocks(
    path: Path, beginning: re.Pattern[str], report: Callable[[int], None] = lambda read: None
) -> Iterator[tuple[int, str]]:
    """Yield the first line, from 1, and the text of each block of a file: from one match of `beginning` to the next.

    Text before the first block is left out. Raises `ProtocolError` for an unreadable file.

    Args:
        path: the file, plain or packed.
        beginning: a pattern that matches at the start of a line only, and within one line.
        report: called with the number of bytes that have been read of the file on disk.
    """
    line, rest, inside = 1, "", False
    for text in _texts(path, report):
        rest += text
        at = 0
        for match in beginning.finditer(rest):
            if match.start() > at:
                block = rest[at : match.start()]
                if inside:
                    yield line, block
                line += block.count("\n")
            inside, at = True, match.start()
        rest = rest[at:]
        if len(rest) > MOST_CHARACTERS + CHUNK:
            cut = rest.rfind("\n", 0, -MOST_CHARACTERS) + 1 or len(rest) - MOST_CHARACTERS
            if inside:
                yield line, rest[:MOST_CHARACTERS]
            line += rest.count("\n", 0, cut)
            rest, inside = rest[cut:], False
    if inside and rest:
        yield line, rest


def _texts(path: Path, report: Callable[[int], None]) -> Iterator[str]:
    """Yield the text of a file in chunks that end with a whole line, except where a line is very long."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape")
    part = ""
    with unpacked(path) as (file, raw):
        while data := file.read(CHUNK):
            report(raw.tell())
            text = part + decoder.decode(data)
            if "\r" in text:
                text = text.replace("\r\n", "\n")
            end = text.rfind("\n") + 1 or (len(text) if len(text) > MOST_CHARACTERS else 0)
            part = text[end:]
            yield text[:end]
    yield part + decoder.decode(b"", True)
