"""The feature ``solve``: spots are solved as ``limpet solve`` does, each tab's in a process of its own."""

from collections.abc import Awaitable
from typing import Annotated, Any

import msgspec

from limpet.bot.browser.base.messages import Event, Line, Listener, Request, Word
from limpet.bot.browser.base.tab_workers import TabWorkers
from limpet.configs.loading import shipped_names


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


class Solving(TabWorkers):
    """The processes that solve, by the tab that they solve for."""

    busy = "have solved spots"
    requests = (ListSpots, SpotForm, StartSolve, SolveWithBet, StopSolve, SpotNode, NextCardsOf, HandsByEquity)

    def answer(self, request: Request, session: Listener) -> object | Awaitable[object]:
        if isinstance(request, ListSpots):
            return self.room.in_thread(shipped_names, "spots")
        worker = self.worker(session)

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
