"""What a training run shows: a bar with ETA on a terminal, a line now and then elsewhere, and every point that took time."""

import time
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from limpet.strategies.blueprint.training_curve import Point, told
from limpet.strategies.training.training import Progress

LINE_SECONDS = 15.0  # between two lines when nobody watches a terminal
ASIDE = "measuring"  # a stage after which the one before goes on


class Display:
    """Called with a run's progress."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._tasks: dict[str, TaskID] = {}
        self._first: dict[str, Progress] = {}
        self._stage = ""
        self._printed = time.monotonic()
        self._point: Point | None = None
        self._bar = Bar(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[told]}"),
            TimeElapsedColumn(), TimeRemainingColumn(), console=console, disable=not console.is_terminal,
        )  # fmt: skip

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._bar.stop()

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        self._change_to(progress)
        first = self._first[progress.stage]
        passed = max(progress.seconds - first.seconds, 1e-9)
        rate = (progress.done - first.done) / passed
        parts = [f"{rate:,.0f}/s"] if progress.stage != ASIDE else []
        if progress.visits:
            parts.append(f"{(progress.visits - first.visits) / passed / 1e6:.1f} M visits/s")
        if progress.average_regret is not None:
            parts.append(f"average regret {progress.average_regret:,.4g} mbb/g")
        if progress.point is not None and told(progress.point):
            parts.append(told(progress.point))
        line = ", ".join(parts)
        self._bar.update(
            self._tasks[progress.stage], completed=progress.done, total=progress.total, told=line, refresh=False
        )
        if progress.point is not None and progress.point is not self._point:
            self._tell(progress.point)
        if not self._console.is_terminal and now - self._printed > LINE_SECONDS:
            self._printed = now
            left = (progress.total - progress.done) / rate if rate else 0.0
            share = 100 * progress.done / progress.total
            told_left = f", {left:,.0f} s left" if progress.stage != ASIDE else ""
            self._console.print(
                f"{progress.stage}: {share:.1f} %, {line}{told_left}".rstrip(", "), highlight=False, soft_wrap=True
            )

    def _change_to(self, progress: Progress) -> None:
        if progress.stage == self._stage:
            return
        if self._stage == ASIDE:
            self._bar.remove_task(self._tasks.pop(ASIDE))
            self._first.pop(ASIDE)
        if progress.stage not in self._tasks:
            self._first[progress.stage] = progress
            self._tasks[progress.stage] = self._bar.add_task(
                progress.stage, total=progress.total, completed=progress.done, told=""
            )
        self._stage = progress.stage

    def _tell(self, point: Point) -> None:
        """A line that stays, for points that are worth one: those of small games come by the dozen."""
        self._point = point
        if point.how == "exact":
            return
        value = "" if point.value is None else f", position 0 wins {point.value:+,.1f} ± {point.half_width:,.1f} mbb/g"
        regret = "" if point.average_regret is None else f"average regret {point.average_regret:,.4g} mbb/g, "
        self._console.print(
            f"after {point.seconds / 60:,.1f} min, {point.iteration:,} iterations: {regret}{told(point)}{value}",
            highlight=False,
            soft_wrap=True,
        )
