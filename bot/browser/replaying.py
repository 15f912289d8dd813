"""The feature ``replay``: people look at the hands of any file, step by step."""

from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any

import msgspec

from limpet.bot.browser.base.messages import Listener, Number, Word, question
from limpet.bot.browser.base.room import Book, Feature, entries, may_hold_hands
from limpet.bot.browser.tables.bots import bot_called
from limpet.bot.browser.views.replay import replay_view, row_view
from limpet.protocol.archives.hand_file import Skip, no_hands
from limpet.protocol.situation import has_holdem_cards

MOST_FILES = 300
"""Number of files that a list of files has, the last changed first."""
MOST_ROWS = 100
"""Number of hands that a question may ask for."""
PATIENCE = 0.3
"""Seconds of indexing after which a question about a large file is answered with what is indexed by then."""

Rows = Annotated[int, msgspec.Meta(ge=1, le=MOST_ROWS)]


class Replaying(Feature):
    """Lists files and hands, and tells hands."""

    @question("replay.files")
    def files(self, tab: Listener) -> object:
        return self.room.in_thread(_files, [*self.room.folders, self.room.folder])

    @question("replay.open")
    def open(self, tab: Listener, path: Word) -> object:
        """Return how many hands a file holds; asked again, a large file is read on."""
        return self.room.in_thread(_opened, path, self.room.hands(path))

    @question("replay.rows")
    def rows(self, tab: Listener, path: Word, first: Number, count: Rows) -> object:
        """Return some hands of a file that has been opened, by their numbers from 0."""
        return self.room.in_thread(_rows, self.room.hands(path), first, count)

    @question("replay.hand")
    def hand(self, tab: Listener, path: Word, line: Number) -> object:
        """Return the steps of the hand that begins at a line, from 1, of a file."""
        return self.room.in_thread(_hand, path, self.room.hands(path), line, self.room.bots)


def _opened(path: str, book: Book) -> dict[str, Any]:
    index = book.read_on(PATIENCE)
    why = no_hands(path) if book.whole and not len(index) else ""
    # "read" is in bytes, unpacked.
    facts = {"path": path, "kind": index.kind, "hands": len(index), "whole": book.whole, "read": index.size}
    return facts | {"why": why}


def _rows(book: Book, first: int, count: int) -> list[dict[str, Any]]:
    """Return a row for each hand, one that says why for a hand that cannot be read."""
    skipped: list[Skip] = []
    rows = [row_view(*hand) for hand in book.hands(first, count, skipped)]
    return sorted((*rows, *({"line": skip.line, "why": skip.reason} for skip in skipped)), key=itemgetter("line"))


def _hand(path: str, book: Book, at: int, bots: Sequence[str]) -> object:
    number, line, hand = book.at(at, PATIENCE)
    has_bot = len(hand.names) == 2 and has_holdem_cards(hand.state.game)
    has_bot = has_bot and any(bot_called(bots, name) for name in hand.names)
    return replay_view(path, number, len(book.read_on(0)), book.path.name, line, hand, has_bot)


def _files(folders: list[Path]) -> list[dict[str, Any]]:
    """Return the files of hands below folders, the last changed first, each with its bytes and seconds since 1970."""
    views: dict[Path, dict[str, Any]] = {}
    for folder, entry in entries(folders):
        if may_hold_hands(entry.name):
            path, status = Path(entry.path), entry.stat()
            view = {"path": str(path.relative_to(folder)), "size": status.st_size, "changed": status.st_mtime}
            views.setdefault(path.resolve(), view)
    return sorted(views.values(), key=lambda file: -file["changed"])[:MOST_FILES]
