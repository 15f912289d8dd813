"""The work of ``limpet aivat``: its options as plain data, from which any process can read the logs and build the bots.

Long logs are evaluated by several processes. Each learns what all would know by then, and evaluates its share of the deals.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from limpet.common.verified import file_digest
from limpet.common.workers import Report, by_processes, silent
from limpet.configs.loading import ConfigError, load_game, mistakes
from limpet.dealer.measures.match_luck import (
    DealEvaluator,
    DealLuck,
    LoggedHand,
    check_played,
    logs_of,
    luck_summary,
    position_in,
    read_hands,
    require_game,
)
from limpet.protocol.archives.hand_file import no_hands
from limpet.protocol.archives.hands import open_hands
from limpet.strategies.base.botconfig import Bot, load_bot
from limpet.strategies.base.records import Recomputed, RowsFile, RowsSource, silenced
from limpet.strategies.base.strategy import Strategy
from limpet.strategies.subjects import baseline_that_ships, named_values, values_for

HERE = Path(".")
DEALS = 8
"""Number of deals given to a process at a time."""
FIRST_HANDS = 8
"""Number of hands whose rows are compared with what was played before anything is fitted."""
TRIED_SECONDS = 4.0
"""Seconds after which the first process estimates how long it would take alone."""
WORTH_SECONDS = 15.0
"""Seconds of work left for one process above which others are started, which need some seconds to catch up."""


class LuckTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Terms that must be the same for an evaluation to go on; the first line of its file.

    The bot and the known opponent are told by their fingerprints, files by their checksums, and the value function by name.
    """

    bot: str | None
    player: str | None
    also_known: str | None
    baseline: str | None
    learning: bool
    logs: tuple[str, ...]
    rows: str | None
    hands: int | None


class LuckJob(NamedTuple):
    """The options of ``limpet aivat``; paths and names are relative to the working folder.

    Attributes:
        bot: the bot that is evaluated; None takes out the luck of the cards alone.
        player: the player's name in the logs; None is the bot's, or the first in the logs.
        also_known: the bot of its opponent; both are then compared over all pairs of hands.
        baseline: what luck is measured by: the name of a strategy, or ``equity``; None is the bot's own, or one that ships.
        learning: whether what the opponent tends to do is learnt from the hands before.
        rows: file in which a bot that thought against the clock kept what it played by.
        game: a game's name or file; None is the bot's, or what the logs say.
        hands: number of the first hands of each log that are read; None reads all.
    """

    logs: tuple[Path, ...]
    bot: str | None = None
    player: str | None = None
    also_known: str | None = None
    baseline: str | None = None
    learning: bool = True
    rows: Path | None = None
    game: str | None = None
    hands: int | None = None

    def open(self, fitting: Report = silent, checked: bool = False) -> DealEvaluator:
        """Read the logs and build the bots. `fitting(done, total)` follows the fitting of a value function's model.

        What cannot be evaluated is refused before any model is fitted; `checked` says that this was done before.
        Raises `ConfigError` and `ProtocolError`.
        """
        paths = logs_of(self.logs)
        bot, other = self._bots()
        strategy = None if bot is None else silenced(bot.build())
        if bot is not None and self.game is None:
            require_game(paths, bot)
        if bot is not None:
            game = bot.game
        elif self.game is not None:
            game = load_game(self.game, HERE)
        else:
            first = next((record for path in paths for _, record in open_hands(path).hands()), None)
            if first is None:
                raise ConfigError(no_hands(*paths))
            game = first.state.game
        hands, deals = read_hands(paths, game, self.hands)
        if not hands:
            raise ConfigError(no_hands(*paths))
        name = self.player or (hands[0].record.names[0] if bot is None else bot.name)
        sources = self._row_sources(name, bot, strategy, other, hands)
        if not checked:
            for hand in hands:
                position_in(hand, name)
            check_played(hands[:FIRST_HANDS], sources)
        with mistakes():
            if self.baseline is None and strategy is not None:
                values = values_for(strategy, fitting)
            else:
                values = named_values(game, self.baseline or baseline_that_ships(game), HERE, fitting)
        return DealEvaluator(hands, deals, name, values, sources, self.learning)

    def _row_sources(
        self, name: str, bot: Bot | None, strategy: Strategy | None, other: Bot | None, hands: Sequence[LoggedHand]
    ) -> dict[str, RowsSource]:
        """Return the rows of the known players by their names in the logs; the evaluated one is called `name`."""
        sources: dict[str, RowsSource] = {}
        if bot is None or strategy is None:
            return sources
        if self.rows is not None and bot.game.num_draws:
            raise ConfigError("--rows is for bots that keep their rows, and no bot of draw poker does; leave it out")
        with mistakes():
            sources[name] = (
                Recomputed(strategy, bot.config.seed) if self.rows is None else RowsFile(self.rows, bot.game)
            )
        if other is not None:
            others = {played for hand in hands for played in hand.record.names} - {name}
            if len(others) != 1:
                raise ConfigError(f"--also-known is for one opponent; the logs have {', '.join(sorted(others))}")
            sources[others.pop()] = Recomputed(silenced(other.build()), other.config.seed)
        return sources

    def terms(self) -> LuckTerms:
        """Return what must be the same for a stopped evaluation to go on. Raises `ConfigError`, and `OSError` for logs."""
        bot, other = (None if each is None else each.fingerprint() for each in self._bots())
        logs = tuple(file_digest(path) for path in logs_of(self.logs))
        rows = None if self.rows is None else file_digest(self.rows)
        return LuckTerms(bot, self.player, other, self.baseline, self.learning, logs, rows, self.hands)

    def _bots(self) -> tuple[Bot | None, Bot | None]:
        """Return the bot that is evaluated and its opponent, None for one whose config is not given."""
        if self.bot is None:
            return None, None
        bot = load_bot(self.bot, load_game(self.game, HERE) if self.game else None)
        return bot, None if self.also_known is None else load_bot(self.also_known, bot.game)


