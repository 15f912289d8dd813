"""Slow preparations that are made before connecting: load the strategy and compile its kernels."""

import gc
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from twisted.logger import Logger

from limpet.bot.client.protocol import Conversation
from limpet.configs.loading import ConfigError, load_game
from limpet.strategies.agent import Agent
from limpet.strategies.botconfig import load_bot
from limpet.strategies.records.journal import keep_rows
from limpet.strategies.strategy import Strategy

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
    except ConfigError:
        raise
    except (ValueError, OSError) as error:
        raise ConfigError(f"{config}: {error}") from error
    if rows is not None:
        keep_rows(strategy, rows)
    loaded = perf_counter()
    strategy.warm_up()
    seed = bot.config.seed if seed is None else seed
    Agent(strategy, seed)  # numbers the hands of the deck
    Conversation(strategy.game)
    # Loaded objects stay: the garbage collector need not visit them in the middle of a hand.
    gc.collect()
    gc.freeze()
    ready = Ready(bot.config.name, strategy, seed, loaded - began, perf_counter() - loaded)
    _log.info("{name}: loaded in {load_s:.1f} s, warm in {warm_up_s:.1f} s", **ready._asdict())
    return ready
