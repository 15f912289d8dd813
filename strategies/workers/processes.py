"""Shares work out over processes of this machine."""

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from multiprocessing import get_context, parent_process
from typing import TypeVar

from limpet.strategies.workers.interrupts import ended_by_signals

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def by_processes(
    work: Callable[[Piece], Result],
    pieces: Iterable[Piece],
    processes: int,
    begin: Callable[[], None] | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[Result]:
    """Yield the result of `work` for each piece, in the order in which they are finished; raise what `work` raises.

    Pieces are begun in their order, each when a process is free for it. After Ctrl-C, or once `stop` returns true, no more
    are begun, so that the caller waits only for the pieces under way. begin: called first in each process.
    """
    waiting = iter(pieces)
    running: set[Future[Result]] = set()
    # A fork of a process with threads may hang: each worker starts fresh.
    # Without `ended_by_signals`, the pool's shared resources would stay behind, and Python would warn of them.
    with ended_by_signals(), ProcessPoolExecutor(processes, get_context("spawn"), _begin, (begin,)) as pool:
        while True:
            while len(running) < processes and not stop() and (following := list(islice(waiting, 1))):
                running.add(pool.submit(work, *following))
            if not running:
                return
            finished, running = wait(running, timeout=1.0, return_when=FIRST_COMPLETED)
            for future in finished:
                yield future.result()


def _begin(begin: Callable[[], None] | None) -> None:
    left_to_parent()
    if begin is not None:
        begin()


def left_to_parent() -> None:
    """Leave Ctrl-C, which reaches parent and child, to the parent; on Linux, end this process when the parent dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, int(signal.SIGTERM))  # PR_SET_PDEATHSIG
    if (parent := parent_process()) is not None and not parent.is_alive():  # the parent died before the line above
        os._exit(1)


def most_processes() -> int:
    """Return the largest number of processes that one command may begin on this machine: several for each core."""
    return max(32, 8 * (os.cpu_count() or 1))
