"""Runs a spot's solve until its target, its iterations or its seconds are reached, or the user stops it."""

import math
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from limpet.strategies.solutions.spot import Spot
from limpet.strategies.solving.schedule import Algorithm
from limpet.strategies.solving.vector.node_values import Exploitability
from limpet.strategies.solving.vector.solver_tables import Storage
from limpet.strategies.solving.vector.vector_solver import VectorSolver
from limpet.strategies.storage.provenance import SOLVING, resumed
from limpet.strategies.trees.menu import BetMenu

Reason = Literal["target", "iterations", "seconds", "interrupted"]

CHECK_EVERY = 10
"""Iterations between two measurements of ε, or a tenth of those done if that is more; each costs about an iteration."""


class Check(NamedTuple):
    """A measurement of a running solve."""

    iteration: int
    seconds: float  # time spent solving so far
    exploitability: Exploitability


class RealGame(NamedTuple):
    """Exploitability, in the real game, of an answer that was found in an abstraction."""

    real: Exploitability  # best responses tell all hands apart, on the boards of the solve
    all_boards: Exploitability | None  # the same on unmerged boards; None where none are merged, or memory is short


def real_game(solver: VectorSolver, on_all_boards: bool) -> RealGame:
    """Measure an answer outside its abstraction. Costs an iteration, and a larger one on all boards."""
    unmerged = None
    if on_all_boards:
        with suppress(MemoryError):
            unmerged = solver.unmerged().exploitability()
    return RealGame(solver.exploitability(abstract=False), unmerged)


@dataclass(eq=False)
class Solve:
    """A spot being solved, or solved."""

    spot: Spot
    solver: VectorSolver
    seconds: float = 0.0  # time spent solving so far, earlier runs included
    checks: list[Check] = field(default_factory=list)  # the measurements made, oldest first
    reason: Reason = "interrupted"  # why the last run ended
    begun_by: str | None = None  # revision of the code that began the solve; None if this process began it

    @property
    def code(self) -> str:
        """Revision of the code that solves the spot, or why there is none, see `provenance`."""
        return SOLVING if self.begun_by is None else resumed(self.begun_by, SOLVING)

    def run(
        self,
        report: Callable[["Solve"], None] = lambda solve: None,
        stop: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.perf_counter,
    ) -> Reason:
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
        if target > 0 and earlier:
            then = earlier[-1]
            slope = math.log(then.exploitability.percent / epsilon) / math.log(now.seconds / max(then.seconds, 1e-9))
            # beyond this the trend says nothing
            longer = math.exp(min(50.0, math.log(max(epsilon / target, 1.0)) / slope))
            left.append(now.seconds * (longer - 1))
        return max(0.0, min(left))


def prepare(spot: Spot) -> Solve:
    """Return the solver of a spot, its locks applied and its kernels compiled (the first time on a machine: a minute).

    Raises `MemoryError` with the numbers if the solve does not fit, and ValueError for an impossible spot.
    """
    groups = spot.hand_groups
    compile_kernels(spot.minimiser, spot.storage, spot.used_threads > 1, groups is not None)
    solver = VectorSolver(
        spot.tree, spot.cards, spot.weights, algorithm=spot.minimiser, merge=spot.merge, storage=spot.storage,
        threads=spot.used_threads, groups=None if groups is None else groups.groups,
    )  # fmt: skip
    for lock in spot.locked:  # on every board of its street that the lock's cards allow
        street, _ = solver.forest.locate(lock.node)
        for board in (solver.boards.cards[number] for number in solver.boards.on_street(street)):
            if lock.holds_on(board):
                solver.tables.lock(lock.node, board, lock.rows)
    return Solve(spot, solver)


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
