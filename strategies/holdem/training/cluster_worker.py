"""The worker's side of a training run on a cluster: it builds what a config needs, once, and plays shares of rounds.

A worker keeps tree, card tables and solver; regrets come with every share. It has the threads that dask gave it, and
plays one share at a time with all of them. dask is imported on workers only, because it is an extra.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from operator import add
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.common.cluster import is_wanted
from limpet.protocol.gamedef import GameDef
from limpet.strategies.holdem.training.run import StageProgress
from limpet.strategies.holdem.training.training import Training
from limpet.strategies.holdem.training.training_config import TrainingConfig
from limpet.strategies.solvers.sampled.mccfr import BatchSolver, ExternalSampling

if TYPE_CHECKING:
    from distributed import Worker


# --- A round shared out: batches are cut into shares, shares played, and their changes of the tables added up.

GROWTH = 4
"""A round has at most a quarter of the batches done before it: a longer one would act on old regrets for too long."""
ROUNDS = 100
"""Least number of rounds of a long run."""


class ShareChanges(NamedTuple):
    """The changes that shares of a round make to regrets and averages, in the layout of the solver's table.

    With them come the number of decision nodes visited, and the processor seconds of all threads.
    """

    regret: NDArray[np.float32]
    average: NDArray[np.float32]
    visits: int
    processor_seconds: float


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
) -> ShareChanges:
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
    return ShareChanges(solver.regret, solver.average_sums(), solver.visits, used)


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


def summed(first: ShareChanges, second: ShareChanges) -> ShareChanges:
    """Return the sum of the changes that two parts of a round make."""
    return ShareChanges(*map(add, first, second))


def merge(solver: BatchSolver, batches: range, learnt: ShareChanges) -> None:
    """Add the changes of all shares of a round, and end the period if it ends with them."""
    end = solver.period_end()
    solver.regret += learnt.regret
    solver.average += learnt.average
    solver.iteration += len(batches) * solver.batch
    solver.visits += learnt.visits
    if solver.iteration == end:
        solver.end_period()


PLAYING = "training"
"""Stage of a task that plays a share."""
REPORT_SECONDS = 0.5
"""Seconds between two reports of a share, and between two looks at whether it is still wanted."""


class TrainingJob(msgspec.Struct, frozen=True):
    """A training run as workers know it, with the text of its game definition.

    topic: topic of the events that carry the key of a worker's task and its `StageProgress`.
    """

    config: TrainingConfig
    game: str
    topic: str


class _Kept:
    """The training run that a worker keeps from share to share."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.job: TrainingJob | None = None
        self.training: Training

    def prepare(self, job: TrainingJob, worker: "Worker", key: str) -> BatchSolver:
        """Return the solver of a job, built if the worker has another job's."""
        if self.job != job:
            config = msgspec.structs.replace(job.config, threads=worker.state.nthreads)
            self.training = Training(config, GameDef.parse(job.game), Path())
            self.training.report = lambda progress: _report(worker, job, key, progress)
            self.training.prepare()
            self.job = job
        solver = self.training.solver
        assert isinstance(solver, BatchSolver)
        return solver


def _kept(worker: "Worker") -> _Kept:
    """Return what a worker keeps, as an attribute of its own: one process may hold several workers."""
    kept: _Kept = vars(worker).setdefault("limpet_training", _Kept())
    return kept


def _report(worker: "Worker", job: TrainingJob, key: str, progress: StageProgress) -> None:
    worker.log_event(job.topic, (key, msgspec.to_builtins(progress)))


def prepare(job: TrainingJob) -> tuple[str, str]:
    """Build tree, card tables (kept in the worker's data folder) and solver; return the hashes of cards and tree."""
    from distributed import get_worker

    worker = get_worker()
    kept = _kept(worker)
    with kept.lock:
        kept.prepare(job, worker, str(worker.get_current_task()))
        return kept.training.cards.hash(), kept.training.tree.hash()


def passed_on(regret: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the regrets: where this runs they are kept, and from there two other workers take them."""
    return regret


def play_share(job: TrainingJob, regret: NDArray[np.float32], begin: int, end: int, shares: int) -> ShareChanges:
    """Play batches `begin` to `end`, one of so many shares of a round; stop early once it is no longer wanted."""
    from distributed import get_worker

    worker = get_worker()
    key = str(worker.get_current_task())
    kept = _kept(worker)
    with kept.lock:
        solver = kept.prepare(job, worker, key)
        total = (end - begin) * solver.batch
        reported, wanted = time.monotonic(), True

        def stop() -> bool:
            nonlocal reported, wanted
            if wanted and (now := time.monotonic()) - reported >= REPORT_SECONDS:
                reported = now
                done = solver.iteration - begin * solver.batch
                _report(worker, job, key, StageProgress(PLAYING, done, total, 0.0, solver.visits))
                wanted = is_wanted(worker, key)
            return not wanted

        return play(solver, regret, range(begin, end), shares, stop)
