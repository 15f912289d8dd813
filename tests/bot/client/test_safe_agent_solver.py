"""The queue of slow decisions, on its own thread: what is pondered gives way."""

from collections.abc import Callable, Iterator
from queue import Queue
from threading import Event, current_thread
from typing import Any

import pytest
from twisted.internet.defer import CancelledError

from limpet.bot.client.safe_agent import SolverQueue
from limpet.common.workers import stay_on, usable_cores

PATIENCE = 20.0
"""Seconds after which a thread that should have answered has failed."""


class HandReactor:
    """Runs what other threads ask for when the test says so."""

    def __init__(self) -> None:
        self.calls: Queue[Callable[[], Any]] = Queue()

    def callFromThread(self, call: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        self.calls.put(lambda: call(*args, **kwargs))

    def turn(self) -> None:
        self.calls.get(timeout=PATIENCE)()


class Thinker:
    """Ponders until told to stop."""

    def __init__(self) -> None:
        self.begun, self.ended, self.asked = Event(), Event(), Event()

    def __call__(self, stop: Callable[[], bool]) -> None:
        self.begun.set()
        while not stop():
            self.asked.wait(0.001)
        self.ended.set()


@pytest.fixture
def reactor() -> HandReactor:
    return HandReactor()


@pytest.fixture
def queue(reactor: HandReactor) -> Iterator[SolverQueue]:
    made = SolverQueue(reactor)
    yield made
    made.stop()


def test_a_decision_ends_what_is_pondered(queue: SolverQueue, reactor: HandReactor) -> None:
    thinker, found = Thinker(), list[str]()
    queue.ponder(thinker)
    assert thinker.begun.wait(PATIENCE)
    queue.run(lambda: current_thread().name).addCallback(found.append)
    reactor.turn()
    assert thinker.ended.is_set() and found[0].startswith("PoolThread-solver")


def test_nothing_is_pondered_where_a_decision_waits(queue: SolverQueue, reactor: HandReactor) -> None:
    go, thinker = Event(), Thinker()
    queue.run(go.wait, PATIENCE)
    queue.ponder(thinker)
    go.set()
    reactor.turn()
    queue.run(lambda: None)
    reactor.turn()
    assert not thinker.begun.is_set()
    queue.ponder(thinker)
    assert thinker.begun.wait(PATIENCE)


def test_one_is_pondered_at_a_time_and_stopping_ends_it(reactor: HandReactor) -> None:
    queue, first, second = SolverQueue(reactor), Thinker(), Thinker()
    queue.ponder(first)
    assert first.begun.wait(PATIENCE)
    queue.ponder(second)
    assert first.ended.wait(PATIENCE) and second.begun.wait(PATIENCE)
    queue.interrupt()
    assert second.ended.wait(PATIENCE)
    queue.stop()
    third = Thinker()
    again = SolverQueue(reactor)
    again.ponder(third)
    assert third.begun.wait(PATIENCE)
    again.stop()
    assert third.ended.is_set()


def test_its_thread_uses_all_cores_where_the_reactors_stays_on_one(queue: SolverQueue, reactor: HandReactor) -> None:
    every, found = usable_cores(), list[set[int]]()
    stay_on({min(every, default=0)})
    try:
        queue.ponder(lambda stop: found.append(usable_cores()))
        queue.run(usable_cores).addCallback(found.append)
        reactor.turn()
    finally:
        stay_on(every)
    assert found == [every, every]


def test_a_decision_that_fails_lets_others_ponder(queue: SolverQueue, reactor: HandReactor) -> None:
    failed: list[Any] = []
    queue.run(lambda: 1 / 0).addErrback(failed.append)
    reactor.turn()
    thinker = Thinker()
    queue.ponder(thinker)
    assert thinker.begun.wait(PATIENCE) and len(failed) == 1


def test_stopping_waits_for_the_decision_in_progress_and_begins_no_other(reactor: HandReactor) -> None:
    queue = SolverQueue(reactor)
    begun, found, failed = Event(), list[str](), list[Any]()

    def slow() -> str:
        begun.set()
        assert queue._stopped.wait(PATIENCE)  # ends after `stop` has been called
        return "decided"

    queue.run(slow).addCallback(found.append)
    queue.run(found.append, "begun all the same").addErrback(failed.append)
    assert begun.wait(PATIENCE)
    queue.stop()
    reactor.turn()
    reactor.turn()
    assert found == ["decided"] and failed[0].check(CancelledError)
