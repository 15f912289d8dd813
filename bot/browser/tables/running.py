"""Tables of every kind as the page knows them, and a person's seat, which shows hands one by one."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from twisted.internet.endpoints import HostnameEndpoint
from twisted.internet.interfaces import ITCPTransport
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.logger import Logger
from twisted.python.failure import Failure

from limpet.bot.browser.tables.bots import Bots
from limpet.bot.browser.tables.results import SessionResult, fair_chips, has_luck, net_chips
from limpet.bot.browser.tables.setup import BotPlayer, Person
from limpet.bot.browser.views.messages import Refused
from limpet.bot.browser.views.room import Room
from limpet.bot.client.protocol import MatchReader, greeting
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import DRAW, GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import Hole, LineSplitter, MatchState
from limpet.protocol.state import CALL, FOLD, RAISE, Action, State, discard

# --- A person's seat: an ordinary ACPC client over TCP, whose answers come from the page.


class SeatClient(Protocol):
    """One connection to a dealer. Every state that the dealer shows goes to `shown`, the end of the connection to `lost`."""

    _log = Logger()

    def __init__(self, game: GameDef, shown: Callable[[MatchState], None], lost: Callable[[str], None]) -> None:
        self._splitter = LineSplitter()
        self._reader, self._greeting = MatchReader(game), greeting(game)
        self._shown, self._lost = shown, lost
        self._decision: tuple[MatchState, bytes] | None = None
        self._bad_lines = 0

    def connectionMade(self) -> None:
        wire: Any = self.transport
        if ITCPTransport.providedBy(wire):
            wire.setTcpNoDelay(True)
            wire.setTcpKeepAlive(True)
        wire.write(self._greeting)

    def dataReceived(self, data: bytes) -> None:
        for line in self._splitter.feed(data):
            if line is not None and line.strip() and line[0] not in b"#;":
                self._read(line.rstrip(b" \t\r"))

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._decision = None
        self._lost(reason.getErrorMessage())

    def act(self, hand: int, betting: str, action: Action) -> None:
        """Send the person's action for the decision that the page showed. Raises `Refused` unless it is asked for now."""
        if self._decision is None or (self._decision[0].hand, self._decision[0].state.betting) != (hand, betting):
            raise Refused("this decision is over; the table shows where the hand stands now")
        match, line = self._decision
        if not match.allows(action):
            words = {FOLD.kind: "to fold", CALL.kind: "to check or call", RAISE.kind: "this amount"}
            what = words.get(action.kind, "to exchange these cards")
            raise Refused(f"{what} is not legal here; choose what the table offers")
        self._decision = None
        wire: Any = self.transport
        wire.write(line + f":{action}\r\n".encode())

    def leave(self) -> None:
        if self.transport is not None:
            wire: Any = self.transport
            wire.loseConnection()

    def _read(self, line: bytes) -> None:
        try:
            match = self._reader.read(line.decode("latin-1"))
        except ProtocolError as error:
            self._bad_lines += 1
            if self._bad_lines <= 3:
                self._log.warn("a line of the dealer cannot be read: {error}", error=str(error)[:300])
            return
        self._decision = (match, line) if match.my_turn else None
        self._shown(match)


