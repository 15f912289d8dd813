"""The queue of decisions that take long: one thread, first come, first served."""

import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThreadPool
from twisted.python.threadpool import ThreadPool

from limpet.bot.interfaces import Reactor

P = ParamSpec("P")
R = TypeVar("R")


SWITCH_SECONDS = 0.001
"""After which Python's other threads get their turn: the reactor's must not wait the usual five milliseconds each time."""


class SolverQueue:
    """Runs slow decisions off the reactor's thread.

    The thread is its own, so that name look-ups never wait behind a solve; it is the only one, because kernels use all
    cores by themselves. A thread cannot be interrupted: `stop` waits for the decision in progress.
    """

    def __init__(self, reactor: Reactor) -> None:
        sys.setswitchinterval(SWITCH_SECONDS)
        self._reactor = reactor
        self._pool = ThreadPool(minthreads=0, maxthreads=1, name="solver")
        self._pool.start()

    def run(self, decide: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> Deferred[R]:
        """The result of a call that waits its turn; fires on the reactor's thread."""
        return deferToThreadPool(self._reactor, self._pool, decide, *args, **kwargs)

    def stop(self) -> None:
        """End the thread. Nothing may be queued afterwards."""
        self._pool.stop()
