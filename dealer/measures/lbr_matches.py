"""Duplicate matches of the local best response against bots, and what they came to as a table."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
import yaml

from limpet.dealer.matches.match import TERMS_FILE, Watch, play_match
from limpet.dealer.matches.match_result import Interval, interval_text
from limpet.dealer.matches.matchconfig import Match, MatchConfig, resolve
from limpet.dealer.reports.report_document import Block, Heading, Paragraph, Sheet
from limpet.strategies.botconfig import Bot
from limpet.strategies.cards.handspace import is_holdem
from limpet.strategies.players.lbr import Start

NAME = "lbr"


class Won(msgspec.Struct, frozen=True):
    """What the local best response won from a bot, however it was measured."""

    bot: str
    sizes: str
    start: str
    duplicate_sets: int
    mbb_per_game: float
    interval_95: Interval

    @property
    def cells(self) -> tuple[str, ...]:
        """Those of its row under `FIRST_HEADINGS`."""
        return (
            self.bot,
            self.sizes,
            self.start,
            f"{self.duplicate_sets:,}",
            f"{self.mbb_per_game:+,.1f}",
            interval_text(self.interval_95),
        )


class Beaten(Won, frozen=True):
    """What it won in a match."""

    bootstrap_95: Interval
    hands_per_second: float
    """Of this run; 0 where all had been played before."""
    folder: str


def usual_start(bot: Bot) -> Start:
    """In hold'em its equities before the turn take long; other games begin with what it calls preflop."""
    return "turn" if is_holdem(bot.game) and not bot.game.num_board_cards[0] else "preflop"


def write_lbr(bot: Bot, path: Path, sizes: str = "fcpa", start: Start | None = None) -> None:
    """The config of the local best response to a bot, for `limpet match`; the usual start where none is given."""
    config = {
        "name": NAME,
        "player": "lbr",
        "game": _game_text(bot, path.parent),
        "seed": 1,
        "options": {"opponent": str(bot.path.resolve()), "sizes": sizes, "start": start or usual_start(bot)},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")


def lbr_match(bot: Bot, root: Path, sizes: str, start: Start, hands: int, seed: int) -> Match:
    """A duplicate match against one bot, its config written into `root`. Raises `ConfigError`."""
    name = f"{bot.name}-{sizes}-{start}"
    path = root / f"{name}.yaml"
    write_lbr(bot, path, sizes, start)
    players = [str(path.resolve()), str(bot.path.resolve())]
    game = _game_text(bot, root)
    return resolve(MatchConfig(name, players, hands=hands, seed=seed, duplicate=True, game=game), root)


def play_lbr(match: Match, bot: Bot, root: Path, sizes: str, start: Start, watch: Watch) -> Beaten:
    """Play a match of `lbr_match` in this process, or what is missing of it.

    Raises `ConfigError`, also for a folder in which another bot of that name played.
    """
    folder = root / f"{match.name}-{match.hands}-{match.seed}"
    result = play_match(match, folder, True, (folder / TERMS_FILE).exists(), watch)
    player = result.players[0]
    return Beaten(
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


FIRST_HEADINGS = ("bot", "raises", "from", "duplicate sets", "LBR wins, mbb/g", "95 % interval")
HEADINGS = (*FIRST_HEADINGS, "bootstrap", "hands/s")


def rows(beaten: Iterable[Beaten]) -> Iterator[tuple[str, ...]]:
    """One for each match, as tables show it."""
    for found in beaten:
        yield (
            *found.cells,
            interval_text(found.bootstrap_95),
            f"{found.hands_per_second:,.1f}" if found.hands_per_second else "-",
        )


def lbr_document(beaten: Sequence[Beaten], command: str) -> list[Block]:
    """The table as a page."""
    return [
        Heading(1, "Local best response"),
        Paragraph(
            "What a player wins from each bot who knows its strategy and looks one bet ahead. A win shows that the bot "
            f"can be exploited by at least as much; a loss shows nothing. {command}"
        ),
        Sheet(HEADINGS, tuple(rows(beaten))),
    ]


def _game_text(bot: Bot, folder: Path) -> str:
    """How a config in another folder names the bot's game."""
    beside = bot.path.parent / bot.config.game
    return str(beside.resolve()) if beside.is_file() else bot.config.game
