"""Shows how far a training run is: its speed, its measures, the time left, and every point that took time to measure."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from limpet.bot.commands.progress import OFTEN, Display
from limpet.bot.commands.terminal import print_line
from limpet.strategies.blueprint.training_curve import Point, exploitability_text
from limpet.strategies.training.training import Progress

if TYPE_CHECKING:
    from rich.console import Console

    from limpet.strategies.training.run import Run

ASIDE = "measuring"
"""Stage after which the one before goes on."""


@contextmanager
def following(training: "Run", console: "Console", clock: Callable[[], float] = time.monotonic) -> Iterator[None]:
    """Within, show the progress of a run."""
    with Display(console=console, clock=clock, stays=True, every=OFTEN) as display:
        training.report = Follower(display)
        yield


class Follower:
    """Shows on a display what a run reports."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._first: dict[str, Progress] = {}
        self._stage = ""
        self._point: Point | None = None

    def __call__(self, progress: Progress) -> None:
        if self._stage == ASIDE != progress.stage:
            self._display.end(ASIDE)
            del self._first[ASIDE]
        self._stage = progress.stage
        first = self._first.setdefault(progress.stage, progress)
        if progress.point is not None and progress.point is not self._point:
            self._point = progress.point
            self._print_point(progress.point)
        passed = max(progress.seconds - first.seconds, 1e-9)
        rate = (progress.done - first.done) / passed
        facts = [f"{rate:,.0f}/s" if rate >= 10 else f"{rate:,.2g}/s"] if progress.stage != ASIDE else []
        if progress.visits:
            facts.append(f"{(progress.visits - first.visits) / passed / 1e6:.1f} M visits/s")
        if progress.average_regret is not None:
            facts.append(f"average regret {progress.average_regret:,.4g} mbb/g")
        if progress.point is not None and exploitability_text(progress.point):
            facts.append(exploitability_text(progress.point))
        facts.append(f"{timedelta(seconds=round(progress.seconds))} so far")
        self._display.show(progress.stage, "", progress.done, progress.total, lambda: ", ".join(facts))

    def _print_point(self, point: Point) -> None:
        """Print a line that stays, for points that are worth one: those of small games come by the dozen."""
        if point.how == "exact":
            return
        value = "" if point.value is None else f", position 0 wins {point.value:+,.1f} ± {point.half_width:,.1f} mbb/g"
        regret = "" if point.average_regret is None else f"average regret {point.average_regret:,.4g} mbb/g, "
        after = f"after {point.seconds / 60:,.1f} min, {point.iteration:,} iterations"
        print_line(self._display.console, f"{after}: {regret}{exploitability_text(point)}{value}")
