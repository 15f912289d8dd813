"""A process that works for the page: it is asked by lines of JSON, reports progress, can be stopped, and keeps what it made.

The reactor's process stays free while this one solves. It ends when the reactor's process ends or closes its input.
"""

import os
import sys
from collections.abc import Callable
from typing import Any

import msgspec
from twisted.internet.defer import Deferred
from twisted.internet.error import ProcessDone
from twisted.internet.protocol import ProcessProtocol

from limpet.bot.browser.views.messages import Refused, WorkerOrder

COMMAND = (sys.executable, "-m", "limpet.bot.browser.views.working")


class Reply(msgspec.Struct, frozen=True):
    """A line from the process about a job: its `value` or `why` there is none, which end it, or its `progress`."""

    job: int
    value: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    progress: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    why: str = ""


class Worker(ProcessProtocol):
    """The process as the reactor's process sees it. Jobs are done one after the other; values stay JSON on the way."""

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        self._process: Any = None
        self._input = b""
        self._jobs: dict[int, tuple[Deferred[msgspec.Raw], Callable[[msgspec.Raw], None]]] = {}
        self._number = 0
        self._decoder = msgspec.json.Decoder(Reply)

    def call(
        self, name: str, *arguments: Any, progress: Callable[[msgspec.Raw], None] = lambda value: None
    ) -> Deferred[msgspec.Raw]:
        """Call one of `working.CALLS` in the process, begun now if need be. The result fails with `Refused`."""
        if self._process is None:
            inherited = {0: "w", 1: "r", 2: 2}
            self._process = self._reactor.spawnProcess(self, COMMAND[0], COMMAND, os.environ, childFDs=inherited)
        self._number += 1
        result: Deferred[msgspec.Raw] = Deferred()
        self._jobs[self._number] = result, progress
        self._write(WorkerOrder(self._number, name, arguments))
        return result

    def stop(self) -> None:
        """Have all jobs end early, with what they have so far."""
        for job in self._jobs:
            self._write(WorkerOrder(job))

    def end(self) -> None:
        """End the process, and refuse its jobs. A worker is not called again after this."""
        if self._process is not None:
            process, self._process = self._process, None
            process.signalProcess("KILL")
        self._refuse("this was ended")

    def _write(self, order: WorkerOrder) -> None:
        self._process.writeToChild(0, msgspec.json.encode(order) + b"\n")

    def childDataReceived(self, childFD: int, data: bytes) -> None:
        *lines, self._input = (self._input + data).split(b"\n")
        for line in lines:
            reply = self._decoder.decode(line)
            if reply.job not in self._jobs:
                continue
            if not isinstance(reply.progress, msgspec.UnsetType):
                self._jobs[reply.job][1](reply.progress)
                continue
            result, _ = self._jobs.pop(reply.job)
            if isinstance(reply.value, msgspec.UnsetType):
                result.errback(Refused(reply.why))
            else:
                result.callback(reply.value)

    def processEnded(self, reason: Any) -> None:
        if self._process is not None:
            self._process, self._input = None, b""
            how = "" if reason.check(ProcessDone) else f" ({reason.getErrorMessage()})"
            self._refuse(f"the process that works on this has ended{how}; ask again, for less if memory ran out")

    def _refuse(self, why: str) -> None:
        jobs, self._jobs = self._jobs, {}
        for result, _ in jobs.values():
            result.errback(Refused(why))
