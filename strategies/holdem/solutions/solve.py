"""Runs a spot's solve until its target or its limits are reached, and saves it."""

import math
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from limpet.common.folders import replace_file
from limpet.common.provenance import SOLVING, resumed, versions
from limpet.common.safetensors import map_tensors, write_tensors
from limpet.configs.loading import yaml_text
from limpet.protocol.errors import ProtocolError
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.holdem.solutions.spot import Spot
from limpet.strategies.solvers.schedule import Algorithm
from limpet.strategies.solvers.vector.passes import Storage
from limpet.strategies.solvers.vector.vector_solver import Exploitability, SpotSolver, VectorSolver

Reason = Literal["target", "iterations", "seconds", "interrupted"]

CHECK_EVERY = 10
"""Iterations between two measurements of ε, or a tenth of those done if that is more; each costs about an iteration."""
USUAL_FALL = 2.0
"""Power of the time by which ε falls, until two measurements tell: with discounts it falls about like the square."""


class Check(NamedTuple):
    """A measurement of a running solve, after `seconds` of solving."""

    iteration: int
    seconds: float
    exploitability: Exploitability


class RealGame(NamedTuple):
    """Exploitability, in the real game, of an answer that was found in an abstraction: best responses tell all hands apart.

    `real` is on the boards of the solve, `all_boards` on unmerged ones; None where none are merged, or memory is short.
    """

    real: Exploitability
    all_boards: Exploitability | None


def real_game(solver: VectorSolver, on_all_boards: bool) -> RealGame:
    """Measure an answer outside its abstraction. Costs an iteration, and a larger one on all boards."""
    unmerged = None
    if on_all_boards:
        with suppress(MemoryError):
            unmerged = solver.unmerged().exploitability()
    return RealGame(solver.exploitability(abstract=False), unmerged)


FORMATS = ("limpet-solve/1", "limpet-solve/2", "limpet-solve/3")
"""Formats of kept solves, which go on in their layout. Before the last, ``isomorphic`` merged suits alone, and in the first both
players learnt the hands of either range."""


