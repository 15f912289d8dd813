"""What the local best response wins from bots by full ranges, and as a table; a stopped measure goes on."""

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import msgspec

from limpet.configs.loading import ConfigError, mistakes
from limpet.dealer.matches.match_result import Interval, interval_text
from limpet.dealer.measures.lbr_matches import FIRST_HEADINGS, Won
from limpet.dealer.reports.report_document import Block, Heading, Paragraph, Sheet
from limpet.strategies.botconfig import Bot
from limpet.strategies.cards.handspace import is_holdem
from limpet.strategies.measures.duels.lbr_spots import lbr_deals
from limpet.strategies.measures.duels.range_sets import without_its_clock
from limpet.strategies.players.lbr import LocalBestResponse, Sizes, Start
from limpet.strategies.statistics.estimate import Estimate, mean_of
from limpet.strategies.storage.measure_file import MeasureFile

MBB = 1000.0


class RangesTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What must be the same for a measure to go on; the first line of its file."""

    bot: str
    """Its fingerprint."""
    sizes: Sizes
    start: Start
    seed: int
    rivers: int
    iterations: int | None


class Dealt(msgspec.Struct, frozen=True):
    """One duplicate set; a line of the file."""

    won: tuple[float, float]
    reached: tuple[bool, bool]
    seconds: float
    """Of processor time."""


class BeatenByRanges(Won, frozen=True):
    """What it won by full ranges."""

    reached: float
    """Which part of the hands came to the street where it wakes."""
    less_than_first: float | None
    """mbb/g won less than from the bot named first, in the same deals; None for that bot."""
    less_interval_95: Interval
    seconds_a_set: float
    """Of processor time."""


def measure_ranges(
    bot: Bot, root: Path, terms: RangesTerms, sets: int, report: Callable[[int, int], None]
) -> list[Dealt]:
    """So many duplicate sets against a bot: those that stand in its file under `root`, and the rest measured now.

    Solves of a bot that thinks end by iterations and target; its bank and seconds are left aside. `report(done, sets)`.
    Raises `ConfigError` for a file of other terms.
    """
    path = root / f"{bot.name}-{terms.sizes}-{terms.start}-ranges-{terms.seed}.jsonl"
    kept = MeasureFile(path, terms, Dealt)
    found = kept.found
    report(min(len(found), sets), sets)
    if len(found) >= sets:
        return found[:sets]
    with mistakes():
        options = LocalBestResponse.Options(opponent=str(bot.path.resolve()), sizes=terms.sizes, start=terms.start)
        player = LocalBestResponse(bot.game, options, bot.path.parent)
        strategy = without_its_clock(bot, terms.iterations)
    strategy.warm_up()
    began = time.process_time()
    for deal in islice(lbr_deals(player, strategy, terms.seed, terms.rivers, first=len(found)), sets - len(found)):
        ended = time.process_time()
        kept.add(Dealt(deal.won, deal.reached, round(ended - began, 4)))
        began = ended
        report(len(found), sets)
    return found


def ranges_terms(bot: Bot, sizes: Sizes, start: Start, seed: int, rivers: int, iterations: int | None) -> RangesTerms:
    """Raises `ConfigError` for what takes too long by full ranges, and for games they are not there for."""
    if start not in ("turn", "river") or not is_holdem(bot.game) or bot.game.num_players != 2:
        raise ConfigError(
            f"{bot.path}: full ranges are played from the turn or the river on, in heads-up hold'em, not from the "
            f"{start} in {bot.config.game}; leave out --full-ranges, or name another --start"
        )
    return RangesTerms(bot.fingerprint(), sizes, start, seed, rivers, iterations)


def beaten_by_ranges(
    bot: Bot, terms: RangesTerms, dealt: Sequence[Dealt], first: Sequence[Dealt] | None
) -> BeatenByRanges:
    """first: the sets of the bot named first, if this is another."""
    won = [sum(each.won) / 2 * MBB for each in dealt]
    less = None
    if first is not None:
        less = mean_of([sum(a.won) / 2 * MBB - one for a, one in zip(first, won, strict=True)])
    whole = mean_of(won)
    return BeatenByRanges(
        bot=bot.name,
        sizes=terms.sizes,
        start=terms.start,
        duplicate_sets=len(won),
        reached=sum(sum(each.reached) for each in dealt) / (2 * len(dealt)),
        mbb_per_game=whole.mean,
        interval_95=_interval(whole),
        less_than_first=None if less is None else less.mean,
        less_interval_95=(None, None) if less is None else _interval(less),
        seconds_a_set=sum(each.seconds for each in dealt) / len(dealt),
    )


def _interval(found: Estimate) -> Interval:
    if found.half_width == float("inf"):
        return None, None
    return found.mean - found.half_width, found.mean + found.half_width


HEADINGS = (*FIRST_HEADINGS, "less than from the first", "95 % interval", "s a set")


def rows(beaten: Sequence[BeatenByRanges]) -> Iterator[tuple[str, ...]]:
    """One for each bot, as tables show it."""
    for found in beaten:
        less = found.less_than_first
        yield (
            *found.cells,
            "-" if less is None else f"{less:+,.1f}",
            interval_text(found.less_interval_95),
            f"{found.seconds_a_set:.2g}",
        )


def ranges_document(beaten: Sequence[BeatenByRanges], command: str) -> list[Block]:
    """The table as a page."""
    return [
        Heading(1, "Local best response, full ranges"),
        Paragraph(
            "What a player wins from each bot who knows its strategy and looks one bet ahead, all hands against all hands "
            "on the boards dealt. A win shows that the bot can be exploited by at least as much; a loss shows nothing. "
            f"{command}"
        ),
        Sheet(HEADINGS, tuple(rows(beaten))),
    ]
