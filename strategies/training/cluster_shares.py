"""A round of training shared out: batches are cut into shares, shares played, and their changes of the tables added up.

The deals are those of a run on one machine: a share is a range of batches, whose numbers fix their random numbers. So a
share on one thread gives the same wherever it is played, and may be played again somewhere else.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from operator import add
from time import process_time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.solving.sampled.mccfr import BatchSolver, ExternalSampling

GROWTH = 4
"""A round has at most a quarter of the batches done before it: a longer one would act on old regrets for too long."""
ROUNDS = 100
"""Least number of rounds of a long run."""


class Learnt(NamedTuple):
    """The changes that shares of a round make to a run."""

    regret: NDArray[np.float32]  # change of the regrets, in the layout of the solver's table
    average: NDArray[np.float32]  # change of the averages, in the same layout
    visits: int  # decision nodes visited
    processor_seconds: float  # processor seconds of all threads


def round_batches(solver: BatchSolver, target: int, workers: int) -> range:
    """Return the batches of the next round, which depend on the run's progress and the workers, and on no clock.

    target: iterations of the whole run. The end of a period ends a round.
    """
    done, last = solver.iteration // solver.batch, -(-target // solver.batch)
    size = max(workers, min(done // GROWTH, last // ROUNDS))
    return range(done, min(done + size, solver.period_end() // solver.batch, last))


def cut(batches: range, workers: int) -> list[range]:
    """Return a share for each worker, as equal as can be; fewer if there are fewer batches than workers."""
    shares = min(workers, len(batches))
    ends = [batches.start + len(batches) * share // shares for share in range(shares + 1)]
    return [range(begin, end) for begin, end in pairwise(ends)]


def play(
    solver: BatchSolver, regret: NDArray[np.float32], batches: range, shares: int, stop: Callable[[], bool]
) -> Learnt:
    """Play one of so many shares of a round that begins with `regret`; the tables of `solver` are overwritten.

    Where there are n shares, each starts from an n-th of the regrets. That plays the same strategy, and the share's deals,
    an n-th of the round's, weigh against the past as all the deals would on one machine. From the whole regrets every
    share would make the same step against the same strategy, and their sum would be a step n times too long.
    """
    weight = np.float32(1 / shares)
    solver.regret = regret * weight
    solver.average = np.zeros_like(solver.regret)
    solver.settled[:] = 0
    solver.iteration, solver.visits = batches.start * solver.batch, 0
    solver.periods = 0  # discounts are the run's
    with _weighed_pruning(solver, shares):
        used = process_time()
        solver.run(len(batches) * solver.batch, stop)
        used = process_time() - used
    solver.regret -= regret * weight
    return Learnt(solver.regret, solver.average_sums(), solver.visits, used)


@contextmanager
def _weighed_pruning(solver: BatchSolver, shares: int) -> Iterator[None]:
    """Divide the regret below which actions are skipped by the number of shares, as the regrets are."""
    if not isinstance(solver, ExternalSampling) or solver.pruning is None:
        yield
        return
    whole = solver.pruning
    solver.pruning = whole._replace(below=whole.below / shares)
    try:
        yield
    finally:
        solver.pruning = whole


def summed(first: Learnt, second: Learnt) -> Learnt:
    """Return the sum of the changes that two parts of a round make."""
    return Learnt(*map(add, first, second))


def merge(solver: BatchSolver, batches: range, learnt: Learnt) -> None:
    """Add the changes of all shares of a round, and end the period if it ends with them."""
    end = solver.period_end()
    solver.regret += learnt.regret
    solver.average += learnt.average
    solver.iteration += len(batches) * solver.batch
    solver.visits += learnt.visits
    if solver.iteration == end:
        solver.end_period()
