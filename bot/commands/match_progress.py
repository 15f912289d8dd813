"""What a running match shows: a live line on a terminal, plain lines elsewhere, and the table at the end."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from limpet.bot.commands.terminal import TimeLeft, standard_output
from limpet.dealer.matches.match_result import MatchResult, SeatingLog, estimates, interval_text
from limpet.dealer.matches.matchconfig import Match
from limpet.strategies.statistics.resampling import deals_needed, effect_shown

LINE_SECONDS = 10.0
"""Between two plain lines."""
REFRESH_SECONDS = 0.25

Show = Callable[[Sequence[SeatingLog]], None]


@contextmanager
def watching(
    match: Match, console: Console | None = None, clock: Callable[[], float] = time.monotonic
) -> Iterator[Show]:
    """Follows a match on standard error: a progress bar on a terminal, plain lines every `LINE_SECONDS` elsewhere."""
    console = console or Console(stderr=True)
    total = match.hands * len(match.seatings)
    if not console.is_terminal:
        time_left = TimeLeft(clock)

        def line(logs: Sequence[SeatingLog]) -> None:
            left = time_left(_played(logs), total)
            console.print(progress_line(match, logs, left), soft_wrap=True, markup=False)

        yield _every(LINE_SECONDS, clock, line)
        return
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[speed]} hands/s  {task.fields[standing]}", markup=False),
        console=console,
        auto_refresh=False,
    )
    task = bar.add_task(match.name, total=total, speed="-", standing="")
    began: list[tuple[float, int]] = []

    def show(logs: Sequence[SeatingLog]) -> None:
        played = _played(logs)
        began[:] = began or [(clock(), played)]
        seconds, hands = clock() - began[0][0], played - began[0][1]
        speed = f"{hands / seconds:,.0f}" if seconds > 1 else "-"
        bar.update(task, completed=played, speed=speed, standing=standing(match, logs))
        bar.refresh()

    with bar:
        yield _every(REFRESH_SECONDS, clock, show)


def _every(seconds: float, clock: Callable[[], float], show: Show) -> Show:
    last = [clock()]

    def watch(logs: Sequence[SeatingLog]) -> None:
        if clock() - last[0] >= seconds:
            last[0] = clock()
            show(logs)

    return watch


def progress_line(match: Match, logs: Sequence[SeatingLog], left: str = "") -> str:
    """One plain line: how far the match is, what is `left` of it (see `TimeLeft`) and who leads."""
    total = match.hands * len(match.seatings)
    seating = f"{match.name}: seating {len(logs)} of {len(match.seatings)}"
    return f"{seating}, {_played(logs):,} of {total:,} hands{left}  {standing(match, logs)}"


def standing(match: Match, logs: Sequence[SeatingLog]) -> str:
    """The players' mbb/g with half of their 95 % interval, over the deals that all seatings have played.

    While the first seating is being played, over its hands alone. In a heads-up match one player says it all.
    """
    found = estimates(match, logs) or estimates(match, logs[:-1]) if logs else None
    if found is None:
        return ""
    shown = list(zip(match.names, found, strict=True))
    parts = [f"{name} {value}" for name, value in (shown[:1] if len(shown) == 2 else shown)]
    return ", ".join(parts) + " mbb/g"


def _played(logs: Sequence[SeatingLog]) -> int:
    return sum(log.played for log in logs)


def power_line(result: MatchResult) -> str:
    """What true difference so many samples show, and how many it takes for a tenth of it; empty where nothing varied."""
    spread = max(player.sd for player in result.players)
    if result.samples < 2 or spread == 0:
        return ""
    shown = effect_shown(spread, result.samples)
    needed = deals_needed(spread, shown / 10)
    return (
        f"As many show a true difference of {shown:,.1f} mbb/g four times in five (80 % power at 5 %); "
        f"{shown / 10:,.1f} mbb/g takes {needed:,} {result.sample}s."
    )


def result_table(result: MatchResult, folder: Path, console: Console | None = None) -> None:
    """The final table, on standard output."""
    console = console or standard_output()
    speed = f", {result.hands_per_second:,.0f} hands/s" if result.hands_per_second else ""
    plain: dict[str, Any] = {"soft_wrap": True, "highlight": False, "markup": False}
    console.print(f"{result.match}: {result.sampled}, seed {result.seed}, {result.how}{speed}", **plain)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("player", "chips", "mbb/g", "95 % interval", "bootstrap"):
        table.add_column(heading, justify="left" if heading == "player" else "right", overflow="fold")
    for player in result.players:
        table.add_row(
            Text(player.name),
            f"{player.chips:+,.0f}",
            f"{player.mbb_per_game:+,.1f}",
            interval_text(player.interval_95),
            interval_text(player.bootstrap_95),
        )
    console.print(table)
    for player in result.players:
        if report := ", ".join(f"{name} {value:,}" for name, value in player.report.items() if value):
            console.print(f"{player.name}: {report}", **plain)
        if failed := player.report.get("failures", 0):
            where = f": {folder / f'seating-*.{player.name}.err'} says why" if result.how == "tcp" else ""
            console.print(f"WARNING: {player.name} failed in {failed:,} decisions and called instead{where}", **plain)
    if power := power_line(result):
        console.print(power, **plain)
    kept = "Logs and result.json" if any(seating.log for seating in result.seatings) else "result.json"
    console.print(f"{kept}: {folder}", **plain)
