"""The feature ``play``: people open tables and tournaments, sit down, act, and leave."""

from collections.abc import Awaitable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from twisted.internet.defer import ensureDeferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from limpet.bot.browser.base.messages import Event, Listener, Number, Refused, Request, Word
from limpet.bot.browser.base.room import Feature, Room
from limpet.bot.browser.tables.bots import Bots, opponents, structures, styled
from limpet.bot.browser.tables.carried import CarriedTable
from limpet.bot.browser.tables.results import Bankroll
from limpet.bot.browser.tables.running import RunningTable
from limpet.bot.browser.tables.setup import (
    YOU,
    BotPlayer,
    Person,
    Setup,
    new_key,
    new_seed,
    require_fit,
    seen_names,
    table_game,
)
from limpet.bot.browser.tables.sit_and_go import SitAndGoTable, TournamentSetup
from limpet.bot.browser.tables.tables import CashTable, JoinedTable
from limpet.bot.browser.views.replay import hand_view
from limpet.configs.loading import ConfigError
from limpet.dealer.contests.sng_rules import sample_games
from limpet.protocol.cards import parse_cards
from limpet.protocol.errors import ProtocolError
from limpet.protocol.messages import MatchState
from limpet.protocol.state import CALL, FOLD, RAISE, Action, discard, raise_to

MOST_TABLES = 64
"""Number of tables that may run at once."""
KEPT_HANDS = 50
"""Number of hands of a table that a tab gets when it sits down."""

Configs = Annotated[list[Word], msgspec.Meta(max_length=9)]
People = Annotated[int, msgspec.Meta(ge=0, le=9)]

_log = Logger()


class Hello(Request, frozen=True, tag="play.hello"):
    """Asks for the opponents, and for the tables where the tab's person has a seat."""


class Open(Request, frozen=True, tag="play.open"):
    """Asks for a new table with these bots and `people` other people.

    `stack` is in big blinds. `style` is from -1, tight, to 1, loose, for bots that have one. `reveal` shows all hands once
    a hand is over. With `carry` stacks are carried from hand to hand, and `stack` is what players buy in for.
    """

    bots: Configs
    stack: Annotated[float, msgspec.Meta(ge=10, le=400)] = 200
    people: People = 0
    reveal: bool = False
    style: Annotated[float, msgspec.Meta(ge=-1, le=1)] = 0
    carry: bool = False


class Enter(Request, frozen=True, tag="play.enter"):
    """Asks for a new sit-and-go of a structure, with these bots and `people` other people."""

    structure: Word
    bots: Configs
    people: People = 0


class AtSeat(Request, frozen=True):
    """A message about the seat with this key."""

    key: Word


class Sit(AtSeat, frozen=True, tag="play.sit"):
    """Asks to see the seat, and for all that changes there."""


class DealNext(AtSeat, frozen=True, tag="play.deal"):
    """Asks for the next hand."""


class TopUp(AtSeat, frozen=True, tag="play.top_up"):
    """Buys the chips that the seat has less than a buy-in, before the next hand of a table whose stacks are carried."""


class SitOut(AtSeat, frozen=True, tag="play.sit_out"):
    """Sits out from the next hand on, or comes back."""

    out: bool


class Act(AtSeat, frozen=True, tag="play.act"):
    """Takes an action in the decision of a hand after this betting.

    `size` of a raise is the protocol's: chips of the whole hand. `cards` are those that a draw, ``d``, throws away.
    """

    hand: Number
    betting: Annotated[str, msgspec.Meta(max_length=4096)]
    action: Literal["f", "c", "r", "d"]
    size: Number = 0
    cards: Annotated[str, msgspec.Meta(max_length=10)] = ""


class LeaveSeat(AtSeat, frozen=True, tag="play.leave"):
    """Gives the seat up: the host's table closes."""


class Reset(Request, frozen=True, tag="play.reset"):
    """Asks for a new bankroll."""


class TableView(Event, frozen=True, tag="play.table"):
    """A seat at a table as its person sees it now. `between` says that the person must ask for the next hand.

    `away` says that the person sits out, null where nobody may. `invited` are the names and keys of the seats of other people, for the host only.
    """

    key: str
    title: str
    hand: dict[str, Any] | None
    between: bool
    fault: str
    loading: bool
    result: dict[str, Any]
    away: bool | None
    standing: object | None
    purse: object | None
    invited: dict[str, str]


