"""The work of ``limpet aivat``: its options as plain data, from which any process can read the logs and build the bots.

Long logs are evaluated by several processes. Each learns what all would know by then, and evaluates its share of the deals.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, cast

import msgspec

from limpet.configs.loading import ConfigError, load_game, mistakes
from limpet.dealer.measures.match_luck import DealEvaluator, DealLuck, logs_of, read_hands, require_game
from limpet.strategies.botconfig import Bot, load_bot
from limpet.strategies.measures.luck.choose_values import named_values, values_for
from limpet.strategies.records.journal import silenced
from limpet.strategies.records.rows_source import Recomputed, RowsSource
from limpet.strategies.records.sidecar import RowsFile
from limpet.strategies.storage.verified import file_digest
from limpet.strategies.workers.processes import by_processes

HERE = Path(".")
DEALS = 8
"""Number of deals given to a process at a time."""
TRIED_SECONDS = 4.0
"""After this time one process estimates how long it would take by itself."""
WORTH_SECONDS = 15.0
"""Other processes are started where more than this is left: they take some seconds to come as far."""


class LuckTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Terms that must be the same for an evaluation to go on; the first line of its file."""

    bot: str
    """Fingerprint of the bot."""
    player: str | None
    also_known: str | None
    """Fingerprint of the known opponent."""
    guess: str | None
    """Name of the value function."""
    learning: bool
    logs: tuple[str, ...]
    """Checksums of the logs."""
    rows: str | None
    """Checksum of the file of rows."""
    hands: int | None


class LuckJob(NamedTuple):
    """The options of the command; paths and names are relative to the working folder."""

    logs: tuple[Path, ...]
    bot: str
    player: str | None = None
    also_known: str | None = None
    guess: str | None = None
    learning: bool = True
    rows: Path | None = None
    game: str | None = None
    hands: int | None = None

    def open(self, fitting: Callable[[int, int], None] = lambda done, total: None) -> DealEvaluator:
        """Read the logs and build the bots. `fitting(done, total)` follows the fitting of a value function's model.

        Raises `ConfigError` and `ProtocolError`.
        """
        bot, other = self._bots()
        paths = logs_of(self.logs)
        if self.game is None:
            require_game(paths, bot)
        strategy = silenced(bot.build())
        name = self.player or bot.name
        hands, deals = read_hands(paths, bot.game, self.hands)
        if not hands:
            raise ConfigError(f"{self.logs[0]}: no hands in the logs; name logs of played matches")
        known: dict[str, RowsSource] = {}
        with mistakes():
            known[name] = Recomputed(strategy, bot.config.seed) if self.rows is None else RowsFile(self.rows, bot.game)
        if other is not None:
            others = {played for hand in hands for played in hand.record.names} - {name}
            if len(others) != 1:
                raise ConfigError(f"--also-known is for one opponent; the logs have {', '.join(sorted(others))}")
            known[others.pop()] = Recomputed(silenced(other.build()), other.config.seed)
        with mistakes():
            if self.guess is None:
                values = values_for(strategy, fitting)
            else:
                values = named_values(bot.game, self.guess, HERE, fitting)
        return DealEvaluator(hands, deals, name, values, known, self.learning)

    def terms(self) -> LuckTerms:
        """Return what must be the same for a stopped evaluation to go on. Raises `ConfigError`, and `OSError` for logs."""
        bot, other = self._bots()
        return LuckTerms(
            bot=bot.fingerprint(),
            player=self.player,
            also_known=None if other is None else other.fingerprint(),
            guess=self.guess,
            learning=self.learning,
            logs=tuple(file_digest(path) for path in logs_of(self.logs)),
            rows=None if self.rows is None else file_digest(self.rows),
            hands=self.hands,
        )

    def _bots(self) -> tuple[Bot, Bot | None]:
        """Return the bot that is evaluated, and its opponent where that is known."""
        bot = load_bot(self.bot, load_game(self.game, HERE) if self.game else None)
        return bot, None if self.also_known is None else load_bot(self.also_known, bot.game)


def evaluated(
    job: LuckJob,
    evaluator: DealEvaluator,
    deals: Sequence[int],
    jobs: int,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[DealLuck]:
    """Yield what `evaluator`, which `job` has opened, says of some deals, by up to `jobs` processes where it takes long.

    deals: deal numbers, strictly increasing; results arrive in any order. Raises as `DealEvaluator.evaluate`.
    """
    began = clock()
    for done, deal in enumerate(deals):
        seconds = clock() - began
        if jobs > 1 and done and seconds > TRIED_SECONDS and seconds * (len(deals) - done) / done > WORTH_SECONDS:
            # Pieces are begun in this order, so that each process is given later deals than before.
            pieces = [deals[start : start + DEALS] for start in range(done, len(deals), DEALS)]
            for piece in by_processes(_evaluate, pieces, jobs, partial(_begin, job)):
                yield from piece
            return
        yield evaluator.evaluate(deal)


_evaluator: DealEvaluator | None = None
"""The evaluator of a worker process."""


def _begin(job: LuckJob) -> None:
    global _evaluator
    _evaluator = job.open()


def _evaluate(deals: Sequence[int]) -> list[DealLuck]:
    return [cast(DealEvaluator, _evaluator).evaluate(deal) for deal in deals]
