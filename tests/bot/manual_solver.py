"""A solver queue for tests without threads."""

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred

from limpet.protocol.state import Action


class ManualSolver:
    """A solver queue that decides when the test says so."""

    def __init__(self) -> None:
        self.queue: list[tuple[Callable[[], Action], Deferred[Action]]] = []
        self.pondering = False

    def run(self, decide: Callable[..., Action], *args: Any) -> Deferred[Action]:
        self.interrupt()
        done: Deferred[Action] = Deferred()
        self.queue.append((lambda: decide(*args), done))
        return done

    def ponder(self, think: Callable[[Callable[[], bool]], None]) -> None:
        think(lambda: True)
        self.pondering = True

    def interrupt(self) -> None:
        self.pondering = False

    def step(self) -> None:
        decide, done = self.queue.pop(0)
        done.callback(decide())
