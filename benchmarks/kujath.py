"""Kujath's experiments once more (diploma thesis, 2014): his hand abstractions and his CGH, on his spots.

    python benchmarks/kujath.py FOLDER [--part tables …] [--plot kujath.svg] [--json kujath.json]

Every run is measured at round numbers of iterations and kept in FOLDER; a killed one goes on where it stopped, and with
--show nothing runs: what the folder holds is printed as tables, beside the thesis's numbers. About an hour of
processor time in all; docs/kujath.md says what came out. ε is the sum of what both best responses win, in mbb a hand:

- in the abstraction: best responses that must treat the hands of a group alike;
- in the real game, as the thesis has it: any hand for itself, but on the merged boards;
- on all boards: on the unmerged ones too.
"""

import json
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import comb
from pathlib import Path
from typing import Any, Literal

import click
import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.strategies.holdem.solutions.solve import prepare, real_game
from limpet.strategies.holdem.solutions.spot import Spot, load_spot
from limpet.strategies.solvers.schedule import PARAMETERS, Algorithm
from limpet.strategies.solvers.streets import count_tree
from limpet.strategies.solvers.vector.board_tree import board_tree
from limpet.strategies.solvers.vector.hand_groups import DISTANCES, IDENTITIES, Grouping
from limpet.strategies.solvers.vector.vector_solver import VectorSolver

SAVE_SECONDS = 60
STOPS = (10, 13, 16, 20, 25, 32, 40, 50, 63, 80)
"""Iterations at which a run is measured, and ten times as many, and so on."""

PUBLISHED: dict[tuple[str, str], dict[int, tuple[float, float]]] = {
    ("rank", "river"): {200: (5.47, 9.07), 400: (3.34, 7.76)},
    ("rank", "hierarchical"): {200: (4.68, 8.28), 400: (2.77, 7.19)},
    ("rank", "global"): {200: (5.47, 9.07), 400: (3.34, 7.76)},
    ("strength", "river"): {200: (3.09, 4.08), 400: (1.51, 2.84)},
    ("strength", "hierarchical"): {200: (4.27, 4.96), 400: (2.16, 3.30)},
    ("strength", "global"): {200: (3.49, 4.35), 400: (1.99, 3.15)},
    ("opponent_view", "river"): {200: (2.10, 2.41), 400: (0.73, 1.22)},
    ("opponent_view", "hierarchical"): {200: (2.10, 2.41), 400: (0.73, 1.22)},
    ("opponent_view", "global"): {200: (2.10, 2.41), 400: (0.73, 1.22)},
}
"""ε in the abstraction and in the real game: his Tables 6 and 7."""


# --- what is run


@dataclass(frozen=True)
class Run:
    """One algorithm on one spot, with changes. Two runs whose groups turn out to be the same are one."""

    part: str
    label: str
    spot: str
    algorithm: Algorithm
    iterations: int
    grouping: Grouping | None = None
    board: str = ""
    """Instead of the spot's."""
    everywhere: tuple[int, ...] = ()
    """Iterations at which ε is also measured on all boards."""


CGH = Algorithm("cgh", constant=0.175)
CGH_NEW = Algorithm("cgh", constant=0.175, returns="new")
CGH_FASTEST = Algorithm("cgh", constant=0.2)
HIS_CFR = Algorithm("cfr", averaging="thesis")
HIS_RETURN_NEW = Algorithm("cfr-return-new", averaging="thesis")
GROUPINGS = tuple(Grouping(distance, identity) for distance in DISTANCES for identity in IDENTITIES)
OPPONENT_VIEW = Grouping("opponent_view", "hierarchical")
LONG = (OPPONENT_VIEW, Grouping("strength", "hierarchical"))
"""The abstractions of his Figure 17, run to 2,000 iterations."""


def plan() -> tuple[Run, ...]:
    """All runs of all parts, in the order in which they are worth having."""
    return (*_tables(), *_convergence(), *_new_value(), *_figure18(), *_table8())


def _tables() -> Iterator[Run]:
    fixed = [msgspec.structs.replace(grouping, per_round=False) for grouping in GROUPINGS]
    for part, some, iterations in (("tables", GROUPINGS, 400), ("fixed", fixed, 400), ("tables", LONG, 2000)):
        for grouping in some:
            label = f"{grouping.distance}, {grouping.identity}"
            yield Run(part, label, "kujath-5bb", CGH, iterations, grouping, everywhere=(200, 400, 1000, 2000))


