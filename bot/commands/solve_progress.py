"""The progress of a solve: a live line on a terminal, a plain line now and then elsewhere."""

import resource
import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from limpet.strategies.solutions.run import Solve

LINE_SECONDS = 10.0  # between two lines when nobody watches a terminal


class ProgressLine:
    """Called with the solve after every look at it."""

    def __init__(self, console: Console, quiet: bool = False) -> None:
        self._console = console
        self._live = Live(console=console, transient=True, auto_refresh=False) if _watched(console, quiet) else None
        self._quiet = quiet
        self._printed = time.monotonic() - (LINE_SECONDS - 1)  # the first line comes after a second

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _value: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, solve: Solve) -> None:
        if self._quiet:
            return
        now = time.monotonic()
        if self._live is not None:
            if now - self._printed > 0.1:
                self._printed = now
                self._live.update(Text(progress_text(solve)), refresh=True)
        elif now - self._printed > LINE_SECONDS:
            self._printed = now
            self._console.print(progress_text(solve), highlight=False, soft_wrap=True)


def progress_text(solve: Solve) -> str:
    """Iteration, ε, time so far and to come, memory of this process."""
    last = solve.checks[-1]
    found = last.exploitability
    return (
        f"iteration {last.iteration:,} of {solve.spot.iterations:,}, exploitability {found.percent:.3f} % of the pot "
        f"({found.mbb:,.1f} mbb/g), {last.seconds:,.1f} s, about {solve.seconds_left():,.0f} s left, {_memory()}"
    )


def _watched(console: Console, quiet: bool) -> bool:
    return console.is_terminal and not quiet


def _memory() -> str:
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return f"{used / 2**30:.1f} GiB in use" if used >= 2**30 else f"{used / 2**20:.0f} MiB in use"
