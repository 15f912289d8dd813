"""The messages of the socket between the page and the server, and how a feature joins it.

The page sends ``{"kind": "play.act", "id": 7, ...}``. The server sends ``{"kind": "answer", "id": 7, "value": ...}``,
``{"kind": "refused", "id": 7, "why": "a sentence with a remedy"}``, or an event such as ``{"kind": "play.hand", ...}``.

A feature is a subclass of `Feature` in a module of its own, which `serving.serve` makes:

    class Replay(Feature):
        @question("replay.open")
        async def open(self, tab: Listener, path: Word) -> object:
            return await self.room.in_thread(read_log, self.room.file(path))

`Room` has what features share, and `Feature` is beside it in ``room.py``. In the page, ``ask({kind: "replay.open", path})`` of
``socket.js`` returns a promise of the value, and ``listen("replay.step", handler)`` is called for events, which `Session.send`
sends.
"""

from collections.abc import Callable
from inspect import signature
from typing import Annotated, Any, Protocol, TypeVar, get_type_hints

import msgspec

MOST_BYTES = 64 * 1024
"""Number of bytes of the longest message that a page may send."""

Word = Annotated[str, msgspec.Meta(max_length=300)]
"""Text of a message from the page that is a name, a path or a key."""
FolderName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]{0,59}$")]
"""Name that the page gives a new folder."""
Number = Annotated[int, msgspec.Meta(ge=0, le=2**31)]
"""Whole number of a message from the page, such as chips or the number of a hand."""

Line = Annotated[str, msgspec.Meta(max_length=4000)]
"""Betting of a hand."""
FewCards = Annotated[str, msgspec.Meta(max_length=10)]
"""Up to five cards, of a board or of those that a draw throws away."""
Processes = Annotated[int, msgspec.Meta(ge=1, le=2**31)]
"""Number of processes that share work."""
Percent = Annotated[float, msgspec.Meta(gt=0, le=1e5)]
"""Size of a bet in % of the pot."""
TRAINED = "strategy:"
"""Begins the name of a trained strategy where the folder of a solve may stand too."""


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", kw_only=True):
    """A message from the page. Each subclass has its own `tag`, ``feature.verb``; `id` numbers the question."""

    id: Annotated[int, msgspec.Meta(ge=0, le=2**53)]


Method = TypeVar("Method", bound=Callable[..., object])


def question(kind: str) -> Callable[[Method], Method]:
    """Return a decorator for the method of a feature that answers messages of a kind, ``feature.verb``.

    After the tab that asks, the method takes the fields of the message, with their types and their defaults.
    """

    def marked(method: Method) -> Method:
        method.kind = kind  # type: ignore[attr-defined]
        return method

    return marked


def message_of(method: Any) -> type[Request]:
    """Return the type of the messages that a method answers which `question` has marked."""
    types = get_type_hints(method, include_extras=True)
    _, _, *taken = signature(method).parameters.values()
    fields = [(each.name, types[each.name], *([] if each.default is each.empty else [each.default])) for each in taken]
    made = msgspec.defstruct(method.__name__, fields, bases=(Request,), tag=method.kind, frozen=True)
    assert issubclass(made, Request)
    return made


class Event(msgspec.Struct, frozen=True, tag_field="kind", kw_only=True):
    """A message to the page that answers no question. Each subclass has its own `tag`, ``feature.event``."""


class GivenAnswer(Event, frozen=True, tag="answer"):
    """The value that a question asked for."""

    id: int
    value: Any


class No(Event, frozen=True, tag="refused"):
    """The refusal of a question; `why` is a sentence for people with a remedy."""

    id: int | None
    why: str


class Refused(ValueError):
    """A question that cannot be answered; the text is a sentence for people with a remedy."""


class Listener(Protocol):
    """A browser tab. `guest` is the key of the one seat that it may take, empty for the host, who may do everything."""

    guest: str

    def send(self, event: Event) -> None:
        """Send an event, unless the tab is gone."""


class WorkerOrder(msgspec.Struct, frozen=True):
    """A line to the process that works for the page: a job's number with the name and arguments of a function.

    An order without a name stops the job.
    """

    job: int
    name: str = ""
    arguments: tuple[Any, ...] = ()