def _convergence() -> Iterator[Run]:
    algorithms = {
        "CGH, c = 0.175": CGH,
        "CFR, the thesis's average": HIS_CFR,
        "CFR": Algorithm("cfr"),
        "CFR-return-new": Algorithm("cfr-return-new"),
        "CFR+": Algorithm("cfr+"),
        "LCFR": Algorithm("lcfr"),
        "DCFR": Algorithm("dcfr"),
        "PCFR+": Algorithm("pcfr+"),
        "CGH, c = 0": Algorithm("cgh", constant=0.0),
        "CGH, c = 0.2": CGH_FASTEST,
        "CFR-return-new, the thesis's average": HIS_RETURN_NEW,
    }
    for label, algorithm in algorithms.items():
        yield Run("convergence", label, "kujath-5bb", algorithm, 1000, everywhere=(400, 1000))
    for constant in (0.1, 0.4, 0.8, 1.6, 3.2):
        algorithm = Algorithm("cgh", constant=constant)
        yield Run("convergence", f"CGH, c = {constant:g}", "kujath-5bb", algorithm, 400, everywhere=(400,))
    yield Run(
        "convergence", "CFR, the thesis's average, opponent view", "kujath-5bb", HIS_CFR, 1000, OPPONENT_VIEW,
        everywhere=(400, 1000),
    )  # fmt: skip


def _new_value() -> Iterator[Run]:
    for label, algorithm in (("CGH, old value", CGH), ("CGH, new value", CGH_NEW)):
        yield Run("new-value", label, "kujath-5bb", algorithm, 1000, everywhere=(400, 1000))
    for grouping in GROUPINGS:
        label = f"{grouping.distance}, {grouping.identity}"
        yield Run("new-value", label, "kujath-5bb", CGH_NEW, 400, grouping, everywhere=(400,))


def _figure18() -> Iterator[Run]:
    for label, algorithm in (("CGH, c = 0.2", CGH_FASTEST), ("CFR, the thesis's average", HIS_CFR)):
        yield Run(
            "figure18",
            f"{label}, opponent view",
            "kujath-50bb-no-half",
            algorithm,
            400,
            OPPONENT_VIEW,
            everywhere=(400,),
        )
    yield Run("figure18", "DCFR, no hand abstraction", "kujath-50bb-no-half", Algorithm("dcfr"), 400, everywhere=(400,))


def _table8() -> Iterator[Run]:
    for label, algorithm in (("CGH", CGH_FASTEST), ("CFR", HIS_CFR)):
        yield Run("table8", label, "kujath-50bb-no-half", algorithm, 1000, board="Th6s3c")


DRAWN = (
    "CGH, c = 0",
    "CGH, c = 0.175",
    "CGH, c = 0.8",
    "CFR, the thesis's average",
    "CFR",
    "CFR-return-new",
    "CFR+",
    "LCFR",
    "DCFR",
    "PCFR+",
)
"""Of the algorithms, those that the plot has room for."""

PARTS = ("tables", "fixed", "convergence", "new-value", "figure18", "table8")


# --- one run


class Point(msgspec.Struct):
    """A measurement: ε in mbb, and what the best response of each position wins in the real game, in big blinds."""

    iteration: int
    seconds: float
    """Of processor time, spent on iterations only."""
    abstract: float
    real: float
    best: tuple[float, float]
    everywhere: float | None = None


class Result(msgspec.Struct):
    """What a run has found so far."""

    key: str
    groups: tuple[float, ...]
    """Mean number of hand groups on a board of each street; hands without an abstraction."""
    memory: int
    """Bytes of tables."""
    points: list[Point]

    def at(self, iteration: int) -> Point | None:
        return next((point for point in self.points if point.iteration == iteration), None)