@dataclass(eq=False)
class Solve:
    """A spot being solved, or solved.

    Attributes:
        seconds: time spent solving so far, earlier runs included.
        checks: the measurements made, oldest first.
        reason: why the last run ended.
        begun_by: revision of the code that began the solve; None if this process began it.
        format: format in which it is kept, one of `FORMATS`, which says how its tables are laid out.
    """

    spot: Spot
    solver: VectorSolver
    seconds: float = 0.0
    checks: list[Check] = field(default_factory=list)
    reason: Reason = "interrupted"
    begun_by: str | None = None
    format: str = FORMATS[-1]

    @property
    def code(self) -> str:
        """Revision of the code that solves the spot, or why there is none, see `provenance`."""
        return SOLVING if self.begun_by is None else resumed(self.begun_by, SOLVING)

    def run(
        self, report: Callable[["Solve"], None] = lambda solve: None, stop: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.perf_counter,
    ) -> Reason:  # fmt: skip
        """Iterate until the first of the spot's limits is reached or `stop` says so, and measure ε at the end.

        report: called after every measurement.
        """
        spot, solver = self.spot, self.solver
        before, began = self.seconds, clock()

        def elapsed() -> float:
            return before + clock() - began

        def out_of_time() -> bool:
            return spot.seconds is not None and elapsed() >= spot.seconds

        while True:
            left = spot.iterations - solver.iteration
            if left > 0 and not stop():
                solver.run(min(left, max(CHECK_EVERY, solver.iteration // 10)), lambda: stop() or out_of_time())
            self.seconds = elapsed()
            self.checks.append(Check(solver.iteration, self.seconds, solver.exploitability()))
            report(self)
            if 0 < spot.target >= self.checks[-1].exploitability.percent:
                self.reason = "target"
            elif solver.iteration >= spot.iterations:
                self.reason = "iterations"
            elif out_of_time():
                self.reason = "seconds"
            elif stop():
                self.reason = "interrupted"
            else:
                continue
            self.seconds = elapsed()
            return self.reason

    def seconds_left(self) -> float:
        """Estimate the seconds until the first limit, as if ε went on falling like the power of time that it last did."""
        now = self.checks[-1]
        left = [(self.spot.iterations - now.iteration) * now.seconds / max(1, now.iteration)]
        if self.spot.seconds is not None:
            left.append(self.spot.seconds - now.seconds)
        target, epsilon = self.spot.target, now.exploitability.percent
        earlier = [c for c in self.checks if c.seconds <= now.seconds / 2 and c.exploitability.percent > epsilon > 0]
        if target > 0:
            slope = USUAL_FALL
            if earlier:
                then = earlier[-1]
                slope = math.log(then.exploitability.percent / epsilon) / math.log(
                    now.seconds / max(then.seconds, 1e-9)
                )
            # beyond this the trend says nothing
            longer = math.exp(min(50.0, math.log(max(epsilon / target, 1.0)) / slope))
            left.append(now.seconds * (longer - 1))
        return max(0.0, min(left))


def prepare(spot: Spot, format: str = FORMATS[-1]) -> Solve:
    """Return the solver of a spot, its locks applied and its kernels compiled (the first time on a machine: up to 25 s).

    format: one of `FORMATS`. Raises `MemoryError` with the numbers if the solve does not fit, and ValueError for an impossible spot.
    """
    merge = spot.used_merge if format == FORMATS[-1] else spot.merge_by_suits
    groups = spot.hand_groups
    compile_kernels(spot.minimiser, spot.storage, spot.used_threads > 1, groups is not None)
    solver = (VectorSolver if format == FORMATS[0] else SpotSolver)(
        spot.tree, spot.cards, spot.weights, algorithm=spot.minimiser, merge=merge, storage=spot.storage,
        threads=spot.used_threads, groups=None if groups is None else groups.groups, rake=spot.house,
    )  # fmt: skip
    for lock in spot.locked:  # on every board of its street that the lock's cards allow
        street, _ = solver.forest.locate(lock.node)
        for board in (solver.boards.cards[number] for number in solver.boards.on_street(street)):
            if lock.holds_on(board):
                solver.tables.lock(lock.node, board, lock.rows)
    return Solve(spot, solver, format=format)


@cache
def compile_kernels(algorithm: Algorithm, storage: Storage, threaded: bool, grouped: bool) -> None:
    """Play one iteration of a toy spot, so that compiling does not count as solving."""
    toy = Spot(board="KsKhKd2c", pot=2, stack=1, ranges=("AcAd", "QcQd"), menu=BetMenu(sizes=(((),),)))
    solver = VectorSolver(
        toy.tree, toy.cards, toy.weights, algorithm=algorithm, storage=storage, threads=1 + threaded,
        groups=(lambda _: np.arange(1326)) if grouped else None,
    )  # fmt: skip
    solver.run(1)
    solver.exploitability()
    solver.node_values(0, toy.cards)


# --- Keeps a solve on disk, to show it again or to go on with it: a safetensors file with the spot in its metadata.

TABLES = "solve.safetensors"
SPOT = "spot.yaml"


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Facts kept beside the tables. code: see `provenance`."""

    spot: Spot
    iterations: int
    seconds: float
    reason: Reason
    exploitability: Exploitability
    versions: dict[str, str]
    code: str = ""


def save_solve(folder: Path, solve: Solve) -> None:
    """Write a solve into a folder. A kill leaves what was there before. ``spot.yaml`` is for readers alone."""
    record = Record(
        spot=solve.spot,
        iterations=solve.solver.iteration,
        seconds=solve.seconds,
        reason=solve.reason,
        exploitability=solve.checks[-1].exploitability,
        versions=versions(),
        code=solve.code,
    )
    replace_file(folder / SPOT, yaml_text(msgspec.to_builtins(solve.spot)))
    # The file format has no booleans.
    tensors = {k: a.astype(np.uint8) if a.dtype == np.bool_ else a for k, a in solve.solver.state_arrays().items()}
    write_tensors(folder / TABLES, tensors, {"format": solve.format, "record": msgspec.json.encode(record).decode()})


def read_record(folder: Path) -> Record:
    """Read the record of a saved solve. Raises ValueError if the folder holds none."""
    path = folder / TABLES
    if not path.is_file():
        remedy = f"'limpet solve SPOT --save {folder}' makes one"
        raise ValueError(f"{folder} holds no solve ({TABLES} is missing); {remedy}")
    _, metadata = map_tensors(path)
    if metadata.get("format") not in FORMATS:
        raise ValueError(f"{path}: format {metadata.get('format')!r}; this version reads {', '.join(FORMATS)}")
    try:
        return msgspec.json.decode(metadata["record"], type=Record)
    except (KeyError, msgspec.DecodeError) as error:
        raise ValueError(f"{path}: its record cannot be read ({error}); solve the spot again") from error


def load_solve(folder: Path, spot: Spot | None = None) -> Solve:
    """Return the solve of a folder, ready to be asked or to go on. spot: go on with its limits and threads instead.

    Raises ValueError if the folder holds no solve, or one of another spot, and `MemoryError` if it does not fit.
    """
    record = read_record(folder)
    if spot is not None:
        _require_same(folder, record.spot, spot)
    tensors, metadata = map_tensors(folder / TABLES)
    try:
        solve = prepare(spot or record.spot, metadata["format"])
        solve.solver.restore(tensors)
    except ProtocolError:
        raise
    except ValueError as error:
        raise ValueError(f"{folder / TABLES}: {error}; it was written by another version; solve again") from error
    solve.seconds, solve.reason, solve.begun_by = record.seconds, record.reason, record.code
    solve.checks.append(Check(record.iterations, record.seconds, record.exploitability))
    return solve


def _require_same(folder: Path, saved: Spot, spot: Spot) -> None:
    """Raise ValueError unless two spots agree in all but limits, threads and note."""
    for part in msgspec.structs.fields(Spot):
        name = part.name
        if name in ("iterations", "seconds", "target", "threads", "note"):
            continue
        saved_value, value = getattr(saved, name), getattr(spot, name)
        if saved_value != value:
            raise ValueError(
                f"{folder} holds a solve of another spot: {name} is {_short(saved_value)} there and {_short(value)} now; "
                "restore it, or save into another folder"
            )


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
