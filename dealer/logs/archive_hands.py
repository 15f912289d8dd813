"""The hands of one file, a match's log or an archive in another format, each with the place where it stands."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from limpet.dealer.logs.log_stream import LineReader, LogStream
from limpet.protocol.archives.hands import read_hands
from limpet.protocol.archives.skipped import Skipped
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord

POKERSTARS = ("PokerStars", "\ufeffPokerStars")
"""Beginnings of files in PokerStars' format."""


class ArchivedHand(NamedTuple):
    """A hand of a file."""

    where: str
    """The file, and the line in a match's log."""
    record: HandRecord
    seed: int | None = None
    """Seed of the match, where the log names it."""


def archive_hands(path: Path, game: GameDef | None, skipped: Skipped | None = None) -> Iterator[ArchivedHand]:
    """Yield the hands of a file.

    game: game of files that do not name theirs. skipped: takes note of hands in other formats that cannot be read;
    without it they raise. Raises `ProtocolError`, for a match's log as `LogStream` does.
    """
    first = next((text for _, text, _ in LineReader(path) if text.strip()), "")
    if first.startswith(POKERSTARS):
        for record in read_hands([path], game=game, skipped=skipped):
            yield ArchivedHand(str(path), record)
        return
    stream = LogStream(path, game)
    for line, record in stream.hands():
        yield ArchivedHand(f"{path}:{line.number}", record, stream.header.seed if stream.header else None)
