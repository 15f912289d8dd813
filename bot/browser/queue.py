"""Long work in the background: commands of Limpet wait in a queue on disk, run one at a time, and go on after a kill.

A job is a command that goes on where it was stopped when it is run again, such as `limpet solve --batch` or
`limpet review --output`. Its folder holds what it makes, and is its key. The feature ``jobs`` lists jobs, pauses and resumes
them, and takes them from the list.
"""

import os
import signal
import sqlite3
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from twisted.internet.error import ProcessDone, ProcessExitedAlready
from twisted.internet.protocol import ProcessProtocol

from limpet.bot.browser.views.messages import Listener, Refused, Word, question
from limpet.bot.browser.views.room import Feature, Room
from limpet.common.folders import locked
from limpet.configs.loading import ConfigError

FILE = "jobs.sqlite"
PRINTED = "printed"
"""File in a job's folder that holds what the command writes to standard output."""
WAITING, RUNNING, PAUSED, DONE, FAILED = "waiting", "running", "paused", "done", "failed"
"""States of a job. One that was running when the server ended is begun again by the next server."""
PROGRAM = (
    "import sys; from limpet.bot.browser.queue import working_in\n"
    "with working_in(sys.argv.pop(1)):\n"
    "    from limpet.bot.cli import main\n"
    "    main()"
)
"""The program of a job's process; its arguments are the job's folder and the words of the command."""
NICENESS = 5
"""Lower priority of the process, so that pages and tables stay quick while it takes all cores."""

_TABLE = """CREATE TABLE IF NOT EXISTS jobs (folder TEXT PRIMARY KEY, kind TEXT NOT NULL, words TEXT NOT NULL,
    state TEXT NOT NULL, said TEXT NOT NULL, turn INTEGER NOT NULL)"""


class Job(NamedTuple):
    """A job of the queue.

    Attributes:
        kind: what sort of work it is, such as ``review``.
        said: last line that the command wrote to standard error.
        active: whether its process is there, which may take a moment to pause.
    """

    folder: Path
    kind: str
    state: str
    said: str
    active: bool


class JobQueue:
    """The jobs of a folder's server, in the order in which they run. Only one thread may use it."""

    def __init__(self, reactor: Any, folder: Path) -> None:
        """Open the queue, which is kept in `folder`. Raises `ConfigError` for a file that cannot be read."""
        self._reactor = reactor
        self._active: _Running | None = None
        self._open = False
        path = folder / FILE
        folder.mkdir(parents=True, exist_ok=True)
        try:
            self._base = sqlite3.connect(path, isolation_level=None)
            # A kill of this process loses nothing then, and no change waits for the disk.
            self._base.execute("PRAGMA journal_mode = WAL")
            self._base.execute("PRAGMA synchronous = NORMAL")
            self._base.execute(_TABLE)
            self._base.execute("UPDATE jobs SET state = ? WHERE state = ?", (WAITING, RUNNING))
        except sqlite3.DatabaseError as error:
            raise ConfigError(
                f"{path}: cannot read it: {error}; delete it: what jobs have made stays in their folders"
            ) from error

    def start(self) -> None:
        self._open = True
        self._run_next()

    def jobs(self) -> list[Job]:
        """Return all jobs: the one that runs, those that wait in their order, then the others, the latest first."""
        rows = self._base.execute(
            "SELECT folder, kind, state, said FROM jobs ORDER BY state != ?, state != ?, "
            "CASE WHEN state = ? THEN turn ELSE -turn END",
            (RUNNING, WAITING, WAITING),
        )
        return [self._job(*row) for row in rows]

    def find(self, folder: Path) -> Job | None:
        """Return the job of a folder, None where it has none."""
        row = self._base.execute(
            "SELECT folder, kind, state, said FROM jobs WHERE folder = ?", (str(folder),)
        ).fetchone()
        return None if row is None else self._job(*row)

    def _job(self, folder: str, kind: str, state: str, said: str) -> Job:
        active = self._active is not None and self._active.folder == folder
        return Job(Path(folder), kind, state, self._active.said if active and self._active else said, active)

    def add(self, folder: Path, kind: str, words: Sequence[str]) -> None:
        """Have a command run in a folder, after those that wait. A job of that folder is run again."""
        self._base.execute(
            "INSERT INTO jobs VALUES (?, ?, ?, ?, '', (SELECT COALESCE(MAX(turn), 0) + 1 FROM jobs)) ON CONFLICT (folder) "
            "DO UPDATE SET kind = excluded.kind, words = excluded.words, state = excluded.state, turn = excluded.turn "
            "WHERE state NOT IN (?, ?)",
            (str(folder), kind, msgspec.json.encode(list(words)).decode(), WAITING, WAITING, RUNNING),
        )
        self._run_next()

    def resume(self, folder: Path) -> None:
        """Have a job that was paused, or has failed, go on after those that wait. Raises `Refused` for an unknown one."""
        self._require(folder)
        self._base.execute(
            "UPDATE jobs SET state = ?, turn = (SELECT MAX(turn) + 1 FROM jobs) WHERE folder = ? AND state IN (?, ?)",
            (WAITING, str(folder), PAUSED, FAILED),
        )
        self._run_next()

    def pause(self, folder: Path) -> None:
        """Have a job stop, once the piece of work at hand is done, and others run. Raises `Refused` for an unknown one."""
        job = self._require(folder)
        if job.state in (WAITING, RUNNING):
            self._set(folder, PAUSED)
            if job.active and self._active is not None:
                self._active.signal("INT")

    def forget(self, folder: Path) -> None:
        """Take a job that does not run out of the queue. What it has made stays. Raises `Refused` for one that runs."""
        if self._require(folder).active:
            raise Refused(f"{folder.name} is being worked on; pause it first")
        self._base.execute("DELETE FROM jobs WHERE folder = ?", (str(folder),))

    def close(self) -> None:
        """End the process that runs; its job goes on when the queue is opened again."""
        self._open = False
        if self._active is not None:
            self._active.signal("TERM")
        self._base.close()

    def _require(self, folder: Path) -> Job:
        if (job := self.find(folder)) is None:
            raise Refused(f"{folder.name} is not among the jobs any more; begin it again")
        return job

    def _set(self, folder: Path, state: str, said: str | None = None) -> None:
        self._base.execute(
            "UPDATE jobs SET state = ?, said = COALESCE(?, said) WHERE folder = ?", (state, said, str(folder))
        )

    def _run_next(self) -> None:
        """Begin the job that has waited longest, where none runs."""
        while self._open and self._active is None:
            row = self._base.execute(
                "SELECT folder, words FROM jobs WHERE state = ? ORDER BY turn LIMIT 1", (WAITING,)
            ).fetchone()
            if row is None:
                return
            folder, words = Path(row[0]), msgspec.json.decode(row[1], type=list[str])
            try:
                with (folder / PRINTED).open("wb") as printed:
                    running = _Running(str(folder), self._ended)
                    command = [sys.executable, "-c", PROGRAM, str(folder), *words]
                    descriptors = {0: "w", 1: printed.fileno(), 2: "r"}
                    self._reactor.spawnProcess(running, command[0], command, os.environ, childFDs=descriptors)
            except (OSError, ValueError, TypeError) as error:  # the folder is gone, or no command can have the words
                self._set(folder, FAILED, str(error))
                continue
            self._active = running
            self._set(folder, RUNNING, "")

    def _ended(self, running: "_Running", reason: Any) -> None:
        if not self._open:
            return
        self._active = None
        folder = Path(running.folder)
        job = self.find(folder)
        if job is not None:
            ended = DONE if reason.check(ProcessDone) else FAILED
            self._set(folder, ended if job.state == RUNNING else job.state, running.said)
        self._run_next()


