"""The workers of a dask cluster: how they are reached, which can take part, and how work is shared out to them.

dask is imported where a cluster is asked for, because it is an extra and takes seconds to load.
"""

import logging
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit
from uuid import uuid4

from limpet.common.workers import ended_by_signals, most_processes

if TYPE_CHECKING:
    from distributed import Client, Future, Worker

LOCAL = re.compile(r"local:([1-9]\d{0,5})", re.ASCII)
ADDRESS = re.compile(r"[a-z]+://.+")
CONNECT_SECONDS = 10.0
LOOK_SECONDS = 0.2
"""Seconds between two looks at the workers."""


@contextmanager
def open_cluster(address: str, threads: int) -> "Iterator[Client]":
    """Yield a client of the scheduler at an address such as ``tcp://host:8786``.

    ``local:N`` starts a scheduler with N worker processes here, which share out `threads`. Raises `ValueError` where dask
    is missing, for another text, and if no scheduler answers.
    """
    try:
        import dask
        from distributed import Client, LocalCluster
        from distributed.utils import silence_logging_cmgr
    except ImportError as error:
        raise ValueError("--cluster needs dask; install it with: pip install distributed") from error
    local = LOCAL.fullmatch(address)
    if not local and not ADDRESS.fullmatch(address):
        raise ValueError(f"cluster {address!r} is neither a scheduler's address, such as tcp://host:8786, nor local:N")
    if local:
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
        return
    try:
        client = Client(address, timeout=CONNECT_SECONDS, direct_to_workers=True)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"no scheduler answers at {address} ({error}); start one there with: dask scheduler"
        ) from error
    with silence_logging_cmgr(logging.CRITICAL), client:  # our own lines say what happens to the scheduler
        yield client


@contextmanager
def _not_interrupted() -> Iterator[None]:
    """Hide Ctrl-C, which is for the coordinator, from all processes and threads that are begun inside."""
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # begun later, it would unblock the signal for the process that begins it
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def is_wanted(worker: "Worker", key: str) -> bool:
    """Return whether somebody still waits for a task of a worker, on which this is called."""
    task = worker.state.tasks.get(key)
    return task is not None and task.state != "cancelled"


class Members:
    """The workers of a scheduler, which come and go. Each is asked to prepare first, and must return what is expected.

    `ready` are the addresses of workers that can take part, `preparing` the pending answers by address.
    """

    def __init__(
        self, client: "Client", prepare: Callable[[Any], object], terms: object, expected: object, differs: str,
        notice: Callable[[str], None], one_a_host: bool = False,
    ) -> None:  # fmt: skip
        """`prepare` is called with `terms` on every worker; `differs` says what is wrong if it does not return `expected`.

        notice: called with a line for the user; one_a_host: workers of one host prepare one after the other.
        """
        self.ready: list[str] = []
        self.preparing: dict[str, Future] = {}
        self._refused: set[str] = set()
        self._client: Any = client
        self._prepare, self._terms, self._expected, self._differs = prepare, terms, expected, differs
        self._notice = notice
        self._one_a_host = one_a_host

    def look(self) -> tuple[list[str], list[str]]:
        """Look which workers are there, and have new ones prepare.

        Returns the addresses of workers that were ready at the last look and are gone, and of those that are ready now.
        """
        here: dict[str, int] = self._client.nthreads()
        gone = [address for address in self.ready if address not in here]
        self.ready = [address for address in self.ready if address in here]
        joined = []
        for address, future in list(self.preparing.items()):
            if address not in here or future.done():
                del self.preparing[address]
                if address in here and self._can_take_part(address, future):
                    joined.append(address)
        self.ready += joined
        busy = {urlsplit(address).hostname for address in self.preparing}
        for address in here:
            is_known = address in self.ready or address in self.preparing or address in self._refused
            host = urlsplit(address).hostname
            if not is_known and not (self._one_a_host and host in busy):
                key = f"limpet-prepare-{uuid4().hex}"
                self.preparing[address] = self._client.submit(self._prepare, self._terms, workers=[address], key=key)
                busy.add(host)
        return gone, joined

    def gather(
        self, look: Callable[[], object], everybody: bool = False, stop: Callable[[], bool] = lambda: False,
        step: Callable[[], None] = lambda: None,
    ) -> bool:  # fmt: skip
        """Wait for the first worker that is ready, or for `everybody` who is there; return False once `stop` does.

        look: calls `look` and handles the changes; step: called while waiting. Raises `ValueError` if no worker that is
        there can take part.
        """
        has_asked = False
        while not stop():
            look()
            if self.ready and not (everybody and self.preparing):
                return True
            if not self.ready and not self.preparing:
                if self._refused:
                    raise ValueError("no worker of the cluster can take part; the lines above say why")
                if not has_asked:
                    has_asked = True
                    address = self._client.scheduler.address
                    self._notice(f"waiting for workers; start some with: dask worker {address} --nworkers 1")
            step()
            time.sleep(LOOK_SECONDS)
        return False

    def _can_take_part(self, address: str, future: "Future") -> bool:
        reason = ""
        try:
            if future.result() != self._expected:
                reason = self._differs
        except Exception as error:  # noqa: BLE001 - anything may be missing on a worker
            reason = f"{type(error).__name__}: {error}"
        if reason:
            self._refused.add(address)
            self._notice(f"worker {address} cannot take part: {reason}")
        return not reason


# --- Shares work out over the workers of a dask cluster, as `workers.by_processes` does over processes.

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def by_cluster(
    client: "Client", work: Callable[[Any, Piece], Result], order: object, pieces: Iterable[Piece],
    prepare: Callable[[Any], object], expected: object, differs: str, notice: Callable[[str], None],
    doing: str = "does its work",
) -> Iterator[Result]:  # fmt: skip
    """Yield ``work(order, piece)`` for each piece, in the order in which workers finish, one piece at a time for each.

    A piece is drawn when a worker is free for it. Pieces of a lost worker are given to another, which `doing` tells.
    prepare, expected, differs, notice: see `Members`. Raises `ValueError` if no worker can take part, and what `work` raises.
    """
    from distributed import wait

    members = Members(client, prepare, order, expected, differs, notice)
    submit: Any = client.submit
    following = iter(pieces)
    waiting: list[Piece] = []
    running: dict[str, tuple[Piece, Future]] = {}

    def look() -> None:
        for address in members.look()[0]:
            if address in running:
                piece, future = running.pop(address)
                client.cancel([future])
                waiting.insert(0, piece)
                notice(f"worker {address} is gone; another {doing}")

    try:
        members.gather(look)
        while True:
            for address in members.ready:
                if address not in running and (waiting := waiting or list(islice(following, 1))):
                    piece = waiting.pop(0)
                    key = f"limpet-{uuid4().hex}"
                    running[address] = piece, submit(work, order, piece, workers=[address], key=key)
            if running:
                with suppress(TimeoutError):
                    wait([future for _, future in running.values()], LOOK_SECONDS, "FIRST_COMPLETED")
            elif waiting := waiting or list(islice(following, 1)):
                time.sleep(LOOK_SECONDS)
            else:
                return
            look()
            for address, (_, future) in list(running.items()):
                if future.done():
                    del running[address]
                    yield future.result()
    finally:
        client.cancel([*members.preparing.values(), *(future for _, future in running.values())])
