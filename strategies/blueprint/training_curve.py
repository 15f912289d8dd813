"""How a run has gone: points in a file of JSON lines, beside the checkpoint and then in the strategy's folder."""

from pathlib import Path

import msgspec

CURVE = "curve.jsonl"


class Point(msgspec.Struct, frozen=True, omit_defaults=True):
    """A look at the average strategy on the way. All mbb/g are per hand and position.

    Attributes:
        seconds, processor_seconds: of training so far; the latter None where unknown.
        visits: decision nodes visited so far; 0 for full-width solvers.
        average_regret: mbb/g, see `average_regret`; None for full-width solvers.
        below, above: mbb/g between which the exploitability lies, the mean of all positions; equal where it is exact.
        how: what exploitability that is.
        value: mbb/g that position 0 wins when all play the strategy; half_width: of its 95 % interval, 0 where exact.
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
    """All points in order; none if there is no such file. A line that a kill cut off is left out.

    Raises `ValueError` naming the file and the line for any other that is no point.
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
    """Replace the file in one rename; without points there is none."""
    if not points:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".tmp")
    unfinished.write_bytes(b"".join(msgspec.json.encode(point) + b"\n" for point in points))
    unfinished.replace(path)


def append_point(path: Path, point: Point) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(msgspec.json.encode(point) + b"\n")


def told(point: Point) -> str:
    """The measured part in words: ``exploitability 812–2,100 mbb/g``."""
    if point.below is None or point.above is None:
        return ""
    if point.below == point.above:
        return f"exploitability {point.below:,.4g} mbb/g"
    return f"exploitability {point.below:,.0f}–{point.above:,.0f} mbb/g"
