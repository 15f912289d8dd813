"""The process as the reactor sees it: replies go to their questions, and an end refuses what is open."""

from typing import Any

import pytest
from twisted.internet.error import ProcessTerminated
from twisted.python.failure import Failure

from limpet.bot.browser.views.messages import Refused
from limpet.bot.browser.views.worker import Worker


class FakeProcess:
    """Takes down what is written, and whether it was ended."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.ended = False

    def writeToChild(self, _fd: int, data: bytes) -> None:
        self.lines += data.splitlines()

    def signalProcess(self, _name: str) -> None:
        self.ended = True


class FakeReactor:
    """Starts fake processes."""

    def __init__(self) -> None:
        self.processes: list[FakeProcess] = []

    def spawnProcess(self, *_arguments: Any, **_more: Any) -> FakeProcess:
        self.processes.append(FakeProcess())
        return self.processes[-1]


@pytest.fixture
def reactor() -> FakeReactor:
    return FakeReactor()


def test_replies_come_to_their_questions_in_pieces(reactor: FakeReactor) -> None:
    worker = Worker(reactor)
    seen: list[Any] = []
    progress: list[Any] = []
    first = worker.call("a", 1, progress=progress.append)
    second = worker.call("b")
    first.addCallback(lambda value: seen.append(value))
    second.addCallback(lambda value: seen.append(value))
    worker.childDataReceived(1, b'{"job":1,"progress":{"x":1}}\n{"job":2,"val')
    worker.childDataReceived(1, b'ue":[2]}\n{"job":1,"value":null}\n{"job":9,"value":0}\n')
    assert [bytes(value) for value in seen] == [b"[2]", b"null"] and bytes(progress[0]) == b'{"x":1}'
    assert len(reactor.processes) == 1


def test_stop_names_the_open_questions(reactor: FakeReactor) -> None:
    worker = Worker(reactor)
    worker.call("a")
    worker.stop()
    assert b'"name":""' in reactor.processes[0].lines[-1] and b'"job":1' in reactor.processes[0].lines[-1]


def test_an_end_refuses_open_questions_and_the_next_begins_anew(reactor: FakeReactor) -> None:
    worker, why = Worker(reactor), []
    worker.call("a").addErrback(lambda failure: why.append(failure.check(Refused)))
    worker.processEnded(Failure(ProcessTerminated(exitCode=1)))
    assert why == [Refused]
    worker.call("b").addErrback(lambda failure: why.append(failure.check(Refused)))
    assert len(reactor.processes) == 2
    worker.end()
    assert why == [Refused, Refused] and reactor.processes[1].ended


def test_a_reply_without_a_value_is_a_refusal(reactor: FakeReactor) -> None:
    worker, why = Worker(reactor), []
    worker.call("a").addErrback(lambda failure: why.append(failure.getErrorMessage()))
    worker.childDataReceived(1, b'{"job":1,"why":"so"}\n')
    assert why == ["so"]
    worker.end()
