"""The curve of a training run: points in a file of JSON lines, beside the checkpoint and then in the strategy's folder."""

from pathlib import Path

import msgspec

from limpet.common.folders import replace_file

CURVE = "curve.jsonl"


class Point(msgspec.Struct, frozen=True, omit_defaults=True):
    """A measurement of the average strategy during training. All mbb/g are per hand and position.

    Attributes:
        seconds: seconds of training so far.
        processor_seconds: seconds of training so far, over all threads; None where unknown.
        visits: number of decision nodes visited so far; 0 for full-width solvers.
        average_regret: mbb/g, see `average_regret`; None for full-width solvers.
        below: mbb/g, lower bound of the exploitability, the mean of all positions.
        above: mbb/g, upper bound of the exploitability; equal to `below` where it is exact.
        how: the kind of exploitability in words.
        value: mbb/g that position 0 wins when all play the strategy.
        half_width: mbb/g, half the 95 % interval of `value`, 0 where it is exact.
    """

    iteration: int
    seconds: float
    processor_seconds: float | None = None
    visits: int = 0
    average_regret: float | None = None
    below: float | None = None
    above: float | None = None
    how: str = ""
    value: float | None = None
    half_width: float = 0.0


def read_curve(path: Path) -> list[Point]:
    """Return all points in order, none without the file. A last line that was cut off when the run was killed is left out.

    Raises `ValueError` naming the file and any other line that is not a point.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    except FileNotFoundError:
        return []
    points = []
    for number, line in enumerate(lines, 1):
        try:
            points.append(msgspec.json.decode(line, type=Point))
        except msgspec.DecodeError as error:
            if number == len(lines) and not line.endswith("\n"):
                break
            raise ValueError(f"{path}:{number}: not a point of a training curve ({error}); delete the line") from error
    return points


def write_curve(path: Path, points: list[Point]) -> None:
    """Replace the file in one rename, or remove it if there are no points."""
    if points:
        replace_file(path, msgspec.json.Encoder().encode_lines(points))
    else:
        path.unlink(missing_ok=True)


def append_point(path: Path, point: Point) -> None:
    """Write a point at the end of the file, made if it is not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(msgspec.json.encode(point) + b"\n")


def exploitability_text(point: Point) -> str:
    """Return the exploitability of a point in words, such as ``exploitability 812–2,100 mbb/g``; empty without one."""
    if point.below is None or point.above is None:
        return ""
    if point.below == point.above:
        return f"exploitability {point.below:,.4g} mbb/g"
    return f"exploitability {point.below:,.0f}–{point.above:,.0f} mbb/g"
