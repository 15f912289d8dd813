"""``limpet strategy curve``: shows how strategies got better with training."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from limpet.bot.commands.options import measure_options, picture_option
from limpet.bot.commands.parameters import MOST_BOARDS, Whole
from limpet.bot.commands.progress import progress
from limpet.bot.commands.terminal import estimate_data, estimate_text, print_json, writing
from limpet.configs.loading import mistakes
from limpet.strategies.blueprint.named import PASSIVE, named_folder, open_named
from limpet.strategies.blueprint.training_curve import exploitability_text

if TYPE_CHECKING:
    from limpet.strategies.statistics.estimate import Estimate
    from limpet.strategies.training.training_courses import Course


@click.command(
    epilog="""\b
Examples:
  limpet strategy curve leduc --output leduc.svg
  limpet strategy curve hunl-200bb --against call --boards 200 --output strength.svg
  limpet strategy curve min4/ min15/ min60/ --against call --json

\b
Points come from the curve that training measured (see 'measure' in its config), from its snapshots NAME.15m (see
'snapshots'), and from 'limpet strategy exploit --record'. Strategies of one run, that is, of one name, algorithm, seed and
game, make one line.
Exit status: 0 shown; 2 there is no such strategy, nothing to draw, the picture cannot be written, or --against would seat
a strategy that was trained for one position in the other."""
)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@picture_option("--output", "Write a picture; needs pip install 'limpet[plot]'.")
@click.option("--against", metavar="OTHER", help="Play every snapshot against it: a strategy, 'call' or 'fold'.")
@click.option("--boards", type=Whole(2, MOST_BOARDS), default=100, help="Boards to play on.")
@click.option(
    "--by",
    type=click.Choice(["time", "processor", "iterations"]),
    default="time",
    help="Measure of training that points are drawn by.",
)
@measure_options
def curve(
    names: tuple[str, ...], output: Path | None, against: str | None, boards: int, by: str, seed: int,
    threads: int, as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    """Show exploitability, and with --against strength, against training time.

    Strength is the exact full-range duel on the same sampled boards for all, the mean of both seats, with a 95 % interval.
    """
    from limpet.strategies.training.training_courses import gather

    with mistakes():
        courses = gather(named_folder(name) for name in names)
        strengths = [] if against is None else _played(courses, against, boards, seed, threads, quiet)
    if as_json:
        print_json(_data(courses, strengths))
    else:
        _print(courses, strengths, against)
    if output is not None:
        from limpet.strategies.training.training_plot import plot

        with writing(output), mistakes():
            plot(output, courses, strengths, against or "", by)  # type: ignore[arg-type]


def _played(
    courses: "list[Course]", against: str, boards: int, seed: int, threads: int, quiet: bool
) -> "list[list[Estimate]]":
    """Return what each snapshot of each course wins from one player."""
    from limpet.strategies.blueprint.seat import Passive, Seat
    from limpet.strategies.training.training_courses import strengths

    other = (Passive(against) if against in PASSIVE else Seat(open_named(against)),) * 2
    found = []
    for course in courses:
        with progress(course.label, "boards", quiet) as report:
            found.append(strengths(course, other, boards, seed, threads, report))
    return found


def _data(courses: "list[Course]", strengths: "list[list[Estimate]]") -> list[dict[str, object]]:
    """Return the courses for JSON. `strengths`: what each snapshot of each course wins; empty if that was not asked."""
    data: list[dict[str, object]] = [
        {
            "run": course.label,
            "points": msgspec.to_builtins(course.points),
            "snapshots": [str(snapshot.folder) for snapshot in course.snapshots],
        }
        for course in courses
    ]
    for entry, course, won in zip(data, courses, strengths, strict=True) if strengths else ():
        entry["strength_mbb_per_game"] = [
            {
                "strategy": str(folder),
                "iterations": manifest.iterations,
                "seconds": manifest.training_seconds,
                **estimate_data(mbb),
            }
            for (folder, manifest), mbb in zip(course.snapshots, won, strict=True)
        ]
    return data


def _print(courses: "list[Course]", strengths: "list[list[Estimate]]", against: str | None) -> None:
    for number, course in enumerate(courses):
        click.echo(course.label)
        how = ""
        for point in course.points:
            if point.how not in ("", how):
                how = point.how
                click.echo(f"  measured: {how}")
            regret = "" if point.average_regret is None else f"average regret {point.average_regret:,.4g} mbb/g"
            facts = ", ".join(fact for fact in (exploitability_text(point), regret) if fact)
            click.echo(f"  {point.seconds:>12,.1f} s  {point.iteration:>15,} iterations  {facts}")
        for (_, manifest), mbb in zip(course.snapshots, strengths[number], strict=True) if strengths else ():
            click.echo(
                f"  {manifest.training_seconds:>12,.1f} s  {manifest.iterations:>15,} iterations  "
                f"wins {estimate_text(mbb)} mbb/g from {against}"
            )
        if not course.points and not strengths:
            click.echo("  nothing was measured in training; --against OTHER measures strength")
