"""Kinds of numbers that options of commands take: finite, and no larger than what can be done with them."""

from math import isfinite
from typing import Any

import click

from limpet.configs.limits import LARGEST_WHOLE, MOST_THREADS
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
    """How many deals to draw a round, as ``16,8,8``."""

    name = "deals"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        parts = str(value).split(",")
        if not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
            self.fail(f"{value!r}: write whole numbers between commas, such as 16,8,8", param, ctx)
        return tuple(map(int, parts))


MOST_BOARDS = 1_000_000
"""Boards that are drawn and held before any of them is looked at."""
THREADS = Whole(1, MOST_THREADS)
PROCESSES = Whole(1, most_processes())
"""Processes of this machine that work for one command."""
