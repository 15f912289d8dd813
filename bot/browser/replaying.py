"""The feature ``replay``: people look at the hands of any file, step by step."""

from collections.abc import Awaitable, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any

import msgspec

from limpet.bot.browser.base.messages import Listener, Number, Request, Word
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


class ListFiles(Request, frozen=True, tag="replay.files"):
    """Asks for the files of hands below the folders of the command."""


class OpenFile(Request, frozen=True, tag="replay.open"):
    """Asks how many hands a file holds; asked again, a large file is read on."""

    path: Word


class ListHands(Request, frozen=True, tag="replay.rows"):
    """Asks for some hands of a file that has been opened, by their numbers from 0."""

    path: Word
    first: Number
    count: Annotated[int, msgspec.Meta(ge=1, le=MOST_ROWS)]


class OneHand(Request, frozen=True, tag="replay.hand"):
    """Asks for the steps of the hand that begins at a line, from 1, of a file."""

    path: Word
    line: Number


class Replaying(Feature):
    """Lists files and hands, and tells hands."""

    requests = (ListFiles, OpenFile, ListHands, OneHand)

    def answer(self, request: Request, session: Listener) -> object | Awaitable[object]:
        """Answer in a thread. Raises `Refused` for a file that the page would not list."""
        if isinstance(request, OpenFile | ListHands | OneHand):
            book = self.room.hands(request.path)
            return self.room.in_thread(_answered, request, book, self.room.bots)
        return self.room.in_thread(_files, [*self.room.folders, self.room.folder])


def _answered(request: OpenFile | ListHands | OneHand, book: Book, bots: Sequence[str]) -> object:
    match request:
        case OpenFile(path=path):
            index = book.read_on(PATIENCE)
            why = no_hands(path) if book.whole and not len(index) else ""
            # "read" is in bytes, unpacked.
            facts = {"path": path, "kind": index.kind, "hands": len(index), "whole": book.whole, "read": index.size}
            return facts | {"why": why}
        case ListHands(first=first, count=count):
            skipped: list[Skip] = []
            rows = [row_view(*hand) for hand in book.hands(first, count, skipped)]
            # A hand that cannot be read has a row that says why.
            return sorted(
                (*rows, *({"line": skip.line, "why": skip.reason} for skip in skipped)), key=itemgetter("line")
            )
        case OneHand(path=path, line=line_number):
            number, line, hand = book.at(line_number, PATIENCE)
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
