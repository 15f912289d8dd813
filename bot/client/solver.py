"""The queue of decisions that take long: one thread, first come, first served."""

import sys
from collections.abc import Callable
from threading import Event
from typing import ParamSpec, TypeVar

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.threads import deferToThreadPool
from twisted.python.threadpool import ThreadPool

from limpet.bot.client.interfaces import Reactor

P = ParamSpec("P")
R = TypeVar("R")
D = TypeVar("D")


SWITCH_SECONDS = 0.001
"""After which Python's other threads get their turn: the reactor's must not wait the usual five milliseconds each time."""


class SolverQueue:
    """Runs slow decisions off the reactor's thread.

    The thread is its own, so that name look-ups never wait behind a solve; it is the only one, because kernels use all
    cores by themselves. A decision cannot be interrupted: `stop` waits for the one in progress, and those behind it are
    never begun. What is pondered while there is none gives way at once. All methods are for the reactor's thread.
    """

    def __init__(self, reactor: Reactor) -> None:
        sys.setswitchinterval(SWITCH_SECONDS)
        self._reactor = reactor
        self._pool = ThreadPool(minthreads=0, maxthreads=1, name="solver")
        self._pool.start()
        self._waiting = 0
        self._pondered = Event()
        self._stopped = Event()

    def run(self, decide: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> Deferred[R]:
        """The result of a call that waits its turn; fires on the reactor's thread, with `CancelledError` after `stop`."""

        def in_turn() -> R:
            if self._stopped.is_set():
                raise CancelledError
            return decide(*args, **kwargs)

        self.interrupt()
        self._waiting += 1
        return deferToThreadPool(self._reactor, self._pool, in_turn).addBoth(self._decided)

    def ponder(self, think: Callable[[Callable[[], bool]], None]) -> None:
        """Run a call that asks now and then whether to stop: it shall when a decision is queued, or by `interrupt`. Not
        run where one is waiting."""
        self.interrupt()
        if not self._waiting:
            self._pondered = Event()
            self._pool.callInThread(think, self._pondered.is_set)

    def interrupt(self) -> None:
        """End what is pondered."""
        self._pondered.set()

    def _decided(self, result: D) -> D:
        self._waiting -= 1
        return result

    def stop(self) -> None:
        """End the thread. Nothing may be queued afterwards."""
        self._stopped.set()
        self.interrupt()
        self._pool.stop()
