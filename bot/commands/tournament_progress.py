"""What a running tournament shows: a bar with the time left on a terminal, a line now and then elsewhere."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from limpet.bot.commands.terminal import TimeLeft
from limpet.dealer.tournaments.tournament import Progress as Follow
from limpet.dealer.tournaments.tournament import TableRecord

LINE_SECONDS = 10.0
"""Between two plain lines."""


@contextmanager
def following(
    name: str, console: Console | None = None, clock: Callable[[], float] = time.monotonic
) -> Iterator[Follow]:
    """Follows a tournament on standard error."""
    console = console or Console(stderr=True)
    if not console.is_terminal:
        last, time_left = [clock()], TimeLeft(clock)

        def line(hands: int, most: int, tables: Sequence[TableRecord]) -> None:
            left = time_left(hands, most)
            if clock() - last[0] >= LINE_SECONDS:
                last[0] = clock()
                text = f"{name}: {hands:,} of {most:,} hands{left}, {standing(tables)}"
                console.print(text, soft_wrap=True, markup=False)

        yield line
        return
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(20),
        TextColumn("{task.completed:,.0f}/{task.total:,.0f} hands"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[standing]}"),
        console=console,
    )
    task = bar.add_task(name, total=1, standing="")
    begun = [False]

    def show(hands: int, most: int, tables: Sequence[TableRecord]) -> None:
        if not begun[0]:
            begun[0] = True
            bar.reset(task, total=most, completed=hands)  # what an earlier run has played says nothing about speed
        bar.update(task, completed=hands, total=most, standing=standing(tables))

    with bar:
        yield show


def standing(tables: Sequence[TableRecord]) -> str:
    """How many tables have been decided, failed, and begun."""
    begun = sum(bool(table.matches) for table in tables)
    decided = sum(table.decision is not None for table in tables)
    failed = sum(table.failure is not None for table in tables)
    parts = [f"{begun} of {len(tables)} tables begun"]
    parts += [f"{decided} decided"] if decided else []
    parts += [f"{failed} failed"] if failed else []
    return ", ".join(parts)
