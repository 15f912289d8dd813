"""Preparations before connecting: the log, the strategy, and the compilation of its kernels."""

import gc
import json
import logging
import sys
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from twisted import logger
from twisted.logger import Logger, LogLevel

from limpet.bot.client.protocol import Conversation
from limpet.configs.loading import ConfigError, load_game
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.records import keep_rows
from limpet.strategies.base.strategy import Strategy

_log = Logger()


class Ready(NamedTuple):
    """A bot that can decide at once."""

    name: str
    strategy: Strategy
    seed: int
    load_s: float
    warm_up_s: float


def prepare(config: str, seed: int | None = None, game: str | None = None, rows: Path | None = None) -> Ready:
    """Load the bot of a config (a name that ships or a path) and compile its kernels.

    `seed`, `game` and `rows`, the file that keeps what the bot plays by, replace the config's. Raises `ConfigError`.
    """
    began = perf_counter()
    bot = load_bot(config, load_game(game) if game is not None else None)
    try:
        strategy = bot.build()
    except OSError as error:
        raise ConfigError(f"{config}: {error}") from error
    if rows is not None:
        keep_rows(strategy, rows)
    loaded = perf_counter()
    strategy.warm_up_seat()
    seed = bot.config.seed if seed is None else seed
    Agent(strategy, seed)  # numbers the hands of the deck
    Conversation(strategy.game)
    # Loaded objects stay: the garbage collector need not visit them in the middle of a hand.
    gc.collect()
    gc.freeze()
    ready = Ready(bot.config.name, strategy, seed, loaded - began, perf_counter() - loaded)
    _log.info("{name}: loaded in {load_s:.1f} s, warm in {warm_up_s:.1f} s", **ready._asdict())
    return ready


# --- The log of a client on standard error, which takes Twisted's events and the standard library's records.

LEVELS = list(LogLevel.iterconstants())
"""Twisted's levels from debug to critical, in the order of the standard library's 10 to 50."""


class TwistedHandler(logging.Handler):
    """Passes log records of the standard library, which strategies write, to Twisted's log."""

    def emit(self, record: logging.LogRecord) -> None:
        level = LEVELS[min(max(record.levelno // 10, 1), len(LEVELS)) - 1]
        logger.Logger(namespace=record.name).emit(level, "{text}", text=self.format(record))


def _json_line(event: logger.LogEvent) -> str:
    text = logger.eventAsText(event, includeTimestamp=False, includeSystem=False)
    about = {"time": logger.formatTime(event.get("log_time")), "level": event["log_level"].name}
    return json.dumps(about | {"name": event.get("log_namespace"), "text": text}) + "\n"


def start_log(level: str, form: str = "text") -> None:
    """Write log lines of `level` and above to standard error, and only warnings of Twisted itself unless debugging.

    form: ``text``, or ``json`` for an object a line, with `time` (ISO 8601), `level`, `name` and `text`.
    """
    levels: Any = logger.LogLevelFilterPredicate(LogLevel.levelWithName(level))
    if level != "debug":
        for namespace in ("twisted", "log_legacy"):  # some of Twisted's modules write by its older interface
            levels.setLogLevelForNamespace(namespace, max(LogLevel.levelWithName(level), LogLevel.warn))
    line = _json_line if form == "json" else logger.formatEventAsClassicLogText
    lines: Any = logger.FileLogObserver(sys.stderr, line)
    observer: Any = logger.FilteringLogObserver(lines, [levels])
    logger.globalLogBeginner.beginLoggingTo([observer], redirectStandardIO=False, discardBuffer=True)
    logging.basicConfig(handlers=[TwistedHandler()], format="%(message)s")
