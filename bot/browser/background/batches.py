"""The feature ``boards``: a batch of boards is solved in the background, as `limpet solve --batch` does, and read while it grows."""

import shutil
from collections.abc import Awaitable
from pathlib import Path
from typing import Annotated, Any

import msgspec

from limpet.bot.browser.background.jobs import told
from limpet.bot.browser.background.queue import JobQueue
from limpet.bot.browser.base.messages import FolderName, Line, Listener, Number, Refused, Request, Word
from limpet.bot.browser.base.room import Feature, Room, entries
from limpet.bot.browser.views.boards import batch_names, batch_spot, batch_view
from limpet.bot.browser.views.spot_form import spot_of
from limpet.common.workers import most_processes
from limpet.configs.loading import yaml_text
from limpet.strategies.holdem.solutions.batch import JOBS, open_batch
from limpet.strategies.holdem.solutions.solve import SPOT
from limpet.strategies.holdem.solutions.solve_spot import find_decisions

FOLDER = "batches"
"""Folder of the batches that pages begin, below the one of the tables' files."""
ORDER = "order.json"
LISTED = "listed.txt"
"""File of the boards of a batch, where those are one's own."""
DEFAULT_SEED = 1
KIND = "boards"


class ListBatches(Request, frozen=True, tag="boards.list"):
    """Asks for the folders that hold batches, and for the jobs that solve some."""


class BatchRows(Request, frozen=True, tag="boards.rows"):
    """Asks for the boards of a batch, or for means over the boards that agree in some fields of their texture."""

    folder: Word
    group: Annotated[tuple[Word, ...], msgspec.Meta(max_length=4)] = ()


class BatchSpot(Request, frozen=True, tag="boards.spot"):
    """Asks for the spot of a board of a batch, as a form has it."""

    folder: Word
    board: Word


class BeginBatch(Request, frozen=True, tag="boards.begin"):
    """Begins a batch of so many boards that stand for all, or of those listed; `spot` as in `solving.StartSolve`.

    line: the decision to report, on the street of the boards. seed: which boards stand for all. processes: share the work.
    listed: a board on each line, with its weight or without; empty for boards that stand for all.
    """

    name: FolderName
    boards: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
    spot: dict[str, Any]
    line: Line = ""
    seed: Number = DEFAULT_SEED
    processes: Annotated[int, msgspec.Meta(ge=1)] = 1
    listed: Annotated[str, msgspec.Meta(max_length=40_000)] = ""


class ContinueBatch(Request, frozen=True, tag="boards.continue"):
    """Goes on with a batch that a page has begun."""

    folder: Word


class BatchOrder(msgspec.Struct, frozen=True):
    """The order that a page gave for a batch, beside its spot, and beside `LISTED` where that names the boards."""

    boards: int
    line: str = ""
    seed: int = DEFAULT_SEED
    processes: int = 1


class Batches(Feature):
    """The batches below the page's folders, some of which are jobs of the queue."""

    requests = (ListBatches, BatchRows, BatchSpot, BeginBatch, ContinueBatch)

    def __init__(self, room: Room, queue: JobQueue) -> None:
        super().__init__(room)
        self._queue = queue

    def answer(self, request: Request, session: Listener) -> object | Awaitable[object]:
        match request:
            case BatchRows(folder=folder, group=group):
                return self.room.in_thread(batch_view, self.room.file(folder), group)
            case BatchSpot(folder=folder, board=board):
                return self.room.in_thread(batch_spot, self.room.file(folder), board)
            case BeginBatch():
                return self._begin(request)
            case ContinueBatch(folder=folder):
                return self._run(self.room.file(folder))
        return self._listed()

    async def _listed(self) -> dict[str, Any]:
        """Return the names of the batches with boards, and by name the jobs of those that pages have begun, null for none."""
        names, begun = await self.room.in_thread(self._names)
        jobs = {self.room.name_of(job.folder): job for job in self._queue.jobs() if job.kind == KIND}
        return {
            "names": names,
            "jobs": {name: None for name in begun} | {name: told(self.room, jobs[name]) for name in jobs},
        }

    def _names(self) -> tuple[list[str], list[str]]:
        """Return the names of all batches, and of those that a page has begun and may go on with."""
        names = batch_names((folder, Path(entry.path)) for folder, entry in entries(self.room.roots()))
        return names, [name for name in names if (self.room.file(name) / ORDER).is_file()]

    async def _begin(self, asked: BeginBatch) -> str:
        """Write down what a batch is to be, and have it solved. Returns its name."""
        folder = self.room.folder.resolve() / FOLDER / asked.name
        if folder.exists():
            raise Refused(f"there is a batch {asked.name} already; choose another name, or go on with it")
        if asked.processes > most_processes():
            raise Refused(f"{asked.processes} processes are too many here; write at most {most_processes()}")
        await self.room.in_thread(_write, folder, asked)
        return self._run(folder)

    def _run(self, folder: Path) -> str:
        """Have a batch that a page has begun solved, from where it was stopped."""
        try:
            order = msgspec.json.decode((folder / ORDER).read_bytes(), type=BatchOrder)
        except (OSError, msgspec.DecodeError) as error:
            raise Refused(f"{folder.name} was not begun here; go on with it by the command that began it") from error
        boards = str(folder / LISTED) if (folder / LISTED).is_file() else str(order.boards)
        words = ["solve", str(folder / SPOT), "--batch", boards, "--output", str(folder)]
        said = {"--at": (order.line, ""), "--seed": (order.seed, DEFAULT_SEED), "--jobs": (order.processes, 1)}
        for option, (value, usual) in said.items():
            words += [option, str(value)] if value != usual else []
        self._queue.add(folder, KIND, words)
        return self.room.name_of(folder)


def _write(folder: Path, asked: BeginBatch) -> None:
    """Write down what a batch is to be. Nothing stays of one that cannot be solved; raises `ConfigError` then."""
    spot = spot_of(asked.spot)
    (folder / JOBS).mkdir(parents=True)
    try:
        one = spot
        if asked.listed.strip():
            (folder / LISTED).write_text(asked.listed, encoding="utf-8")
            batch, _ = open_batch(spot, str(folder / LISTED), asked.seed, (), folder)
            one = msgspec.structs.replace(spot, board=batch.jobs[0].board)
        if asked.line:
            find_decisions(one, [asked.line])
        (folder / SPOT).write_text(yaml_text(msgspec.to_builtins(spot)), encoding="utf-8")
        order = BatchOrder(asked.boards, asked.line, asked.seed, asked.processes)
        (folder / ORDER).write_bytes(msgspec.json.encode(order))
    except BaseException:
        shutil.rmtree(folder)
        raise
