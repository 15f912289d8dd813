"""The table over TCP, from a match's terms to its exit code: a listening port for each seat, timers, and the match's files."""

import gc
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import ServerFactory

from limpet.dealer.table.connection import PlayerConnection
from limpet.dealer.table.files import LineFile, ResumeError, resume
from limpet.dealer.table.reactor import FAILURE, SUCCESS, install_reactor, why_not_listening
from limpet.dealer.table.reactor import run as run_reactor
from limpet.dealer.table.streams import Notes
from limpet.dealer.table.table import Outcome, Table
from limpet.dealer.table.terms import PORT_ATTEMPTS, Terms, seeded_ports

MAX_WAITING = 16
"""Lines that are kept of a player that sends out of turn. Beyond that the dealer stops reading until its turn comes."""
LINGER = 2.0
"""Seconds that a player has to read to the end and close its side."""
NOTES_DELAY = 0.5
"""Seconds that lines for standard error may wait."""
HOLD_SECONDS = 0.01
"""Seconds that the lines of a player who must not act yet may wait for the line that asks it."""
HINT_DELAY = 5.0
"""Seconds without any connection after which a hint names the address of this machine's own name."""


class MatchServer:
    """Runs a `Table` on a reactor. `done` fires with the outcome when the match is over and everybody has left."""

    def __init__(
        self,
        reactor: Any,
        table: Table,
        notes: Notes,
        log: LineFile | None = None,
        transactions: LineFile | None = None,
    ) -> None:
        self.done: Deferred[Outcome] = Deferred()
        self._reactor, self._table, self._notes = reactor, table, notes
        self._log, self._transactions = log, transactions
        self._connections: list[PlayerConnection | None] = [None] * len(table.terms.players)
        self._listening: list[Any] = []
        self._paused = [False] * len(table.terms.players)
        self._tick_timer: Any = None
        self._tick_at = 0
        self._flush_timer: Any = None
        self._send_timer: Any = None
        self._held: list[list[str]] = [[] for _ in table.terms.players]
        """Lines for each seat that are not sent yet."""
        self._other_timers: list[Any] = []
        self._started = False
        self._ending = False

    # Before the match.

    def listen(self, ports: Sequence[int], interface: str = "127.0.0.1") -> list[int]:
        """Listen on a port for each seat, 0 for one that the seed picks. Returns the ports.

        Raises `CannotListenError` if a port that was asked for is not free, or the interface is not this machine's.
        """
        drawn = seeded_ports(self._table.terms.seed)
        for seat in range(len(self._connections)):
            fixed_port = ports[seat] if seat < len(ports) else 0
            factory = _SeatFactory(partial(self.build, seat))
            for attempt in range(PORT_ATTEMPTS):
                try:
                    port = self._reactor.listenTCP(fixed_port or next(drawn), factory, interface=interface)
                    break
                except CannotListenError:
                    if fixed_port or attempt + 1 == PORT_ATTEMPTS:
                        self._stop_listening()
                        raise
            self._listening.append(port)
        return [port.getHost().port for port in self._listening if port is not None]

    def limit_start(self, seconds: float) -> None:
        """Give the players so many seconds to connect."""

        def late() -> None:
            if None in self._connections and not self._ending:
                missing = self._connections.index(None)
                name = self._table.terms.players[missing]
                self._table.stop(f"timed out waiting for seat {missing + 1} ({name}) to connect")
                self._carry_out()

        self._other_timers.append(self._reactor.callLater(seconds, late))

    def hint_at_name(self, name: str, resolve: Callable[[str], Deferred[str]]) -> None:
        """Note a hint if nobody connects for a while and the dealer does not listen on the address of this machine's `name`.

        Scripts such as the reference's ``play_match.pl`` give players that address, and wait for ever. `resolve` looks a
        name up; a name without an address is ignored.
        """

        def look_up() -> None:
            if self._nobody_came():
                resolve(name).addCallbacks(tell, lambda failure: None)

        def tell(address: str) -> None:
            port = next(iter(self._listening), None)
            host = port.getHost().host if port is not None else ""
            if self._nobody_came() and host not in (address, "0.0.0.0", "::"):
                hint = (
                    f"HINT: nobody has connected for {HINT_DELAY:g} seconds. This machine's name {name} is {address}, but "
                    f"the dealer listens on {host}; a script that gives players the name's address, such as "
                    "play_match.pl, needs --interface 0.0.0.0"
                )
                self._note([hint])

        self._other_timers.append(self._reactor.callLater(HINT_DELAY, look_up))

    def _nobody_came(self) -> bool:
        return not self._ending and not any(self._connections)

    def build(self, seat: int) -> PlayerConnection | None:
        """Return a new connection for a seat, None if the seat is taken."""
        if self._connections[seat] is not None or self._ending:
            return None
        connection = self._connections[seat] = PlayerConnection(seat, self)
        return connection

    # Reports of the connections; see `Listener`.

    def connected(self, connection: PlayerConnection) -> None:
        if self._listening and (port := self._listening[connection.seat]) is not None:
            port.stopListening()
            self._listening[connection.seat] = None
        if not self._started and all(c is not None for c in self._connections):
            self._started = True
            self._table.start(self._now())
            self._carry_out()

    def lines_received(self, connection: PlayerConnection, lines: Sequence[str | None]) -> None:
        seat, table = connection.seat, self._table
        now = self._now()
        for line in lines:
            if line is None:
                table.dropped(now, seat)
            else:
                table.receive(now, seat, line)
        if table.waiting(seat) > MAX_WAITING and not self._paused[seat]:
            self._paused[seat] = True
            connection.pause(True)
        if not table.outbox.sends[
            seat
        ]:  # nobody asked for these lines; the answer that is asked for may be behind them
            connection.acknowledge()
        self._carry_out()

    def ended(self, connection: PlayerConnection) -> None:
        self._table.lost(self._now(), connection.seat)
        self._carry_out()

    def closed(self, connection: PlayerConnection) -> None:
        self._leave_if_over()

    def does_not_read(self, connection: PlayerConnection) -> None:
        self._note([f"ERROR: seat {connection.seat + 1} does not read what it is sent; disconnected"])

    # Carrying out the table's outbox.

    def shut_down(self, reason: str) -> Deferred[None]:
        """End the match from outside. The result fires when everybody has left."""
        left: Deferred[None] = Deferred()

        def over(outcome: Outcome) -> Outcome:
            left.callback(None)
            return outcome

        self.done.addCallback(over)
        self._table.stop(reason)
        self._carry_out()
        return left

    def _carry_out(self) -> None:
        table = self._table
        outbox = table.outbox
        try:
            if outbox.transactions and self._transactions is not None:
                self._transactions.write(outbox.transactions)
            if outbox.log and self._log is not None:
                self._log.write(outbox.log)
        except OSError as error:
            outbox.clear()
            table.outcome = None
            table.stop(f"could not write {error.filename}: {error.strerror}")
        if outbox.notes:
            self._note(outbox.notes, now=bool(outbox.log))
        for held, lines in zip(self._held, outbox.sends, strict=True):
            held += lines
        outbox.clear()
        self._send(table.awaited)
        if table.outcome is None:
            self._set_timer()
            if any(self._paused):
                self._read_again()
        elif not self._ending:
            self._end()

    def _send(self, awaited: int | None) -> None:
        """Send the player whose turn it is its lines, and the others theirs within `HOLD_SECONDS`; everybody, if it is None.

        Most lines go out with the one that asks the player to act: one system call, for which the player wakes up once.
        """
        for seat, lines in enumerate(self._held):
            connection = self._connections[seat]
            if not lines or connection is None:
                continue
            if awaited is None or seat == awaited:
                connection.send(lines)
                lines.clear()
            elif self._send_timer is None:
                self._send_timer = self._reactor.callLater(HOLD_SECONDS, self._send_held)

    def _send_held(self) -> None:
        self._send_timer = None
        self._send(None)

    def _note(self, lines: Sequence[str], now: bool = False) -> None:
        """Write lines to standard error, `now` or after `NOTES_DELAY` at the latest."""
        self._notes.add(lines)
        if now:
            self._notes.flush()
        elif self._flush_timer is None or not self._flush_timer.active():
            self._flush_timer = self._reactor.callLater(NOTES_DELAY, self._notes.flush)

    def _read_again(self) -> None:
        for seat, connection in enumerate(self._connections):
            if self._paused[seat] and connection is not None and not self._table.waiting(seat):
                self._paused[seat] = False
                connection.pause(False)

    def _set_timer(self) -> None:
        """Set a timer that calls the table's `tick` by its deadline.

        Every action moves the deadline on. So the timer stays where it is unless the deadline came nearer, and is set
        again when it fires early.
        """
        deadline = self._table.deadline
        if deadline is None or (self._tick_timer is not None and self._tick_at <= deadline):
            return
        if self._tick_timer is not None:
            self._tick_timer.cancel()
        self._tick_at = deadline
        self._tick_timer = self._reactor.callLater(max(0, deadline - self._now()) / 1e6, self._tick)

    def _tick(self) -> None:
        self._tick_timer = None
        self._table.tick(self._now())
        self._carry_out()

    def _now(self) -> int:
        return int(self._reactor.seconds() * 1e6)

    # After the match.

    def _end(self) -> None:
        self._ending = True
        self._stop_listening()
        self._other_timers.append(self._reactor.callLater(LINGER, self._cut))
        for connection in self._connections:
            if connection is not None:
                connection.finish()
        self._leave_if_over()

    def _cut(self) -> None:
        for connection in self._connections:
            if connection is not None:
                connection.cut()

    def _leave_if_over(self) -> None:
        if self._ending and all(c is None or c.is_closed for c in self._connections) and not self.done.called:
            for timer in (self._tick_timer, self._flush_timer, self._send_timer, *self._other_timers):
                if timer is not None and timer.active():
                    timer.cancel()
            self._notes.flush()
            assert self._table.outcome is not None
            self.done.callback(self._table.outcome)

    def _stop_listening(self) -> None:
        for port in self._listening:
            if port is not None:
                port.stopListening()
        self._listening = []


