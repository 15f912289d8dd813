"""The log of a client on standard error, which takes Twisted's events and the standard library's records."""

import logging
import sys
from typing import Any, TextIO

from twisted import logger
from twisted.logger import LogLevel

LEVELS = list(LogLevel.iterconstants())
"""Twisted's levels from debug to critical, in the order of the standard library's 10 to 50."""


class TwistedHandler(logging.Handler):
    """Passes log records of the standard library, which strategies write, to Twisted's log."""

    def emit(self, record: logging.LogRecord) -> None:
        level = LEVELS[min(max(record.levelno // 10, 1), len(LEVELS)) - 1]
        logger.Logger(namespace=record.name).emit(level, "{text}", text=self.format(record))


def start_log(level: str, stream: TextIO = sys.stderr) -> None:
    """Write log lines of `level` and above to `stream`, and only warnings of Twisted itself unless debugging."""
    levels: Any = logger.LogLevelFilterPredicate(LogLevel.levelWithName(level))
    if level != "debug":
        for namespace in ("twisted", "log_legacy"):  # some of Twisted's modules write by its older interface
            levels.setLogLevelForNamespace(namespace, max(LogLevel.levelWithName(level), LogLevel.warn))
    lines: Any = logger.textFileLogObserver(stream)
    observer: Any = logger.FilteringLogObserver(lines, [levels])
    logger.globalLogBeginner.beginLoggingTo([observer], redirectStandardIO=False, discardBuffer=True)
    logging.basicConfig(handlers=[TwistedHandler()], format="%(message)s")
