"""The feature ``jobs``: what works in the background is listed, paused, resumed, and taken from the list."""

from pathlib import Path
from typing import Any

from limpet.bot.browser.background.queue import Job, JobQueue
from limpet.bot.browser.base.messages import Listener, Word, question
from limpet.bot.browser.base.room import Feature, Room


def told(room: Room, job: Job) -> dict[str, Any]:
    """Return a job as the page sees it."""
    return job._asdict() | {"folder": room.name_of(job.folder)}


class Jobs(Feature):
    """The queue of jobs as the page sees it. Folders are named as in `Room.name_of`."""

    def __init__(self, room: Room, queue: JobQueue) -> None:
        super().__init__(room)
        self._queue = queue

    @question("jobs.list")
    def jobs(self, tab: Listener) -> list[dict[str, Any]]:
        """Return all jobs."""
        return [told(self.room, job) for job in self._queue.jobs()]

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
