"""One player's TCP connection: bytes to lines, and lines out without waiting on anybody."""

import socket
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any
from typing import Protocol as Interface

from twisted.internet.interfaces import IHalfCloseableProtocol, IPullProducer
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure
from zope.interface import implementer  # type: ignore[import-untyped]

from limpet.protocol.messages import LineSplitter

MAX_UNSENT = 1 << 20
"""Bytes kept for a player that does not read. A player for whom more piles up is disconnected."""


def acknowledge(connected: socket.socket) -> None:
    """Tell the system at the other end at once that its bytes are here.

    It keeps further bytes back until then, unless the program has set TCP_NODELAY, and Linux waits 40 ms to tell.
    """
    if hasattr(socket, "TCP_QUICKACK"):
        with suppress(OSError):  # reset by the other end; reading will report it
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)


class ConnectionListener(Interface):
    """The receiver of a connection's events."""

    def connected(self, connection: "PlayerConnection") -> None:
        """The connection is open."""

    def lines_received(self, connection: "PlayerConnection", lines: Sequence[str | None]) -> None:
        """The player has sent these lines; None stands for a line that was too long to keep."""

    def ended(self, connection: "PlayerConnection") -> None:
        """The player will send no more."""

    def closed(self, connection: "PlayerConnection") -> None:
        """The connection is closed in both directions."""

    def does_not_read(self, connection: "PlayerConnection") -> None:
        """Over `MAX_UNSENT` bytes wait for the player; the connection is being cut."""


@implementer(IHalfCloseableProtocol, IPullProducer)
class PlayerConnection(Protocol):
    """One seat's connection, which hands on whole lines and sends without blocking.

    Lines are written to the socket at once while it takes them: a write through the reactor costs two more system calls
    and one more turn of its loop for every line. Bytes that the socket does not take go through the transport, for which
    this object is then the producer.
    """

    transport: Any

    def __init__(self, seat: int, listener: ConnectionListener) -> None:
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
        """Send lines with CR LF at the end of each, unless the connection is closed."""
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
        """Give the transport the rest, now that it has sent all it had."""
        if self._unsent:
            self.transport.write(self._unsent)
            self._unsent = b""
        else:
            self._blocked = False
            self.transport.unregisterProducer()

    def stopProducing(self) -> None:
        """Forget unsent bytes: the connection is gone."""
        self._unsent = b""

    def finish(self) -> None:
        """Send what is left and close the sending half. Lines that the player still sends are not read.

        Closing both halves while a line of the player is on its way would reset the connection, and a reset can cost the
        player what it has not read yet.
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
        """Close the connection now, without sending the rest."""
        if not self.is_closed:
            self._closing = True
            self.transport.abortConnection()

    def pause(self, paused: bool) -> None:
        """Stop reading, or go on."""
        if not self.is_closed and not self._ended:
            if paused:
                self.transport.pauseProducing()
            else:
                self.transport.resumeProducing()

    # In.

    def acknowledge(self) -> None:
        """Tell the player's system at once that its bytes are here, where nothing that is sent tells it."""
        if self._socket is not None and not self.is_closed:
            acknowledge(self._socket)

    def connectionMade(self) -> None:
        if hasattr(self.transport, "getHandle"):  # a string transport in a test has no socket
            self._socket = self.transport.getHandle()
            self.transport.setTcpNoDelay(True)
        self._listener.connected(self)

    def dataReceived(self, data: bytes) -> None:
        if self._closing:
            return
        lines = self._splitter.feed(data)
        if not lines:  # a program may write a line in two parts
            self.acknowledge()
        self._hand_on(lines)

    def _hand_on(self, lines: Iterable[bytes | None]) -> None:
        decoded = [line if line is None else line.decode("latin-1") for line in lines]  # no byte fails in latin-1
        if decoded:
            self._listener.lines_received(self, decoded)

    def readConnectionLost(self) -> None:
        """The player has closed its sending half and may still read."""
        self._end()

    def writeConnectionLost(self) -> None:
        """The sending half is closed, as `finish` asked."""

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
        if not self._closing:
            self._hand_on(self._splitter.end())  # as at the reference, what follows the last newline is a line too
        self._listener.ended(self)
