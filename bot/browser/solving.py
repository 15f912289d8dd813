"""The feature ``solve``: spots are solved as ``limpet solve`` does, each tab's in a process of its own."""

from collections.abc import Awaitable
from typing import Annotated, Any

import msgspec

from limpet.bot.browser.base.messages import Event, Listener, Refused, Request, Word
from limpet.bot.browser.base.room import Feature, Room
from limpet.bot.browser.base.worker import Worker
from limpet.bot.browser.browsing import Line
from limpet.configs.loading import shipped_names

MOST_WORKERS = 4
"""Number of tabs that may solve spots at once; each solve takes all cores."""


class ListSpots(Request, frozen=True, tag="solve.list"):
    """Asks for the names of the spots that ship."""


class SpotForm(Request, frozen=True, tag="solve.form"):
    """Asks for a spot that ships, as a form has it."""

    name: Word


class StartSolve(Request, frozen=True, tag="solve.start"):
    """Asks for the solution of a spot, with keys of a spot's file in place of those of `base`, a spot that ships."""

    spot: dict[str, Any]
    base: Word = ""


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


class SolvingNews(Event, frozen=True, tag="solve.progress"):
    """A measurement of the running solve, see `views.solving.SolveProgress`."""

    value: msgspec.Raw


class Solving(Feature):
    """The processes that solve, by the tab that they solve for."""

    requests = (ListSpots, SpotForm, StartSolve, SolveWithBet, StopSolve, SpotNode, NextCardsOf, HandsByEquity)

    def __init__(self, room: Room) -> None:
        super().__init__(room)
        self._workers: dict[Listener, Worker] = {}

    def answer(self, request: Request, session: Listener) -> object | Awaitable[object]:
        if isinstance(request, ListSpots):
            return self.room.in_thread(shipped_names, "spots")
        worker = self._worker(session)

        def progress(value: msgspec.Raw) -> None:
            session.send(SolvingNews(value=value))

        match request:
            case SpotForm(name=name):
                return worker.call("spot", name)
            case StartSolve(spot=spot, base=base):
                worker.stop()
                return worker.call("solve_spot", spot, base, progress=progress)
            case SolveWithBet(line=line, percent=percent):
                worker.stop()
                return worker.call("solve_with_bet", line, percent, progress=progress)
            case SpotNode(line=line):
                return worker.call("spot_node", line)
            case NextCardsOf(line=line):
                return worker.call("next_cards", line)
            case HandsByEquity(line=line):
                return worker.call("by_equity", line)
        worker.stop()
        return None

    def _worker(self, session: Listener) -> Worker:
        if session not in self._workers:
            if len(self._workers) >= MOST_WORKERS:
                raise Refused(f"{MOST_WORKERS} tabs have solved spots already; close one of them")
            self._workers[session] = Worker(self.room.reactor)
        return self._workers[session]

    def left(self, session: Listener) -> None:
        worker = self._workers.pop(session, None)
        if worker is not None:
            worker.end()

    async def close(self) -> None:
        for worker in self._workers.values():
            worker.end()
