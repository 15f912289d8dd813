"""Progress of long work on standard error: a bar with the time left on a terminal, a line now and then elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from limpet.bot.commands.terminal import print_line
from limpet.protocol.archives.hand_file import HandFile

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID

LINE_SECONDS = 30.0
"""Seconds between two plain lines, where no terminal shows a bar."""
OFTEN = 10.0
"""Seconds between two plain lines of work whose lines say more than its progress."""
BAR_SECONDS = 0.1
"""Shortest time between two updates of a terminal, in seconds."""
LONG_BYTES = 5_000_000
"""Logs of fewer bytes are read without a bar."""

Text = Callable[[], str]


class Display:
    """Shows one or several stages of work: bars on a terminal, plain lines elsewhere, nothing if `quiet`.

    Bars that stay are left on the terminal when the work is done. `every` is the seconds between two plain lines.
    """

    def __init__(
        self, quiet: bool = False, console: "Console | None" = None, clock: Callable[[], float] = time.monotonic,
        stays: bool = False, every: float = LINE_SECONDS,
    ) -> None:  # fmt: skip
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self.console = console or Console(stderr=True)
        self._quiet, self._clock, self._every = quiet, clock, every
        self.on_terminal = self.console.is_terminal and not quiet
        stage, counts, note = (
            TextColumn(f"{{task.{part}}}", markup=False) for part in ("description", "fields[counts]", "fields[note]")
        )
        columns = (stage, BarColumn(), counts, TimeRemainingColumn(), note)
        self._bars = Progress(*columns, console=self.console, transient=not stays, disable=not self.on_terminal)
        self._tasks: dict[str, TaskID] = {}
        self._began: dict[str, tuple[float, int]] = {}  # time of a stage's first count, and the count
        self._next = clock() + (0 if self.on_terminal else every)

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._bars.stop()

    def begin(self, stage: str) -> None:
        self._tasks[stage] = self._bars.add_task(stage, total=None, counts="", note="")

    def end(self, stage: str) -> None:
        self._bars.remove_task(self._tasks.pop(stage))
        del self._began[stage]

    def show(self, stage: str, done: int, total: int, of: str = "", note: Text | None = None) -> None:
        """Show that `done` of `total` units are done, `of` in plural, and what `note` returns, unless that was done just before."""
        if stage not in self._tasks:
            self.begin(stage)
        now = self._clock()
        if stage not in self._began:
            self._began[stage] = now, done
            self._bars.reset(self._tasks[stage], total=total, completed=done)
        ended = self.on_terminal and done >= total
        if self._quiet or now < self._next and not ended:
            return
        self._next = now + (BAR_SECONDS if self.on_terminal else self._every)
        counts, text = f"{done:,} of {total:,} {of}".rstrip(), note() if note else ""
        if self.on_terminal:
            self._bars.update(self._tasks[stage], total=total, completed=done, counts=counts, note=text)
        else:
            began, before = self._began[stage]  # what earlier runs did says nothing of this one's speed
            seconds, more = now - began, done - before
            left = f", {timedelta(seconds=round(seconds * (total - done) / more))} left" if more else ""
            print_line(self.console, f"{stage}: {counts}{left}" + (f", {text}" if text else ""))


@contextmanager
def progress(
    stage: str, of: str, quiet: bool = False, console: "Console | None" = None, **look: Any
) -> Iterator[Callable[..., None]]:
    """Yield a function ``report(done, total, note)`` for one stage of work; `look`: see `Display`, `note`: see `Display.show`."""
    with Display(quiet, console, **look) as display:
        display.begin(stage)
        yield lambda done, total, note=None: display.show(stage, done, total, of, note)


@contextmanager
def reading_logs(doing: str, paths: list[Path], hidden: bool = False) -> "Iterator[Callable[[HandFile], None]]":
    """Yield a function to be called with logs as they are read; a bar shows on a terminal if that takes a while.

    hidden: show nothing, because the result is printed meanwhile.
    """
    total = sum(path.stat().st_size for path in paths)
    read: dict[Path, int] = {}
    with Display(quiet=hidden or total < LONG_BYTES) as display:

        def look(stream: HandFile) -> None:
            read[stream.path] = stream.bytes_read
            if display.on_terminal:
                display.show(doing, sum(read.values()), total, "bytes")

        yield look
