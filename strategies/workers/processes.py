"""Work that is shared out over processes of this machine."""

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
    """What `work` makes of each piece, in the order that it is done in; raises what `work` raises.

    Pieces are begun in their order, and none before somebody is free for it, so that whoever stops waits only for those
    begun: on Ctrl-C, or once `stop` says so, after which no more are begun. begin: called first in each process.
    """
    waiting = iter(pieces)
    running: set[Future[Result]] = set()
    # A fork of a process with threads may hang: each worker starts fresh.
    # What the processes share is left for others to clean up, who complain, unless a signal lets the pool end too.
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
    """For a process that works for another: Ctrl-C, which reaches both, is the parent's to handle. Where the parent dies,
    this one ends (on Linux)."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, int(signal.SIGTERM))  # PR_SET_PDEATHSIG
    if (parent := parent_process()) is not None and not parent.is_alive():  # died before anything was asked for
        os._exit(1)


def most_processes() -> int:
    """The largest number of processes that one command may begin on this machine: several for each of its cores."""
    return max(32, 8 * (os.cpu_count() or 1))
