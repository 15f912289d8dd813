"""Types of what commands take: numbers that are finite and can be worked with, cards, games, files."""

import re
from collections.abc import Callable
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from limpet.common.folders import strategy_folders
from limpet.common.workers import most_processes
from limpet.configs.fitting import LARGEST_WHOLE, MOST_THREADS
from limpet.configs.loading import SUFFIX, ConfigError, load_game, shipped_names
from limpet.dealer.table.terms import parse_ports
from limpet.protocol.cards import parse_cards
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef

T = TypeVar("T")


class Real(click.FloatRange):
    """A finite number. `click.FloatRange` takes NaN whatever its bounds, and infinity where it has no upper one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


class _Sized:
    """Refuses whole numbers that do not fit into 64 bits, for the kinds that mix it in."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        number: int = super().convert(value, param, ctx)  # type: ignore[misc]
        if abs(number) > LARGEST_WHOLE:
            raise click.BadParameter(f"{value} is more than {LARGEST_WHOLE}, the largest number taken.", ctx, param)
        return number


class Integer(_Sized, click.types.IntParamType):
    """Any whole number of at most 63 bits, with or without a sign."""


class Whole(_Sized, click.IntRange):
    """A whole number in a range, of at most 63 bits where the range has no end."""


class Parsed(click.ParamType[T]):
    """A text that the function `read` makes a value of.

    A `ConfigError` or `ProtocolError` of `read` is passed on; any other `ValueError` is wrong usage.
    """

    def __init__(self, name: str, read: Callable[[str], T], *kinds: str) -> None:
        """`kinds`: the kinds of files that ship, or strategies, whose names a shell completes, besides those of files."""
        self.name = name
        self._read = read
        self._kinds = kinds

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        if not self._kinds:
            return []
        names = sorted({name for kind in self._kinds for name in known_names(kind) if name.startswith(incomplete)})
        return [CompletionItem(incomplete, type="file"), *map(CompletionItem, names)]  # bash: files where no name fits

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> T:
        try:
            return self._read(value) if isinstance(value, str) else value
        except (ConfigError, ProtocolError):
            raise
        except ValueError as error:
            raise click.BadParameter(str(error)) from error


def known_names(kind: str) -> list[str]:
    """Return the names of one kind that commands take: of files that ship, or of strategies, the user's among them."""
    return [folder.name for folder in strategy_folders()] if kind == "strategies" else shipped_names(kind)


def _deals(text: str) -> tuple[int, ...]:
    if not re.fullmatch("[0-9]{1,9}(,[0-9]{1,9})*", text):
        raise ValueError(f"{text!r}: write whole numbers between commas, such as 16,8,8")
    return tuple(map(int, text.split(",")))


def _amounts(text: str) -> tuple[float, ...]:
    amounts = []
    for part in text.split(","):
        try:
            amount = float(part)
        except ValueError:
            raise ValueError(f"{part!r} in {text!r} is not a number; write numbers between commas") from None
        if not isfinite(amount) or amount < 0:
            raise ValueError(f"{part!r} in {text!r} does not fit; write finite numbers of 0 or more")
        if re.fullmatch(r"0\d+", part):
            raise ValueError(f"{part!r} in {text!r} reads like the end of a number; write 1000 for 1,000")
        amounts.append(amount)
    return tuple(amounts)


def _prizes(text: str) -> tuple[float, ...]:
    prizes = _amounts(text)
    if any(worse > better for better, worse in pairwise(prizes)):
        down = ",".join(f"{prize:g}" for prize in sorted(prizes, reverse=True))
        raise ValueError(f"a place in {text!r} pays more than a better one; begin with the first: {down}")
    return prizes


def _blinds(text: str) -> tuple[float, ...]:
    blinds = _amounts(text)
    if len(blinds) != 2:
        raise ValueError(f"{text!r}: write the small blind, a comma and the big blind, such as 0.5,1")
    return blinds


MOST_DEPTHS = 200
"""Largest number of depths that one command solves."""


