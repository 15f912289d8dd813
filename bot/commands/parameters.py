"""Types of what commands take: numbers that are finite and can be worked with, cards, games, files."""

from math import isfinite
from pathlib import Path
from typing import Any

import click

from limpet.configs.limits import LARGEST_WHOLE, MOST_THREADS
from limpet.configs.loading import load_game, mistakes
from limpet.protocol.cards import parse_cards
from limpet.protocol.gamedef import GameDef
from limpet.strategies.workers.processes import most_processes


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


class Deals(click.ParamType[tuple[int, ...]]):
    """Numbers of deals to draw in each round, as in ``16,8,8``."""

    name = "deals"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        parts = str(value).split(",")
        if not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
            self.fail(f"{value!r}: write whole numbers between commas, such as 16,8,8", param, ctx)
        return tuple(map(int, parts))


class Cards(click.ParamType[tuple[int, ...]]):
    """Cards as in ``Ks7h2d``, with or without blanks between them, as card ids. Raises `ConfigError`."""

    name = "cards"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        with mistakes():
            return tuple(parse_cards(value.replace(" ", "")))


class Board(Cards):
    """Up to five different board cards of hold'em. Raises `ConfigError`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        from limpet.strategies.cards.equity import check_board

        board = super().convert(value, param, ctx)
        with mistakes():
            check_board(board)
        return board


class Game(click.ParamType[GameDef]):
    """A game: a file, else one that ships. Raises `ValueError`."""

    name = "game"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> GameDef:
        if isinstance(value, GameDef):
            return value
        return GameDef.load(value) if Path(value).is_file() else load_game(value)


MOST_BOARDS = 1_000_000
"""Boards that are drawn and held before any of them is looked at."""
HANDS = Whole(1, 2**32 - 1)
"""Hands of a match."""
CARD_SEED = Whole(0, 2**32 - 1)
"""The seed of the cards of a match."""
THREADS = Whole(1, MOST_THREADS)
PROCESSES = Whole(1, most_processes())
"""Processes of this machine that work for one command."""

OLD_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
NEW_FILE = click.Path(path_type=Path, dir_okay=False)
NEW_FOLDER = click.Path(path_type=Path, file_okay=False)
"""A folder that may be there already."""