class Setting:
    """A run's spot and solver, not begun: where the ranges and the threads of this call come in."""

    def __init__(self, run: Run, ranges: str | None, threads: int) -> None:
        self.run = run
        spot = load_spot(run.spot)
        parameters = {name: getattr(run.algorithm, name) for name in PARAMETERS[run.algorithm.name]}
        changes: dict[str, Any] = {"algorithm": run.algorithm.name, "parameters": parameters, "threads": threads}
        if run.board:
            changes["board"] = run.board
        if ranges is not None:
            changes["ranges"] = (ranges, ranges)
        if run.grouping is not None:
            changes["groups"] = run.grouping
        self.spot: Spot = msgspec.structs.replace(spot, **changes)

    def solver(self) -> VectorSolver:
        return prepare(self.spot).solver

    def key(self, solver: VectorSolver) -> str:
        """Return a file name that is the same for runs that are."""
        algorithm, groups = self.run.algorithm, self.spot.hand_groups
        digest = blake2b(self.spot.weights.tobytes(), digest_size=4)
        if groups is not None:
            for cards in solver.boards.cards:
                digest.update(groups.groups(cards).tobytes())
        constant = f"-{algorithm.constant:g}" if not algorithm.averages else f"-{algorithm.averaging}"
        if algorithm.returns != "old":
            constant += f"-{algorithm.returns}"
        board = f"-{self.run.board}" if self.run.board else ""
        return f"{self.run.spot}{board}_{algorithm.name}{constant}_{digest.hexdigest()}"

    def group_counts(self, solver: VectorSolver) -> tuple[float, ...]:
        """Return the mean number of hand groups on a board of each street."""
        boards, groups = solver.boards, self.spot.hand_groups
        counts = [len(hands) for hands in boards.hands]
        if groups is not None:
            counts = [groups.count(cards) for cards in boards.cards]
        return tuple(float(np.mean([counts[b] for b in boards.on_street(street)])) for street in range(boards.streets))


def stops(iterations: int) -> tuple[int, ...]:
    """Where a run is measured: 1 to 10, ten times a decade from there on, and at the end.

    >>> stops(15)
    (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 15)
    """
    found = {*range(1, 11), iterations}
    for decade in range(len(str(iterations))):
        found.update(stop * 10**decade for stop in STOPS)
    return tuple(sorted(stop for stop in found if stop <= iterations))


def perform(setting: Setting, iterations: int, folder: Path) -> None:
    """Run, or go on, to a number of iterations; measure at every stop; keep results and tables in the folder."""
    solver = setting.solver()
    key = setting.key(solver)
    kept, tables = folder / f"{key}.json", folder / f"{key}.npz"
    result = Result(key, setting.group_counts(solver), solver.memory.tables, [])
    if kept.exists():
        result = msgspec.json.decode(kept.read_bytes(), type=Result)
    if result.at(iterations) is not None:
        return
    if tables.exists():
        with np.load(tables) as arrays:
            solver.restore(dict(arrays))
    result.points = [point for point in result.points if point.iteration <= solver.iteration]
    if solver.iteration != (result.points[-1].iteration if result.points else 0):
        raise ValueError(f"{kept} does not reach as far as {tables}; delete both to run this one again")
    seconds = result.points[-1].seconds if result.points else 0.0
    saved = time.monotonic()
    for stop in stops(iterations):
        if stop <= solver.iteration:
            continue
        began = time.process_time()
        solver.run(stop - solver.iteration)
        seconds += time.process_time() - began
        result.points.append(measure(solver, seconds, setting.run.everywhere))
        progress(key, result.points[-1], iterations)
        if stop == iterations or time.monotonic() - saved > SAVE_SECONDS:
            _save(result, solver, kept, tables)
            saved = time.monotonic()


def measure(solver: VectorSolver, seconds: float, everywhere: Sequence[int]) -> Point:
    found = real_game(solver, solver.iteration in everywhere)
    real = found.real
    return Point(
        iteration=solver.iteration,
        seconds=seconds,
        abstract=solver.exploitability().mbb if getattr(solver.rule, "grouped", False) else real.mbb,
        real=real.mbb,
        best=real.best,
        everywhere=None if found.all_boards is None else found.all_boards.mbb,
    )


def progress(key: str, point: Point, iterations: int) -> None:
    all_boards = f", on all boards {point.everywhere:.3f}" if point.everywhere is not None else ""
    click.echo(
        f"{key} {point.iteration}/{iterations}: ε {point.abstract:.3f} mbb in the abstraction, {point.real:.3f} real"
        f"{all_boards}; {point.seconds:.0f} s",
        err=True,
    )


