"""Solving a given spot: milliseconds an iteration, and seconds until best responses win half a percent of the pot.

    python benchmarks/solver.py                  the river and turn spots, one and two threads
    python benchmarks/solver.py --spots f2,f3    the flops: gigabytes and minutes
    python benchmarks/solver.py --storage int16
    python benchmarks/solver.py --gadget resolve,maxmargin,combined --spots r2,t1

With gadgets a spot is solved again as at the table: position 1 is promised what its best response won in a solve before,
and looking whether the target is met counts too.

The published numbers are a native engine's on the machine of docs/results.md, where one showdown of 1,081 hands against
one reach took 7 to 8 microseconds; the same is timed here first, so that numbers of other machines can be scaled. With
``--native COMMAND`` an engine that is built here is run in turn with ours instead: the command gets a spot's name, the
number of threads and the target, and prints milliseconds an iteration and seconds to the target.
"""

import shlex
import subprocess
import time
from collections.abc import Callable
from functools import partial
from statistics import fmean, median
from typing import Any

import click
import msgspec
import numpy as np

from limpet.strategies.holdem.resolving.gadgets import Gadget
from limpet.strategies.holdem.resolving.subgame import Promise, Subgame
from limpet.strategies.holdem.solutions.spot import Spot, load_spot
from limpet.strategies.solvers.vector.passes import Storage
from limpet.strategies.solvers.vector.terminal_kernels import terminals
from limpet.strategies.solvers.vector.vector_kernels import visit_to
from limpet.strategies.solvers.vector.vector_solver import SpotSolver, VectorSolver

NATIVE = {  # milliseconds an iteration and seconds to 0.5 %, on one and two threads; memory of float32 tables in MB
    "r1": (("0.23-0.28", "-"), ("0.009-0.011", "-"), 0.4),
    "r2": (("1.27-1.42", "-"), ("0.16-0.18", "-"), 1.6),
    "r3": (("2.0-2.2", "-"), ("0.28-0.36", "-"), 2.4),
    "t1": (("32-37", "17-20"), ("1.6-1.9", "0.9-1.0"), 29.0),
    "t2": (("331", "175"), ("60", "32"), 385.0),
    "f1": (("883", "503"), ("80", "45"), 786.0),
    "f2": (("-", "2221"), ("-", "-"), 4100.0),
    "f3": (("-", "1066"), ("-", "-"), 2000.0),
}
CHECK_EVERY = 5
LINE = "{:5} {:>7} {:>22} {:>10} {:>14} {:>10} {:>12} {:>12} {:>6} {:>14}"