class PersonSeat:
    """A seat of a table as its person sees it: hands are shown one after the other, each once the person asks for it.

    The dealer goes on at once when a hand is over. What it shows then waits here until `deal`, so that all browser tabs
    of the person show the same, and a tab that comes back too.
    """

    def __init__(self, changed: Callable[[MatchState | None], None]) -> None:
        """`changed` is called with every state that the person may see now.

        It is called with None when the first hand waits for the person, and when the dealer has gone.
        """
        self.match: MatchState | None = None
        """State that the person sees, None before the first hand."""
        self._waiting: list[MatchState] = []
        self._changed = changed
        self.dealt = False
        """True while a hand is played, or waited for because the person has asked for it."""
        self.away = False
        """True while hands are dealt without the person's asking, and given up as cheaply as they can be."""
        self._own_hand = -1
        """Number of the hand that the person still plays before being away."""
        self.client: SeatClient | None = None
        self.fault = ""
        """Why the connection to the dealer ended, empty while it is there."""

    @property
    def has_more(self) -> bool:
        """True if the dealer has shown something that the person has not asked for yet."""
        return bool(self._waiting)

    @property
    def is_quiet(self) -> bool:
        """True while the dealer has shown nothing, because others are not there yet."""
        return self.match is None and not self.has_more

    def connect(self, game: GameDef) -> SeatClient:
        """Return a client that sits down at a dealer for this seat."""
        self.fault = ""
        self.client = SeatClient(game, self.show, self._lost)
        return self.client

    def deal(self) -> None:
        """Show the next hand as soon as the dealer deals it."""
        if not self.dealt:
            self.dealt = True
            waiting, self._waiting = self._waiting, []
            for match in waiting:
                self.show(match)

    def act(self, hand: int, betting: str, action: Action) -> None:
        """Answer the decision that the person sees. Raises `Refused`."""
        if not self.dealt or self.client is None:
            raise Refused("no hand is being played; press Deal for the next one")
        self.client.act(hand, betting, action)

    def show(self, match: MatchState) -> None:
        """Show a state to the person, or keep it until the person asks for its hand."""
        going_on = self.match is not None and not self.match.state.finished and self.match.hand == match.hand
        if not (self.dealt or going_on):
            self._waiting.append(match)
            if self.match is None and len(self._waiting) == 1:
                self._changed(None)
            return
        self.match = match
        self.dealt = self.away or not match.state.finished
        self._changed(match)
        if self.away and self.client is not None and match.my_turn and match.hand != self._own_hand:
            with suppress(Refused):  # a state that waited here may be over
                self.client.act(match.hand, match.state.betting, _cheapest(match.state))

    def sit_out(self, out: bool) -> None:
        """Give up all hands from the next one on, or no more. The hand that the person plays is played to its end."""
        self.away = out
        if out:
            self._own_hand = self.match.hand if self.match is not None and self.dealt else -1
            self.deal()
        elif self.match is not None and self.match.state.finished:
            self.dealt = False
        self._changed(None)

    def _lost(self, reason: str) -> None:
        self.client = None
        self.fault = reason
        self._changed(None)


def _cheapest(state: State) -> Action:
    """Return the action that costs nothing: to check, to stand pat, or else to fold."""
    if state.phase is DRAW:
        return discard(())
    return FOLD if state.can_fold else CALL


Changed = Callable[["RunningTable", int], None]
"""Called with a table and a seat whose person sees something new."""


