"""The messages of the feature ``play``, from the page and to it."""

from typing import Annotated, Literal

import msgspec

from limpet.bot.browser.messages import Event, Number, Request, Word
from limpet.bot.browser.results import ResultView
from limpet.bot.browser.views.hand import HandView


class Hello(Request, frozen=True, tag="play.hello"):
    """Asks for the opponents, and for the tables where the tab's person has a seat."""


Bots = Annotated[list[Word], msgspec.Meta(max_length=9)]
People = Annotated[int, msgspec.Meta(ge=0, le=9)]


class Open(Request, frozen=True, tag="play.open"):
    """Asks for a new table with these bots and so many other people.

    `stack` is in big blinds. `style` is from -1, tight, to 1, loose, for bots that have one. `reveal` shows all hands once
    a hand is over.
    """

    bots: Bots
    stack: Annotated[float, msgspec.Meta(ge=10, le=400)] = 200
    people: People = 0
    reveal: bool = False
    style: Annotated[float, msgspec.Meta(ge=-1, le=1)] = 0


class Enter(Request, frozen=True, tag="play.enter"):
    """Asks for a new sit-and-go of a structure, with these bots and so many other people."""

    structure: Word
    bots: Bots
    people: People = 0


class Sit(Request, frozen=True, tag="play.sit"):
    """Asks to see the seat with this key, and for all that changes there."""

    key: Word


class Deal(Request, frozen=True, tag="play.deal"):
    """Asks for the next hand."""

    key: Word


class Act(Request, frozen=True, tag="play.act"):
    """Takes an action in the decision of a hand after this betting.

    `size` of a raise is the protocol's: chips of the whole hand. `cards` are those that a draw, ``d``, throws away.
    """

    key: Word
    hand: Number
    betting: Annotated[str, msgspec.Meta(max_length=4096)]
    action: Literal["f", "c", "r", "d"]
    size: Number = 0
    cards: Annotated[str, msgspec.Meta(max_length=10)] = ""


class Leave(Request, frozen=True, tag="play.leave"):
    """Gives the seat up: the host's table closes."""

    key: Word


class Reset(Request, frozen=True, tag="play.reset"):
    """Asks for a new bankroll."""


class TableLine(msgspec.Struct, frozen=True):
    """A seat in the list of the person's tables."""

    key: str
    name: str
    players: list[str]
    hands: int


class TableView(Event, frozen=True, tag="play.table"):
    """A seat at a table as its person sees it now. `between` says that the person must ask for the next hand.

    `invited` are the names and keys of the seats of other people, for the host only.
    """

    key: str
    name: str
    hand: HandView | None
    between: bool
    fault: str
    loading: bool
    result: ResultView
    standing: object | None
    invited: dict[str, str]