def _depths(text: str) -> tuple[float, ...]:
    if span := re.fullmatch("([0-9]{1,7})-([0-9]{1,7})", text):
        first, last = map(int, span.groups())
        depths = tuple(map(float, range(first, min(last, first + MOST_DEPTHS) + 1)))
    else:
        depths = tuple(sorted(set(_amounts(text))))
    if not depths or depths[0] <= 0 or len(depths) > MOST_DEPTHS:
        raise ValueError(f"{text!r}: write whole depths such as 2-20, or up to {MOST_DEPTHS} above 0 between commas")
    return depths


def _span(text: str) -> tuple[float, float]:
    first, dash, last = text.partition("-")
    try:
        low, high = float(first or 0), float(last or "inf" if dash else "")
    except ValueError:
        low, high = 1.0, 0.0
    if not 0 <= low <= high:
        raise ValueError(f"{text!r}: write two numbers of 0 or more, such as 80-120, or one of them as in 80- and -120")
    return low, high


def _rake(text: str) -> dict[str, float]:
    amounts = _amounts(text)
    if len(amounts) > 2 or amounts[0] > 100 or amounts[1:] == (0,):
        raise ValueError(f"{text!r}: write a share of the pot in % and the most that is taken, such as 5,3, or 5 alone")
    return dict(zip(("percent", "cap"), amounts, strict=False))


def _cards(text: str) -> tuple[int, ...]:
    return parse_cards(text.replace(" ", ""))


def _board(text: str) -> tuple[int, ...]:
    from limpet.strategies.cards.equity import check_board

    board = _cards(text)
    check_board(board)
    return board


def read_game(name_or_path: str) -> GameDef:
    """Return the game of a file, else one that ships. Raises `ValueError`."""
    return GameDef.load(name_or_path) if Path(name_or_path).is_file() else load_game(name_or_path)


AMOUNTS = Parsed("amounts", _amounts)
"""Finite numbers of 0 or more, as in ``5000,3000,2000``."""
PRIZES = Parsed("amounts", _prizes)
"""Prizes from the first place down: no place pays more than a better one."""
BLINDS = Parsed("amounts", _blinds)
"""The small and the big blind, as in ``0.5,1``."""
DEPTHS = Parsed("depths", _depths)
"""Depths in big blinds, ascending, as in ``2-20`` or ``2,2.5,3``."""
RAKE = Parsed("rake", _rake)
"""A share of each pot in % and a cap, as in ``5,3`` or ``5``."""
SPAN = Parsed("span", _span)
"""The ends of a span of numbers of 0 or more, as in ``80-120``; without the last number it has no end."""
PORTS = Parsed("ports", parse_ports)
"""Ports between commas, 0 for any, as in ``20000,0``."""
DEALS = Parsed("deals", _deals)
"""Numbers of deals to draw in each round, as in ``16,8,8``."""
CARDS = Parsed("cards", _cards)
"""Cards as in ``Ks7h2d``, with or without blanks between them, as card ids. Raises `ProtocolError`."""
BOARD = Parsed("cards", _board)
"""Up to five different board cards of hold'em. Raises `ProtocolError`."""
ANY_CONFIG = Parsed("text", str, *SUFFIX)
GAME = Parsed("game", read_game, "games")
BOT, STRATEGY, GAME_NAME, TRAINING, TOURNAMENT, MATCH, STRUCTURE, SPOT = (
    Parsed("text", str, kind)
    for kind in ("bots", "strategies", "games", "training", "tournaments", "matches", "sit_and_go", "spots")
)
"""Names or files of these kinds, as they were written."""
MOST_BOARDS = 1_000_000
"""Largest number of boards that a command draws; all of them are held in memory at once."""
HANDS = Whole(1, 2**32 - 1)
"""Number of hands of a match."""
CARD_SEED = Whole(0, 2**32 - 1)
"""The seed of the cards of a match."""
THREADS = Whole(1, MOST_THREADS)
PROCESSES = Whole(1, most_processes())
"""Number of processes of this machine that share the work of one command."""

ANY_PATH = click.Path(path_type=Path)
OLD_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
NEW_FILE = click.Path(path_type=Path, dir_okay=False)
OLD_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
NEW_FOLDER = click.Path(path_type=Path, file_okay=False)
"""A folder that may be there already."""
