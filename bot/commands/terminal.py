"""What commands show: tables and pictures on standard output, a bar for what takes long, numbers with their intervals."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from limpet.strategies.statistics.estimate import Estimate

LINE_SECONDS = 30.0
"""Between two lines of what takes long, where no terminal shows a bar."""


def standard_output(piped: int = 200) -> "Console":
    """Standard output, as wide as the terminal; `piped` columns where it goes into a file or another program."""
    from rich.console import Console

    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=piped)


@contextmanager
def progress(
    what: str, of: str, quiet: bool, console: "Console | None" = None, clock: Callable[[], float] = time.monotonic
) -> Iterator[Callable[[int, int], None]]:
    """Follows what takes long on stderr: a bar on a terminal, a plain line every `LINE_SECONDS` elsewhere."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = console or Console(stderr=True)
    if quiet or not console.is_terminal:
        yield (lambda done, total: None) if quiet else _lines(what, of, console, clock)
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TextColumn(of))
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


class TimeLeft:
    """How long what has begun will still take, by its speed since it was first asked about: what an earlier run had done
    then says nothing of it."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._first: tuple[float, int] | None = None

    def __call__(self, done: int, total: int) -> str:
        """``, 0:12:30 left``, to be added to a line; empty while there is no speed."""
        now = self._clock()
        self._first = self._first or (now, done)
        seconds, more = now - self._first[0], done - self._first[1]
        return f", {timedelta(seconds=round(seconds * (total - done) / more))} left" if more else ""


def _lines(what: str, of: str, console: "Console", clock: Callable[[], float]) -> Callable[[int, int], None]:
    last, time_left = [clock()], TimeLeft(clock)

    def report(done: int, total: int) -> None:
        left = time_left(done, total)
        if clock() - last[0] >= LINE_SECONDS:
            last[0] = clock()
            console.print(f"{what}: {done:,} of {total:,} {of}{left}", soft_wrap=True, markup=False)

    return report


def told(found: "Estimate", unit: float) -> str:
    return f"{found.mean * unit:+,.1f}" + (f" ± {found.half_width * unit:,.1f}" if found.half_width else "")


def numbers(found: "Estimate", unit: float) -> dict[str, float | None]:
    half_width = found.half_width * unit
    return {"mean": found.mean * unit, "half_width": half_width if half_width < float("inf") else None}
