"""One connection to a dealer: bytes go from the transport to the `Conversation`, answers go back."""

from collections import deque
from time import perf_counter
from typing import Any

from twisted.internet import tcp
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import ITCPTransport
from twisted.internet.protocol import Protocol, connectionDone
from twisted.logger import Logger
from twisted.python.failure import Failure

from limpet.bot.client.protocol import BadLine, Conversation, Decide, Event, HandOver, response
from limpet.bot.client.safe_agent import SafeAgent, SolverQueue, Tally, is_logged
from limpet.dealer.table.connection import acknowledge
from limpet.protocol.state import Action

SURE_SECONDS, UNSURE_SECONDS = 3.0, 60.0
"""Seconds without a readable state after which a client leaves: where the dealer plays another game that ships, and where
its game is not known. Such a dealer may wait for an answer that can never come."""
MAX_REASON = 300
"""Characters that are logged of the fault of a line, which may quote the whole line."""


class MatchClient(Protocol):
    """Plays over one connection. Quick decisions are made at once, slow ones in the queue, one after the other."""

    _log = Logger()

    def __init__(
        self, where: str, conversation: Conversation, agent: SafeAgent, tally: Tally, solver: SolverQueue, clock: Any
    ) -> None:
        self.conversation = conversation
        self.lost: Deferred[str] = Deferred()
        """Result that fires with the reason when either side has closed the connection."""
        self._where, self._agent, self._tally, self._solver, self._clock = where, agent, tally, solver, clock
        self._waiting: deque[Event] = deque()
        self._deciding = False
        self._direct = False
        self._socket: Any = None
        self._open = False
        self._leaving: Any = None  # a timer, while no state can be read
        self._sure = False
        self._wire: Any = None  # the transport, while it is connected

    def connectionMade(self) -> None:
        self._open = True
        self._wire = self.transport
        if ITCPTransport.providedBy(self._wire):
            self._wire.setTcpNoDelay(True)
            self._wire.setTcpKeepAlive(True)  # a dealer that vanishes without closing is noticed in the end
            # Plain sockets only: with TLS the bytes must go through the transport.
            self._direct = isinstance(self._wire, tcp.Connection) and not self._wire.TLS
        if self._direct:  # bytes come straight here, past the layers of the endpoint and of the service
            self._socket = self._wire.getHandle()
            self._wire.protocol.dataReceived = self.dataReceived
        self._send(self.conversation.greeting)

    def dataReceived(self, data: bytes) -> None:
        answered = self._tally.decisions
        self._waiting.extend(self.conversation.receive(data))
        if self._leaving is not None or self.conversation.stray is not None:
            self._look_for_another_game()
        if not self._deciding:
            self._proceed()
        if self._direct and self._tally.decisions == answered:  # a dealer that sends line by line waits for a sign
            acknowledge(self._socket)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._open = False
        self._stay()
        self._solver.interrupt()
        for event in (*self._waiting, *self.conversation.end()):
            if not isinstance(event, Decide):  # a decision could not be sent any more
                self._note(event)
        self._waiting.clear()
        self.lost.callback(reason.getErrorMessage())

    def _look_for_another_game(self) -> None:
        """Set a timer to leave after a while without a readable state, sooner where the dealer's game is known."""
        stray = self.conversation.stray
        if stray is None:
            self._stay()
        elif self._leaving is None or (stray.likely and not self._sure):
            self._stay()
            self._sure = bool(stray.likely)
            seconds = SURE_SECONDS if self._sure else UNSURE_SECONDS
            self._leaving = self._clock.callLater(seconds, self._wire.loseConnection)

    def _stay(self) -> None:
        if self._leaving is not None and self._leaving.active():
            self._leaving.cancel()
        self._leaving = None

    def _proceed(self) -> None:
        while self._waiting:
            event = self._waiting.popleft()
            if not isinstance(event, Decide):
                self._note(event)
                continue
            began = perf_counter()
            if self._agent.slow(event.match):
                self._deciding = True
                decision = self._solver.run(self._agent.decide, event.match)
                decision.addCallback(self._decided, event, began).addErrback(Failure.trap, CancelledError)
                return
            self._answer(event, self._agent.decide(event.match), began)

    def _decided(self, action: Action, event: Decide, began: float) -> None:
        self._deciding = False
        if self._open:
            self._answer(event, action, began)
            self._proceed()
            if not self._deciding:
                self._solver.ponder(self._agent.ponder)

    def _answer(self, event: Decide, action: Action, began: float) -> None:
        self._send(response(event, action))
        self._tally.decisions += 1
        self._tally.seconds.append(perf_counter() - began)

    def _note(self, event: HandOver | BadLine) -> None:
        if isinstance(event, HandOver):
            self._solver.interrupt()
            self._tally.hands += 1
            self._agent.observe(event.match)
            return
        self._tally.bad_lines += 1
        count = self._tally.bad_lines
        if is_logged(count):
            lines = "a line is skipped" if count <= 3 else f"{count} lines are skipped so far, the last one"
            self._log.warn(
                "{where}: {lines}: {reason}. Does the dealer play the game of the config?",
                where=self._where,
                lines=lines,
                reason=event.reason[:MAX_REASON],
            )

    def _send(self, data: bytes) -> None:
        """Write now where possible: a transport would wait for the next turn of the loop."""
        if self._direct:
            try:
                sent = self._socket.send(data)
            except OSError:
                sent = 0
            if sent == len(data):
                return
            # The socket is full or broken. Let the transport do it, now and from now on, to keep the order.
            self._direct = False
            data = data[sent:]
        self._wire.write(data)
