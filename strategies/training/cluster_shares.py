"""A round of training shared out: batches cut into shares, a share played, and what was learnt brought together.

The deals are those of a run on one machine: a share is a range of its batches, whose random numbers are fixed by their
numbers. So a share on one thread gives the same wherever it is played, and may be played again somewhere else.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from time import process_time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.solving.sampled.mccfr import BatchSolver, ExternalSampling

GROWTH = 4  # a round has at most a quarter of the batches done before it: longer ones act on old regrets for too long
ROUNDS = 100  # at least, of a long run


class Learnt(NamedTuple):
    """What shares of a round add to a run: float32 tables in its layout, and what they took."""

    regret: NDArray[np.float32]
    average: NDArray[np.float32]
    visits: int
    processor_seconds: float


def round_batches(solver: BatchSolver, target: int, workers: int) -> range:
    """The next round: fixed by how far the run is and how many workers there are, by no clock.

    target: iterations of the whole run. The end of a period ends a round.
    """
    done, last = solver.iteration // solver.batch, -(-target // solver.batch)
    size = max(workers, min(done // GROWTH, last // ROUNDS))
    return range(done, min(done + size, solver.period_end() // solver.batch, last))


def cut(batches: range, workers: int) -> list[range]:
    """A share for each worker, as equal as can be; fewer if there are fewer batches than workers."""
    shares = min(workers, len(batches))
    ends = [batches.start + len(batches) * share // shares for share in range(shares + 1)]
    return [range(begin, end) for begin, end in pairwise(ends)]


def play(
    solver: BatchSolver, regret: NDArray[np.float32], batches: range, shares: int, stop: Callable[[], bool]
) -> Learnt:
    """Play one of so many shares of a round that begins with `regret`; `solver` is the place to work in.

    Where there are n shares, each starts from an n-th of the regrets. That plays the same strategy, and the share's deals,
    an n-th of the round's, weigh against the past as all the deals would on one machine. From the whole regrets every
    share would take the same way against the same strategy, and together they would go n times too far.
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
    """What is skipped below a regret is skipped below a part of it where regrets are that part."""
    if not isinstance(solver, ExternalSampling) or solver.pruning is None:
        yield
        return
    whole = solver.pruning
    solver.pruning = whole._replace(below=whole.below / shares)
    try:
        yield
    finally:
        solver.pruning = whole


def together(first: Learnt, second: Learnt) -> Learnt:
    """What two parts of a round learnt."""
    return Learnt(
        first.regret + second.regret,
        first.average + second.average,
        first.visits + second.visits,
        first.processor_seconds + second.processor_seconds,
    )


def merge(solver: BatchSolver, batches: range, learnt: Learnt) -> None:
    """Add what all shares of a round learnt, and end the period if it ends with them."""
    end = solver.period_end()
    solver.regret += learnt.regret
    solver.average += learnt.average
    solver.iteration += len(batches) * solver.batch
    solver.visits += learnt.visits
    if solver.iteration == end:
        solver.end_period()
