"""An agent whose strategy may fail without losing the match, the counters of its match, and the thread that solves for all."""

import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from numbers import Integral
from threading import Event
from typing import Any, ParamSpec, TypeVar

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger
from twisted.python.threadpool import ThreadPool

from limpet.common.workers import stay_on, usable_cores
from limpet.protocol.errors import IllegalAction
from limpet.protocol.messages import MatchState
from limpet.protocol.state import CALL, Action
from limpet.strategies.base.agent import Agent

# --- Counters of a match, or of several.

LATEST = 20_000
"""Number of decision times kept per match, so that a server that runs for months does not grow."""


def is_logged(count: int) -> bool:
    """Return whether the mishap of that number, counted from 1, is logged: the first three, then every power of ten.

    >>> [count for count in range(1, 2000) if is_logged(count)]
    [1, 2, 3, 10, 100, 1000]
    """
    return count <= 3 or str(count).strip("0") == "1"


@dataclass
class Tally:
    """Counters of one match, or of several added up: of hands that ended, answers sent and lines that could not be read.

    Attributes:
        failures: decisions in which the strategy raised or chose an illegal action; a call was played instead.
        misses: decisions for which the strategy had no answer of its own for the hand held.
        seconds: time from reading the state to sending the answer, of the latest decisions.
    """

    hands: int = 0
    decisions: int = 0
    failures: int = 0
    misses: int = 0
    bad_lines: int = 0
    seconds: deque[float] = field(default_factory=lambda: deque(maxlen=LATEST))

    def counts(self) -> dict[str, int]:
        """Return all counters but the times by their names."""
        return {name: value for name, value in vars(self).items() if name != "seconds"}

    def decision_ms(self) -> dict[str, float]:
        """Return percentiles (nearest rank) and maximum of the decision times in milliseconds; empty without decisions."""
        ordered = sorted(self.seconds)
        if not ordered:
            return {}
        ranks = {f"p{p}": ordered[-(-p * len(ordered) // 100) - 1] for p in (50, 90, 99)}
        return {name: round(1000 * value, 3) for name, value in {**ranks, "max": ordered[-1]}.items()}


def total(tallies: Iterable[Tally]) -> Tally:
    """Return the sum of several tallies."""
    result = Tally()
    for tally in tallies:
        for name, count in tally.counts().items():
            setattr(result, name, getattr(result, name) + count)
        result.seconds.extend(tally.seconds)
    return result


TRACEBACKS = 3
"""Number of failures of a match that are logged with a traceback. Later ones are most likely the same again."""


class SafeAgent:
    """Decides in one match. It is used by one thread at a time."""

    _log = Logger()

    def __init__(self, agent: Agent, tally: Tally) -> None:
        self._agent = agent
        self._tally = tally
        self._failed: Counter[str] = Counter()
        """Number of failures of anything but decisions, by complaint."""

    def slow(self, match: MatchState) -> bool:
        """Return whether deciding here may take more than a millisecond."""
        try:
            return self._agent.slow(match)
        except Exception:  # noqa: BLE001 - `decide` fails alike, and reports it
            return False

    def ponder(self, stop: Callable[[], bool]) -> None:
        """Think on while others decide. A failure here costs nothing."""
        with self._harmless("thinking on while others decide has failed"):
            self._agent.ponder(stop)

    def observe(self, match: MatchState) -> None:
        """Let the strategy take note of a finished hand. A failure here costs only what would have been learnt."""
        with self._harmless("a finished hand could not be learnt from"):
            self._agent.observe(match)

    @contextmanager
    def _harmless(self, complaint: str) -> Iterator[None]:
        """Log a failure of the block with the `complaint`, and let the match go on."""
        try:
            yield
        except Exception:  # noqa: BLE001 - any strategy may run here
            self._failed[complaint] += 1
            if is_logged(self._failed[complaint]):
                self._log.failure(complaint)

    def decide(self, match: MatchState) -> Action:
        """Return a legal action for the seat whose turn it is."""
        try:
            action = self._agent.decide(match)
            self._tally.misses = self._agent.misses
            # A size that is no integer may have a legal value, but cannot be written on the wire.
            is_whole = type(action.size) is int or isinstance(action.size, Integral)  # the second is a slow question
            if not (is_whole and match.allows(action)):
                raise IllegalAction(f"the strategy chose {action}, which is not legal in {match}")
            return action
        except Exception as error:  # noqa: BLE001 - any strategy may run here; the match goes on
            self._tally.failures += 1
            if self._tally.failures <= TRACEBACKS:
                self._log.failure("no decision in {match}; calling instead", match=str(match))
            elif is_logged(self._tally.failures):
                self._log.error(
                    "{count} decisions have failed so far, the last in {match} ({error}); calling instead",
                    count=self._tally.failures, match=str(match), error=error,
                )  # fmt: skip
            return match.state.fixed(CALL)

    async def decide_by(self, solver: "SolverQueue", match: MatchState) -> Action:
        """Return what `decide` does, a slow decision by the solver's thread."""
        return await solver.run(self.decide, match) if self.slow(match) else self.decide(match)


# --- The queue of slow decisions: one thread, first come, first served.

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
        self._cores = usable_cores()
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
            return self._on_all_cores(decide, *args, **kwargs)

        self.interrupt()
        self._waiting += 1
        return deferToThreadPool(self._reactor, self._pool, in_turn).addBoth(self._decided)

    def ponder(self, think: Callable[[Callable[[], bool]], None]) -> None:
        """Run `think` unless a decision waits. Its argument says when to stop: for a queued decision, or `interrupt`."""
        self.interrupt()
        if not self._waiting:
            self._pondered = Event()
            self._pool.callInThread(self._on_all_cores, think, self._pondered.is_set)

    def interrupt(self) -> None:
        """Have the pondering stop."""
        self._pondered.set()

    def _on_all_cores(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call `work` in the queue's thread, which began where the reactor's thread may have been told to stay."""
        stay_on(self._cores)
        return work(*args, **kwargs)

    def _decided(self, result: D) -> D:
        self._waiting -= 1
        return result

    def stop(self) -> None:
        """End the thread. No decision may be queued afterwards."""
        self._stopped.set()
        self.interrupt()
        self._pool.stop()
