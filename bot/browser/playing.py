"""The feature ``play``: people open tables, sit down, act, and leave."""

import secrets
from collections.abc import Awaitable
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from twisted.internet.defer import ensureDeferred
from twisted.logger import Logger

from limpet.bot.browser.bots import Bots
from limpet.bot.browser.messages import Event, Feature, Listener, Number, Refused, Request, Word
from limpet.bot.browser.opponents import OpponentView, opponents
from limpet.bot.browser.room import Room
from limpet.bot.browser.setup import SETUP_FILE, BotPlayer, Person, Setup, new_key, table_game
from limpet.bot.browser.tables import CashTable
from limpet.bot.browser.views.hand import HandView, hand_view
from limpet.configs.loading import ConfigError
from limpet.protocol.errors import ProtocolError
from limpet.protocol.messages import MatchState
from limpet.protocol.state import CALL, FOLD, RAISE, Action, raise_to

MOST_TABLES = 64
"""Number of tables that may run at once."""

_log = Logger()


class Hello(Request, frozen=True, tag="play.hello"):
    """Asks for the opponents, and for the tables where the tab's person has a seat."""


class Open(Request, frozen=True, tag="play.open"):
    """Asks for a new table with these bots, and so many other people; stacks are in big blinds."""

    bots: Annotated[list[Word], msgspec.Meta(max_length=9)]
    stack: Annotated[float, msgspec.Meta(ge=10, le=400)] = 200
    people: Annotated[int, msgspec.Meta(ge=0, le=9)] = 0
    reveal: bool = False


class Sit(Request, frozen=True, tag="play.sit"):
    """Asks to see the seat with this key, and for all that changes there."""

    key: Word


class Deal(Request, frozen=True, tag="play.deal"):
    """Asks for the next hand."""

    key: Word


class Act(Request, frozen=True, tag="play.act"):
    """Takes an action in the decision of a hand after this betting. `size` is the protocol's: chips of the whole hand."""

    key: Word
    hand: Number
    betting: Annotated[str, msgspec.Meta(max_length=4096)]
    action: Literal["f", "c", "r"]
    size: Number = 0


class Leave(Request, frozen=True, tag="play.leave"):
    """Gives the seat up; where it is the host's, the table closes."""

    key: Word


class TableLine(msgspec.Struct, frozen=True):
    """A seat in the list of the person's tables."""

    key: str
    name: str
    players: list[str]
    hands: int


class TableView(Event, frozen=True, tag="play.table"):
    """A seat at a table as its person sees it now. `between` says that the person must ask for the next hand."""

    key: str
    name: str
    hand: HandView | None
    between: bool
    fault: str
    loading: bool
    guests: list[str]
    """Keys of the seats of the people whom the host has invited; for the host only."""


