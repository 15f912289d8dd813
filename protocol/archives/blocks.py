"""Texts of many hands, packed or not, cut into the texts of single hands without reading the whole file, and the times in them."""

import bz2
import codecs
import gzip
import lzma
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO
from zoneinfo import ZoneInfo

from limpet.protocol.errors import ProtocolError

# --- Files that may be packed as .gz, .bz2 or .xz.

_UNPACK: dict[str, Callable[[BinaryIO], Any]] = {
    ".gz": lambda raw: gzip.GzipFile(fileobj=raw),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
}


@contextmanager
def unpacked(path: Path) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Yield a file unpacked, and as it is on disk, for progress. Raises `ProtocolError`, also while the caller reads it."""
    try:
        with path.open("rb") as raw:
            unpack = _UNPACK.get(path.suffix.lower())
            if unpack is None:
                yield raw, raw
                return
            with unpack(raw) as file:
                yield file, raw
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise ProtocolError(f"{path}: cannot read it: {reason}; see that the file is whole and readable") from error


CHUNK = 1 << 20
"""Number of bytes that are read at a time."""
MOST_CHARACTERS = 1 << 18
"""Characters of the longest text that is taken for a hand; a longer one is cut off there."""
PIECE_CHARACTERS = 1 << 23
"""Characters that a process reads at a time: some 6,000 hands of six players."""


def blocks(
    path: Path, beginning: re.Pattern[str], report: Callable[[int], None] = lambda read: None
) -> Iterator[tuple[int, str]]:
    """Yield the first line, from 1, and the text of each block of a file: from one match of `beginning` to the next.

    Text before the first block is left out. Raises `ProtocolError` for an unreadable file. `report` is called with the
    number of bytes that have been read of the file on disk, plain or packed.

    beginning: a pattern that matches at the start of a line only, and within one line.
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


def pieces(texts: Iterable[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    """Yield the texts of hands, each with its first line, in lists of about `PIECE_CHARACTERS`."""
    piece, characters = [], 0
    for line, text in texts:
        piece.append((line, text))
        characters += len(text)
        if characters >= PIECE_CHARACTERS:
            yield piece
            piece, characters = [], 0
    yield piece


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


# --- Times of hands: what clocks of several time zones show becomes seconds since 1970.

EASTERN = "America/New_York"
"""Time zone of the times that PokerStars marks with ET."""

_TIME = re.compile(r"(\d{4})/(\d\d?)/(\d\d?) (\d\d?):([0-5]\d):([0-5]\d)( ET\b)?")


def seconds_of(clock: datetime, zone: str = "UTC") -> float | None:
    """Return what a clock showed in a time zone in seconds since 1970, None for a zone that this machine does not know."""
    with suppress(KeyError, ValueError, OSError, OverflowError):
        return clock.replace(tzinfo=UTC if zone == "UTC" else ZoneInfo(zone)).timestamp()
    return None


@lru_cache(1 << 10)  # clocks are put forward and back on the hour
def _hour(year: str, month: str, day: str, hour: str, eastern: str) -> float | None:
    with suppress(ValueError):
        return seconds_of(datetime(int(year), int(month), int(day), int(hour)), EASTERN if eastern else "UTC")
    return None


def header_time(header: str) -> float | None:
    """Return the time in the first line of a PokerStars text in seconds since 1970, None if there is none or ET is unknown.

    The time may stand there twice, by the player's clock and by New York's (ET). Where the latter is missing it is taken as UTC.
    """
    times = _TIME.findall(header)
    if not times:
        return None
    *hour, minute, second, eastern = next((each for each in times if each[-1]), times[0])
    begun = _hour(*hour, eastern)
    return None if begun is None else begun + 60 * int(minute) + int(second)
