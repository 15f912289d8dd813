"""What a worker of a cluster does: build what a training config needs, once, and play shares of its rounds.

Everything here runs inside dask workers. A worker keeps tree, card tables and solver; regrets come with every share. It
has the threads that dask gave it, and plays one share at a time with all of them.
"""

import threading
import time
from pathlib import Path
from weakref import WeakKeyDictionary

import msgspec
import numpy as np
from distributed import Worker, get_worker
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.strategies.solving.sampled.mccfr import BatchSolver
from limpet.strategies.training.cluster_shares import Learnt, play
from limpet.strategies.training.training import Progress, Training
from limpet.strategies.training.training_config import TrainingConfig

PLAYING = "training"
TOLD_SECONDS = 0.5  # between two looks at whether anybody still wants a share, and two words on how far it is


class Job(msgspec.Struct, frozen=True):
    """A run as workers know it.

    Attributes:
        game: the definition's text.
        topic: of the events that tell how far a worker is.
    """

    config: TrainingConfig
    game: str
    topic: str


class Made(msgspec.Struct, frozen=True):
    """What a worker made of a job, which must be what the others and the coordinator made."""

    cards: str
    """Hash of the card abstraction."""
    tree: str
    """Hash of the betting tree."""


class Told(msgspec.Struct, frozen=True):
    """How far a worker is with a task: card tables in their units, or a share in iterations.

    Attributes:
        key: of the task.
        stage: as in `Progress`.
    """

    key: str
    stage: str
    done: int
    total: int
    visits: int = 0


class _Place:
    """What a worker keeps from share to share."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.job: Job | None = None
        self.training: Training

    def prepare(self, job: Job, worker: Worker, key: str) -> BatchSolver:
        if self.job != job:
            config = msgspec.structs.replace(job.config, threads=worker.state.nthreads)
            self.training = Training(config, GameDef.parse(job.game), Path())
            self.training.report = lambda progress: _tell(worker, job, key, progress)
            self.training.prepare()
            self.job = job
        solver = self.training.solver
        assert isinstance(solver, BatchSolver)
        return solver


_PLACES: "WeakKeyDictionary[Worker, _Place]" = WeakKeyDictionary()  # one process may hold several workers
_PLACES_LOCK = threading.Lock()


def _place(worker: Worker) -> _Place:
    with _PLACES_LOCK:
        return _PLACES.setdefault(worker, _Place())


def _tell(worker: Worker, job: Job, key: str, progress: Progress) -> None:
    told = Told(key, progress.stage, progress.done, progress.total, progress.visits)
    worker.log_event(job.topic, msgspec.to_builtins(told))


def prepare(job: Job) -> Made:
    """Build tree, card tables (kept in the worker's data folder) and solver."""
    worker = get_worker()
    place = _place(worker)
    with place.lock:
        place.prepare(job, worker, str(worker.get_current_task()))
        return Made(place.training.cards.hash(), place.training.tree.hash())


def passed_on(regret: NDArray[np.float32]) -> NDArray[np.float32]:
    """Regrets for the worker that this runs on, and from there for two others."""
    return regret


def play_share(job: Job, regret: NDArray[np.float32], begin: int, end: int, shares: int) -> Learnt:
    """Play batches `begin` to `end`, one of so many shares of a round; stops early once nobody waits for it."""
    worker = get_worker()
    key = str(worker.get_current_task())
    place = _place(worker)
    with place.lock:
        solver = place.prepare(job, worker, key)
        total = (end - begin) * solver.batch
        told, wanted = time.monotonic(), True

        def stop() -> bool:
            nonlocal told, wanted
            if wanted and (now := time.monotonic()) - told >= TOLD_SECONDS:
                told = now
                done = solver.iteration - begin * solver.batch
                _tell(worker, job, key, Progress(PLAYING, done, total, 0.0, solver.visits))
                wanted = _wanted(worker, key)
            return not wanted

        return play(solver, regret, range(begin, end), shares, stop)


def _wanted(worker: Worker, key: str) -> bool:
    """Whether the coordinator still waits for this task: neither stopped nor gone."""
    task = worker.state.tasks.get(key)
    return task is not None and task.state != "cancelled"
