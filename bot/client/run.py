"""The log and the reactor of a client: started, run until a coroutine ends, and turned into an exit status."""

import logging
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TextIO

from twisted.internet.defer import Deferred, ensureDeferred
from twisted.internet.error import ReactorNotRunning
from twisted.logger import (
    FilteringLogObserver,
    Logger,
    LogLevel,
    LogLevelFilterPredicate,
    globalLogBeginner,
    textFileLogObserver,
)
from twisted.python.failure import Failure

from limpet.bot.client.defaults import LOG_LEVELS
from limpet.dealer.table.streams import never_wait_for_messages

FINISHED, LOST, MISUSED = 0, 1, 2
"""Exit statuses: every match played to its end; a match lost or never begun; a command or config that is wrong."""


class TwistedHandler(logging.Handler):
    """Passes log records of the standard library, which strategies write, to Twisted's log."""

    def emit(self, record: logging.LogRecord) -> None:
        level = LOG_LEVELS[min(max(record.levelno // 10, 1), len(LOG_LEVELS)) - 1]  # levels of records are 10 to 50
        Logger(namespace=record.name).emit(LogLevel.levelWithName(level), "{text}", text=self.format(record))


def start_log(level: str, stream: TextIO = sys.stderr) -> None:
    """Write log lines of `level` and above to `stream`, and only warnings of Twisted itself unless debugging."""
    levels: Any = LogLevelFilterPredicate(LogLevel.levelWithName(level))
    if level != "debug":
        for namespace in ("twisted", "log_legacy"):  # some of Twisted's modules write by its older interface
            levels.setLogLevelForNamespace(namespace, LogLevel.levelWithName(max(level, "warn", key=LOG_LEVELS.index)))
    lines: Any = textFileLogObserver(stream)
    observer: Any = FilteringLogObserver(lines, [levels])
    globalLogBeginner.beginLoggingTo([observer], redirectStandardIO=False, discardBuffer=True)
    logging.basicConfig(handlers=[TwistedHandler()], format="%(message)s")


def run(reactor: Any, main: Callable[[], Coroutine[Deferred[Any], Any, int]]) -> int:
    """Run the reactor until `main` has returned the exit status. A signal that stops it earlier gives `LOST`.

    `main` should add a "before shutdown" trigger that cleans up after a signal.
    """
    status = LOST
    failure: Failure | None = None

    def ended(result: int | Failure) -> None:
        nonlocal status, failure
        if isinstance(result, Failure):
            failure = result
        else:
            status = result
        with suppress(ReactorNotRunning):  # a signal may have come first
            reactor.stop()

    never_wait_for_messages()  # the clock of a match does not stop for an unread standard error
    reactor.callWhenRunning(lambda: ensureDeferred(main()).addBoth(ended))
    reactor.run()
    if failure is not None:
        failure.raiseException()
    return status
