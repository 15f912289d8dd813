"""A person's seat: an ordinary ACPC client over TCP, whose answers come from the page."""

from collections.abc import Callable
from typing import Any

from twisted.internet.interfaces import ITCPTransport
from twisted.internet.protocol import Protocol, connectionDone
from twisted.logger import Logger
from twisted.python.failure import Failure

from limpet.bot.browser.messages import Refused
from limpet.bot.client.protocol import GREETING
from limpet.bot.client.reader import MatchReader
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.lines import LineSplitter
from limpet.protocol.messages import MatchState
from limpet.protocol.state import Action


class SeatClient(Protocol):
    """One connection to a dealer. Every state that the dealer shows goes to `shown`, the end of the connection to `lost`."""

    _log = Logger()

    def __init__(self, game: GameDef, shown: Callable[[MatchState], None], lost: Callable[[str], None]) -> None:
        self._splitter = LineSplitter()
        self._reader = MatchReader(game)
        self._shown, self._lost = shown, lost
        self._decision: tuple[MatchState, bytes] | None = None
        self._bad_lines = 0

    def connectionMade(self) -> None:
        wire: Any = self.transport
        if ITCPTransport.providedBy(wire):
            wire.setTcpNoDelay(True)
            wire.setTcpKeepAlive(True)
        wire.write(GREETING)

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
            raise Refused(f"{action} is not legal here; choose an amount between the smallest and the largest raise")
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


class Seat:
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
        self.dealt = not match.state.finished
        self._changed(match)

    def _lost(self, reason: str) -> None:
        self.client = None
        self.fault = reason
        self._changed(None)
