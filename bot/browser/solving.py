"""The feature ``solve``: spots are solved as ``limpet solve`` does, each tab's in a process of its own; solves are kept and compared."""

from pathlib import Path
from typing import Annotated, Any

import msgspec

from limpet.bot.browser.queue import QueueFeature
from limpet.bot.browser.views.messages import (
    TRAINED,
    Event,
    FolderName,
    Line,
    Listener,
    Percent,
    Processes,
    Word,
    question,
)
from limpet.bot.browser.views.room import TabWorkers, entries
from limpet.bot.browser.views.spot_form import CHOICES, spot_of
from limpet.configs.loading import shipped_sentences, yaml_text
from limpet.strategies.holdem.solutions.solve import SPOT, TABLES

FOLDER = "solves"
"""Folder of the solves that pages keep, below the one of the tables' files."""
KIND = "solve"
"""Kind of the jobs that solve."""

SpotText = Annotated[str, msgspec.Meta(max_length=60_000)]


class SolvingNews(Event, frozen=True, tag="solve.progress"):
    """A measurement of the running solve, see `views.solving.solve_spot`."""

    value: msgspec.Raw


class Solving(TabWorkers):
    """The processes that solve, by the tab that they solve for."""

    busy = "have solved spots"

    @question("solve.list")
    def spots(self, tab: Listener) -> object:
        """Return what the spots that ship are, by name, and the words among which keys of a spot's file choose."""
        return self.room.in_thread(lambda: {"spots": shipped_sentences("spots"), "choices": CHOICES})

    @question("solve.form")
    def form(self, tab: Listener, name: Word) -> object:
        return self.worker(tab).call("shipped_form", name)

    @question("solve.start")
    def start(self, tab: Listener, spot: dict[str, Any]) -> object:
        """Solve a spot: the keys of a spot's file, and the parameters as text if need be."""
        return self._solved(tab, "solve_spot", spot)

    @question("solve.cost")
    def cost(self, tab: Listener, spot: dict[str, Any], processes: Processes = 1) -> object:
        """Return how large the tree of a spot is, what memory its solve takes, and about how long an iteration.

        processes: share the boards of a batch.
        """
        return self.worker(tab).call("spot_cost", spot, processes)

    @question("solve.write")
    def text(self, tab: Listener, spot: dict[str, Any]) -> object:
        """Return the text of a spot's file that says what `start` would solve."""
        return self.worker(tab).call("spot_text", spot)

    @question("solve.read")
    def read(self, tab: Listener, text: SpotText) -> object:
        """Return the spot that the text of a spot's file says, as a form has it."""
        return self.worker(tab).call("read_form", text)

    @question("solve.lock")
    def lock(self, tab: Listener, line: Line) -> object:
        """Return a lock that holds what is played at a decision of the solved spot."""
        return self.worker(tab).call("lock_of", line)

    @question("solve.what_if")
    def what_if(self, tab: Listener, line: Line, percent: Percent) -> object:
        """Solve the spot again with one more bet after a line, of `percent` % of the pot."""
        return self._solved(tab, "solve_with_bet", line, percent)

    @question("solve.stop")
    def stop(self, tab: Listener) -> None:
        """End the solve that runs; its answer so far follows."""
        self.worker(tab).stop()

    @question("solve.node")
    def node(self, tab: Listener, line: Line) -> object:
        return self.worker(tab).call("spot_node", line)

    @question("solve.cards")
    def cards(self, tab: Listener, line: Line) -> object:
        return self.worker(tab).call("next_cards", line)

    @question("solve.equity")
    def by_equity(self, tab: Listener, line: Line) -> object:
        """Return both players' hands at a decision by rising equity, with their EVs."""
        return self.worker(tab).call("by_equity", line)

    @question("solve.kept")
    def kept(self, tab: Listener) -> object:
        return self.room.in_thread(self._kept)

    @question("solve.keep")
    async def keep(self, tab: Listener, name: FolderName) -> str:
        """Keep the solved spot by a name. Returns the folder."""
        worker, folder = self.worker(tab), self.room.new_folder(FOLDER, name)
        await worker.call("keep_solve", str(folder))
        return self.room.name_of(folder)

    @question("solve.open")
    def open(self, tab: Listener, folder: Word) -> object:
        """Return a solve that a folder holds, to be walked and solved again with other bets."""
        return self.worker(tab, holds=True).call("open_solve", str(self.room.file(folder)))

    @question("solve.compare")
    def compare(self, tab: Listener, folders: tuple[Word, Word], lines: tuple[Line, Line]) -> object:
        """Return two decisions side by side, each by a line and what it is of.

        That is the folder of a solve, empty for this tab's own, or a trained strategy: ``strategy:NAME``.
        """
        sides = [side if not side or side.startswith(TRAINED) else str(self.room.file(side)) for side in folders]
        return self.worker(tab).call("compare_nodes", sides, lines)

    def _solved(self, tab: Listener, name: str, *arguments: object) -> object:
        """Have a function of `Work` solve in a tab's process, in place of what that solves, and the tab told how far it is."""
        worker = self.worker(tab, holds=True)
        worker.stop()
        return worker.call(name, *arguments, progress=lambda value: tab.send(SolvingNews(value=value)))

    def _kept(self) -> list[str]:
        """Return the names of the folders below the page's that hold solves."""
        return [
            self.room.name_of(Path(file.path).parent) for _, file in entries(self.room.roots()) if file.name == TABLES
        ]


class BackgroundSolves(QueueFeature):
    """Solves that are jobs of the queue; once they have ended, or were paused, `Solving` opens them."""

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