def best_time(work: Callable[[], object], runs: int) -> float:
    """Seconds of the fastest of some runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def showdown_microseconds() -> float:
    """One showdown of all river hands against one reach: an eighth of a block of eight."""
    spot = load_spot("r1")
    solver = make(spot, 1, "float32")
    solver.run(1)
    forest, boards = solver.forest.arrays, solver.boards.arrays
    root, space = solver.passes.root, solver.passes.spaces[0]
    visit = visit_to(boards, 0, 0)
    call = lambda: terminals(forest, boards, visit, root.reach, root.value, 0, space)
    blocks = int(forest.block_start[0, 1] - forest.block_start[0, 0])
    return best_time(call, 2000) / (8 * blocks) * 1e6


def ratio(ours: str, native: str) -> str:
    """Return our time as a share of a native one, which may be a range: its middle counts. ``-`` where one is not known."""
    if "-" in (ours, native):
        return "-"
    return f"{float(ours) / fmean(map(float, native.split('-'))):.2f}"


def make(spot: Spot, threads: int, storage: Storage, merge: Any = None) -> VectorSolver:
    return SpotSolver(
        spot.tree, spot.cards, spot.weights, threads=threads, storage=storage, merge=merge or spot.used_merge,
        algorithm=spot.minimiser,
    )  # fmt: skip


def time_to_target(solver: VectorSolver, target: float) -> tuple[float, int, float]:
    """(seconds of iterations, iterations, % of the pot) when the target is first seen to be met."""
    seconds = 0.0
    while True:
        start = time.perf_counter()
        solver.run(CHECK_EVERY)
        seconds += time.perf_counter() - start
        percent = solver.exploitability().percent
        if percent <= target or solver.iteration >= 2000:
            return seconds, solver.iteration, percent


def keeping(spot: Spot, gadget: Gadget, threads: int) -> Subgame:
    """The spot as a subgame that keeps the promise of a solve of it to 0.25 %."""
    root, ranges = spot.tree.root, spot.weights.astype(np.float64)
    known = Subgame(root, spot.menu, ranges, threads)
    known.solve(2000, 0.25, CHECK_EVERY)
    promise = Promise(gadget, 1, known.values(root, 1, best=True))
    return Subgame(root, spot.menu, ranges, threads, promise)


def with_gadgets(names: str, gadgets: str, threads: str, target: float, runs: int) -> None:
    print(f"{'spot':5} {'gadget':>16} {'threads':>7} {f's to {target:g} %':>12} {'iterations':>18}")
    for name in names.split(","):
        for gadget in gadgets.split(","):
            for count in map(int, threads.split(",")):
                spot, seconds = load_spot(name), []
                if count > 1 and len(spot.cards) == 5:
                    continue  # as below
                for _ in range(runs):
                    subgame = keeping(spot, msgspec.convert(gadget, Gadget), count)
                    start = time.perf_counter()
                    iterations = subgame.solve(2000, target, CHECK_EVERY)
                    seconds.append(time.perf_counter() - start)
                done = f"{iterations} ({subgame.percent:.3f} %)"
                print(f"{name.upper():5} {gadget:>16} {count:>7} {median(seconds):>12.4g} {done:>18}", flush=True)


@click.command(help=__doc__.replace("\n\n    python", "\n\n\b\n    python"))
@click.option("--spots", default="r1,r2,r3,t1,t2", show_default=True, help="Which, separated by commas.")
@click.option("--threads", default="1,2", show_default=True, help="Numbers of threads to try.")
@click.option("--storage", type=click.Choice(["float32", "int16"]), default="float32", show_default=True)
@click.option("--merge", type=click.Choice(["isomorphic", "suits", "none"]), default="isomorphic", show_default=True)
@click.option("--target", default=0.5, show_default=True, help="In % of the pot; 0 times iterations only.")
@click.option("--runs", default=5, show_default=True, help="Times each is repeated; medians are shown.")
@click.option("--native", help="Command of a native engine: it is run in turn, with a spot's name, threads and target.")
@click.option("--gadget", help="Solve again with these instead, separated by commas.")
def main(
    spots: str, threads: str, storage: Storage, merge: str, target: float, runs: int, native: str | None, gadget: str | None
) -> None:  # fmt: skip
    if gadget:
        with_gadgets(spots, gadget, threads, target, runs)
        return
    print(f"one showdown of 1,081 hands in a block of eight: {showdown_microseconds():.1f} us")
    heads = ("spot", "threads", "ms/iteration (least)", f"s to {target:g} %", "iterations", "tables MB")
    print(LINE.format(*heads, "native: ms", "s", "MB", "ours : native"))
    for name in spots.split(","):
        spot = load_spot(name)
        published = NATIVE[name]
        for count in map(int, threads.split(",")):
            solver = make(spot, count, storage, merge)
            if count > 1 and solver.boards.streets == 1:
                continue  # a river has no next cards to share out
            memory = f"{solver.memory.tables / 1e6:.1f}"
            solver.run(1)
            once = best_time(partial(solver.run, 1), 3)
            some = max(1, min(100, int(1.0 / once)))
            each = [best_time(partial(solver.run, some), 1) / some * 1e3 for _ in range(runs)]
            seconds, iterations = "-", "-"
            if target:
                found = []
                for _ in range(runs if once < 0.05 else 1):
                    del solver
                    solver = make(spot, count, storage, merge)
                    found.append(time_to_target(solver, target))
                seconds = f"{median(run[0] for run in found):.4g}"
                iterations = f"{found[0][1]} ({found[0][2]:.3f} %)"
            del solver
            place = min(count, 2) - 1
            theirs = [published[0][place], published[1][place]]
            if native:
                words = [*shlex.split(native), name, str(count), f"{target:g}"]
                theirs = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()[:2]
            ratios = [ratio(ours, his) for ours, his in zip((f"{median(each)}", seconds), theirs, strict=True)]
            speed = f"{median(each):.3f} ({min(each):.3f})"
            shown = (name.upper(), count, speed, seconds, iterations, memory)
            print(LINE.format(*shown, *theirs, f"{published[2]:g}", " ".join(ratios)), flush=True)


if __name__ == "__main__":
    main()
