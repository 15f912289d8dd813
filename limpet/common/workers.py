"""Work over processes and threads of this machine: how it is shared out, says how far it is, and is stopped by signals."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import islice, pairwise
from multiprocessing import get_context, parent_process
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Any, TypeVar

# --- Functions that long work calls to say how far it is.

Report = Callable[[int, int], None]
"""Function of the work done and of all the work, in any unit."""
Advance = Callable[[float], None]
"""Function of the share of the work that is done, 0 to 1."""


def silent(*_progress: float) -> None:
    """Report nothing: the default of every `Report` and `Advance`."""


# --- On which of the machine's cores a thread works.


def usable_cores() -> set[int]:
    """Return the cores that this thread may use; none where the system cannot tell."""
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()


def stay_on(allowed: set[int], process: int = 0) -> None:
    """Let this thread, or a process's first one, use these cores alone. Nothing happens without any, or without such bounds."""
    if allowed and hasattr(os, "sched_setaffinity"):
        with suppress(OSError, OverflowError):  # cores that this process may not use, or that no machine has
            os.sched_setaffinity(process, allowed)


# --- Lets Ctrl-C and the signals that end a process stop work in order: its results are kept, its processes cleaned
# up.

_ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that end a process at once unless it handles them."""


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Yield a function that returns True after Ctrl-C, which does not end the program within; a second Ctrl-C does."""
    caught = False

    def on_interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal caught
        if caught:
            raise KeyboardInterrupt
        caught = True

    previous = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield lambda: caught
    finally:
        signal.signal(signal.SIGINT, previous)


def ended_by_signals() -> AbstractContextManager[None]:
    """Return a context in which SIGTERM and SIGHUP, unless somebody else handles them, raise `SystemExit`."""
    unhandled = [number for number in _ENDING if signal.getsignal(number) == signal.SIG_DFL]
    return _raised_by(unhandled, lambda number: SystemExit(128 + number))


def stopped_by_signals() -> AbstractContextManager[None]:
    """Return a context in which SIGTERM and SIGHUP raise `KeyboardInterrupt` as Ctrl-C does, whatever their handlers were."""
    return _raised_by(_ENDING, lambda _: KeyboardInterrupt())


def _raised_by(numbers: Sequence[int], exception: Callable[[int], BaseException]) -> AbstractContextManager[None]:
    """Have signals inside raise what `exception` makes of their numbers."""

    def stop(number: int) -> None:
        raise exception(number)

    return _handled(numbers, stop)


@contextmanager
def _handled(numbers: Sequence[int], handle: Callable[[int], None]) -> Iterator[None]:
    """Have signals inside handled by a function of their numbers. Only the main thread can change handlers."""

    def on_signal(number: int, _frame: FrameType | None) -> None:
        handle(number)

    main = threading.current_thread() is threading.main_thread()
    before = {number: signal.signal(number, on_signal) for number in numbers if main}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


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
    from concurrent.futures import ProcessPoolExecutor  # 13 ms of the start of every program

    waiting = iter(pieces)
    running = 0
    finished: SimpleQueue[Future[Result]] = SimpleQueue()
    # A fork of a process with threads may hang: each worker starts fresh.
    # Without `ended_by_signals`, the pool's shared resources would stay behind, and Python would warn of them.
    with ended_by_signals(), ProcessPoolExecutor(processes, get_context("spawn"), _begin, (begin,)) as pool:
        while True:
            while running < processes and not stop() and (following := list(islice(waiting, 1))):
                with _signals_held():
                    pool.submit(work, *following).add_done_callback(finished.put)
                running += 1
            if not running:
                return
            try:
                future = finished.get(timeout=1.0)
            except Empty:
                continue  # `stop` is asked again
            running -= 1
            yield future.result()


@contextmanager
def _signals_held() -> Iterator[None]:
    """Handle signals that arrive inside once it is over: what their handlers raise would leave a pool's piece half begun.

    The pool would wait for that piece for ever. Other threads than the main one handle no signals.
    """
    arrived: list[int] = []
    try:
        with _handled((signal.SIGINT, *_ENDING), arrived.append):
            yield
    finally:
        for number in arrived:
            signal.raise_signal(number)


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


# --- Work over numbers 0 .. count - 1, cut into parts for the threads of a pool.

PARTS = 64
"""Number of parts: enough for progress to move and for threads to end together."""


def run_parts(
    pool: ThreadPoolExecutor, count: int, work: Callable[[int, int], None], advance: Advance = silent
) -> None:
    """Run work(first, last) for at most PARTS nearly equal parts of 0 .. count - 1; `last` is exclusive.

    advance is called from this thread. On an error or an interrupt, parts that have not begun are given up.
    """
    bounds = sorted({count * part // PARTS for part in range(PARTS + 1)})
    parts = [pool.submit(work, first, last) for first, last in pairwise(bounds)]
    try:
        for number, part in enumerate(as_completed(parts), start=1):
            part.result()
            advance(number / len(parts))
    finally:
        for part in parts:
            part.cancel()


def fill_rows(pool: ThreadPoolExecutor, table: Any, row: Callable[[int], Any], advance: Advance = silent) -> None:
    """Write row(i) into table[i], an array, for every i, by `run_parts`."""

    def work(first: int, last: int) -> None:
        for i in range(first, last):
            table[i] = row(i)

    run_parts(pool, len(table), work, advance)
