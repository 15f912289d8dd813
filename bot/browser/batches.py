"""The feature ``boards``: a batch of boards is solved in the background, as `limpet solve --batch` does, and read while it grows."""

import os
import sys
from collections.abc import Awaitable
from pathlib import Path
from typing import Annotated, Any

import msgspec
from twisted.internet.error import ProcessExitedAlready
from twisted.internet.protocol import ProcessProtocol

from limpet.bot.browser.base.messages import Line, Listener, Refused, Request, Word
from limpet.bot.browser.base.room import Feature, Room, entries
from limpet.bot.browser.views.boards import batch_names, batch_spot, batch_view
from limpet.bot.browser.views.solving import spot_of
from limpet.configs.loading import yaml_text
from limpet.strategies.holdem.solutions.batch import JOBS
from limpet.strategies.holdem.solutions.solve import SPOT

FOLDER = "batches"
"""Folder of the batches that pages begin, below the one of the tables' files."""
ORDER = "order.json"
PROGRAM = "import os; os.nice(5); from limpet.bot.cli import main; main()"
"""The program of the process that solves, below the priority of pages and tables."""


class ListBatches(Request, frozen=True, tag="boards.list"):
    """Asks for the folders that hold batches, and what the process that solves one has said last."""


class BatchRows(Request, frozen=True, tag="boards.rows"):
    """Asks for the boards of a batch, or for means over the boards that agree in some fields of their texture."""

    folder: Word
    group: Annotated[tuple[Word, ...], msgspec.Meta(max_length=4)] = ()


class BatchSpot(Request, frozen=True, tag="boards.spot"):
    """Asks for the spot of a board of a batch, as a form has it."""

    folder: Word
    board: Word


class BeginBatch(Request, frozen=True, tag="boards.begin"):
    """Begins a batch of so many boards that stand for all; `spot` and `base` as in `solving.StartSolve`.

    line: the decision to report, on the street of the boards.
    """

    name: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]{0,59}$")]
    boards: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
    spot: dict[str, Any]
    base: Word = ""
    line: Line = ""


class ContinueBatch(Request, frozen=True, tag="boards.continue"):
    """Goes on with a batch that a page has begun."""

    folder: Word


class StopBatch(Request, frozen=True, tag="boards.stop"):
    """Ends the batch that runs after the board at hand. What is solved stays."""


class BatchOrder(msgspec.Struct, frozen=True):
    """The order that a page gave for a batch, beside its spot."""

    boards: int
    line: str = ""


class _Solver(ProcessProtocol):
    """The process that solves a batch: its folder, and the last line that it said."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said = "Preparing"
        self.running = True

    def errReceived(self, data: bytes) -> None:
        lines = data.decode(errors="replace").split("\n")
        self.said = next((line for line in reversed(lines) if line.strip()), self.said)

    def processEnded(self, reason: object) -> None:
        self.running = False

    def signal(self, name: str) -> None:
        """Send a signal to the process, if it still runs."""
        process: Any = self.transport
        if self.running and process is not None:
            try:
                process.signalProcess(name)
            except ProcessExitedAlready:
                self.running = False


class Batches(Feature):
    """The batches below the page's folders, and the process that solves one of them."""

    requests = (ListBatches, BatchRows, BatchSpot, BeginBatch, ContinueBatch, StopBatch)

    def __init__(self, room: Room) -> None:
        super().__init__(room)
        self._solver: _Solver | None = None

    def answer(self, request: Request, session: Listener) -> object | Awaitable[object]:
        match request:
            case ListBatches():
                return self._listed()
            case BatchRows(folder=folder, group=group):
                return self.room.in_thread(batch_view, self.room.file(folder), group)
            case BatchSpot(folder=folder, board=board):
                return self.room.in_thread(batch_spot, self.room.file(folder), board)
            case BeginBatch():
                return self._begin(request)
            case ContinueBatch(folder=folder):
                return self._run(self.room.file(folder))
        if self._solver is not None:
            self._solver.signal("INT")
        return None

    async def _listed(self) -> dict[str, Any]:
        solver = self._solver
        names, begun = await self.room.in_thread(self._names)
        now = None
        if solver is not None:
            now = {"name": self._name(solver.folder), "said": solver.said, "running": solver.running}
        return {"names": names, "begun": begun, "now": now}

    def _roots(self) -> list[Path]:
        """Return the folders that are searched; the tables' own where it lies below none of the others."""
        roots = [folder.resolve() for folder in self.room.folders]
        own = self.room.folder.resolve()
        return roots if any(own.is_relative_to(root) for root in roots) else [*roots, own]

    def _name(self, folder: Path) -> str:
        return next(
            (str(folder.relative_to(root)) for root in self._roots() if folder.is_relative_to(root)), folder.name
        )

    def _names(self) -> tuple[list[str], list[str]]:
        """Return the names of all batches, and of those that a page has begun and may go on with."""
        names = batch_names((folder, Path(entry.path)) for folder, entry in entries(self._roots()))
        return names, [name for name in names if (self.room.file(name) / ORDER).is_file()]

    async def _begin(self, asked: BeginBatch) -> str:
        """Write down what a batch is to be, and begin it. Returns its name."""
        self._require_idle()
        folder = self.room.folder.resolve() / FOLDER / asked.name
        if folder.exists():
            raise Refused(f"there is a batch {asked.name} already; choose another name, or go on with it")

        def write() -> None:
            spot = spot_of(asked.spot, asked.base)
            (folder / JOBS).mkdir(parents=True)
            (folder / SPOT).write_text(yaml_text(msgspec.to_builtins(spot)), encoding="utf-8")
            (folder / ORDER).write_bytes(msgspec.json.encode(BatchOrder(asked.boards, asked.line)))

        await self.room.in_thread(write)
        return self._run(folder)

    def _run(self, folder: Path) -> str:
        """Begin, or go on with, a batch that a page has begun."""
        self._require_idle()
        try:
            order = msgspec.json.decode((folder / ORDER).read_bytes(), type=BatchOrder)
        except (OSError, msgspec.DecodeError) as error:
            raise Refused(f"{folder.name} was not begun here; go on with it by the command that began it") from error
        words = ["solve", str(folder / SPOT), "--batch", str(order.boards), "--output", str(folder)]
        words += ["--at", order.line] if order.line else []
        self._solver = _Solver(folder)
        command = [sys.executable, "-c", PROGRAM, *words]
        self.room.reactor.spawnProcess(self._solver, command[0], command, os.environ)
        return self._name(folder)

    def _require_idle(self) -> None:
        if self._solver is not None and self._solver.running:
            raise Refused(f"{self._solver.folder.name} is being solved; stop it first")

    async def close(self) -> None:
        if self._solver is not None:
            self._solver.signal("TERM")