def evaluated(
    job: LuckJob, evaluator: DealEvaluator, deals: Sequence[int], jobs: int, clock: Callable[[], float] = time.monotonic
) -> Iterator[DealLuck]:
    """Yield the evaluation of some deals by `evaluator`, which `job` has opened; by up to `jobs` processes if it takes long.

    deals: deal numbers, strictly increasing; results arrive in any order. Raises as `DealEvaluator.evaluate`.
    """
    began = clock()
    for done, deal in enumerate(deals):
        seconds = clock() - began
        if jobs > 1 and done and seconds > TRIED_SECONDS and seconds * (len(deals) - done) / done > WORTH_SECONDS:
            # Pieces are begun in this order, so that each process is given later deals than before.
            pieces = [deals[start : start + DEALS] for start in range(done, len(deals), DEALS)]
            for piece in by_processes(partial(_evaluate, job), pieces, jobs):
                yield from piece
            return
        yield evaluator.evaluate(deal)


@lru_cache(maxsize=1)
def _opened(job: LuckJob) -> DealEvaluator:
    """Return the evaluator of a worker process."""
    return job.open(checked=True)


def _evaluate(job: LuckJob, deals: Sequence[int]) -> list[DealLuck]:
    return [_opened(job).evaluate(deal) for deal in deals]


def aivat(
    *logs: str | Path,
    bot: str | Path | None = None,
    jobs: int = 1,
    report: Report = silent,
    seed: int = 1,
    **options: Any,
) -> list[dict[str, Any]]:
    """Return what a bot won in recorded matches with the luck taken out (AIVAT; Burch et al. 2018).

    There is a row for each estimator as plain data: mbb/g, its 95 % interval, its standard deviation and that of the raw
    results beside it.

    Args:
        logs: log files with everybody's cards, or folders of matches.
        bot: config of the bot that is evaluated; None takes out the luck of the cards alone.
        jobs: number of processes, where it takes long.
        report: called with the number of deals done, and how many there are.
        seed: of the bootstrap.
        options: other fields of `LuckJob`, such as ``player``, ``also_known`` or ``hands``.

    Raises `ConfigError` and `ProtocolError` for logs and bots that do not fit.
    """
    job = LuckJob(tuple(map(Path, logs)), None if bot is None else str(bot), **options)
    evaluator, done = job.open(), []
    for deal in evaluated(job, evaluator, range(evaluator.num_deals), jobs):
        done.append(deal)
        report(len(done), evaluator.num_deals)
    rows: list[dict[str, Any]] = luck_summary(evaluator.result(done), seed)["estimators"]
    return rows
