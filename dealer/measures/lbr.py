"""Measures of what the local best response wins from bots, in duplicate matches or by full ranges, and their table.

A match is played in this process and kept in a folder. By full ranges each duplicate set is a line of a file. Either goes on
where it stopped.
"""

import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

import msgspec
import yaml

from limpet.configs.loading import ConfigError, mistakes
from limpet.dealer.matches.match import TERMS_FILE, Watch, play_match
from limpet.dealer.matches.match_result import interval_text
from limpet.dealer.matches.matchconfig import Match, MatchConfig, resolve
from limpet.dealer.reports.report_document import Block, Heading, Paragraph, Sheet
from limpet.strategies.botconfig import Bot
from limpet.strategies.cards.handspace import is_holdem
from limpet.strategies.measures.duels.full_ranges import build_without_clock, lbr_sets
from limpet.strategies.players.lbr import LocalBestResponse, Sizes, Start
from limpet.strategies.statistics.estimate import Interval, estimate
from limpet.strategies.storage.folders import replace_file
from limpet.strategies.storage.measure_file import MeasureFile

NAME = "lbr"
MBB = 1000.0
HEADINGS = ("bot", "raises", "from", "duplicate sets", "LBR wins, mbb/g", "95 % interval")
MATCH_HEADINGS = (*HEADINGS, "bootstrap", "hands/s")
RANGES_HEADINGS = (*HEADINGS, "less than from the first", "95 % interval", "s a set")


class Won(msgspec.Struct, frozen=True):
    """Winnings of the local best response from a bot, however they were measured."""

    bot: str
    sizes: str
    start: str
    duplicate_sets: int
    mbb_per_game: float
    interval_95: Interval

    @property
    def cells(self) -> tuple[str, ...]:
        """Return the cells of the result's row of the table."""
        return (
            self.bot,
            self.sizes,
            self.start,
            f"{self.duplicate_sets:,}",
            f"{self.mbb_per_game:+,.1f}",
            interval_text(self.interval_95),
        )


class WonInMatch(Won, frozen=True):
    """Winnings of the local best response from a bot in a match."""

    bootstrap_95: Interval
    hands_per_second: float
    """Speed of this run; 0 where all hands had been played before."""
    folder: str

    @property
    def cells(self) -> tuple[str, ...]:
        speed = f"{self.hands_per_second:,.1f}" if self.hands_per_second else "-"
        return (*super().cells, interval_text(self.bootstrap_95), speed)


class WonByRanges(Won, frozen=True):
    """Winnings of the local best response from a bot by full ranges."""

    reached: float
    """Share of the hands that came to the street on which the response begins."""
    less_than_first: float | None
    """mbb/g won less than from the bot named first, in the same deals; None for that bot."""
    less_interval_95: Interval
    seconds_a_set: float
    """Processor time."""

    @property
    def cells(self) -> tuple[str, ...]:
        less = "-" if self.less_than_first is None else f"{self.less_than_first:+,.1f}"
        return (*super().cells, less, interval_text(self.less_interval_95), f"{self.seconds_a_set:.2g}")


def usual_start(bot: Bot) -> Start:
    """Return the street from which a bot is usually measured: in hold'em, equities before the turn take long."""
    return "turn" if is_holdem(bot.game) and not bot.game.num_board_cards[0] else "preflop"


def write_lbr(bot: Bot, path: Path, sizes: str = "fcpa", start: Start | None = None) -> None:
    """Write the config of the local best response to a bot, for `limpet match`; from the usual start if none is given."""
    config = {
        "name": NAME,
        "player": "lbr",
        "game": _game_name(bot),
        "seed": 1,
        "options": {"opponent": str(bot.path.resolve()), "sizes": sizes, "start": start or usual_start(bot)},
    }
    replace_file(path, yaml.safe_dump(config, sort_keys=False))


def lbr_match(bot: Bot, root: Path, sizes: str, start: Start, hands: int, seed: int) -> Match:
    """Return a duplicate match against one bot, after writing its config into `root`. Raises `ConfigError`."""
    name = f"{bot.name}-{sizes}-{start}"
    path = root / f"{name}.yaml"
    write_lbr(bot, path, sizes, start)
    players = [str(path.resolve()), str(bot.path.resolve())]
    return resolve(MatchConfig(name, players, hands=hands, seed=seed, duplicate=True, game=_game_name(bot)), root)


def play_lbr(match: Match, bot: Bot, root: Path, sizes: str, start: Start, watch: Watch) -> WonInMatch:
    """Play a match of `lbr_match` in this process, or what is missing of it.

    Raises `ConfigError`, also for a folder in which another bot of that name played.
    """
    folder = root / f"{match.name}-{match.hands}-{match.seed}"
    result = play_match(match, folder, True, (folder / TERMS_FILE).exists(), watch)
    player = result.players[0]
    return WonInMatch(
        bot=bot.name,
        sizes=sizes,
        start=start,
        duplicate_sets=result.samples,
        mbb_per_game=player.mbb_per_game,
        interval_95=player.interval_95,
        bootstrap_95=player.bootstrap_95,
        hands_per_second=result.hands_per_second,
        folder=str(folder),
    )


class RangesTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Terms that must be the same for a measure by full ranges to go on; the first line of its file."""

    bot: str
    """Fingerprint of the bot."""
    sizes: Sizes
    start: Start
    seed: int
    rivers: int
    iterations: int | None


class Dealt(msgspec.Struct, frozen=True):
    """One duplicate set by full ranges (`RangeSet`); a line of the file."""

    won: tuple[float, float]
    reached: tuple[bool, bool]
    seconds: float
    """Processor time."""


def ranges_terms(bot: Bot, sizes: Sizes, start: Start, seed: int, rivers: int, iterations: int | None) -> RangesTerms:
    """Return the terms of a measure. Raises `ConfigError` for a game or a street that full ranges are not there for."""
    if start not in ("turn", "river") or not is_holdem(bot.game) or bot.game.num_players != 2:
        raise ConfigError(
            f"{bot.path}: full ranges are played from the turn or the river on, in heads-up hold'em, not from the "
            f"{start} in {bot.config.game}; leave out --full-ranges, or name another --start"
        )
    strategy = bot.build()
    if strategy.learns:
        raise ConfigError(
            f"{bot.path}: {bot.name} learns from hand to hand, and full ranges deal hands that nobody finishes; leave out "
            "--full-ranges"
        )
    return RangesTerms(bot.fingerprint(strategy), sizes, start, seed, rivers, iterations)


def measure_ranges(
    bot: Bot, root: Path, terms: RangesTerms, sets: int, report: Callable[[int, int], None]
) -> list[Dealt]:
    """Return so many duplicate sets against a bot: those in its file under `root`, and the rest measured now.

    Solves of a bot that thinks end by iterations and target; its bank and seconds are left aside. `report(done, sets)` is
    called after each. Raises `ConfigError` for a file of other terms.
    """
    kept = MeasureFile(root / f"{bot.name}-{terms.sizes}-{terms.start}-ranges-{terms.seed}.jsonl", terms, Dealt)
    found = kept.found
    report(min(len(found), sets), sets)
    if len(found) >= sets:
        return found[:sets]
    with mistakes():
        options = LocalBestResponse.Options(opponent=str(bot.path.resolve()), sizes=terms.sizes, start=terms.start)
        player = LocalBestResponse(bot.game, options, bot.path.parent)
        strategy = build_without_clock(bot, terms.iterations)
    strategy.warm_up()
    began = time.process_time()
    for deal in islice(lbr_sets(player, strategy, terms.seed, terms.rivers, skip=len(found)), sets - len(found)):
        ended = time.process_time()
        kept.add(Dealt(deal.won, deal.reached, round(ended - began, 4)))
        began = ended
        report(len(found), sets)
    return found


def won_by_ranges(bot: Bot, terms: RangesTerms, dealt: Sequence[Dealt], first: Sequence[Dealt] | None) -> WonByRanges:
    """Sum up the duplicate sets of a bot. first: those of the bot named first, if this is another."""
    won = [sum(each.won) / 2 * MBB for each in dealt]
    less = None
    if first is not None:
        less = estimate([sum(a.won) / 2 * MBB - one for a, one in zip(first, won, strict=True)])
    mean = estimate(won)
    return WonByRanges(
        bot=bot.name,
        sizes=terms.sizes,
        start=terms.start,
        duplicate_sets=len(won),
        reached=sum(sum(each.reached) for each in dealt) / (2 * len(dealt)),
        mbb_per_game=mean.mean,
        interval_95=mean.interval,
        less_than_first=None if less is None else less.mean,
        less_interval_95=(None, None) if less is None else less.interval,
        seconds_a_set=sum(each.seconds for each in dealt) / len(dealt),
    )


def lbr_document(won: Sequence[Won], command: str, full_ranges: bool = False) -> list[Block]:
    """Return the results as a page with one table."""
    title, how = ("Local best response", "")
    if full_ranges:
        title, how = f"{title}, full ranges", ", all hands against all hands on the boards dealt"
    return [
        Heading(1, title),
        Paragraph(
            f"What a player wins from each bot who knows its strategy and looks one bet ahead{how}. A win shows that the "
            f"bot can be exploited by at least as much; a loss shows nothing. {command}"
        ),
        Sheet(RANGES_HEADINGS if full_ranges else MATCH_HEADINGS, tuple(each.cells for each in won)),
    ]


def _game_name(bot: Bot) -> str:
    """Return the name by which any config refers to the bot's game."""
    beside = bot.path.parent / bot.config.game
    return str(beside.resolve()) if beside.is_file() else bot.config.game