class _Running(ProcessProtocol):
    """The process of a job, and the last line that it said. Its standard input ends with this process, and ends it."""

    def __init__(self, folder: str, ended: Any) -> None:
        self.folder = folder
        self.said = ""
        self._ended = ended

    def errReceived(self, data: bytes) -> None:
        lines = data.decode(errors="replace").split("\n")
        self.said = next((line.strip() for line in reversed(lines) if line.strip()), self.said)

    def processEnded(self, reason: Any) -> None:
        self._ended(self, reason)

    def signal(self, name: str) -> None:
        """Send a signal to the process, if it still runs."""
        process: Any = self.transport
        if process is not None:
            with suppress(ProcessExitedAlready):
                process.signalProcess(name)


@contextmanager
def working_in(folder: str) -> Iterator[None]:
    """Run a job in this process: with the folder locked, below the priority of others, and until standard input ends.

    A server that was killed leaves a process behind for a moment; the next one's waits for it at the lock.
    """
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    if hasattr(os, "setpgrp"):
        os.setpgrp()  # Ctrl-C in the server's terminal is for the server, which sends SIGTERM
    threading.Thread(target=_end_with_input, daemon=True).start()
    with locked(Path(folder), wait=True):
        yield


def _end_with_input() -> None:
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def job_view(room: Room, job: Job) -> dict[str, Any]:
    """Return a job as the page sees it."""
    return job._asdict() | {"folder": room.name_of(job.folder)}


class QueueFeature(Feature):
    """A feature that gives jobs to the queue."""

    def __init__(self, room: Room, queue: JobQueue) -> None:
        super().__init__(room)
        self._queue = queue


class Jobs(QueueFeature):
    """The queue of jobs as the page sees it. Folders are named as in `Room.name_of`."""

    @question("jobs.list")
    def jobs(self, tab: Listener) -> list[dict[str, Any]]:
        return [job_view(self.room, job) for job in self._queue.jobs()]

    @question("jobs.pause")
    def pause(self, tab: Listener, folder: Word) -> object:
        """Have a job stop once the piece of work at hand is done. Returns all jobs, as the next ones do."""
        self._queue.pause(self._folder(folder))
        return self.jobs(tab)

    @question("jobs.resume")
    def resume(self, tab: Listener, folder: Word) -> object:
        """Have a job go on after those that wait."""
        self._queue.resume(self._folder(folder))
        return self.jobs(tab)

    @question("jobs.forget")
    def forget(self, tab: Listener, folder: Word) -> object:
        """Take a job from the list; what it has made stays in its folder."""
        self._queue.forget(self._folder(folder))
        return self.jobs(tab)

    def _folder(self, name: str) -> Path:
        """Return the folder of a job by its name; whether it is still there does not matter."""
        folders = (job.folder for job in self._queue.jobs())
        return next((folder for folder in folders if self.room.name_of(folder) == name), Path(name))

    async def close(self) -> None:
        self._queue.close()
