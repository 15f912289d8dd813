"""``limpet strategy curve``: shows how strategies got better with training."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from limpet.bot.commands.options import measure_options, option
from limpet.bot.commands.parameters import MOST_BOARDS, NEW_FILE, STRATEGY, Whole
from limpet.bot.commands.progress import progress
from limpet.bot.commands.terminal import estimate_data, estimate_text, print_json, write_csv
from limpet.configs.loading import mistakes
from limpet.strategies.holdem.blueprint.named import PASSIVE, named_folder, open_named

if TYPE_CHECKING:
    from limpet.common.statistics import Estimate
    from limpet.strategies.holdem.training.measuring import TrainingCourse


@click.command(
    epilog="""\b
Examples:
  limpet strategy curve leduc --csv leduc.csv
  limpet strategy curve hunl-200bb --against call --boards 200 --csv strength.csv
  limpet strategy curve min4/ min15/ min60/ --against call --json

\b
Points come from the curve that training measured (see 'measure' in its config), from its snapshots NAME.15m (see
'snapshots'), and from 'limpet strategy exploit --record'. Training measures probabilities before they are rounded to be
stored; 'limpet strategy exploit' measures them as stored. Strategies of one run, that is, of one name, algorithm, seed and
game, make one line.
Exit status: 0 shown; 2 there is no such strategy, the file cannot be written, or --against would seat a strategy that was
trained for one position in the other."""
)
@click.argument("names", nargs=-1, required=True, metavar="NAME...", type=STRATEGY)
@option("--csv", "Write all points as a table.", NEW_FILE, metavar="FILE")
@option("--against", "Play every snapshot against it: a strategy, 'call' or 'fold'.", STRATEGY, metavar="OTHER")
@option("--boards", "Boards to play on.", Whole(2, MOST_BOARDS), default=100)
@measure_options
def curve(
    names: tuple[str, ...], csv: Path | None, against: str | None, boards: int, seed: int, threads: int, as_json: bool,
    quiet: bool,
) -> None:  # fmt: skip
    """Show exploitability, and with --against strength, against training time.

    Strength is the exact full-range duel on the same sampled boards for all, the mean of both seats, with a 95 % interval.
    """
    from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintSeat, Passive
    from limpet.strategies.holdem.training import measuring

    won: list[list[Estimate]] = []
    with mistakes():
        courses = measuring.gather(named_folder(name) for name in names)
        if against is not None:
            other = (Passive(against) if against in PASSIVE else BlueprintSeat(open_named(against)),) * 2
            for course in courses:
                with progress(course.label, "boards", quiet) as report:
                    won.append(measuring.strengths(course, other, boards, seed, threads, report))
    if as_json:
        print_json(_data(courses, won))
    else:
        _print(courses, won, against)
    if csv is not None:
        write_csv(csv, measuring.curve_records(courses, won))


def _data(courses: "list[TrainingCourse]", strengths: "list[list[Estimate]]") -> list[dict[str, object]]:
    """Return the courses for JSON. `strengths`: what each snapshot of each course wins; empty if that was not asked."""
    data: list[dict[str, object]] = []
    for number, course in enumerate(courses):
        snapshots = [str(snapshot.folder) for snapshot in course.snapshots]
        data.append({"run": course.label, "points": course.points, "snapshots": snapshots, "stored": course.stored})
        if strengths:
            data[-1]["strength_mbb_per_game"] = [
                {"strategy": str(folder), "iterations": manifest.iterations, "seconds": manifest.training_seconds}
                | estimate_data(mbb)
                for (folder, manifest), mbb in zip(course.snapshots, strengths[number], strict=True)
            ]
    return data


def _print(courses: "list[TrainingCourse]", strengths: "list[list[Estimate]]", against: str | None) -> None:
    line = "  {:>12,.1f} s  {:>15,} iterations  {}".format
    for number, course in enumerate(courses):
        click.echo(course.label)
        how = ""
        for point in course.points:
            if point.how not in ("", how):
                how = point.how
                click.echo(f"  measured: {how}")
            regret = "" if point.average_regret is None else f"average regret {point.average_regret:,.4g} mbb/g"
            facts = ", ".join(fact for fact in (point.exploitability_text, regret) if fact)
            click.echo(line(point.seconds, point.iteration, facts))
        for point in course.stored:
            if point not in course.points:
                rounded = f"as the file stores it, rounded: {point.below:,.4f} mbb/g"
                click.echo(line(point.seconds, point.iteration, rounded))
        for (_, manifest), mbb in zip(course.snapshots, strengths[number], strict=True) if strengths else ():
            wins = f"wins {estimate_text(mbb)} mbb/g from {against}"
            click.echo(line(manifest.training_seconds, manifest.iterations, wins))
        if not course.points and not strengths:
            click.echo("  nothing was measured in training; --against OTHER measures strength")
