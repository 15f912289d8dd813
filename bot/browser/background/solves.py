"""A spot is solved in the background and kept, as `limpet solve --save` does, whether a page is open or not."""

from pathlib import Path
from typing import Any

import msgspec

from limpet.bot.browser.background.queue import JobQueue
from limpet.bot.browser.base.messages import FolderName, Listener, question
from limpet.bot.browser.base.room import Feature, Room
from limpet.bot.browser.views.spot_form import spot_of
from limpet.configs.loading import yaml_text
from limpet.strategies.holdem.solutions.solve import SPOT

FOLDER = "solves"
"""Folder of the solves that pages keep, below the one of the tables' files."""
KIND = "solve"


class BackgroundSolves(Feature):
    """Solves that are jobs of the queue; once they have ended, or were paused, `Solving` opens them."""

    def __init__(self, room: Room, queue: JobQueue) -> None:
        super().__init__(room)
        self._queue = queue

    @question("solve.behind")
    async def begin(self, tab: Listener, name: FolderName, spot: dict[str, Any]) -> str:
        """Have a spot solved by a job, and kept by a name; `spot` as in `Solving.start`. Returns the name of the folder."""
        folder = self.room.new_folder(FOLDER, name)
        await self.room.in_thread(_write, folder, spot)
        self._queue.add(folder, KIND, ["solve", str(folder / SPOT), "--save", str(folder), "--resume"])
        return self.room.name_of(folder)


def _write(folder: Path, keys: dict[str, Any]) -> None:
    """Write down what is to be solved. Raises `ConfigError` and `MemoryError` for what cannot be, and writes nothing then."""
    spot = spot_of(keys)
    folder.mkdir(parents=True)
    (folder / SPOT).write_text(yaml_text(msgspec.to_builtins(spot)), encoding="utf-8")
