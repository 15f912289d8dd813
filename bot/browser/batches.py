"""The feature ``boards``: a batch of boards is solved in the background, as `limpet solve --batch` does, and read while it grows."""

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec

from limpet.bot.browser.queue import QueueFeature, job_view
from limpet.bot.browser.views.grid import GridAction
from limpet.bot.browser.views.messages import FolderName, Line, Listener, Number, Processes, Refused, Word, question
from limpet.bot.browser.views.room import entries
from limpet.bot.browser.views.spot_form import spot_form, spot_of
from limpet.common.workers import most_processes
from limpet.configs.loading import ConfigError, yaml_text
from limpet.strategies.cards.boards import ORDERS
from limpet.strategies.holdem.solutions.answer import find_decisions
from limpet.strategies.holdem.solutions.batch import JOBS, SUMMARY, open_batch
from limpet.strategies.holdem.solutions.board_report import board_rows, group_rows, read_results
from limpet.strategies.holdem.solutions.pictures import action_colours, hex_colour
from limpet.strategies.holdem.solutions.solve import SPOT
from limpet.strategies.holdem.solutions.spot import load_spot

FOLDER = "batches"
"""Folder of the batches that pages begin, below the one of the tables' files."""
ORDER = "order.json"
LISTED = "listed.txt"
"""File of the boards of a batch, where those are one's own."""
DEFAULT_SEED = 1
KIND = "boards"
PASSIVE = ("fold", "check", "call")

Fields = Annotated[tuple[Word, ...], msgspec.Meta(max_length=4)]
Boards = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
Listed = Annotated[str, msgspec.Meta(max_length=40_000)]
"""A board on each line, with its weight or without; empty for boards that stand for all."""


class BatchOrder(msgspec.Struct, frozen=True):
    """The order that a page gave for a batch, beside its spot, and beside `LISTED` where that names the boards."""

    boards: int
    line: str = ""
    seed: int = DEFAULT_SEED
    processes: int = 1


class Batches(QueueFeature):
    """The batches below the page's folders, some of which are jobs of the queue."""

    @question("boards.rows")
    def rows(self, tab: Listener, folder: Word, group: Fields = ()) -> object:
        """Return the boards of a batch, or means over the boards that agree in some fields of their texture."""
        return self.room.in_thread(batch_view, self.room.file(folder), group)

    @question("boards.spot")
    def spot(self, tab: Listener, folder: Word, board: Word) -> object:
        return self.room.in_thread(batch_spot, self.room.file(folder), board)

    @question("boards.continue")
    def resume(self, tab: Listener, folder: Word) -> object:
        """Go on with a batch that a page has begun. Returns its name."""
        return self._run(self.room.file(folder))

    @question("boards.list")
    async def batches(self, tab: Listener) -> dict[str, Any]:
        """Return the names of the batches with boards, and by name the jobs of those that pages have begun, null for none."""
        names, begun = await self.room.in_thread(self._names)
        jobs = {self.room.name_of(job.folder): job for job in self._queue.jobs() if job.kind == KIND}
        return {
            "names": names,
            "jobs": {name: None for name in begun} | {name: job_view(self.room, jobs[name]) for name in jobs},
        }

    def _names(self) -> tuple[list[str], list[str]]:
        """Return the names of all batches, and of those that a page has begun and may go on with."""
        names = batch_names((folder, Path(entry.path)) for folder, entry in entries(self.room.roots()))
        return names, [name for name in names if (self.room.file(name) / ORDER).is_file()]

    @question("boards.begin")
    async def begin(
        self,
        tab: Listener,
        name: FolderName,
        boards: Boards,
        spot: dict[str, Any],
        line: Line = "",
        seed: Number = DEFAULT_SEED,
        processes: Processes = 1,
        listed: Listed = "",
    ) -> str:
        """Begin a batch of so many boards that stand for all, or of those `listed`; `spot` as in `Solving.start`.

        line: the decision to report, on the street of the boards. seed: which boards stand for all. processes: share the work.
        Returns the name of the batch.
        """
        folder = self.room.new_folder(FOLDER, name)
        if processes > most_processes():
            raise Refused(f"{processes} processes are too many here; write at most {most_processes()}")
        await self.room.in_thread(_write, folder, BatchOrder(boards, line, seed, processes), spot, listed)
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


def _write(folder: Path, order: BatchOrder, keys: dict[str, Any], listed: str) -> None:
    """Write down what a batch is to be. Nothing stays of one that cannot be solved; raises `ConfigError` then."""
    one = spot = spot_of(keys)
    (folder / JOBS).mkdir(parents=True)
    try:
        if listed.strip():
            (folder / LISTED).write_text(listed, encoding="utf-8")
            batch, _ = open_batch(spot, str(folder / LISTED), order.seed, (), folder)
            one = msgspec.structs.replace(spot, board=batch.jobs[0].board)
        if order.line:
            find_decisions(one, [order.line])
        (folder / SPOT).write_text(yaml_text(msgspec.to_builtins(spot)), encoding="utf-8")
        (folder / ORDER).write_bytes(msgspec.json.encode(order))
    except BaseException:
        shutil.rmtree(folder)
        raise


# --- Batches as a page shows them: where there are some, their rows, and the spot of one of their boards.


def batch_names(files: Iterable[tuple[Path, Path]]) -> list[str]:
    """Return the folders that hold batches, relative to the folder of the search, out of files with those folders."""
    return [
        str(path.parent.relative_to(folder))
        for folder, path in files
        if path.name == SUMMARY and (path.parent / JOBS).is_dir()
    ]


def batch_view(folder: Path, group: Sequence[str]) -> dict[str, Any]:
    """Return a row for each board, or means over the boards of each texture, and the order of their words.

    group: fields of `Texture`.

    Raises `ConfigError` for a folder without a batch and for other fields.
    """
    results = read_results(folder)
    (whole,) = group_rows(results, ())
    actions = results[0].actions
    colours = action_colours([None if name in PASSIVE else 1.0 for name in actions])
    frequencies = [float(whole[name] or 0) for name in actions]
    return {
        "line": ", ".join(results[0].line),
        "actions": [
            GridAction(name, hex_colour(colour), share)
            for name, colour, share in zip(actions, colours, frequencies, strict=True)
        ],
        "rows": group_rows(results, group) if group else board_rows(results),
        "whole": whole,
        "opens": (folder / SPOT).is_file(),
        "orders": ORDERS,
    }


def batch_spot(folder: Path, board: str) -> dict[str, Any]:
    """Return the spot of a board of a batch as a form has it. Raises `ConfigError` where there is none."""
    if board not in {result.board for result in read_results(folder)}:
        raise ConfigError(f"there is no board {board!r} in {folder.name}")
    return spot_form(msgspec.structs.replace(load_spot(str(folder / SPOT)), board=board))
