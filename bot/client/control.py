"""The control port of ``limpet serve``: request lines in, reply lines out.

A reply is one line that begins with ``ok`` or ``error``; ``ok N ...`` from ``status`` and ``help`` is followed by N more.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.interfaces import IAddress, IHalfCloseableProtocol
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer  # type: ignore[import-untyped]

from limpet.bot.client.matches import AddressError, Matches, addresses
from limpet.protocol.messages import LineSplitter

MAX_REQUEST = 4096
"""Bytes of the longest request."""

PATIENCE = 2.0
"""Seconds that a client has to take the last replies before the server closes its connection."""

HELP = (
    "join HOST PORT    sit down at a dealer; 'join ENDPOINT' takes a Twisted endpoint such as tcp:localhost:20000",
    "status [NUMBER]   list all matches, or one",
    "quit              take no more matches, and end when those being played are over",
    "help              this list",
)


@implementer(IHalfCloseableProtocol)
class ControlSession(Protocol):
    """One connection to the control port. Nothing that it sends disturbs a match."""

    _log = Logger()
    transport: Any

    def __init__(self, matches: Matches, quit_: Callable[[], None]) -> None:
        self.closed: Deferred[None] = Deferred()
        """Result that fires when the connection has closed."""
        self._matches, self._quit = matches, quit_
        self._splitter = LineSplitter(MAX_REQUEST)

    def dataReceived(self, data: bytes) -> None:
        self._answer(self._splitter.feed(data))

    def readConnectionLost(self) -> None:
        """The client will send no more (``nc -N``) but waits for the replies."""
        self._answer(self._splitter.end())
        self.close()

    def writeConnectionLost(self) -> None:
        pass  # asked for by the interface; this side never closes half

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self.closed.callback(None)

    def close(self) -> None:
        """Close the connection when all replies are sent."""
        self.transport.loseConnection()

    def _answer(self, lines: Iterable[bytes | None]) -> None:
        for line in lines:
            for reply in self._replies(line):
                self.transport.write(f"{reply}\r\n".encode())

    def _replies(self, line: bytes | None) -> Iterator[str]:
        if line is None:
            yield f"error a request of more than {MAX_REQUEST} bytes"
            return
        words = line.decode("utf-8", "replace").split()
        if not words:
            return
        match words[0].lower(), words[1:]:
            case "join", where:
                try:
                    named = addresses(where)
                    if len(named) != 1:
                        raise AddressError("one match at a time: join HOST PORT, or join ENDPOINT")
                    yield f"ok {self._matches.join(named[0])} joined {named[0]}"
                except (AddressError, RuntimeError) as error:
                    yield f"error {error}"
            case "status", []:
                tally, numbers = self._matches.tally(), list(self._matches.by_number)
                head = f"ok {len(numbers)} matches, {self._matches.playing} not over, {self._matches.lost} lost, "
                yield f"{head}{tally.hands} hands, {tally.decisions} decisions"
                yield from map(self._line, numbers)
            case "status", [number] if number.isascii() and number.isdigit() and int(number) in self._matches.by_number:
                yield f"ok {self._line(int(number))}"
            case "status", [number]:
                yield f"error there is no match {number[:20]!r}; 'status' lists them"
            case "quit", []:
                yield f"ok {self._matches.playing} matches are being played; the server ends after them"
                self._quit()  # not before the reply is written: it may end the server
            case "help", []:
                yield f"ok {len(HELP)} requests"
                yield from HELP
            case _:
                yield f"error {' '.join(words)[:100]!r} is not a request; 'help' lists them"

    def _line(self, number: int) -> str:
        seat = self._matches.by_number[number]
        counts = f"hands={seat.tally.hands} decisions={seat.tally.decisions}"
        return f"{number} {seat.progress} {seat.where} {counts} {seat.reason}".rstrip()


class ControlPort(Factory):
    """Makes the sessions that answer requests about `matches`. `quit_` is called for the request of that name."""

    noisy = False

    def __init__(self, matches: Matches, quit_: Callable[[], None], clock: Any) -> None:
        self._matches, self._quit, self._clock = matches, quit_, clock
        self._sessions: set[ControlSession] = set()

    def buildProtocol(self, addr: IAddress | None) -> Protocol:
        session = ControlSession(self._matches, self._quit)
        self._sessions.add(session)
        session.closed.addBoth(lambda _: self._sessions.discard(session))
        return session

    def close(self) -> Deferred[Any]:
        """Close every connection when its replies are sent. The result fires then, or after `PATIENCE` seconds."""
        sessions = list(self._sessions)
        all_closed = DeferredList([session.closed for session in sessions], consumeErrors=True)
        for session in sessions:
            session.close()
        return all_closed.addTimeout(PATIENCE, self._clock)


def on_loopback(address: str) -> str:
    """Have a TCP server endpoint that names no interface listen on loopback: the port obeys anyone who reaches it.

    >>> on_loopback("tcp:4000")
    'tcp:4000:interface=127.0.0.1'
    """
    return f"{address}:interface=127.0.0.1" if address.startswith("tcp:") and "interface=" not in address else address
