"""Shows a running match on standard error and its result as a table."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from limpet.bot.commands.progress import OFTEN, progress
from limpet.bot.commands.terminal import print_line, print_table, standard_output
from limpet.common.statistics import deals_needed, effect_shown
from limpet.dealer.matches.match_result import MatchResult, SeatingLog, estimates
from limpet.dealer.matches.matchconfig import Match
from limpet.dealer.matches.results import interval_text
from limpet.protocol.settlement import vanished_text

if TYPE_CHECKING:
    from rich.console import Console

WHOLE = 0.5
"""Chips by which the scores of a match may fail to add up to 0, because shares of split pots are rounded."""
GETTING_READY = "the first hand is being played; a machine's first match compiles our players, once, for 2 to 25 s"
Show = Callable[[Sequence[SeatingLog]], None]


@contextmanager
def watching(
    match: Match, console: "Console | None" = None, clock: Callable[[], float] = time.monotonic
) -> Iterator[Show]:
    """Yield a function to be called with a match's logs as they grow; it shows the match's progress and who leads."""
    total = match.config.hands * len(match.seatings)
    began: list[tuple[float, int]] = []
    with progress(match.config.name, "hands", console=console, clock=clock, stays=True, every=OFTEN) as report:

        def show(logs: Sequence[SeatingLog]) -> None:
            played = sum(log.played for log in logs)
            began[:] = began or [(clock(), played)]

            def note() -> str:
                seconds, hands = clock() - began[0][0], played - began[0][1]
                speed = f"{hands / seconds:,.0f}" if seconds > 1 else "-"
                how = f"{speed} hands/s  {standing(match, logs)}" if played else GETTING_READY
                return f"seating {len(logs)} of {len(match.seatings)}, {how}"

            report(played, total, note)

        yield show


def standing(match: Match, logs: Sequence[SeatingLog]) -> str:
    """Return the players' mbb/g with half of their 95 % interval, over the deals that all seatings have played.

    While the first seating is being played, its hands alone count. A heads-up match shows the first player only, because
    the second one wins what the first one loses.
    """
    means = estimates(match, logs) or estimates(match, logs[:-1]) if logs else None
    if means is None:
        return ""
    parts = [f"{name} {value}" for name, value in zip(match.names, means, strict=True)]
    return ", ".join(parts[:1] if len(parts) == 2 else parts) + " mbb/g"


def power_line(result: MatchResult) -> str:
    """Return the difference that a match's samples show, and how many show a tenth of it; empty if no result varied."""
    spread = max(player.sd for player in result.players)
    if result.samples < 2 or spread == 0:
        return ""
    shown = effect_shown(spread, result.samples)
    needed = deals_needed(spread, shown / 10)
    return (
        f"As many show a true difference of {shown:,.1f} mbb/g four times in five (80 % power at 5 %); "
        f"{shown / 10:,.1f} mbb/g takes {needed:,} {result.sample}s."
    )


def result_table(result: MatchResult, folder: Path, console: "Console | None" = None) -> None:
    """Print the result of a match that lies in `folder`, on standard output unless a console is given."""
    console = console or standard_output()
    speed = f", {result.hands_per_second:,.0f} hands/s" if result.hands_per_second else ""
    print_line(console, f"{result.match}: {result.sampled}, seed {result.seed}, {result.how}{speed}")
    rows = []
    for player in result.players:
        intervals = interval_text(player.interval_95), interval_text(player.bootstrap_95)
        rows.append((player.name, f"{player.chips:+,.0f}", f"{player.mbb_per_game:+,.1f}", *intervals))
    print_table(("player", "chips", "mbb/g", "95 % interval", "bootstrap"), rows, boxed=False, console=console)
    for player in result.players:
        if report := ", ".join(f"{name} {value:,}" for name, value in player.report.items() if value):
            print_line(console, f"{player.name}: {report}")
        if failed := player.report.get("failures", 0):
            where = f": {folder / f'seating-*.{player.name}.err'} says why" if result.how == "tcp" else ""
            print_line(console, f"WARNING: {player.name} failed in {failed:,} decisions and called instead{where}")
    if result.vanished > WHOLE:
        print_line(console, f"WARNING: {vanished_text(result.vanished)}")
    if power := power_line(result):
        print_line(console, power)
    kept = "Logs and result.json" if any(seating.log for seating in result.seatings) else "result.json"
    print_line(console, f"{kept}: {folder}")
