"""A match from its terms to its exit code: files opened, table set, server run on the reactor."""

import gc
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from twisted.internet import task
from twisted.internet.defer import Deferred
from twisted.internet.error import CannotListenError

from limpet.dealer.table.files import LineFile
from limpet.dealer.table.notes import Notes
from limpet.dealer.table.reactor import install_reactor
from limpet.dealer.table.resume import ResumeError, resume
from limpet.dealer.table.server import MatchServer
from limpet.dealer.table.streams import never_wait_for_messages
from limpet.dealer.table.table import Table
from limpet.dealer.table.terms import Terms

SUCCESS, FAILURE = 0, 1


@dataclass(frozen=True)
class Room:
    """Where a match is played and what is written down. Times are seconds, None for no limit."""

    ports: tuple[int, ...] = ()
    interface: str = "127.0.0.1"
    write_log: bool = True
    write_transactions: bool = False
    append: bool = False
    quiet: bool = False
    start_timeout: float | None = None


async def play(reactor: Any, terms: Terms, room: Room) -> int:
    """Play a match to its end; the exit code. Ports and score are printed on stdout, all else on stderr."""
    notes = Notes(sys.stderr.buffer)
    table = Table(terms, room.quiet)
    files: list[LineFile] = []
    try:
        log, transactions = _open_files(table, room, files)
        server = MatchServer(reactor, table, notes, log, transactions)
        ports = server.listen(room.ports, room.interface)
    except CannotListenError as error:
        return _refuse(notes, f"could not listen on port {error.port}: {error.socketError}; choose others with -p")
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
    _load_showdowns(terms)
    if room.start_timeout is not None:
        server.limit_start(room.start_timeout)
    server.hint_at_name(socket.gethostname(), reactor.resolve)
    gc.collect()
    gc.freeze()  # what start-up left behind need not be looked through again while hands are played
    outcome = await server.done
    for file in files:
        file.close()
    if not outcome.finished:
        return FAILURE
    if failure := _print(table.score):
        return _refuse(notes, failure)
    return SUCCESS


def _print(*words: object) -> str:
    """Write a line to standard output at once. What is wrong with that output, or nothing."""
    try:
        print(*words, flush=True)
    except OSError as error:
        return f"could not write to standard output: {error.strerror}"
    return ""


def _load_showdowns(terms: Terms) -> None:
    """Load the kernel that ranks hands, or compile it: while the players start, and before any clock runs."""
    from limpet.protocol.ranking import rank

    rank(terms.game.deck[:1])


def _refuse(notes: Notes, message: str) -> int:
    notes.add([f"ERROR: {message}"])
    notes.flush()
    return FAILURE


def _open_files(table: Table, room: Room, files: list[LineFile]) -> tuple[LineFile | None, LineFile | None]:
    """The log and the transaction log, where they are wanted. Raises OSError, ResumeError."""
    name = table.terms.name
    log_path, transactions_path = Path(f"{name}.log"), Path(f"{name}.tlog")
    resumed = room.append and room.write_transactions
    if resumed:
        resume(table, log_path if room.write_log else None, transactions_path)
    log = transactions = None
    if room.write_log:
        log = LineFile(log_path, room.append)
        files.append(log)
        if not resumed:
            log.write([str(table.terms.header)])
    if room.write_transactions:
        transactions = LineFile(transactions_path, room.append)
        files.append(transactions)
    return log, transactions


def run(terms: Terms, room: Room) -> int:
    """Play a match on this process's reactor, which this call starts and stops."""
    never_wait_for_messages()  # whoever does not read them shall not cost a player its time
    reactor = install_reactor()
    code = FAILURE

    async def main(reactor: Any) -> None:
        nonlocal code
        # `react` calls this before the reactor runs, and only then signals are handled: nobody may be told of ports
        # that a signal would still kill without a word.
        running: Deferred[None] = Deferred()
        reactor.callWhenRunning(running.callback, None)
        await running
        code = await play(reactor, terms, room)

    try:
        task.react(main, _reactor=reactor)
    except SystemExit as end:
        return code if end.code == 0 else FAILURE
