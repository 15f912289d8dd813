"""Measures of what the local best response wins from bots, in duplicate matches or by full ranges, and their table.

A match is played in this process and kept in a folder. By full ranges (`line_measure`) each duplicate set is a line of a
file. Either goes on where it stopped.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import get_args

import msgspec
import yaml

from limpet.common.folders import replace_file
from limpet.common.statistics import Interval, estimate
from limpet.common.workers import Report, silent
from limpet.configs.loading import ConfigError
from limpet.dealer.matches.match import TERMS_FILE, run_match
from limpet.dealer.matches.match_result import Watch
from limpet.dealer.matches.matchconfig import Match, MatchConfig, resolve
from limpet.dealer.matches.results import interval_text
from limpet.dealer.measures.line_measure import (
    LineTerms,
    MeasuredLine,
    PartWon,
    hours_to_narrow,
    line_terms,
    measured,
    parts_won,
    wins,
)
from limpet.dealer.reports.report_document import Block, Heading, Paragraph, Sheet
from limpet.strategies.abstraction.menu import STREETS
from limpet.strategies.base.botconfig import Bot, load_bot
from limpet.strategies.cards.handspace import is_holdem
from limpet.strategies.holdem.measures.line_play import Before
from limpet.strategies.players.lbr import Sizes, Start

NAME = "lbr"
BY_KIND = (
    "The same by kind of pot, by pots behind where the response begins (on the flop where it begins before), and by street; each "
    "adds up to the whole. 'over' is what hands bring that ended before. A street has what play on it wins beyond checking down "
    "from its beginning, and the first street the rest."
)


class Won(msgspec.Struct, frozen=True):
    """Winnings of the local best response from a bot, however they were measured."""

    bot: str
    sizes: str
    start: str
    duplicate_sets: int
    mbb_per_game: float
    interval_95: Interval

    @property
    def raises(self) -> str:
        """Return the raises of the response, and what it learnt from."""
        return self.sizes

    @property
    def cells(self) -> tuple[str, ...]:
        """Cells of the result's row of the table."""
        won = f"{self.mbb_per_game:+,.1f}"
        return self.bot, self.raises, self.start, f"{self.duplicate_sets:,}", won, interval_text(self.interval_95)


class WonInMatch(Won, frozen=True):
    """Winnings of the local best response from a bot in a match.

    Attributes:
        hands_per_second: speed of this run; 0 where all hands had been played before.
    """

    bootstrap_95: Interval
    hands_per_second: float
    folder: str

    @property
    def cells(self) -> tuple[str, ...]:
        speed = f"{self.hands_per_second:,.1f}" if self.hands_per_second else "-"
        return (*super().cells, interval_text(self.bootstrap_95), speed)


class WonByRanges(Won, frozen=True):
    """Winnings of the local best response from a bot by full ranges.

    Attributes:
        reached: share of the hands that came to the street on which the response begins.
        learnt: number of sets from which it learnt first what the local best response does not see.
        less_than_first: mbb/g won less than from the bot named first, in the same deals; None for that bot.
        seconds_a_set, hours_to_50: processor time for a set, and until the interval would be 50 mbb/g to each side.
        parts: what comes from each kind of pot and each depth.
    """

    reached: float
    learnt: int
    less_than_first: float | None
    less_interval_95: Interval
    seconds_a_set: float
    hours_to_50: float | None
    parts: list[PartWon]

    @property
    def raises(self) -> str:
        return f"{self.sizes}, learnt from {self.learnt:,}" if self.learnt else self.sizes

    @property
    def cells(self) -> tuple[str, ...]:
        less = "-" if self.less_than_first is None else f"{self.less_than_first:+,.1f}"
        hours = "-" if self.hours_to_50 is None else f"{self.hours_to_50:.2g}"
        return (*super().cells, less, interval_text(self.less_interval_95), f"{self.seconds_a_set:.2g}", hours)


def usual_start(bot: Bot) -> Start:
    """Return the street from which a bot is usually measured: in hold'em, equities before the turn take long."""
    return "turn" if is_holdem(bot.game) and not bot.game.num_board_cards[0] else "preflop"


def write_lbr(bot: Bot, path: Path, sizes: str = "fcpa", start: Start | None = None) -> None:
    """Write the config of the local best response to a bot, for `limpet match`; from the usual start if none is given."""
    options = {"opponent": str(bot.path.resolve()), "sizes": sizes, "start": start or usual_start(bot)}
    config = {"name": NAME, "player": "lbr", "game": _game_name(bot), "seed": 1, "options": options}
    replace_file(path, yaml.safe_dump(config, sort_keys=False))


def play_lbr(
    bot: Bot, root: Path, sizes: str, start: Start, hands: int, seed: int,
    watching: Callable[[Match], AbstractContextManager[Watch]],
) -> WonInMatch:  # fmt: skip
    """Play a duplicate match against a bot in this process, or what is missing of it. Its config is written into `root`.

    `watching` shows the match while it is played. Raises `ConfigError`, also for a folder in which another bot of that
    name played.
    """
    name = f"{bot.name}-{sizes}-{start}"
    path, folder = root / f"{name}.yaml", root / f"{name}-{hands}-{seed}"
    write_lbr(bot, path, sizes, start)
    players = [str(path.resolve()), str(bot.path.resolve())]
    match = resolve(MatchConfig(name, players, hands=hands, seed=seed, duplicate=True, game=_game_name(bot)), root)
    with watching(match) as watch:
        result = run_match(match, folder, "in-process", (folder / TERMS_FILE).exists(), watch)
    player = result.players[0]
    won = (result.samples, player.mbb_per_game, player.interval_95, player.bootstrap_95)
    return WonInMatch(bot.name, sizes, start, *won, result.hands_per_second, str(folder))


