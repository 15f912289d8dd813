"""One connection to a dealer: bytes from the transport to the machine, answers back."""

from collections import deque
from time import perf_counter
from typing import Any

from twisted.internet import tcp
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import ITCPTransport
from twisted.internet.protocol import Protocol, connectionDone
from twisted.logger import Logger
from twisted.python.failure import Failure

from limpet.bot.player import Player
from limpet.bot.protocol import GREETING, BadLine, Conversation, Decide, Event, HandOver, response
from limpet.bot.solver import SolverQueue
from limpet.bot.tally import Tally
from limpet.protocol.state import Action


class MatchClient(Protocol):
    """Plays one connection. States are answered one after the other: quick decisions at once, slow ones in the queue."""

    _log = Logger()

    def __init__(
        self, where: str, conversation: Conversation, player: Player, tally: Tally, solver: SolverQueue
    ) -> None:
        self.conversation = conversation
        self.lost: Deferred[str] = Deferred()
        """Fires with the reason when the connection has closed, whichever side closed it."""
        self._where = where
        self._player = player
        self._tally = tally
        self._solver = solver
        self._waiting: deque[Event] = deque()
        self._deciding = False
        self._direct = False
        self._open = False
        self._wire: Any = None  # the transport, while it is connected

    def connectionMade(self) -> None:
        self._open = True
        self._wire = self.transport
        if ITCPTransport.providedBy(self._wire):
            self._wire.setTcpNoDelay(True)
            self._wire.setTcpKeepAlive(True)  # a dealer that vanishes without a word is noticed in the end
            # Plain sockets only: with TLS the bytes must go through the transport.
            self._direct = isinstance(self._wire, tcp.Connection) and not self._wire.TLS
        self._send(GREETING)

    def dataReceived(self, data: bytes) -> None:
        self._waiting.extend(self.conversation.receive(data))
        if not self._deciding:
            self._proceed()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._open = False
        self._solver.interrupt()
        for event in (*self._waiting, *self.conversation.end()):
            if not isinstance(event, Decide):  # there is nobody left to answer
                self._note(event)
        self._waiting.clear()
        self.lost.callback(reason.getErrorMessage())

    def _proceed(self) -> None:
        while self._waiting:
            event = self._waiting.popleft()
            if not isinstance(event, Decide):
                self._note(event)
                continue
            began = perf_counter()
            if self._player.slow(event.match):
                self._deciding = True
                decision = self._solver.run(self._player.decide, event.match)
                decision.addCallback(self._decided, event, began).addErrback(_unless_dropped)
                return
            self._answer(event, self._player.decide(event.match), began)

    def _decided(self, action: Action, event: Decide, began: float) -> None:
        self._deciding = False
        if self._open:
            self._answer(event, action, began)
            self._proceed()
            if not self._deciding:
                self._solver.ponder(self._player.ponder)

    def _answer(self, event: Decide, action: Action, began: float) -> None:
        self._send(response(event, action))
        self._tally.decisions += 1
        self._tally.seconds.append(perf_counter() - began)

    def _note(self, event: HandOver | BadLine) -> None:
        if isinstance(event, HandOver):
            self._solver.interrupt()
            self._tally.hands += 1
            return
        self._tally.bad_lines += 1
        self._log.warn(
            "{where}: a line is skipped: {reason}. Does the dealer play the game of the config?",
            where=self._where,
            reason=event.reason,
        )

    def _send(self, data: bytes) -> None:
        """Write now. A transport would wait for the next turn of the loop, which an answer need not."""
        if self._direct:
            sent = self._wire.writeSomeData(data)
            if sent == len(data):
                return
            # The socket is full or broken. Let the transport do it, now and from now on, to keep the order.
            self._direct = False
            data = data[sent:] if isinstance(sent, int) else data
        self._wire.write(data)


def _unless_dropped(failure: Failure) -> Failure | None:
    """What went wrong, unless it is that the server has stopped and the queue with it."""
    return None if isinstance(failure.value, CancelledError) else failure
