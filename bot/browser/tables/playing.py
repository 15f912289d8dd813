"""The feature ``play``: people open tables and tournaments, sit down, act, and leave."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from twisted.internet.defer import ensureDeferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from limpet.bot.browser.tables.bots import Bots, opponents, structures, styled
from limpet.bot.browser.tables.hand_by_hand import SitAndGoTable, TournamentSetup
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
from limpet.bot.browser.tables.tables import CarriedTable, CashTable, JoinedTable
from limpet.bot.browser.views.messages import Event, FewCards, Listener, Number, Refused, Word, question
from limpet.bot.browser.views.replay import hand_view
from limpet.bot.browser.views.room import Feature, Room
from limpet.configs.loading import ConfigError
from limpet.dealer.contests.sng_rules import sample_games
from limpet.protocol.cards import parse_cards
from limpet.protocol.errors import ProtocolError
from limpet.protocol.state import CALL, FOLD, RAISE, discard, raise_to

MOST_TABLES = 64
"""Number of tables that may run at once."""
KEPT_HANDS = 50
"""Number of hands of a table that a tab gets when it sits down."""

Configs = Annotated[list[Word], msgspec.Meta(max_length=9)]
People = Annotated[int, msgspec.Meta(ge=0, le=9)]

_log = Logger()


Stack = Annotated[float, msgspec.Meta(ge=10, le=400)]
TableStyle = Annotated[float, msgspec.Meta(ge=-1, le=1)]
Betting = Annotated[str, msgspec.Meta(max_length=4096)]
Kind = Literal["f", "c", "r", "d"]


class TableView(Event, frozen=True, tag="play.table"):
    """A seat at a table as its person sees it now. `between` says that the person must ask for the next hand.

    `away` says that the person sits out, null where nobody may. `kinds` says what each bot is, by its name.
    `ended` says that the host has closed the table. `looks` says that hands may be looked into: one person plays one bot. `invited` are the names and keys of the seats of other people, for the host only.
    """

    key: str
    title: str
    kinds: dict[str, str]
    hand: dict[str, Any] | None
    between: bool
    fault: str
    ended: bool
    loading: bool
    result: dict[str, Any]
    away: bool | None
    standing: object | None
    purse: object | None
    looks: bool
    invited: dict[str, str]


class Playing(Feature):
    """All tables, and which tabs look at which seats."""

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
        table: RunningTable
        if isinstance(setup, Setup):
            table = CashTable(self.room, setup, self._changed)
        elif setup.stack:
            table = CarriedTable(self.room, setup, self._changed)
        else:
            table = SitAndGoTable(self.room, setup, self._changed, self._prize)
        self.tables[table.name] = table

    def is_seat(self, key: str) -> bool:
        """Return whether a person other than the host has a seat with this key."""
        people = (person for table in self.tables.values() for person in table.people.values())
        return any(person.key == key and not person.host for person in people)

    @question("play.deal")
    def deal(self, tab: Listener, key: Word) -> None:
        table, seat = self.find_seat(key, tab)
        table.deal(seat)
        table.changed(seat)

    @question("play.top_up")
    def top_up(self, tab: Listener, key: Word) -> None:
        """Buy the chips that the seat has less than a buy-in, before the next hand of a table whose stacks are carried."""
        table, seat = self.find_seat(key, tab)
        table.top_up(seat)
        table.changed(seat)

    @question("play.sit_out")
    def sit_out(self, tab: Listener, key: Word, out: bool) -> None:
        """Sit out from the next hand on, or come back."""
        table, seat = self.find_seat(key, tab)
        table.sit_out(seat, out)
        table.changed(seat)

    @question("play.act")
    def act(
        self,
        tab: Listener,
        key: Word,
        hand: Number,
        betting: Betting,
        action: Kind,
        size: Number = 0,
        cards: FewCards = "",
    ) -> None:
        """Take an action in the decision of a hand after this betting.

        `size` of a raise is the protocol's: chips of the whole hand. `cards` are those that a draw, ``d``, throws away.
        """
        table, seat = self.find_seat(key, tab)
        taken, match = FOLD if action == "f" else CALL, table.seats[seat].match
        if action == "d":
            taken = discard(parse_cards(cards))
        elif action == "r":
            taken = raise_to(size) if match is not None and match.state.game.no_limit else RAISE
        table.seats[seat].act(hand, betting, taken)

    def left(self, tab: Listener) -> None:
        for tabs in self._tabs.values():
            tabs.discard(tab)

    async def close(self) -> None:
        """Stop all tables, to be played on, and end the bots."""
        for table in list(self.tables.values()):
            await table.stop("the command has ended")
        await self.room.in_thread(self.bots.close)

    @question("play.hello")
    def hello(self, tab: Listener) -> object:
        """Return the opponents, and the tables where the tab's person has a seat."""
        tables = [{"key": table.people[seat].key} for table, seat in self._seats(tab)]
        if tab.guest:
            return {"tables": tables, "opponents": [], "structures": [], "guest": True}
        return {
            "tables": tables,
            "opponents": opponents(self.room.bots),
            "structures": structures(),
            "bankroll": self.bankroll,
            "guest": False,
        }

    @question("play.open")
    async def open(
        self,
        tab: Listener,
        bots: Configs,
        stack: Stack = 200,
        people: People = 0,
        reveal: bool = False,
        style: TableStyle = 0,
        carry: bool = False,
    ) -> object:
        """Open a new table with these bots and `people` other people.

        `stack` is in big blinds. `style` is from -1, tight, to 1, loose, for bots that have one. `reveal` shows all hands once
        a hand is over. With `carry` stacks are carried from hand to hand, and `stack` is what players buy in for.
        """
        _require_host(tab)
        self._require_listed(bots)
        game = table_game(bots, self._count(bots, people), stack)
        if carry and (people or reveal or not bots):
            raise Refused("stacks are carried for one person against bots, whose folded hands stay hidden")
        for each in sample_games(game.num_players, game.stack[0]) if carry else [game]:
            await self.room.in_thread(require_fit, bots, each)
        configs = [styled(config, style, self.room.folder / "bots") for config in bots]
        if carry:
            seats = self._players(configs, 0)
            terms = TournamentSetup(self._new_name("cash"), "cash", seats, new_seed(0), stack=game.stack[0])
            return self._added(CarriedTable(self.room, terms, self._changed))
        setup = Setup(self._new_name("table"), self._players(configs, people), new_seed(people), reveal)
        return self._added(CashTable.create(self.room, setup, game, self._changed))

    @question("play.enter")
    async def enter(self, tab: Listener, structure: Word, bots: Configs, people: People = 0) -> object:
        """Open a new sit-and-go of a structure, with these bots and `people` other people."""
        _require_host(tab)
        self._require_listed(bots)
        if structure not in (names := [view["name"] for view in structures()]):
            raise Refused(f"{structure!r} is not a structure of this page; choose one of {', '.join(names)}")
        # Who plays tournaments plays hands of any number of players.
        await self.room.in_thread(require_fit, bots, table_game([], max(self._count(bots, people), 3), 20))
        setup = TournamentSetup(self._new_name("sng"), structure, self._players(bots, people), new_seed(people))
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
        views = {view.config: view for view in opponents((*self.room.bots, *configs))}
        names = Counter(views[config].name for config in configs)
        bots = []
        for number, config in enumerate(configs, 1):
            view = views[config]
            name = f"{view.name}-{number}" if names[view.name] > 1 else view.name
            bots.append(BotPlayer(name, config, view.about))
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

    @question("play.sit")
    def sit(self, tab: Listener, key: Word) -> object:
        """Return the seat, and send all that changes there from now on."""
        table, seat = self.find_seat(key, tab)
        self._tabs.setdefault(key, set()).add(tab)
        if not table.running:
            self._start(table)
        views = [hand_view(match, seen_names(table.names(seat, match), 0)) for match in table.seen[seat][-KEPT_HANDS:]]
        return {"view": self._view(table, seat), "seen": views}

    @question("play.graph")
    def graph(self, tab: Listener, key: Word) -> object:
        """Return the big blinds that a seat has won so far, as curves, see `SessionResult.curves`."""
        table, seat = self.find_seat(key, tab)
        return table.curves(seat)

    @question("play.leave")
    async def leave(self, tab: Listener, key: Word) -> None:
        """Give the seat up: the host's table closes."""
        table, seat = self.find_seat(key, tab)
        if not table.people[seat].host:
            raise Refused("the host closes the table; close this tab to go")
        table.close()
        self.tables.pop(table.name, None)
        await table.stop("the player has left")
        table.all_changed()

    @question("play.reset")
    def reset(self, tab: Listener) -> object:
        _require_host(tab)
        if any(isinstance(table, SitAndGoTable) and not table.setup.paid for table in self.tables.values()):
            raise Refused("a tournament is open; finish or leave it, and reset the bankroll then")
        self.bankroll.reset(self._purse)
        return self.bankroll

    def find_seat(self, key: str, tab: Listener) -> tuple[RunningTable, int]:
        """Return the seat with a key, if the tab may have it. Raises `Refused`."""
        for table, seat in self._seats(tab):
            if table.people[seat].key == key:
                return table, seat
        raise Refused("this seat is not there any more; load the page again")

    def _seats(self, tab: Listener) -> Iterator[tuple[RunningTable, int]]:
        """Yield the seats that a tab may have: those of the host, or that of an invitation."""
        for table in self.tables.values():
            for seat, person in table.people.items():
                if person.host if not tab.guest else person.key == tab.guest:
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
            kinds=table.kinds,
            hand=hand,
            between=table.waits(seat),
            fault=table.fault,
            ended=table.name not in self.tables,
            loading=not table.running or client.is_quiet,
            result=table.result(seat),
            away=table.away(seat),
            standing=table.standing(seat),
            purse=table.purse(seat),
            looks=table.only_bot() is not None,
            invited=others if person.host else {},
        )


def _require_host(tab: Listener) -> None:
    if tab.guest:
        raise Refused("only the host does this; ask for another seat")