def local_best_response(
    bot: str | Path | Bot, sets: int = 100, sizes: Sizes = "fcpa", start: Start = "turn", seed: int = 1,
    iterations: int | None = None, jobs: int = 1, report: Report = silent, learn: int = 0,
) -> WonByRanges:  # fmt: skip
    """Return what the local best response wins from a bot at heads-up hold'em, all hands against all hands, mbb/g.

    Args:
        sets: number of duplicate sets that are sampled.
        sizes: raises of the response: ``fcpa`` for the pot and all-in, ``many`` for 56 sizes.
        start: street on which the response begins; before it, it checks and calls.
        iterations: iterations of the bot's solves in place of its config's; its clock is left aside.
        jobs: number of processes.
        report: called with the number of sets done, and of all.
        learn: number of sets of which it learns first what betting after its next action brings.

    Raises `ConfigError` for a game or a bot that cannot be measured so, and for a number or a word that is none of these.
    """
    for what, word, words in (("sizes", sizes, get_args(Sizes)), ("start", start, STREETS)):
        if word not in words:
            raise ConfigError(f"no {what} {word!r}; there are {', '.join(words)}")
    if sets < 1 or learn < 0:
        raise ConfigError(
            f"{sets} sets, after learning from {learn}: take at least one, and none or more to learn from"
        )
    loaded = bot if isinstance(bot, Bot) else load_bot(bot)
    terms = line_terms(loaded, "name a bot of heads-up hold'em", "lbr", start, seed, iterations, sizes, "call", learn)
    return won_by_ranges(loaded, terms, measured(loaded, terms, sets, report, jobs=jobs), None)


def ranges_terms(
    bot: Bot,
    sizes: Sizes,
    start: Start,
    seed: int,
    before: Before = "call",
    iterations: int | None = None,
    learn: int = 0,
) -> LineTerms:
    """Return the terms of a measure by full ranges. Raises `ConfigError` for a game or a bot that cannot be measured so."""
    return line_terms(bot, "leave out --full-ranges", "lbr", start, seed, iterations, sizes, before, learn)


def ranges_file(bot: Bot, root: Path, terms: LineTerms) -> Path:
    """Return where the samples of a measure are kept."""
    before = "" if terms.before == "call" else f"-as-{terms.before}"
    learnt = f"-learnt-{terms.learn}" if terms.learn else ""
    return root / f"{bot.name}-{terms.sizes}-{terms.start}{before}{learnt}-ranges-{terms.seed}.jsonl"


def won_by_ranges(
    bot: Bot, terms: LineTerms, dealt: Sequence[MeasuredLine], first: Sequence[MeasuredLine] | None
) -> WonByRanges:
    """Sum up the duplicate sets of a bot. first: those of the bot named first; None for that bot itself."""
    won = wins(dealt)
    mean, less = estimate(won), None
    if first is not None:
        less = estimate([other - one for other, one in zip(wins(first), won, strict=True)])
    street = STREETS.index(terms.start)
    return WonByRanges(
        bot=bot.name,
        sizes=terms.sizes,
        start=terms.start,
        duplicate_sets=len(won),
        learnt=terms.learn,
        reached=sum(each.come[street - 1] for each in dealt) / len(dealt) if street else 1.0,
        mbb_per_game=mean.mean,
        interval_95=mean.interval,
        less_than_first=None if less is None else less.mean,
        less_interval_95=(None, None) if less is None else less.interval,
        seconds_a_set=sum(each.seconds for each in dealt) / len(dealt),
        hours_to_50=hours_to_narrow(dealt, mean.interval),
        parts=parts_won(dealt),
    )


def lbr_document(won: Sequence[Won], command: str, full_ranges: bool = False) -> list[Block]:
    """Return the results as a page with one table."""
    title, how = "Local best response", ""
    learnt = ", or learnt what comes after it" if any(each.raises != each.sizes for each in won) else ""
    more: tuple[str, ...] = ("bootstrap", "hands/s")
    if full_ranges:
        title, how = f"{title}, full ranges", ", all hands against all hands on the boards dealt"
        more = ("less than from the first", "95 % interval", "s a set", "h to ±50")
    whose, wins = ("bot", "raises", "from"), ("LBR wins, mbb/g", "95 % interval")
    page: list[Block] = [
        Heading(1, title),
        Paragraph(
            f"What a player wins from each bot who knows its strategy and looks one bet ahead{learnt}{how}. A win shows that the "
            f"bot can be exploited by at least as much; a loss shows nothing. {command}"
        ),
        Sheet((*whose, "duplicate sets", *wins, *more), tuple(each.cells for each in won)),
    ]
    by_kind = tuple(
        (each.bot, each.raises, each.start, part.kind, f"{part.mbb_per_game:+,.1f}", interval_text(part.interval_95))
        for each in won
        if isinstance(each, WonByRanges)
        for part in each.parts
    )
    if by_kind:
        page += [Paragraph(BY_KIND), Sheet((*whose, "kind of spot", *wins), by_kind)]
    return page


def _game_name(bot: Bot) -> str:
    """Return the name by which any config refers to the bot's game."""
    beside = bot.path.parent / bot.config.game
    return str(beside.resolve()) if beside.is_file() else bot.config.game
