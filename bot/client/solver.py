"""The queue of slow decisions: one thread, first come, first served."""

import sys
from collections.abc import Callable
from threading import Event
from typing import Any, ParamSpec, TypeVar

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.threads import deferToThreadPool
from twisted.python.threadpool import ThreadPool

P = ParamSpec("P")
R = TypeVar("R")
D = TypeVar("D")

SWITCH_SECONDS = 0.001
"""Seconds after which another Python thread gets its turn. The reactor's must not wait the usual five milliseconds."""


class SolverQueue:
    """Runs slow decisions off the reactor's thread.

    The thread is none of the reactor's pool, so that name look-ups never wait behind a solve. There is only one, because
    kernels use all cores by themselves. A decision cannot be interrupted: `stop` waits for the one in progress, and those
    behind it never begin. Pondering gives way to a decision at once. All methods are for the reactor's thread.
    """

    def __init__(self, reactor: Any) -> None:
        sys.setswitchinterval(SWITCH_SECONDS)
        self._reactor = reactor
        self._pool = ThreadPool(minthreads=0, maxthreads=1, name="solver")
        self._pool.start()
        self._waiting = 0
        self._pondered = Event()
        self._stopped = Event()

    def run(self, decide: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> Deferred[R]:
        """Call `decide` in turn. The result fires on the reactor's thread, with `CancelledError` after `stop`."""

        def in_turn() -> R:
            if self._stopped.is_set():
                raise CancelledError
            return decide(*args, **kwargs)

        self.interrupt()
        self._waiting += 1
        return deferToThreadPool(self._reactor, self._pool, in_turn).addBoth(self._decided)

    def ponder(self, think: Callable[[Callable[[], bool]], None]) -> None:
        """Run `think` unless a decision waits. Its argument says when to stop: for a queued decision, or `interrupt`."""
        self.interrupt()
        if not self._waiting:
            self._pondered = Event()
            self._pool.callInThread(think, self._pondered.is_set)

    def interrupt(self) -> None:
        """Have the pondering stop."""
        self._pondered.set()

    def _decided(self, result: D) -> D:
        self._waiting -= 1
        return result

    def stop(self) -> None:
        """End the thread. No decision may be queued afterwards."""
        self._stopped.set()
        self.interrupt()
        self._pool.stop()