class Playing(Feature):
    """All tables, and which tabs look at which seats."""

    requests = (Hello, Open, Enter, Sit, DealNext, TopUp, SitOut, Act, LeaveSeat, Reset)
    for_guests = True

    def __init__(self, room: Room) -> None:
        super().__init__(room)
        self.tables: dict[str, RunningTable] = {}
        self.bots = Bots(room, room.folder / "bots")
        self._purse = room.folder / "bankroll.json"
        self.bankroll = Bankroll.load(self._purse)
        self._prize = partial(self.bankroll.win, self._purse)
        self._tabs: dict[str, set[Listener]] = {}
        if room.address is not None:
            joined = JoinedTable(room, self._changed)
            self.tables[joined.name] = joined
        for file in sorted((*room.folder.glob(f"*/{Setup.FILE}"), *room.folder.glob(f"*/{TournamentSetup.FILE}"))):
            try:
                self._reopen(file)
            except (ConfigError, ProtocolError) as error:
                _log.warn("{error}", error=str(error))

    def _reopen(self, file: Path) -> None:
        """Take up the table or the tournament of a folder, unless it was left. Raises `ConfigError` and `ProtocolError`."""
        setup = (Setup if file.name == Setup.FILE else TournamentSetup).load(file.parent)
        if setup.closed:
            return
        if isinstance(setup, TournamentSetup):
            kind = CarriedTable if setup.stack else SitAndGoTable
            table: RunningTable = kind(self.room, setup, self._changed, self._prize)
        else:
            table = CashTable(self.room, setup, self._changed)
        self.tables[table.name] = table

    def is_seat(self, key: str) -> bool:
        """Return whether a person other than the host has a seat with this key."""
        people = (person for table in self.tables.values() for person in table.people.values())
        return any(person.key == key and not person.host for person in people)

    def answer(self, request: Request, session: Listener) -> object | Awaitable[object]:
        if isinstance(request, AtSeat):
            return self._answer_at(request, *self.find_seat(request.key, session), session)
        if isinstance(request, Hello):
            return self._hello(session)
        if session.guest:
            raise Refused("only the host does this; ask for another seat")
        match request:
            case Open():
                return self._open(request)
            case Enter():
                return self._enter(request)
        return self._reset()

    def _answer_at(self, request: AtSeat, table: RunningTable, seat: int, session: Listener) -> object:
        match request:
            case Sit():
                return self._sit(table, seat, session)
            case LeaveSeat():
                return self._leave(table, seat)
            case DealNext():
                table.deal(seat)
                table.changed(seat)
            case TopUp():
                table.top_up(seat)
                table.changed(seat)
            case SitOut(out=out):
                table.sit_out(seat, out)
                table.changed(seat)
            case Act():
                table.seats[seat].act(request.hand, request.betting, _action(request, table.seats[seat].match))
        return None

    def left(self, session: Listener) -> None:
        for tabs in self._tabs.values():
            tabs.discard(session)

    async def close(self) -> None:
        """Stop all tables, to be played on, and end the bots."""
        for table in list(self.tables.values()):
            await table.stop("the command has ended")
        await self.room.in_thread(self.bots.close)

    def _hello(self, session: Listener) -> object:
        tables = [{"key": table.people[seat].key} for table, seat in self._seats(session)]
        if session.guest:
            return {"tables": tables, "opponents": [], "structures": [], "guest": True}
        return {
            "tables": tables,
            "opponents": opponents(self.room.bots),
            "structures": structures(),
            "bankroll": self.bankroll,
            "guest": False,
        }

    async def _open(self, request: Open) -> object:
        self._require_listed(request.bots)
        game = table_game(request.bots, self._count(request.bots, request.people), request.stack)
        if request.carry and (request.people or request.reveal or not request.bots):
            raise Refused("stacks are carried for one person against bots, whose folded hands stay hidden")
        for each in sample_games(game.num_players, game.stack[0]) if request.carry else [game]:
            await self.room.in_thread(require_fit, request.bots, each)
        configs = [styled(config, request.style, self.room.folder / "bots") for config in request.bots]
        if request.carry:
            seats = self._players(configs, 0)
            terms = TournamentSetup(self._new_name("cash"), "cash", seats, new_seed(0), paid=True, stack=game.stack[0])
            return self._added(CarriedTable(self.room, terms, self._changed, self._prize))
        name = self._new_name("table")
        setup = Setup(name, self._players(configs, request.people), new_seed(request.people), request.reveal)
        return self._added(CashTable.create(self.room, setup, game, self._changed))

    async def _enter(self, request: Enter) -> object:
        self._require_listed(request.bots)
        if request.structure not in (names := [view["name"] for view in structures()]):
            raise Refused(f"{request.structure!r} is not a structure of this page; choose one of {', '.join(names)}")
        count = self._count(request.bots, request.people)
        # Who plays tournaments plays hands of any number of players.
        await self.room.in_thread(require_fit, request.bots, table_game([], max(count, 3), 20))
        players = self._players(request.bots, request.people)
        setup = TournamentSetup(self._new_name("sng"), request.structure, players, new_seed(request.people))
        table = SitAndGoTable(self.room, setup, self._changed, self._prize)
        try:
            self.bankroll.pay(self._purse, table.structure.buy_in)
        except Refused:
            table.close()
            raise
        return self._added(table)

    def _added(self, table: RunningTable) -> object:
        self.tables[table.name] = table
        self._start(table)
        return {"key": next(person.key for person in table.people.values() if person.host)}

    def _require_listed(self, configs: Sequence[str]) -> None:
        """Raise `Refused` for a config that the page does not list: a name may be the path of any file."""
        listed = {view.config for view in opponents(self.room.bots)}
        for strange in set(configs) - listed:
            raise Refused(f"{strange!r} is not a bot of this page; name its config when you start limpet table")

    def _count(self, bots: Sequence[str], people: int) -> int:
        """Return the number of players of a new table. Raises `Refused` for too many tables or players."""
        if len(self.tables) >= MOST_TABLES:
            raise Refused(f"{MOST_TABLES} tables are open; leave one first")
        count = 1 + people + len(bots)
        if not 2 <= count <= 10:
            raise Refused(f"{count} players; choose two to ten")
        return count

    def _players(self, configs: Sequence[str], people: int) -> list[Person | BotPlayer]:
        names = {view.config: view.name for view in opponents((*self.room.bots, *configs))}
        twice = {name for name in names.values() if sum(names[config] == name for config in configs) > 1}
        bots = [
            BotPlayer(f"{names[config]}-{n}" if names[config] in twice else names[config], config)
            for n, config in enumerate(configs, 1)
        ]
        guests = [Person(f"Guest-{n}", new_key(), host=False) for n in range(1, people + 1)]
        return [Person(YOU, new_key(), host=True), *guests, *bots]

    def _new_name(self, kind: str) -> str:
        number = 1
        while (self.room.folder / f"{kind}-{number}").exists():
            number += 1
        return f"{kind}-{number}"

    def _start(self, table: RunningTable) -> None:
        """Start a table. Its tabs are sent its state once it runs, or why it does not."""

        def failed(failure: Failure) -> None:
            error = failure.value
            if not isinstance(error, (Refused, ConfigError, ProtocolError, OSError)):
                _log.failure("{name} cannot be started", failure, name=table.name)
            table.fault = str(error)
            table.all_changed()

        started = ensureDeferred(table.start(self.bots))
        started.addCallback(lambda _: table.all_changed())
        started.addErrback(failed)

    def _sit(self, table: RunningTable, seat: int, session: Listener) -> object:
        self._tabs.setdefault(table.people[seat].key, set()).add(session)
        if not table.running:
            self._start(table)
        views = [hand_view(match, seen_names(table.names(seat, match), 0)) for match in table.seen[seat][-KEPT_HANDS:]]
        return {"view": self._view(table, seat), "seen": views}

    async def _leave(self, table: RunningTable, seat: int) -> object:
        if not table.people[seat].host:
            raise Refused("the host closes the table; close this tab to go")
        table.close()
        self.tables.pop(table.name, None)
        await table.stop("the player has left")
        return None

    def _reset(self) -> object:
        if any(isinstance(table, SitAndGoTable) and not table.setup.paid for table in self.tables.values()):
            raise Refused("a tournament is open; finish or leave it, and reset the bankroll then")
        self.bankroll.reset(self._purse)
        return self.bankroll

    def find_seat(self, key: str, session: Listener) -> tuple[RunningTable, int]:
        """Return the seat with a key, if the tab may have it. Raises `Refused`."""
        for table, seat in self._seats(session):
            if table.people[seat].key == key:
                return table, seat
        raise Refused("this seat is not there any more; load the page again")

    def _seats(self, session: Listener) -> Iterator[tuple[RunningTable, int]]:
        """Yield the seats that a tab may have: those of the host, or that of an invitation."""
        for table in self.tables.values():
            for seat, person in table.people.items():
                if person.host if not session.guest else person.key == session.guest:
                    yield table, seat

    def _changed(self, table: RunningTable, seat: int) -> None:
        if tabs := self._tabs.get(table.people[seat].key):
            view = self._view(table, seat)
            for tab in tabs:
                tab.send(view)

    def _view(self, table: RunningTable, seat: int) -> TableView:
        person, client = table.people[seat], table.seats[seat]
        match, hand = client.match, None
        if match is not None:
            record = table.records.get(match.hand) if table.reveal and match.state.finished else None
            hand = hand_view(match, seen_names(table.names(seat, match), 0), record)
        others = {other.name: other.key for other in table.people.values() if not other.host}
        return TableView(
            key=person.key,
            title=table.title,
            hand=hand,
            between=table.waits(seat),
            fault=table.fault,
            loading=not table.running or client.is_quiet,
            result=table.result(seat),
            away=table.away(seat),
            standing=table.standing(seat),
            purse=table.purse(seat),
            invited=others if person.host else {},
        )


def _action(request: Act, match: MatchState | None) -> Action:
    """Return the action that a person takes in the hand of `match`."""
    if request.action == "d":
        return discard(parse_cards(request.cards))
    if request.action == "r":
        return raise_to(request.size) if match is not None and match.state.game.no_limit else RAISE
    return FOLD if request.action == "f" else CALL
