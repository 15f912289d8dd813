"""A match from its terms to its exit code: its files are opened and its server runs on the reactor."""

import gc
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from twisted.internet.error import CannotListenError

from limpet.dealer.table.files import LineFile, ResumeError, resume
from limpet.dealer.table.reactor import FAILURE, SUCCESS, install_reactor
from limpet.dealer.table.reactor import run as run_reactor
from limpet.dealer.table.server import MatchServer, why_not_listening
from limpet.dealer.table.streams import Notes
from limpet.dealer.table.table import Table
from limpet.dealer.table.terms import Terms


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
