"""A training run whose rounds are played by the workers of a dask cluster."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.common.cluster import LOOK_SECONDS, Members, open_cluster
from limpet.common.provenance import CLUSTER
from limpet.strategies.holdem.blueprint.strategy_file import Manifest
from limpet.strategies.holdem.training.cluster_worker import (
    PLAYING,
    ShareChanges,
    TrainingJob,
    cut,
    merge,
    passed_on,
    play_share,
    prepare,
    round_batches,
    summed,
)
from limpet.strategies.holdem.training.run import Spent, StageProgress, TrainingRun
from limpet.strategies.holdem.training.training import Training
from limpet.strategies.solvers.sampled.mccfr import BatchSolver

if TYPE_CHECKING:
    from distributed import Client

ROLL_CALL_SECONDS = 2.0
"""Seconds between two looks at who is there, while a round is played."""


@contextmanager
def on_cluster(
    runs: Sequence[TrainingRun[Manifest]], address: str, notice: Callable[[str], None]
) -> Iterator[list[Training]]:
    """Yield the same runs, with their rounds played by the workers of a cluster, see `open_cluster`.

    notice: called with a line when workers are lost. Raises `ValueError` for an algorithm that does not sample.
    """
    config = runs[0].config
    if config.sampling is None:
        raise ValueError(
            f"{config.algorithm} sweeps a small game as a whole and needs no cluster; leave --cluster out, "
            "or train with mccfr or pcs"
        )
    with open_cluster(address, config.threads) as client:
        yield [ClusterTraining(run.config, run.game, run.output, client=client, notice=notice) for run in runs]


@dataclass(eq=False)
class ClusterTraining(Training):
    """A training run whose batches are played by the workers of a cluster, the `crew` of its scheduler's client.

    notice: called with a line when workers are lost.
    """

    client: "Client | None" = None
    notice: Callable[[str], None] = print
    crew: "Crew" = field(init=False)

    def prepare(self) -> None:
        """Build everything here, then have all workers that are there build it too."""
        super().prepare()
        self.code = CLUSTER
        assert self.client is not None
        job = TrainingJob(self.config, str(self.game), f"limpet-{uuid4().hex}")
        self.crew = Crew(self.client, job, (self.cards.hash(), self.tree.hash()), self.notice)
        show = self._timed()

        def step() -> None:
            done, total, _ = self.crew.under_way(playing=False)
            if total:
                show("card tables of workers", done, total)

        self.crew.ready(True, lambda: False, step)

    def _train(self, iterations: int, target: int, stop: Callable[[], bool]) -> None:
        """Play a round, however many iterations it takes; do nothing if it is stopped."""
        solver, (seconds, processor_seconds) = self.solver, self.spent
        assert isinstance(solver, BatchSolver)
        began = self.clock()

        def step() -> None:
            played, _, visits = self.crew.under_way()
            self._report(target, played, visits, self.clock() - began)

        try:
            played = self.crew.play(solver.regret, lambda workers: round_batches(solver, target, workers), stop, step)
        except ValueError:
            self._save()
            raise
        if played is not None:
            merge(solver, *played)
            processor_seconds += played[1].processor_seconds
        self.spent = Spent(seconds + self.clock() - began, processor_seconds)


class Crew:
    """The workers that play the rounds of a run. They may come and go; the share of one that dies is played by another.

    `reports` has the last progress of each task under way, by its key.
    """

    def __init__(
        self, client: "Client", job: TrainingJob, expected: tuple[str, str], notice: Callable[[str], None]
    ) -> None:
        """`expected`: hashes of the coordinator's cards and tree; `notice` is called with a line for the user."""
        self.reports: dict[str, StageProgress] = {}
        self._client: Any = client
        self._job = job
        differs = "its cards or its tree differ; install the same version of limpet there"
        # Workers of a host share card tables: the first builds them, the others find them there.
        self._members = Members(client, prepare, job, expected, differs, notice, one_a_host=True)
        self._notice = notice
        self._complete = False
        self._client.subscribe_topic(job.topic, self._hear)

    def _hear(self, event: tuple[float, Any]) -> None:
        key, progress = msgspec.convert(event[1], tuple[str, StageProgress])
        self.reports[key] = progress

    def under_way(self, playing: bool = True) -> tuple[int, int, int]:
        """Return how much is done, of how much, and the visits, of the shares that are played, or of preparations."""
        tasks = [report for report in list(self.reports.values()) if (report.stage == PLAYING) == playing]
        return sum(task.done for task in tasks), sum(task.total for task in tasks), sum(task.visits for task in tasks)

    def roll_call(self) -> None:
        """Look who is there, say who has gone or joined, and have new workers prepare."""
        gone, joined = self._members.look()
        for address in gone:
            self._notice(f"worker {address} is gone; others play what it had not finished")
        for address in joined if self._complete else ():
            self._notice(f"worker {address} joins")
        preparing = {future.key for future in self._members.preparing.values()}
        reports = list(self.reports.items())
        self.reports = {key: report for key, report in reports if report.stage == PLAYING or key in preparing}

    def ready(self, everybody: bool, stop: Callable[[], bool], step: Callable[[], None]) -> list[str]:
        """Return the addresses of workers that can play, after waiting for the first, or for `everybody` who is there.

        Empty once `stop` returns true. `step` is called while waiting. Raises `ValueError` if no worker can play.
        """
        if not self._members.gather(self.roll_call, everybody, stop, step):
            return []
        self._complete = True
        return list(self._members.ready)

    def play(
        self, regret: NDArray[np.float32], batches: Callable[[int], range], stop: Callable[[], bool],
        step: Callable[[], None],
    ) -> tuple[range, ShareChanges] | None:  # fmt: skip
        """Have all workers that are ready play a round. Return its batches and what it adds, or None if it was stopped.

        batches: from the number of workers to the round's batches. Raises `ValueError` if the round cannot be played:
        the scheduler is gone, a share fails, or a share kills worker after worker.
        """
        while workers := self.ready(False, stop, step):
            of_round = batches(len(workers))
            try:
                learnt = self._round(regret, cut(of_round, len(workers)), workers, stop, step)
                return None if learnt is None else (of_round, learnt)
            except (CancelledError, OSError):  # the regrets were lost with the only workers that had them
                if stop():
                    break
                if self._client.status != "running":
                    raise ValueError(
                        "the scheduler is gone; start scheduler and workers again and go on with --resume"
                    ) from None
                self._notice("a round was lost with its workers; it is played again")
        return None

    def _round(
        self, regret: NDArray[np.float32], shares: list[range], workers: list[str], stop: Callable[[], bool],
        step: Callable[[], None],
    ) -> ShareChanges | None:  # fmt: skip
        from distributed import wait

        *tasks, result = self._submitted(regret, shares, workers)
        self.reports = {key: report for key, report in list(self.reports.items()) if report.stage != PLAYING}
        looked = time.monotonic()
        while not result.done():
            if stop():
                self._client.cancel([*tasks, result])
                return None
            step()
            if time.monotonic() - looked > ROLL_CALL_SECONDS:
                self.roll_call()
                looked = time.monotonic()
            try:
                wait([result], timeout=LOOK_SECONDS)
            except TimeoutError:
                continue
        if result.status == "error":
            raise _failure(result.exception())
        learnt = result.result()
        assert isinstance(learnt, ShareChanges)
        return learnt

    def _submitted(self, regret: NDArray[np.float32], shares: list[range], workers: list[str]) -> list[Any]:
        """Return the futures of a round's tasks: the regrets on their way, the shares, and last the sum of all shares."""
        name = f"limpet-{uuid4().hex}"
        bases = [self._client.scatter(regret, workers=workers[:1], hash=False)]
        parts = []
        for n, (share, worker) in enumerate(zip(shares, workers, strict=False)):
            where = {"workers": [worker], "allow_other_workers": True}
            if n:  # dask's own broadcast never ends if a worker dies meanwhile
                bases.append(self._client.submit(passed_on, bases[(n - 1) // 2], key=f"{name}-base-{n}", **where))
            arguments = (self._job, bases[n], share.start, share.stop, len(shares))
            parts.append(self._client.submit(play_share, *arguments, key=f"{name}-{n}", **where))
        tasks = [*bases, *parts]
        while len(parts) > 1:  # pairs, on the workers: no link carries more than two tables at a time
            paired = [
                self._client.submit(summed, *pair, key=f"{name}-{pair[0].key}+")
                for pair in zip(parts[::2], parts[1::2], strict=False)
            ]
            tasks += paired
            parts = paired + parts[len(parts) - len(parts) % 2 :]
        return [*(task for task in tasks if task is not parts[0]), parts[0]]


def _failure(error: BaseException) -> ValueError:
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        last = error.last_worker.address
        return ValueError(f"workers die over a share, the last one was {last}; give them more memory and use --resume")
    return ValueError(f"a share failed with {type(error).__name__}: {error}; look into it and go on with --resume")
