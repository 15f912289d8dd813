"""A room whose threads are the test itself, and tabs that keep what they are sent."""

from collections.abc import Callable
from inspect import iscoroutine
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, Union

import msgspec
from twisted.internet.defer import Deferred, ensureDeferred, maybeDeferred
from twisted.internet.task import Clock

from limpet.bot.browser.views.messages import Event, Request
from limpet.bot.browser.views.room import Feature, Room

P = ParamSpec("P")
R = TypeVar("R")


class HereRoom(Room):
    """Does at once what others do in threads."""

    def in_thread(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> Deferred[R]:
        return maybeDeferred(work, *args, **kwargs)


def room(folder: Path) -> HereRoom:
    return HereRoom(Clock(), folder / "tables", folders=[folder])


class FakeTab:
    """A tab of the host."""

    guest = ""

    def __init__(self) -> None:
        self.sent: list[Event] = []

    def send(self, event: Event) -> None:
        self.sent.append(event)


def message(feature: Feature, kind: str, **fields: Any) -> Request:
    """A message of the page. Raises `msgspec.ValidationError` for fields that it may not have."""
    made: Request = msgspec.convert({"kind": kind, "id": 1, **fields}, type=Union[*feature.answers])
    return made


def answered(feature: Feature, kind: str, tab: FakeTab | None = None, **fields: Any) -> Any:
    """The answer to a question, or the failure that it is refused with."""
    found: list[Any] = []
    answer = maybeDeferred(feature.answer, message(feature, kind, **fields), tab or FakeTab())
    answer.addCallback(lambda value: ensureDeferred(value) if iscoroutine(value) else value)
    answer.addBoth(found.append)
    (value,) = found
    if hasattr(value, "raiseException"):
        value.raiseException()
    return value