class Playing(Feature):
    """All tables, and which tabs look at which seats."""

    requests = (Hello, Open, Sit, Deal, Act, Leave)
    for_guests = True

    def __init__(self, room: Room) -> None:
        super().__init__(room)
        self.tables: dict[str, CashTable] = {}
        self.bots = Bots(room.reactor, room.folder / "bots")
        self._tabs: dict[str, set[Listener]] = {}
        for setup in sorted(room.folder.glob(f"*/{SETUP_FILE}")):
            self._reopen(setup.parent)

    def _reopen(self, folder: Path) -> None:
        try:
            table = CashTable.reopen(folder, self._changed)
        except (ConfigError, ProtocolError) as error:
            _log.warn("{error}", error=str(error))
            return
        if not table.setup.closed:
            self.tables[table.setup.name] = table

    def is_seat(self, key: str) -> bool:
        """Return whether a person other than the host has a seat with this key."""
        return any(
            person.key == key and not person.host
            for table in self.tables.values()
            for person in table.setup.people.values()
        )

    def answer(self, request: Request, session: Listener) -> object | Awaitable[object]:
        """Answer one of `requests`."""
        match request:
            case Hello():
                return self._hello(session)
            case Open():
                if session.guest:
                    raise Refused("only the host opens tables")
                return self._open(request)
            case Sit(key=key):
                return self._sit(key, session)
            case Deal(key=key):
                table, seat = self._seat(key, session)
                table.seats[seat].deal()
                self._send(table, seat)
                return None
            case Act(key=key):
                table, seat = self._seat(key, session)
                table.seats[seat].act(request.hand, request.betting, _action(request, table))
                return None
            case Leave(key=key):
                return self._leave(key, session)
        raise Refused("no such question")

    def left(self, session: Listener) -> None:
        for tabs in self._tabs.values():
            tabs.discard(session)

    async def close(self) -> None:
        """Stop all tables, to be played on, and end the bots."""
        for table in self.tables.values():
            await table.stop("the command has ended")
        await self.room.in_thread(self.bots.close)

    def _hello(self, session: Listener) -> object:
        lines = []
        for table in self.tables.values():
            for seat, person in table.setup.people.items():
                if session.guest == person.key or (not session.guest and person.host):
                    lines.append(TableLine(person.key, table.setup.name, table.names(seat), len(table.records)))
        found: list[OpponentView] = [] if session.guest else opponents(self.room.bots)
        return {"tables": lines, "opponents": found, "guest": session.guest, "url": self.room.url}

    async def _open(self, request: Open) -> object:
        if len(self.tables) >= MOST_TABLES:
            raise Refused(f"{MOST_TABLES} tables are open; leave one first")
        count = 1 + request.people + len(request.bots)
        if not 2 <= count <= 10:
            raise Refused(f"{count} players; choose two to ten")
        game = table_game(request.bots, count, request.stack)
        people = [Person("You", new_key(), host=True)]
        people += [Person(f"Guest-{n}", new_key(), host=False) for n in range(1, request.people + 1)]
        names = {view.config: view.name for view in opponents((*self.room.bots, *request.bots))}
        bots = [
            BotPlayer(f"{names[config]}-{n}" if request.bots.count(config) > 1 else names[config], config)
            for n, config in enumerate(request.bots, 1)
        ]
        number = 1
        while (folder := self.room.folder / f"table-{number}").exists():
            number += 1
        setup = Setup(folder.name, [*people, *bots], secrets.randbits(32), request.reveal)
        table = self.tables[setup.name] = CashTable.create(folder, setup, game, self._changed)
        self._start(table)
        return {"key": people[0].key}

    def _start(self, table: CashTable) -> None:
        """Start a table; whoever looks at it is told how that goes."""

        def failed(failure: object) -> None:
            table.fault = str(getattr(failure, "value", failure))
            for seat in table.seats:
                self._send(table, seat)

        started = ensureDeferred(table.start(self.room.reactor, self.bots))
        started.addErrback(failed)

    def _sit(self, key: str, session: Listener) -> object:
        table, seat = self._seat(key, session)
        self._tabs.setdefault(key, set()).add(session)
        if not table.running:
            self._start(table)
        return self._view(table, seat)

    async def _leave(self, key: str, session: Listener) -> object:
        table, seat = self._seat(key, session)
        if not table.setup.people[seat].host:
            raise Refused("the host closes the table; close this tab to go")
        table.close()
        await table.stop("the player has left")
        self.tables.pop(table.setup.name, None)
        return None

    def _seat(self, key: str, session: Listener) -> tuple[CashTable, int]:
        for table in self.tables.values():
            seat = table.seat_of(key)
            if seat is not None and session.guest in ("", key) and (session.guest or table.setup.people[seat].host):
                return table, seat
        raise Refused("this seat is not there any more; go back to the lobby")

    def _changed(self, table: CashTable, seat: int, match: MatchState | None) -> None:
        self._send(table, seat)

    def _send(self, table: CashTable, seat: int) -> None:
        tabs = self._tabs.get(table.setup.people[seat].key)
        if tabs:
            view = self._view(table, seat)
            for tab in tabs:
                tab.send(view)

    def _view(self, table: CashTable, seat: int) -> TableView:
        person, place = table.setup.people[seat], table.seats[seat]
        match = place.match
        guests = [other.key for other in table.setup.people.values() if not other.host] if person.host else []
        hand = None if match is None else hand_view(match, table.names(seat))
        return TableView(
            key=person.key,
            name=table.setup.name,
            hand=hand,
            between=place.between_hands,
            fault=table.fault,
            loading=not table.running,
            guests=guests,
        )


def _action(request: Act, table: CashTable) -> Action:
    if request.action == "r":
        return raise_to(request.size) if table.game.no_limit else RAISE
    return FOLD if request.action == "f" else CALL
