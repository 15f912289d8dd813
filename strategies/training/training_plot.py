"""A picture of training: exploitability and strength against what was spent, on a logarithmic axis."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from limpet.strategies.blueprint.strategy_file import Manifest
from limpet.strategies.blueprint.training_curve import Point
from limpet.strategies.solutions.pictures import require_matplotlib, require_picture_ending
from limpet.strategies.statistics.estimate import Estimate
from limpet.strategies.training.training_courses import Course

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
    path: Path, courses: Sequence[Course], strengths: Sequence[Sequence[Estimate]], against: str, axis: Axis = "time"
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


def _draw_exploitability(axes: Any, courses: Sequence[Course], axis: Axis) -> None:
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
    axes: Any, courses: Sequence[Course], strengths: Sequence[Sequence[Estimate]], against: str, axis: Axis
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