def _save(result: Result, solver: VectorSolver, kept: Path, tables: Path) -> None:
    """Tables first: results without them would be begun anew, tables without results are refused."""
    new = kept.with_suffix(".new")
    new.write_bytes(msgspec.json.encode(result))
    with open(tables.with_suffix(".partial"), "wb") as file:
        np.savez(file, allow_pickle=False, **solver.state_arrays())
    os.replace(new, kept)
    os.replace(tables.with_suffix(".partial"), tables)


# --- two profiles at one table


def duel(first: VectorSolver, second: VectorSolver) -> tuple[float, float]:
    """Exact big blinds of position 0 and 1 when the answer of `first` plays position 0 and that of `second` 1.

    Both must have been laid out alike; a table of one that holds both players' rows is put together and valued.
    """
    judge = VectorSolver(
        first.tree, first.board, first.ranges, algorithm=CGH, merge="groups", threads=first.threads
    )  # its answer is its table
    state = judge.state_arrays()
    judge.restore({**state, "regret": np.where(_owners(first) == 0, _weights(first), _weights(second))})
    return judge.values()


def _weights(solver: VectorSolver) -> NDArray[np.float32]:
    weights: NDArray[np.float32] = solver.state_arrays()["average" if solver.algorithm.averages else "regret"]
    return weights


def _owners(solver: VectorSolver) -> NDArray[np.int8]:
    """The player whose strategy each number of a table belongs to: slot by slot, board by board."""
    forest, boards = solver.forest.arrays, solver.boards.arrays
    of_street = []
    for street, stride in enumerate(boards.stride[0]):
        nodes = slice(int(forest.node_start[street]), int(forest.node_start[street + 1]))
        rows = np.repeat(forest.kind[nodes], forest.actions[nodes])  # other nodes have no actions
        of_street.append(np.repeat(rows.astype(np.int8), int(stride)))
    return np.concatenate([of_street[street] for street in boards.street])


def finished(setting: Setting, folder: Path) -> VectorSolver:
    """A run's solver as it was kept."""
    solver = setting.solver()
    with np.load(folder / f"{setting.key(solver)}.npz") as arrays:
        solver.restore(dict(arrays))
    return solver


# --- what is told


class Told(msgspec.Struct):
    """A run beside its result, or a table of Table 8."""

    part: str
    label: str
    spot: str
    grouping: Grouping | None
    result: Result


def tables_text(told: Sequence[Told], part: Literal["tables", "fixed", "new-value"]) -> str:
    """His Tables 6 and 7: at 200 and 400 iterations, ours beside his. `fixed` has no counterpart in the thesis."""
    told = [t for t in told if t.part == part and t.grouping is not None]
    lines = []
    for iteration in (200, 400):
        rows = [(t, point) for t in told if (point := t.result.at(iteration)) is not None]
        if not rows:
            continue
        opponent = next((p for t, p in rows if t.grouping is not None and t.grouping.distance == "opponent_view"), None)
        lines += [
            f"\n{iteration} iterations, {'groups of the flop throughout' if part == 'fixed' else 'groups per round'}\n",
            "| abstraction | groups | ε abstraction | ε real | gap | of opponent view | ε all boards | thesis: ε, real, gap |",
            "|-|-|-|-|-|-|-|-|",
        ]
        for t, point in rows:
            assert t.grouping is not None
            his = PUBLISHED[t.grouping.distance, t.grouping.identity][iteration]
            thesis = f"{his[0]:.2f}, {his[1]:.2f}, {his[1] - his[0]:.2f}" if part != "fixed" else "–"
            ratio = f"{100 * point.real / opponent.real:.0f} %" if opponent is not None else "–"
            groups = " / ".join(f"{count:.0f}" for count in t.result.groups)
            lines.append(
                f"| {t.label} | {groups} | {point.abstract:.2f} | {point.real:.2f} | {point.real - point.abstract:.2f} "
                f"| {ratio} | {_number(point.everywhere)} | {thesis} |"
            )
    return "\n".join(lines)


