"""A training run whose rounds are played by the workers of a dask.distributed cluster."""

import logging
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING
from uuid import uuid4

from limpet.strategies.solving.sampled.mccfr import BatchSolver
from limpet.strategies.storage.provenance import CLUSTER
from limpet.strategies.training.checkpoint import Spent
from limpet.strategies.training.cluster_shares import merge, round_batches
from limpet.strategies.training.training import Progress, Training
from limpet.strategies.workers.interrupts import ended_by_signals
from limpet.strategies.workers.processes import most_processes

if TYPE_CHECKING:
    from distributed import Client

    from limpet.strategies.training.cluster_crew import Crew

LOCAL = re.compile(r"local:([1-9]\d{0,5})", re.ASCII)
ADDRESS = re.compile(r"[a-z]+://.+")
CONNECT_SECONDS = 10.0


@contextmanager
def on_cluster(runs: list[Training], address: str, notice: Callable[[str], None]) -> Iterator[list[Training]]:
    """The same runs, with their rounds played by the workers of a cluster, see `open_cluster`.

    notice: called with a line when workers come to grief. Raises `ValueError` for an algorithm that does not sample.
    """
    config = runs[0].config
    if config.sampling is None:
        raise ValueError(
            f"{config.algorithm} sweeps a small game as a whole and needs no cluster; leave --cluster out, "
            "or train with mccfr or pcs"
        )
    with open_cluster(address, config.threads) as client:
        yield [ClusterTraining(run.config, run.game, run.output, client=client, notice=notice) for run in runs]


@contextmanager
def open_cluster(address: str, threads: int) -> "Iterator[Client]":
    """The scheduler at an address such as ``tcp://host:8786``; ``local:N`` starts one with N worker processes here.

    Those share out `threads`. Raises `ValueError` where dask is missing, for another text, and if nobody answers.
    """
    try:
        import dask
        from distributed import Client, LocalCluster
        from distributed.utils import silence_logging_cmgr
    except ImportError as error:
        raise ValueError("--cluster needs dask; install it with: pip install 'limpet[cluster]'") from error
    local = LOCAL.fullmatch(address)
    if not local and not ADDRESS.fullmatch(address):
        raise ValueError(f"cluster {address!r} is neither a scheduler's address, such as tcp://host:8786, nor local:N")
    if not local:
        try:
            client = Client(address, timeout=CONNECT_SECONDS, direct_to_workers=True)
        except (OSError, ValueError) as error:
            raise ValueError(
                f"no scheduler answers at {address} ({error}); start one there with: dask scheduler"
            ) from error
        with silence_logging_cmgr(logging.CRITICAL), client:  # what befalls the scheduler is told in our own words
            yield client
        return
    workers = int(local[1])
    if workers > most_processes():
        raise ValueError(f"cluster {address!r}: this machine has use for at most {most_processes()} processes")
    # A profile would take a fifth of the time. A signal must not leave what processes share to be cleaned up by others.
    with dask.config.set({"distributed.worker.profile.enabled": False}), ended_by_signals():
        with _not_interrupted():
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=max(1, threads // workers),
                processes=True,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                memory_limit=0,  # dask's default stops workers whose tables are large
                silence_logs=logging.CRITICAL,  # they complain about each other when all leave
            )
        with cluster, Client(cluster, direct_to_workers=True) as client:
            yield client


@contextmanager
def _not_interrupted() -> Iterator[None]:
    """Processes and threads begun inside, and all that they begin, do not see Ctrl-C, which is for the coordinator."""
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # begun later, it would unblock the signal for whoever begins it
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@dataclass
class ClusterTraining(Training):
    """A run as any other, but for who plays the batches.

    Attributes:
        client: of the cluster's scheduler.
        notice: called with a line when workers come to grief.
    """

    client: "Client | None" = None
    notice: Callable[[str], None] = print
    crew: "Crew" = field(init=False)
    _target: int = field(default=0, init=False)
    _began: float = field(default=0.0, init=False)

    def prepare(self) -> None:
        """Build everything here, then have all workers that are there build it too."""
        from limpet.strategies.training.cluster_crew import Crew
        from limpet.strategies.training.cluster_worker import Job, Made

        super().prepare()
        self.code = CLUSTER
        assert self.client is not None
        job = Job(self.config, str(self.game), f"limpet-{uuid4().hex}")
        self.crew = Crew(self.client, job, Made(self.cards.hash(), self.tree.hash()), self.notice)
        began = self.clock()

        def step() -> None:
            done, total = self.crew.making_ready()
            if total:
                self.report(Progress("card tables of workers", done, total, self.clock() - began))

        self.crew.ready(True, lambda: False, step)

    def _train(self, iterations: int, target: int, stop: Callable[[], bool]) -> None:
        """A round, however many iterations it takes; nothing if it is stopped."""
        solver, (seconds, processor_seconds) = self.solver, self.spent
        assert isinstance(solver, BatchSolver)
        self._target, self._began = target, self.clock()
        try:
            played = self.crew.play(
                solver.regret, lambda workers: round_batches(solver, target, workers), stop, self._step
            )
        except ValueError:
            self._save()
            raise
        if played is not None:
            merge(solver, *played)
            processor_seconds += played[1].processor_seconds
        self.spent = Spent(seconds + self.clock() - self._began, processor_seconds)

    def _step(self) -> None:
        """Tell how far the round is."""
        solver = self.solver
        assert isinstance(solver, BatchSolver)
        played, visits = self.crew.under_way()
        done = min(solver.iteration + played, self._target)  # a word of the round before may come late
        point = self.curve[-1] if self.curve else None
        seconds = self.seconds + self.clock() - self._began
        visits += solver.visits
        self.report(Progress("training", done, self._target, seconds, visits, self._average_regret, point))
