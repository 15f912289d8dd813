"""The course of training runs, gathered from strategies' folders: exploitability, and strength against an opponent."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, NamedTuple

from limpet.common.statistics import Estimate
from limpet.common.workers import Report, silent
from limpet.configs.loading import load_yaml
from limpet.protocol.gamedef import GameDef
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintSeat
from limpet.strategies.holdem.blueprint.model_card import ABOVE, BELOW, MBB, RESPONSE
from limpet.strategies.holdem.blueprint.strategy_file import MANIFEST, Manifest, StrategyFile
from limpet.strategies.holdem.blueprint.training_curve import CURVE, Point, read_curve
from limpet.strategies.holdem.measures.duel import Seats, duel
from limpet.strategies.holdem.solutions.pictures import require_matplotlib, require_picture_ending

EXACT = "exact"
"""How the exploitability of a small game is measured."""


class Snapshot(NamedTuple):
    """A strategy file that was written at some point of a run."""

    folder: Path  # the strategy's folder
    manifest: Manifest  # the strategy's manifest


@dataclass(frozen=True)
class TrainingCourse:
    """One training run.

    Attributes:
        label: the run's name, with algorithm and seed where the name alone does not tell runs apart.
        points: points of the training curve by iteration, each iteration once, of probabilities before they are stored.
        stored: exact exploitabilities of probabilities as strategy files store them, rounded, by iteration.
        snapshots: strategies in the folders named and beside them, by iteration, each iteration once.
    """

    label: str
    points: list[Point]
    snapshots: list[Snapshot]
    stored: list[Point]


def gather(folders: Iterable[Path]) -> list[TrainingCourse]:
    """Return the runs that made strategies: those of one name, game, algorithm, cards and seed belong to one run.

    Raises `ValueError` for a damaged manifest or curve.
    """
    runs: dict[tuple[str, str, int, str, str], dict[int, Snapshot]] = {}
    curves: dict[tuple[str, str, int, str, str], dict[int, Point]] = {}
    rounded: dict[tuple[str, str, int, str, str], dict[int, Point]] = {}
    for named in folders:
        beside = named.resolve().parent.glob(f"{named.resolve().name}.*m/{MANIFEST}")  # NAME.15m
        for folder in (*sorted(manifest.parent for manifest in beside), named):
            manifest = load_yaml(folder / MANIFEST, Manifest)
            run = manifest.name, manifest.algorithm, manifest.seed, manifest.game, manifest.cards_hash
            runs.setdefault(run, {})[manifest.iterations] = Snapshot(folder, manifest)
            measured = curves.setdefault(run, {})
            measured.update((point.iteration, point) for point in read_curve(folder / CURVE))
            recorded = _recorded(manifest)
            if recorded is not None:
                measured.setdefault(manifest.iterations, recorded)
            if recorded is not None and recorded.how == EXACT:
                rounded.setdefault(run, {})[manifest.iterations] = recorded
    names = [run[0] for run in runs]
    courses = []
    for run, snapshots in runs.items():
        label = run[0] if names.count(run[0]) == 1 else f"{run[0]}, {run[1]}, seed {run[2]}"
        points = [point for _, point in sorted(curves[run].items())]
        stored = [point for _, point in sorted(rounded.get(run, {}).items())]
        courses.append(TrainingCourse(label, points, [snapshot for _, snapshot in sorted(snapshots.items())], stored))
    return courses


def _recorded(manifest: Manifest) -> Point | None:
    """Return the exploitability in a manifest as a point, None without one."""
    quality = manifest.quality
    if "exploitability_chips" in quality:
        game = GameDef.parse(manifest.game, manifest.name)
        below = above = quality["exploitability_chips"] * 1000 / game.big_blind
        how = EXACT
    elif BELOW + MBB in quality and ABOVE + MBB in quality:
        below, above = quality[BELOW + MBB], quality[ABOVE + MBB]
        how = f"by '{manifest.measured_by[RESPONSE]}'" if RESPONSE in manifest.measured_by else "from the manifest"
    else:
        return None
    seconds, processor_seconds = manifest.training_seconds, manifest.processor_seconds
    return Point(manifest.iterations, seconds, processor_seconds, below=below, above=above, how=how)


def strengths(
    course: TrainingCourse, against: Seats, boards: int, seed: int, threads: int = 1, report: Report = silent
) -> list[Estimate]:
    """Return what each snapshot wins from `against`, in mbb/g, the mean of both seats; all play on the same boards.

    Raises `ValueError` for strategies of another game, and for one that was trained for one position alone.
    """
    results = []
    for number, snapshot in enumerate(course.snapshots):
        file = StrategyFile.open(snapshot.folder)

        def step(done: int, total: int, number: int = number) -> None:
            report(number * total + done, len(course.snapshots) * total)

        for position, seat in enumerate(against):
            file.check_position(position)
            if isinstance(seat, BlueprintSeat):
                seat.file.check_game(file.game)
                seat.file.check_position(position)
        won = duel(file.game, (BlueprintSeat(file),) * 2, against, boards, seed, threads, step).both
        results.append(won.scaled(1000 / file.game.big_blind))
    return results


# --- A picture of training: exploitability and strength against what was spent, on a logarithmic axis.

Axis = Literal["time", "processor", "iterations"]
AXES: dict[Axis, str] = {
    "time": "training time, seconds",
    "processor": "processor time, seconds",
    "iterations": "iterations",
}


def coordinate(point: Point | Manifest, axis: Axis) -> float | None:
    """Return where a point or a strategy lies on the axis; None where that is unknown or not above zero."""
    if axis == "processor":
        x: float | None = point.processor_seconds
    elif isinstance(point, Point):
        x = point.seconds if axis == "time" else point.iteration
    else:
        x = point.training_seconds if axis == "time" else point.iterations
    return x or None  # a logarithmic axis has no place for zero


def plot(
    path: Path,
    courses: Sequence[TrainingCourse],
    strengths: Sequence[Sequence[Estimate]],
    against: str,
    axis: Axis = "time",
) -> None:
    """Write a PNG, SVG or PDF, by the file's ending.

    strengths: for each course, from `training_courses.strengths`; empty without an opponent `against`.
    Raises `ValueError` without matplotlib, for another ending, and where there is nothing to draw.
    """
    require_picture_ending(path)
    measured = any(point.below is not None and coordinate(point, axis) for c in courses for point in c.points)
    played = bool(strengths) and any(coordinate(each.manifest, axis) for course in courses for each in course.snapshots)
    if not measured and not played:
        raise ValueError(
            f"there is nothing to draw against {AXES[axis]}: train with 'measure' in the config, record points with "
            "'limpet strategy exploit --record', or name an opponent with --against"
        )
    figure = require_matplotlib()(figsize=(8.0, 4.5 * (measured + played)), layout="constrained")
    panels = figure.subplots(measured + played, 1, sharex=True, squeeze=False)[:, 0]
    if measured:
        _draw_exploitability(panels[0], courses, axis)
    if played:
        _draw_strength(panels[-1], courses, strengths, against, axis)
    panels[-1].set_xlabel(AXES[axis])
    for panel in panels:
        panel.set_xscale("log")
        panel.grid(alpha=0.3)
        panel.legend(frameon=False)
    figure.savefig(path, dpi=120)


def _draw_exploitability(axes: Any, courses: Sequence[TrainingCourse], axis: Axis) -> None:
    for number, course in enumerate(courses):
        points = [point for point in course.points if coordinate(point, axis) and point.below is not None]
        colour = f"C{number}"
        # Points measured in different ways are not joined: their difference would look like progress.
        for part, (how, measured) in enumerate(groupby(points, lambda point: point.how)):
            x, below, above = zip(
                *((coordinate(point, axis), point.below, point.above) for point in measured), strict=True
            )
            label = f"{course.label}, {how}" if part else course.label
            axes.plot(x, below, color=colour, marker="s" if part else "o", markersize=3, label=label)
            if below != above:
                axes.plot(x, above, color=colour, marker="_", markersize=5, linestyle="--", linewidth=0.8)
                axes.fill_between(x, below, above, color=colour, alpha=0.15, linewidth=0)
    axes.set_yscale("log")
    axes.set_ylabel("exploitability, mbb/g")


def _draw_strength(
    axes: Any, courses: Sequence[TrainingCourse], strengths: Sequence[Sequence[Estimate]], against: str, axis: Axis
) -> None:
    for number, (course, of_course) in enumerate(zip(courses, strengths, strict=True)):
        drawn = [
            (at, mbb.mean, mbb.half_width)
            for snapshot, mbb in zip(course.snapshots, of_course, strict=True)
            if (at := coordinate(snapshot.manifest, axis))
        ]
        if drawn:
            x, mean, half_width = zip(*drawn, strict=True)
            axes.errorbar(
                x, mean, half_width, color=f"C{number}", marker="o", markersize=3, capsize=3, label=course.label
            )
    axes.axhline(0, color="black", linewidth=0.5)
    axes.set_ylabel(f"wins from {against}, mbb/g (95 %)")
