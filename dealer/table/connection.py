"""One player's TCP connection: bytes to lines, and lines out without waiting on anybody."""

import socket
from collections.abc import Iterable
from typing import Protocol as Interface

from twisted.internet.interfaces import IHalfCloseableProtocol, IPullProducer
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure
from zope.interface import implementer  # type: ignore[import-untyped]

from limpet.dealer.table.interfaces import SocketTransport
from limpet.dealer.table.lines import LineSplitter

MAX_UNSENT = 1 << 20
"""Bytes kept for a player that does not read; one for whom more pile up is disconnected."""


class Listener(Interface):
    """Whom a connection tells what happens on it."""

    def connected(self, connection: "PlayerConnection") -> None:
        """It stands."""

    def lines_received(self, connection: "PlayerConnection", lines: list[str], dropped: int) -> None:
        """Whole lines, and the number of lines that were too long to keep."""

    def ended(self, connection: "PlayerConnection") -> None:
        """The player will say no more."""

    def closed(self, connection: "PlayerConnection") -> None:
        """Nothing goes either way any more."""

    def does_not_read(self, connection: "PlayerConnection") -> None:
        """Too much was waiting to be sent; the connection is being cut."""


@implementer(IHalfCloseableProtocol, IPullProducer)
class PlayerConnection(Protocol):
    """A seat's connection. It hands on whole lines, and sends without blocking.

    Lines are written to the socket at once while it takes them: a write through the reactor costs two more system calls
    and one more turn of its loop for every line. What the socket does not take goes through the transport, for which
    this object is then the producer.
    """

    transport: SocketTransport  # type: ignore[assignment]

    def __init__(self, seat: int, listener: Listener) -> None:
        self.seat = seat
        self.is_closed = False
        self._listener = listener
        self._splitter = LineSplitter()
        self._socket: socket.socket | None = None
        self._unsent = b""
        self._blocked = False
        self._ended = False
        self._closing = False

    # Out.

    def send(self, lines: Iterable[str]) -> None:
        """Send lines; CR LF is added. What a player that is gone does not get is forgotten."""
        if self.is_closed or self._closing:
            return
        data = "".join([line + "\r\n" for line in lines]).encode("ascii")
        if self._blocked:
            self._unsent += data
            if len(self._unsent) > MAX_UNSENT:
                self._closing = True
                self._listener.does_not_read(self)
                self.transport.abortConnection()
            return
        if self._socket is None:
            self.transport.write(data)
            return
        try:
            sent = self._socket.send(data)
        except BlockingIOError:
            sent = 0
        except OSError:  # reset by the player; reading will report it
            return
        if sent < len(data):
            self._unsent = data[sent:]
            self._blocked = True
            self.transport.registerProducer(self, False)

    def resumeProducing(self) -> None:
        """The transport has sent all it had."""
        if self._unsent:
            self.transport.write(self._unsent)
            self._unsent = b""
        else:
            self._blocked = False
            self.transport.unregisterProducer()

    def stopProducing(self) -> None:
        """The connection is gone, and with it what was unsent."""
        self._unsent = b""

    def finish(self) -> None:
        """Send what is left, then let the player see the end; what it still says is not read.

        Only the sending half is closed. Closing both while a line of the player is on its way would reset the
        connection, and a reset can cost the player what it has not read yet.
        """
        if self.is_closed or self._closing:
            return
        self._closing = True
        if self._blocked:
            self.transport.unregisterProducer()
            self.transport.write(self._unsent)
        if self._ended:
            self.transport.loseConnection()
        else:
            self.pause(False)
            self.transport.loseWriteConnection()

    def cut(self) -> None:
        """Close now."""
        if not self.is_closed:
            self._closing = True
            self.transport.abortConnection()

    def pause(self, paused: bool) -> None:
        """Stop or go on reading."""
        if not self.is_closed and not self._ended:
            if paused:
                self.transport.pauseProducing()
            else:
                self.transport.resumeProducing()

    # In.

    def connectionMade(self) -> None:
        if hasattr(self.transport, "getHandle"):  # a string transport in a test has no socket
            self._socket = self.transport.getHandle()
            self.transport.setTcpNoDelay(True)
        self._listener.connected(self)

    def dataReceived(self, data: bytes) -> None:
        if not self._closing:
            lines, dropped = self._splitter.feed(data)
            if lines or dropped:
                self._listener.lines_received(self, lines, dropped)

    def readConnectionLost(self) -> None:
        """The player has closed its sending half, and may still read."""
        self._end()

    def writeConnectionLost(self) -> None:
        """Our own doing, in `finish`."""

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self.is_closed = True
        self._end()
        self._listener.closed(self)

    def _end(self) -> None:
        if self._ended:
            return
        self._ended = True
        if self._closing and not self.is_closed:
            self.transport.loseConnection()
            return
        lines, dropped = self._splitter.end()
        if lines and not self._closing:
            self._listener.lines_received(self, lines, dropped)
        self._listener.ended(self)