def curves_text(told: Sequence[Told], part: str, at: Sequence[int]) -> str:
    """ε in the real game of every run of a part at some iterations, memory and seconds."""
    rows = [t for t in told if t.part == part]
    lines = [
        f"\n{part}: ε real (in the abstraction) after … iterations\n",
        "| algorithm | " + " | ".join(f"{stop:,}" for stop in at) + " | ms an iteration | tables |",
        "|-|" + "-|" * (len(at) + 2),
    ]
    for t in rows:
        cells = []
        for stop in at:
            point = t.result.at(stop)
            own = "" if point is None or t.grouping is None else f" ({_number(point.abstract)})"
            cells.append("–" if point is None else _number(point.real) + own)
        last = t.result.points[-1]
        cells += [f"{1000 * last.seconds / last.iteration:.0f}", f"{t.result.memory / 2**20:.0f} MiB"]
        lines.append(f"| {t.label} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def long_text(told: Sequence[Told]) -> str:
    """His Figure 17: ε in the abstraction and real, of the runs to 2,000."""
    at = (100, 200, 400, 630, 1000, 1300, 1600, 2000)
    lines = ["\nε in the abstraction / real after … iterations\n", "| abstraction | " + " | ".join(map(str, at)) + " |"]
    lines.append("|-|" + "-|" * len(at))
    seen = set()
    for t in told:
        if t.grouping is None or t.result.at(2000) is None or t.result.key in seen:
            continue
        seen.add(t.result.key)
        points = [t.result.at(stop) for stop in at]
        cells = [f"{_number(p.abstract)} / {_number(p.real)}" if p is not None else "–" for p in points]
        lines.append(f"| {t.label} ({t.part}) | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.1f}" if value >= 100 else f"{value:.2f}" if value >= 0.1 else f"{value:.4f}"


def duel_text(runs: Sequence[Run], ranges: str | None, threads: int, folder: Path) -> str:
    """His Table 8: each profile against its best responses and against the other, by position, in mbb a hand."""
    solvers = [finished(Setting(run, ranges, threads), folder) for run in runs]
    best = [solver.best_responses(abstract=False) for solver in solvers]
    home = [duel(solver, solver) for solver in solvers]
    there, back = duel(solvers[0], solvers[1]), duel(solvers[1], solvers[0])
    against = [(there[0], back[1]), (back[0], there[1])]
    lines = [
        f"\ntable8, {solvers[0].iteration} iterations, mbb of OUT / IN / both\n",
        "| | against best responses | against the other | against itself |",
        "|-|-|-|-|",
    ]
    for run, responses, other, own in zip(runs, best, against, home, strict=True):
        pairs = ((-responses[1], -responses[0]), other, own)
        cells = [f"{1000 * a:.2f} / {1000 * b:.2f} / {1000 * (a + b):.2f}" for a, b in pairs]
        lines.append(f"| {run.label} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def spot_text(name: str, board: str) -> str:
    """Size of a spot's game."""
    spot = load_spot(name)
    if board:
        spot = msgspec.structs.replace(spot, board=board)
    tree = board_tree(spot.cards, spot.weights, "groups")
    boards = [len(tree.on_street(street)) for street in range(tree.streets)]
    counts = count_tree(spot.root, spot.menu).streets
    hands = [comb(46 + len(counts) - street, 2) for street in range(len(counts))]
    states = sum(
        round(count.nodes * number) * held**2 for count, number, held in zip(counts, boards, hands, strict=True)
    )
    return (
        f"{name}, {spot.board}: boards {boards}; on each {[count.decisions for count in counts]} decisions and "
        f"{[count.leaf for count in counts]} leaves; {states:,} states before hands are "
        "grouped, as the thesis counts them"
    )


# --- the plot


def draw(told: Sequence[Told], path: Path) -> None:
    """Two log-log pictures: algorithms without a hand abstraction, and abstractions under CGH."""
    from limpet.strategies.holdem.solutions.pictures import require_matplotlib

    figure_class = require_matplotlib()
    from matplotlib import rc_context

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "limpet", "font.size": 9}):
        figure = figure_class(figsize=(11, 5))
        left, right = figure.subplots(1, 2)
        _curves(left, [t for t in told if t.part == "convergence" and t.label in DRAWN])
        left.set_title("Algorithms, no hand abstraction (thin: CGH)")
        _abstractions(right, [t for t in told if t.part == "tables"])
        right.set_title("CGH in abstractions: dashed inside, solid in the real game")
        for axes in (left, right):
            axes.set(xscale="log", yscale="log", xlabel="iterations", ylabel="ε, mbb a hand (both positions)")
            axes.grid(True, which="major", linewidth=0.4)
            axes.legend(fontsize=7.5, frameon=False)
        figure.tight_layout()
        figure.savefig(path, dpi=90, metadata={"Date": None} if path.suffix == ".svg" else None)


def _curves(axes: Any, told: Sequence[Told]) -> None:
    for t in told:
        points = t.result.points
        width = 0.9 if t.label.startswith("CGH") else 1.6
        axes.plot([p.iteration for p in points], [p.real for p in points], linewidth=width, label=t.label)


def _abstractions(axes: Any, told: Sequence[Told]) -> None:
    seen: dict[str, str] = {}
    for t in told:
        if t.result.key not in seen:
            colour = f"C{len(seen)}"
            points = [p for p in t.result.points if p.iteration >= 10]
            at = [p.iteration for p in points]
            axes.plot(at, [p.real for p in points], "-", color=colour, linewidth=1.2, label=t.label)
            axes.plot(at, [p.abstract for p in points], "--", color=colour, linewidth=1.0)
            seen[t.result.key] = colour


# --- the command


@click.command(help=__doc__.replace("\n\n    python", "\n\n\b\n    python").replace("\n\n-", "\n\n\b\n-"))
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--part", "parts", type=click.Choice(PARTS), multiple=True, help="Only these; all without it.")
@click.option("--only", default="", help="Only runs with this in their names, such as 'opponent_view' or 'CFR'.")
@click.option("--iterations", type=click.IntRange(1), help="At most so many in each run.")
@click.option("--ranges", help="Of both players, instead of the spots'.")
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
@click.option("--show", is_flag=True, help="Run nothing, tell what the folder holds.")
@click.option("--json", "json_path", type=click.Path(path_type=Path, dir_okay=False), help="Write every measurement.")
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False), help="Write the curves; .svg or .png.")
def main(
    folder: Path,
    parts: tuple[str, ...],
    only: str,
    iterations: int | None,
    ranges: str | None,
    threads: int,
    show: bool,
    json_path: Path | None,
    plot: Path | None,
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    parts = parts or PARTS
    runs = [run for run in plan() if run.part in parts and only in run.label]
    for run in () if show else runs:
        perform(Setting(run, ranges, threads), min(run.iterations, iterations or run.iterations), folder)
    found: dict[tuple[str, str], Told] = {}
    for run in runs:  # read once all are done: a run that is the same as an earlier one may have taken it further
        setting = Setting(run, ranges, threads)
        kept = folder / f"{setting.key(setting.solver())}.json"
        if kept.exists():
            result = msgspec.json.decode(kept.read_bytes(), type=Result)
            found[run.part, run.label] = Told(run.part, run.label, run.spot, run.grouping, result)
    told = list(found.values())
    for name, board in dict.fromkeys((run.spot, run.board) for run in runs):
        click.echo(spot_text(name, board))
    for text in _texts(told, parts):
        click.echo(text)
    if "table8" in parts and sum(t.part == "table8" for t in told) == 2:
        click.echo(duel_text([run for run in runs if run.part == "table8"], ranges, threads, folder))
    if json_path is not None:
        json_path.write_text(json.dumps(msgspec.to_builtins(told), indent=1) + "\n")
    if plot is not None:
        draw(told, plot)


def _texts(told: Sequence[Told], parts: Sequence[str]) -> Iterator[str]:
    if "tables" in parts:
        yield tables_text(told, "tables")
        yield long_text(told)
    if "fixed" in parts:
        yield tables_text(told, "fixed")
    if "convergence" in parts:
        yield curves_text(told, "convergence", (1, 10, 50, 100, 200, 400, 630, 1000))
    if "new-value" in parts:
        yield curves_text([t for t in told if t.grouping is None], "new-value", (50, 100, 200, 400, 1000))
        yield tables_text(told, "new-value")
    if "figure18" in parts:
        yield curves_text(told, "figure18", (1, 10, 50, 100, 200, 400))
    if "table8" in parts:
        yield curves_text(told, "table8", (10, 100, 200, 400, 1000))


if __name__ == "__main__":
    main()
