"""The feature ``jobs``: what works in the background is listed, paused, resumed, and taken from the list."""

from pathlib import Path
from typing import Any

from limpet.bot.browser.background.queue import Job, JobQueue
from limpet.bot.browser.base.messages import Listener, Request, Word
from limpet.bot.browser.base.room import Feature, Room


class ListJobs(Request, frozen=True, tag="jobs.list"):
    """Asks for all jobs."""


class PauseJob(Request, frozen=True, tag="jobs.pause"):
    """Has a job stop once the piece of work at hand is done."""

    folder: Word


class ResumeJob(Request, frozen=True, tag="jobs.resume"):
    """Has a job go on after those that wait."""

    folder: Word


class ForgetJob(Request, frozen=True, tag="jobs.forget"):
    """Takes a job from the list; what it has made stays in its folder."""

    folder: Word


def told(room: Room, job: Job) -> dict[str, Any]:
    """Return a job as the page sees it."""
    return job._asdict() | {"folder": room.name_of(job.folder)}


class Jobs(Feature):
    """The queue of jobs as the page sees it. Folders are named as in `Room.name_of`."""

    requests = (ListJobs, PauseJob, ResumeJob, ForgetJob)

    def __init__(self, room: Room, queue: JobQueue) -> None:
        super().__init__(room)
        self._queue = queue

    def answer(self, request: Request, session: Listener) -> list[dict[str, Any]]:
        """Return all jobs, after what was asked for."""
        match request:
            case PauseJob(folder=name):
                self._queue.pause(self._folder(name))
            case ResumeJob(folder=name):
                self._queue.resume(self._folder(name))
            case ForgetJob(folder=name):
                self._queue.forget(self._folder(name))
        return [told(self.room, job) for job in self._queue.jobs()]

    def _folder(self, name: str) -> Path:
        """Return the folder of a job by its name; whether it is still there does not matter."""
        folders = (job.folder for job in self._queue.jobs())
        return next((folder for folder in folders if self.room.name_of(folder) == name), Path(name))

    async def close(self) -> None:
        self._queue.close()
