"""The feature ``range``: ranges as text are read for the page's editor, written for other programs, and kept by name."""

from collections.abc import Awaitable
from pathlib import Path
from threading import Lock
from typing import Annotated

import msgspec
import numpy as np

from limpet.bot.browser.base.messages import Listener, Refused, Request
from limpet.bot.browser.base.room import Feature, Room
from limpet.bot.browser.views.grid import HandGrid, range_grid
from limpet.common.folders import data_folder, replace_file
from limpet.protocol.cards import parse_cards
from limpet.strategies.cards.ranges import (
    NUM_HANDS,
    Notation,
    Unit,
    combos,
    likely_unit,
    parse_range,
    range_text,
)

MOST_RANGES = 500
"""Number of ranges that are kept by name."""

RangeText = Annotated[str, msgspec.Meta(max_length=30_000)]
"""A range; all hands one by one, with weights of their own, take 21,000 characters."""
RangeName = Annotated[str, msgspec.Meta(min_length=1, max_length=60, pattern=r"^\S([^\x00-\x1f]*\S)?$")]


class AskRange(Request, frozen=True, tag="range.ask"):
    """Asks what a range is on a board.

    unit: what all weights of the text are; None to find out. notation: in which the answer is to be written.
    """

    text: RangeText
    board: Annotated[str, msgspec.Meta(max_length=10)] = ""
    unit: Unit | None = None
    notation: Notation = "limpet"


class ListRanges(Request, frozen=True, tag="range.list"):
    """Asks for the names of the ranges that are kept."""


class OpenRange(Request, frozen=True, tag="range.open"):
    """Asks for the text of a range that is kept."""

    name: RangeName


class SaveRange(Request, frozen=True, tag="range.save"):
    """Keeps a range by a name, in place of another one of that name. The names are answered."""

    name: RangeName
    text: RangeText


class ForgetRange(Request, frozen=True, tag="range.forget"):
    """Forgets a range. The names that are left are answered."""

    name: RangeName


class RangeView(msgspec.Struct, frozen=True):
    """A range on a board.

    Attributes:
        text: the range in the notation that was asked for, in short.
        unit: what the weights were read as; None where they could be shares as well as percentages, and stood for what
            the sign before them says.
        combos: weighted number of hands that miss the board.
        possible: number of all hands that miss the board.
        grid: the weights by class and by hand.
    """

    text: str
    unit: Unit | None
    combos: float
    possible: int
    grid: HandGrid


class Ranging(Feature):
    """Reads and writes ranges in threads; those that are kept lie in one file of the data folder."""

    requests = (AskRange, ListRanges, OpenRange, SaveRange, ForgetRange)

    def __init__(self, room: Room) -> None:
        super().__init__(room)
        self.shelf = RangeShelf(data_folder() / "ranges.json")

    def answer(self, request: Request, session: Listener) -> Awaitable[object]:
        match request:
            case AskRange():
                return self.room.in_thread(range_view, request)
            case OpenRange(name=name):
                return self.room.in_thread(self.shelf.text, name)
            case SaveRange(name=name, text=text):
                return self.room.in_thread(self.shelf.save, name, text)
            case ForgetRange(name=name):
                return self.room.in_thread(self.shelf.forget, name)
        return self.room.in_thread(self.shelf.names)


def range_view(asked: AskRange) -> RangeView:
    """Return what a text stands for; a blank one is the range without hands. Raises `ProtocolError`."""
    board = parse_cards(asked.board)
    if len(set(board)) < len(board):
        raise Refused(f"{asked.board}: a card can lie on the board once only; name other cards")
    unit = likely_unit(asked.text) if asked.unit is None else asked.unit
    blank = not asked.text.strip()
    weights = np.zeros(NUM_HANDS, np.float32) if blank else parse_range(asked.text, unit or "")
    possible = round(combos(np.ones(NUM_HANDS, np.float32), board))
    text = "" if blank else range_text(weights, asked.notation)
    return RangeView(text, unit, combos(weights, board), possible, range_grid(weights, board))


class RangeShelf:
    """Ranges by name in a JSON file, which people may edit: ``{"name": "range"}``. Raises `Refused` where that fails."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock()

    def names(self) -> list[str]:
        return sorted(self._read(), key=str.casefold)

    def text(self, name: str) -> str:
        kept = self._read()
        if name not in kept:
            raise Refused(f"no range {name!r} is kept; choose another")
        return kept[name]

    def save(self, name: str, text: str) -> list[str]:
        """Keep a range in Limpet's notation, and return all names. Raises `RangeError`."""
        short = range_text(parse_range(text))
        with self._lock:
            kept = self._read()
            if name not in kept and len(kept) >= MOST_RANGES:
                raise Refused(f"{MOST_RANGES} ranges are kept already; forget one first")
            self._write(kept | {name: short})
        return self.names()

    def forget(self, name: str) -> list[str]:
        with self._lock:
            self._write({other: text for other, text in self._read().items() if other != name})
        return self.names()

    def _read(self) -> dict[str, str]:
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=dict[str, str])
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.DecodeError, UnicodeError) as error:
            raise Refused(f"{self.path}: ranges cannot be read ({error}); repair the file or move it away") from error

    def _write(self, kept: dict[str, str]) -> None:
        try:
            replace_file(self.path, msgspec.json.format(msgspec.json.encode(kept), indent=2))
        except OSError as error:
            raise Refused(f"{self.path}: ranges cannot be written ({error.strerror}); make room there") from error