class _SeatFactory(ServerFactory[PlayerConnection]):
    noisy = False

    def __init__(self, build: Callable[[], PlayerConnection | None]) -> None:
        self._build = build

    def buildProtocol(self, addr: IAddress | None) -> PlayerConnection | None:
        return self._build()


@dataclass(frozen=True)
class Surroundings:
    """Ports and files of a match. `start_timeout` is in seconds, None for no limit."""

    ports: tuple[int, ...] = ()
    interface: str = "127.0.0.1"
    write_log: bool = True
    write_transactions: bool = False
    append: bool = False
    quiet: bool = False
    start_timeout: float | None = None


async def play(reactor: Any, terms: Terms, room: Surroundings) -> int:
    """Play a match to its end and return the exit code. Only ports and score are printed on standard output."""
    notes = Notes(sys.stderr.buffer)
    table = Table(terms, room.quiet)
    try:
        log, transactions = _open_files(table, room)
        server = MatchServer(reactor, table, notes, log, transactions)
        ports = server.listen(room.ports, room.interface)
    except CannotListenError as error:
        return _refuse(notes, why_not_listening(error, "-p"))
    except FileNotFoundError as error:
        folder = Path(error.filename).parent
        return _refuse(notes, f"{error.filename}: there is no folder {folder}; make it first")
    except OSError as error:
        return _refuse(notes, f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except ResumeError as error:
        return _refuse(notes, str(error))
    reactor.addSystemEventTrigger("before", "shutdown", server.shut_down, "the dealer was stopped")
    notes.add([str(terms.header)])
    notes.flush()
    if failure := _print(*ports):
        server.shut_down(failure)
    if room.start_timeout is not None:
        server.limit_start(room.start_timeout)
    server.hint_at_name(socket.gethostname(), reactor.resolve)
    gc.collect()
    gc.freeze()  # collections while hands are played need not visit the objects of start-up
    outcome = await server.done
    for file in (log, transactions):
        if file is not None:
            file.close()
    if not outcome.finished:
        return FAILURE
    if failure := _print(table.score):
        return _refuse(notes, failure)
    return SUCCESS


def _print(*words: object) -> str:
    """Write a line to standard output at once. Returns the failure in words, or an empty text."""
    try:
        print(*words, flush=True)
    except OSError as error:
        return f"could not write to standard output: {error.strerror}"
    return ""


def _refuse(notes: Notes, message: str) -> int:
    notes.add([f"ERROR: {message}"])
    notes.flush()
    return FAILURE


def _open_files(table: Table, room: Surroundings) -> tuple[LineFile | None, LineFile | None]:
    """Open the log and the transaction log, where they are wanted. Raises `OSError` and `ResumeError`."""
    name = table.terms.name
    log_path, transactions_path = Path(f"{name}.log"), Path(f"{name}.tlog")
    resumed = room.append and room.write_transactions
    if resumed:
        resume(table, log_path if room.write_log else None, transactions_path)
    log = transactions = None
    if room.write_log:
        log = LineFile(log_path, room.append)
        if not resumed:
            log.write([str(table.terms.header)])
    if room.write_transactions:
        transactions = LineFile(transactions_path, room.append)
    return log, transactions


def run(terms: Terms, room: Surroundings) -> int:
    """Play a match on this process's reactor, which this call starts and stops."""
    reactor = install_reactor()
    return run_reactor(reactor, lambda: play(reactor, terms, room))
