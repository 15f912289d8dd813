"""The feature ``solve``: spots are solved as ``limpet solve`` does, each tab's in a process of its own; solves are kept and compared."""

from collections.abc import Awaitable
from pathlib import Path
from typing import Annotated, Any

import msgspec

from limpet.bot.browser.base.messages import Event, FolderName, Line, Listener, Refused, Request, Word
from limpet.bot.browser.base.room import entries
from limpet.bot.browser.base.tab_workers import TabWorkers
from limpet.bot.browser.base.worker import TRAINED, Worker
from limpet.bot.browser.views.spot_form import CHOICES
from limpet.configs.loading import shipped_names
from limpet.strategies.holdem.solutions.solve import TABLES

FOLDER = "solves"
"""Folder of the solves that pages keep, below the one of the tables' files."""


class ListSpots(Request, frozen=True, tag="solve.list"):
    """Asks for the names of the spots that ship, and the words among which keys of a spot's file choose."""


class SpotForm(Request, frozen=True, tag="solve.form"):
    """Asks for a spot that ships, as a form has it."""

    name: Word


class StartSolve(Request, frozen=True, tag="solve.start"):
    """Asks for the solution of a spot: the keys of a spot's file, and the parameters as text if need be."""

    spot: dict[str, Any]


class SpotText(Request, frozen=True, tag="solve.write"):
    """Asks for the text of a spot's file that says what `StartSolve` would solve."""

    spot: dict[str, Any]


class ReadSpot(Request, frozen=True, tag="solve.read"):
    """Asks for the spot that the text of a spot's file says, as a form has it."""

    text: Annotated[str, msgspec.Meta(max_length=60_000)]


class LockOf(Request, frozen=True, tag="solve.lock"):
    """Asks for a lock that holds what is played at a decision of the solved spot."""

    line: Line


class SolveWithBet(Request, frozen=True, tag="solve.what_if"):
    """Asks to solve the spot again with one more bet after a line, of `percent` % of the pot."""

    line: Line
    percent: Annotated[float, msgspec.Meta(gt=0, le=1e5)]


class StopSolve(Request, frozen=True, tag="solve.stop"):
    """Ends the solve that runs; its answer so far follows."""


class SpotNode(Request, frozen=True, tag="solve.node"):
    """Asks for a decision of the solved spot."""

    line: Line


class NextCardsOf(Request, frozen=True, tag="solve.cards"):
    """Asks what each card that may fall after a line does."""

    line: Line


class HandsByEquity(Request, frozen=True, tag="solve.equity"):
    """Asks for both players' hands at a decision by rising equity, with their EVs."""

    line: Line


class ListSolves(Request, frozen=True, tag="solve.kept"):
    """Asks for the folders that hold solves."""


class KeepSolve(Request, frozen=True, tag="solve.keep"):
    """Keeps the solved spot by a name. The folder is answered."""

    name: FolderName


class OpenSolve(Request, frozen=True, tag="solve.open"):
    """Asks for a solve that a folder holds, to be walked and solved again with other bets."""

    folder: Word


class CompareNodes(Request, frozen=True, tag="solve.compare"):
    """Asks for two decisions side by side, each by a line and what it is of.

    That is the folder of a solve, empty for this tab's own, or a trained strategy: ``strategy:NAME``.
    """

    folders: tuple[Word, Word]
    lines: tuple[Line, Line]


class SolvingNews(Event, frozen=True, tag="solve.progress"):
    """A measurement of the running solve, see `views.solving.SolveProgress`."""

    value: msgspec.Raw


PLAIN: dict[type[Request], str] = {
    SpotForm: "spot", SpotText: "spot_text", ReadSpot: "read_spot", LockOf: "lock_of", SpotNode: "spot_node",
    NextCardsOf: "next_cards", HandsByEquity: "by_equity",
}  # fmt: skip
"""Functions of `working.Work` that are called with what a question holds."""


class Solving(TabWorkers):
    """The processes that solve, by the tab that they solve for."""

    busy = "have solved spots"
    requests = (
        ListSpots, SpotForm, StartSolve, SpotText, ReadSpot, LockOf, SolveWithBet, StopSolve, SpotNode, NextCardsOf, HandsByEquity,
        ListSolves, KeepSolve, OpenSolve, CompareNodes,
    )  # fmt: skip

    def answer(self, request: Request, session: Listener) -> object | Awaitable[object]:
        if isinstance(request, ListSpots):
            return self.room.in_thread(lambda: {"spots": shipped_names("spots"), "choices": CHOICES})
        if isinstance(request, ListSolves):
            return self.room.in_thread(self._kept)
        worker = self.worker(session)

        def progress(value: msgspec.Raw) -> None:
            session.send(SolvingNews(value=value))

        if name := PLAIN.get(type(request)):
            return worker.call(name, *(getattr(request, part) for part in request.__struct_fields__ if part != "id"))
        match request:
            case StartSolve(spot=spot):
                worker.stop()
                return worker.call("solve_spot", spot, progress=progress)
            case SolveWithBet(line=line, percent=percent):
                worker.stop()
                return worker.call("solve_with_bet", line, percent, progress=progress)
            case KeepSolve(name=name):
                return self._keep(worker, name)
            case OpenSolve(folder=folder):
                return worker.call("open_solve", str(self.room.file(folder)))
            case CompareNodes(folders=folders, lines=lines):
                sides = [
                    folder if not folder or folder.startswith(TRAINED) else str(self.room.file(folder))
                    for folder in folders
                ]
                return worker.call("compare_nodes", sides, lines)
        worker.stop()
        return None

    def _kept(self) -> list[str]:
        """Return the names of the folders below the page's that hold solves."""
        return [
            self.room.name_of(Path(file.path).parent) for _, file in entries(self.room.roots()) if file.name == TABLES
        ]

    async def _keep(self, worker: Worker, name: str) -> str:
        folder = self.room.folder.resolve() / FOLDER / name
        if folder.exists():
            raise Refused(f"there is a solve {name} already; choose another name")
        await worker.call("keep_solve", str(folder))
        return self.room.name_of(folder)
