"""The feature ``drill``: decisions are asked and answers judged as `limpet drill` does, each tab's in a process of its own."""

from collections.abc import Awaitable
from typing import Annotated

import msgspec

from limpet.bot.browser.base.messages import Event, Listener, Refused, Request, Word
from limpet.bot.browser.base.tab_workers import TabWorkers
from limpet.configs.loading import shipped_names
from limpet.strategies.drills.named import NAMED, PUSH_FOLD


class ListDrills(Request, frozen=True, tag="drill.list"):
    """Asks for the drills that have names, and the spots that ship."""


class BeginDrill(Request, frozen=True, tag="drill.begin"):
    """Begins a drill by its name, that of a spot that ships, or a file or folder below those that the page may open."""

    name: Word


class StopDrill(Request, frozen=True, tag="drill.stop"):
    """Ends the solve that a drill begins with; it goes on with what is solved so far."""


class NextQuestion(Request, frozen=True, tag="drill.next"):
    """Asks for the next question."""


class AnswerQuestion(Request, frozen=True, tag="drill.answer"):
    """Answers the question by the number of an action."""

    action: Annotated[int, msgspec.Meta(ge=0, le=1000)]


class DrillNews(Event, frozen=True, tag="drill.progress"):
    """Seconds of the solve so far, and those left."""

    value: msgspec.Raw


class Drilling(TabWorkers):
    """The processes that drill, by the tab that they ask."""

    busy = "drill"
    requests = (ListDrills, BeginDrill, StopDrill, NextQuestion, AnswerQuestion)

    def answer(self, request: Request, session: Listener) -> object | Awaitable[object]:
        if isinstance(request, ListDrills):
            return self.room.in_thread(
                lambda: {"drills": {name: each.text for name, each in NAMED.items()}, "spots": shipped_names("spots")}
            )

        def progress(value: msgspec.Raw) -> None:
            session.send(DrillNews(value=value))

        match request:
            case BeginDrill(name=name):
                known = name in NAMED or PUSH_FOLD.fullmatch(name) or name in shipped_names("spots")
                chosen = name if known else str(self.room.file(name))
                worker = self.worker(session)
                worker.stop()
                return worker.call("drill_begin", chosen, progress=progress)
            case StopDrill() if session in self._workers:
                self._workers[session].stop()
                return None
            case NextQuestion() if session in self._workers:
                return self._workers[session].call("drill_next")
            case AnswerQuestion(action=action) if session in self._workers:
                return self._workers[session].call("drill_answer", action)
        raise Refused("no drill has begun; begin one first")
