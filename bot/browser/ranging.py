"""The feature ``range``: ranges as text are read for the page's editor, written for other programs, and kept by name."""

from pathlib import Path
from threading import Lock
from typing import Annotated

import msgspec
import numpy as np

from limpet.bot.browser.views.grid import HandGrid, range_grid
from limpet.bot.browser.views.messages import FewCards, Listener, Refused, question
from limpet.bot.browser.views.room import Feature, Room
from limpet.common.folders import data_folder, replace_file
from limpet.protocol.cards import parse_cards
from limpet.strategies.cards.ranges import NUM_HANDS, Notation, Unit, combos, likely_unit, parse_range, range_text

MOST_RANGES = 500
"""Number of ranges that are kept by name."""

RangeText = Annotated[str, msgspec.Meta(max_length=30_000)]
"""A range; all hands one by one, with weights of their own, take 21,000 characters."""
RangeName = Annotated[str, msgspec.Meta(min_length=1, max_length=60, pattern=r"^\S([^\x00-\x1f]*\S)?$")]


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

    def __init__(self, room: Room) -> None:
        super().__init__(room)
        self.shelf = RangeShelf(data_folder() / "ranges.json")

    @question("range.ask")
    def ask(
        self,
        tab: Listener,
        text: RangeText,
        board: FewCards = "",
        unit: Unit | None = None,
        notation: Notation = "limpet",
    ) -> object:
        return self.room.in_thread(range_view, text, board, unit, notation)

    @question("range.list")
    def names(self, tab: Listener) -> object:
        return self.room.in_thread(self.shelf.names)

    @question("range.open")
    def open(self, tab: Listener, name: RangeName) -> object:
        return self.room.in_thread(self.shelf.text, name)

    @question("range.save")
    def save(self, tab: Listener, name: RangeName, text: RangeText) -> object:
        """Keep a range by a name, in place of another one of that name. Returns the names."""
        return self.room.in_thread(self.shelf.save, name, text)

    @question("range.forget")
    def forget(self, tab: Listener, name: RangeName) -> object:
        """Forget a range. Returns the names that are left."""
        return self.room.in_thread(self.shelf.forget, name)


def range_view(text: str, board: str = "", unit: Unit | None = None, notation: Notation = "limpet") -> RangeView:
    """Return what a text stands for; a blank one is the range without hands. Raises `ProtocolError`.

    unit: what all weights of the text are; None to find out. notation: in which the answer is to be written.
    """
    cards = parse_cards(board)
    if len(set(cards)) < len(cards):
        raise Refused(f"{board}: a card can lie on the board once only; name other cards")
    unit = likely_unit(text) if unit is None else unit
    blank = not text.strip()
    weights = np.zeros(NUM_HANDS, np.float32) if blank else parse_range(text, unit or "")
    possible = round(combos(np.ones(NUM_HANDS, np.float32), cards))
    written = "" if blank else range_text(weights, notation)
    return RangeView(written, unit, combos(weights, cards), possible, range_grid(weights, cards))


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
