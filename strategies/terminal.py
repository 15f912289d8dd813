"""What commands show: tables and pictures on standard output, a bar for what takes long, numbers with their intervals."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from limpet.strategies.solving.simulation import Estimate


def standard_output(piped: int = 200) -> "Console":
    """Standard output, as wide as the terminal; `piped` columns where it goes into a file or another program."""
    from rich.console import Console

    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=piped)


@contextmanager
def progress(what: str, of: str, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr where somebody watches a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TextColumn(of))
    with Progress(
        *columns, TimeRemainingColumn(), console=console, transient=True, disable=quiet or not console.is_terminal
    ) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def told(found: "Estimate", unit: float) -> str:
    return f"{found.mean * unit:+,.1f}" + (f" ± {found.half_width * unit:,.1f}" if found.half_width else "")


def numbers(found: "Estimate", unit: float) -> dict[str, float | None]:
    half_width = found.half_width * unit
    return {"mean": found.mean * unit, "half_width": half_width if half_width < float("inf") else None}
