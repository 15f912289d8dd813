"""The feature ``drill``: decisions are asked and answers judged as `limpet drill` does, each tab's in a process of its own."""

from typing import Annotated

import msgspec

from limpet.bot.browser.views.messages import Event, Listener, Refused, Word, question
from limpet.bot.browser.views.room import TabWorkers
from limpet.bot.browser.views.worker import Worker
from limpet.configs.loading import shipped_names, shipped_sentences
from limpet.dealer.measures.named_drills import NAMED, PUSH_FOLD

Choice = Annotated[int, msgspec.Meta(ge=0, le=1000)]


class DrillNews(Event, frozen=True, tag="drill.progress"):
    """Seconds of the solve so far, and those left."""

    value: msgspec.Raw


class Drilling(TabWorkers):
    """The processes that drill, by the tab that they ask."""

    busy = "drill"

    @question("drill.list")
    def listed(self, tab: Listener) -> object:
        """Return the drills that have names, and what the spots that ship are."""
        drills = {name: each.text for name, each in NAMED.items()}
        return self.room.in_thread(lambda: {"drills": drills, "spots": shipped_sentences("spots")})

    @question("drill.begin")
    def begin(self, tab: Listener, name: Word) -> object:
        """Begin a drill by its name, that of a spot that ships, or a file or folder below those that the page may open."""
        if name.startswith("pushfold-") and not PUSH_FOLD.fullmatch(name):
            raise Refused(
                "write stacks in big blinds, as in 10 or 8,12,10, an ante such as 0.1, and prizes such as 50,30,20"
            )
        known = name in NAMED or PUSH_FOLD.fullmatch(name) or name in shipped_names("spots")
        chosen = name if known else str(self.room.file(name))
        worker = self.worker(tab, holds=True)
        worker.stop()
        return worker.call("drill_begin", chosen, progress=lambda value: tab.send(DrillNews(value=value)))

    @question("drill.stop")
    def stop(self, tab: Listener) -> None:
        """End the solve that a drill begins with; it goes on with what is solved so far."""
        self._begun(tab).stop()

    @question("drill.next")
    def next(self, tab: Listener) -> object:
        return self._begun(tab).call("drill_next")

    @question("drill.answer")
    def judge(self, tab: Listener, action: Choice) -> object:
        """Judge the answer to the question by the number of an action."""
        return self._begun(tab).call("drill_answer", action)

    def _begun(self, tab: Listener) -> Worker:
        """Return the process of a tab. Raises `Refused` where there is none."""
        if tab not in self._workers:
            raise Refused("no drill has begun; begin one first")
        return self._workers[tab]
