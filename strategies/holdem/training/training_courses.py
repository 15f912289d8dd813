"""The course of training runs, gathered from strategies' folders: exploitability, and strength against an opponent."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

from limpet.common.artifact import MANIFEST
from limpet.common.statistics import Estimate
from limpet.common.workers import Report, silent
from limpet.configs.loading import load_yaml
from limpet.protocol.gamedef import GameDef
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintSeat
from limpet.strategies.holdem.blueprint.model_card import ABOVE, BELOW, MBB, RESPONSE
from limpet.strategies.holdem.blueprint.strategy_file import Manifest, StrategyFile
from limpet.strategies.holdem.blueprint.training_curve import CURVE, Point, read_curve
from limpet.strategies.holdem.measures.duel import Seats, duel

EXACT = "exact"
"""How the exploitability of a small game is measured."""
COLUMNS = (
    "run", "iterations", "seconds", "processor_seconds", "how", "below_mbb", "above_mbb", "wins_mbb", "half_width"
)  # fmt: skip
"""Names of the facts of `curve_records`."""
T = TypeVar("T")


class Snapshot(NamedTuple):
    """A strategy file that was written at some point of a run.

    Attributes:
        folder: the strategy's folder.
        manifest: the strategy's manifest.
    """

    folder: Path
    manifest: Manifest


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
    runs: dict[tuple[str, str, int, str, str], tuple[dict[int, Point], dict[int, Snapshot], dict[int, Point]]] = {}
    for named in folders:
        beside = named.resolve().parent.glob(f"{named.resolve().name}.*m/{MANIFEST}")  # NAME.15m
        for folder in (*sorted(manifest.parent for manifest in beside), named):
            manifest = load_yaml(folder / MANIFEST, Manifest)
            run = manifest.name, manifest.algorithm, manifest.seed, manifest.game, manifest.cards_hash
            points, snapshots, stored = runs.setdefault(run, ({}, {}, {}))
            snapshots[manifest.iterations] = Snapshot(folder, manifest)
            points.update((point.iteration, point) for point in read_curve(folder / CURVE))
            if (recorded := _recorded(manifest)) is not None:
                points.setdefault(manifest.iterations, recorded)
                if recorded.how == EXACT:
                    stored[manifest.iterations] = recorded
    names = [run[0] for run in runs]
    courses = []
    for run, parts in runs.items():
        label = run[0] if names.count(run[0]) == 1 else f"{run[0]}, {run[1]}, seed {run[2]}"
        points, snapshots, stored = parts
        courses.append(TrainingCourse(label, _in_order(points), _in_order(snapshots), _in_order(stored)))
    return courses


def _in_order(by_iteration: Mapping[int, T]) -> list[T]:
    return [by_iteration[iteration] for iteration in sorted(by_iteration)]


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


def curve_records(courses: Sequence[TrainingCourse], won: Sequence[Sequence[Estimate]]) -> list[dict[str, object]]:
    """Return a row for each point, and for each snapshot that was played, as plain data for a table or a data frame.

    won: for each course, from `strengths`; empty where nobody was played.
    """
    rows: list[tuple[object, ...]] = []
    for number, course in enumerate(courses):
        for point in course.points:
            took = course.label, point.iteration, point.seconds, point.processor_seconds
            rows.append((*took, point.how, point.below, point.above, None, None))
        for (_, made), mbb in zip(course.snapshots, won[number], strict=True) if won else ():
            took = course.label, made.iterations, made.training_seconds, made.processor_seconds
            rows.append((*took, None, None, None, mbb.mean, mbb.half_width))
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows]
