"""Features whose work for each browser tab is done in a process of that tab's own."""

from typing import ClassVar

from limpet.bot.browser.base.messages import Listener, Refused
from limpet.bot.browser.base.room import Feature, Room
from limpet.bot.browser.base.worker import Worker

MOST_WORKERS = 4
"""Number of tabs that may have a process of one feature at once; what such a process solves takes all cores."""


class TabWorkers(Feature):
    """A feature whose work for each tab is done by a process of that tab's own."""

    busy: ClassVar[str]
    """What the other tabs do, in the words of a refusal."""

    def __init__(self, room: Room) -> None:
        super().__init__(room)
        self._workers: dict[Listener, Worker] = {}

    def worker(self, tab: Listener) -> Worker:
        """Return the process of a tab, begun now if need be. Raises `Refused` where too many tabs have one."""
        if tab not in self._workers:
            if len(self._workers) >= MOST_WORKERS:
                raise Refused(f"{MOST_WORKERS} tabs {self.busy} already; close one of them")
            self._workers[tab] = Worker(self.room.reactor)
        return self._workers[tab]

    def left(self, tab: Listener) -> None:
        worker = self._workers.pop(tab, None)
        if worker is not None:
            worker.end()

    async def close(self) -> None:
        for worker in self._workers.values():
            worker.end()