class RunningTable(ABC):
    """A table with people.

    Attributes:
        name: name of the table, unlike that of all others.
        player_names: names of people and bots by seat.
        kinds: what each bot is, in short, by its name.
        people: people by seat.
        seats: the seats of the people.
        changed: called with a seat whose person sees something new.
        fault: why nothing is dealt, empty while the table is played or waits to be started.
        records: finished hands by number with everybody's cards, as far as this process knows them.
        seen: finished hands of each seat as its person has seen them.
    """

    def __init__(
        self, room: Room, name: str, players: Sequence[Person | BotPlayer], big_blind: int, changed: Changed
    ) -> None:
        self.room = room
        self.name = name
        self.player_names = [player.name for player in players]
        self.kinds = {player.name: player.kind for player in players if isinstance(player, BotPlayer) and player.kind}
        self.people = {seat: player for seat, player in enumerate(players) if isinstance(player, Person)}
        self.seats = {seat: PersonSeat(partial(self._shown, seat)) for seat in self.people}
        self.fault = ""
        self.records: dict[int, HandRecord] = {}
        self.seen: dict[int, list[MatchState]] = {seat: [] for seat in self.people}
        self._results = {seat: SessionResult(big_blind) for seat in self.people}
        self.changed = partial(changed, self)
        self._paused: set[int] = set()
        """Seats that sit out while nobody else plays, so that nothing is dealt."""

    counts_luck = True
    """True if the result without luck is worked out."""
    reveal = False
    """True if all hands are shown once a hand is over, those of players who folded too."""

    @property
    @abstractmethod
    def running(self) -> bool:
        """True while the table is dealt."""

    @abstractmethod
    async def start(self, bots: Bots) -> None:
        """Deal, or go on where the files end. Raises `Refused` if somebody cannot sit down."""

    @abstractmethod
    async def stop(self, reason: str) -> None:
        """End dealing for now. Files hold all that was played."""

    def close(self) -> None:  # noqa: B027 - some tables leave no trace
        """Mark the table as left: it is not reopened."""

    def names(self, seat: int, match: MatchState) -> Sequence[str]:
        """Return the players' names in the hand of `match` clockwise from a seat."""
        return [*self.player_names[seat:], *self.player_names[:seat]]

    @property
    def title(self) -> str:
        """The game and the players in words, for the table's tab."""
        return self.name

    def only_bot(self) -> str | None:
        """Return the config of the bot that one person plays against heads-up, None at other tables."""
        return None

    def all_holes(self, hand: int) -> Sequence[Hole] | None:
        """Return everybody's hole cards by position, those of a hand that is played too, for study against one bot.

        None where nobody may know them: the dealer is somebody else's, or other people sit at the table.
        """
        return None

    def waits(self, seat: int) -> bool:
        """Return whether the person of a seat must ask for the next hand."""
        return not self.seats[seat].dealt

    def deal(self, seat: int) -> None:
        self.seats[seat].deal()

    def away(self, seat: int) -> bool | None:
        """Return whether the person of a seat sits out, None at tables where nobody may."""
        return self.seats[seat].away or seat in self._paused

    def sit_out(self, seat: int, out: bool) -> None:
        """Have the person of a seat sit out, or come back. Raises `Refused` where nobody may.

        The hands of who sits out are given up so that other people can play on; where there are none, nothing is dealt.
        """
        if self.away(seat) is None:
            raise Refused("in a tournament nobody sits out; leave the table, or play on")
        if out and all(self.away(other) for other in self.people if other != seat):
            self._paused.add(seat)
            return
        self._paused.discard(seat)
        self.seats[seat].sit_out(out)
        for other in () if out else tuple(self._paused):
            self._paused.discard(other)
            self.seats[other].sit_out(True)

    def purse(self, seat: int) -> object | None:
        """Return the chips of a seat before the next hand and those of a buy-in, None where every hand begins alike."""
        return None

    def top_up(self, seat: int) -> None:
        """Give a seat the chips of a buy-in. Raises `Refused`."""
        raise Refused("every hand here begins with the same stacks")

    def standing(self, seat: int) -> object | None:
        """Return how a tournament stands for a seat, None for other tables."""
        return None

    def result(self, seat: int) -> dict[str, Any]:
        return self._results[seat].view()

    def curves(self, seat: int) -> dict[str, Any]:
        return self._results[seat].curves()

    def all_changed(self) -> None:
        for seat in self.people:
            self.changed(seat)

    def remember(self, seat: int, matches: Sequence[MatchState]) -> None:
        """Add finished hands that the person of a seat has seen to the result, and take their luck out."""
        result = self._results[seat]
        self.seen[seat] += matches
        for match in matches:
            result.add(match)
        if not self.counts_luck:
            return
        lucky = [(match, self.records.get(match.hand)) for match in matches if has_luck(match)]
        result.fair.add([net_chips(match) for match in matches if not has_luck(match)])
        if lucky:
            worked_out = self.room.in_thread(lambda: [fair_chips(*hand) for hand in lucky])
            worked_out.addCallback(result.fair.add).addCallback(lambda _: self.changed(seat))

    async def sit_down(self, seat: int, game: GameDef, host: str, port: int) -> None:
        """Connect a person's seat to a dealer. Raises the errors of a connection that cannot be made."""
        factory: Any = Factory.forProtocol(lambda: self.seats[seat].connect(game))
        factory.noisy = False
        endpoint: Any = HostnameEndpoint(self.room.reactor, host, port)
        await endpoint.connect(factory)

    def _shown(self, seat: int, match: MatchState | None) -> None:
        if match is not None and match.state.finished:
            self.remember(seat, [match])
        self.changed(seat)
