"""A round of training, played by all workers of a dask scheduler."""

import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import Any
from uuid import uuid4

import msgspec
import numpy as np
from distributed import Client, KilledWorker, wait
from numpy.typing import NDArray

from limpet.strategies.training.cluster_shares import Learnt, cut, together
from limpet.strategies.training.cluster_worker import PLAYING, Job, Made, Told, passed_on, play_share, prepare
from limpet.strategies.workers.cluster_members import LOOK_SECONDS, Members

ROLL_CALL_SECONDS = 2.0


class Crew:
    """Whoever works for a scheduler. Workers may come and go; one that dies has its share played again by another.

    Attributes:
        told: how far the tasks under way are, by key.
    """

    def __init__(self, client: Client, job: Job, expected: Made, notice: Callable[[str], None]) -> None:
        """`notice` is called with a line for whoever watches."""
        self.told: dict[str, Told] = {}
        self._client: Any = client
        self._job = job
        differs = "its cards or its tree differ; install the same version of limpet there"
        # Workers of a host share card tables: the first builds them, the others find them there.
        self._members = Members(client, prepare, job, expected, differs, notice, one_a_host=True)
        self._notice = notice
        self._complete = False
        self._client.subscribe_topic(job.topic, self._hear)

    def _hear(self, event: tuple[float, dict[str, Any]]) -> None:
        told = msgspec.convert(event[1], Told)
        self.told[told.key] = told

    def under_way(self) -> tuple[int, int]:
        """Iterations and visits of the shares under way."""
        playing = [told for told in list(self.told.values()) if told.stage == PLAYING]
        return sum(told.done for told in playing), sum(told.visits for told in playing)

    def making_ready(self) -> tuple[int, int]:
        """How much of the card tables is built, and of how much, by those who make ready."""
        building = [told for told in list(self.told.values()) if told.stage != PLAYING]
        return sum(told.done for told in building), sum(told.total for told in building)

    def roll_call(self) -> None:
        """See who is there, and have those who are new make ready."""
        gone, joined = self._members.look()
        for address in gone:
            self._notice(f"worker {address} is gone; others play what it had not finished")
        for address in joined if self._complete else ():
            self._notice(f"worker {address} joins")
        preparing = {future.key for future in self._members.preparing.values()}
        self.told = {key: told for key, told in list(self.told.items()) if told.stage == PLAYING or key in preparing}

    def ready(self, everybody: bool, stop: Callable[[], bool], step: Callable[[], None]) -> list[str]:
        """Addresses of those who can play, waiting for the first one, or for `everybody` who is there.

        Empty once `stop` says so. step() is called while waiting. Raises `ValueError` if nobody who is there can play.
        """
        if not self._members.gather(self.roll_call, everybody, stop, step):
            return []
        self._complete = True
        return list(self._members.ready)

    def play(
        self,
        regret: NDArray[np.float32],
        batches: Callable[[int], range],
        stop: Callable[[], bool],
        step: Callable[[], None],
    ) -> tuple[range, Learnt] | None:
        """A round of all who are ready, and its batches; None if it was stopped, in which case nothing of it counts.

        batches: for that many workers. Raises `ValueError` if it cannot be played: the scheduler is gone, a share fails,
        or a share kills worker after worker.
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
        self,
        regret: NDArray[np.float32],
        shares: list[range],
        workers: list[str],
        stop: Callable[[], bool],
        step: Callable[[], None],
    ) -> Learnt | None:
        name = f"limpet-{uuid4().hex}"
        bases = [self._client.scatter(regret, workers=workers[:1], hash=False)]
        futures = []
        for n, (share, worker) in enumerate(zip(shares, workers, strict=False)):
            place = {"workers": [worker], "allow_other_workers": True}
            if n:  # dask's own broadcast never ends if a worker dies meanwhile
                bases.append(self._client.submit(passed_on, bases[(n - 1) // 2], key=f"{name}-base-{n}", **place))
            arguments = (self._job, bases[n], share.start, share.stop, len(shares))
            futures.append(self._client.submit(play_share, *arguments, key=f"{name}-{n}", **place))
        parts = futures
        while len(parts) > 1:  # pairs, on the workers: no link carries more than two tables at a time
            paired = [
                self._client.submit(together, *pair, key=f"{name}-{pair[0].key}+")
                for pair in zip(parts[::2], parts[1::2], strict=False)
            ]
            parts = paired + parts[len(parts) - len(parts) % 2 :]
        self.told = {key: told for key, told in list(self.told.items()) if told.stage != PLAYING}
        called = time.monotonic()
        while not parts[0].done():
            if stop():
                self._client.cancel([*bases, *futures, *parts])
                return None
            step()
            if time.monotonic() - called > ROLL_CALL_SECONDS:
                self.roll_call()
                called = time.monotonic()
            try:
                wait(parts, timeout=LOOK_SECONDS)
            except TimeoutError:
                continue
        if parts[0].status == "error":
            raise _failure(parts[0].exception())
        learnt = parts[0].result()
        assert isinstance(learnt, Learnt)
        return learnt


def _failure(error: BaseException) -> ValueError:
    if isinstance(error, KilledWorker):
        last = error.last_worker.address
        return ValueError(f"workers die over a share, the last one was {last}; give them more memory and use --resume")
    return ValueError(f"a share failed with {type(error).__name__}: {error}; look into it and go on with --resume")
