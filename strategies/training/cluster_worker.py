"""The worker's side of a training run on a cluster: it builds what a config needs, once, and plays shares of rounds.

A worker keeps tree, card tables and solver; regrets come with every share. It has the threads that dask gave it, and
plays one share at a time with all of them. dask is imported on workers only, because it is an extra.
"""

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.strategies.solving.sampled.mccfr import BatchSolver
from limpet.strategies.training.cluster_shares import Learnt, play
from limpet.strategies.training.training import Progress, Training
from limpet.strategies.training.training_config import TrainingConfig
from limpet.strategies.workers.cluster import is_wanted

if TYPE_CHECKING:
    from distributed import Worker

PLAYING = "training"
"""Stage of a task that plays a share."""
REPORT_SECONDS = 0.5
"""Seconds between two reports of a share, and between two looks at whether it is still wanted."""


class Job(msgspec.Struct, frozen=True):
    """A training run as workers know it.

    Attributes:
        game: text of the game definition.
        topic: topic of the events that carry the key of a worker's task and its `Progress`.
    """

    config: TrainingConfig
    game: str
    topic: str


class _Kept:
    """The training run that a worker keeps from share to share."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.job: Job | None = None
        self.training: Training

    def prepare(self, job: Job, worker: "Worker", key: str) -> BatchSolver:
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


_KEPT: "WeakKeyDictionary[Worker, _Kept]" = WeakKeyDictionary()  # one process may hold several workers
_KEPT_LOCK = threading.Lock()


def _kept(worker: "Worker") -> _Kept:
    with _KEPT_LOCK:
        return _KEPT.setdefault(worker, _Kept())


def _report(worker: "Worker", job: Job, key: str, progress: Progress) -> None:
    worker.log_event(job.topic, (key, msgspec.to_builtins(progress)))


def prepare(job: Job) -> tuple[str, str]:
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


def play_share(job: Job, regret: NDArray[np.float32], begin: int, end: int, shares: int) -> Learnt:
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
                _report(worker, job, key, Progress(PLAYING, done, total, 0.0, solver.visits))
                wanted = is_wanted(worker, key)
            return not wanted

        return play(solver, regret, range(begin, end), shares, stop)
