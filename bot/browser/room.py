"""All that the features of the page share: the reactor, threads for slow work, and the files that a page may name."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, ParamSpec, TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThreadPool

from limpet.bot.browser.library import ENDINGS, MOST_OPEN, Book, may_hold_hands
from limpet.bot.browser.messages import Listener, Refused, Request
from limpet.bot.browser.worker import Worker
from limpet.configs.loading import shipped_folder
from limpet.strategies.storage.folders import shipped_strategies

P = ParamSpec("P")
R = TypeVar("R")


@dataclass
class Room:
    """Reactor, folders and bots that all features of a server share.

    Attributes:
        reactor: Twisted's reactor.
        folder: folder that the tables' files are written to.
        bots: configs of the bots that the command line named, by name or path, the usual opponent first.
        folders: folders below which the page may open files.
        address: ``(host, port)`` of a dealer elsewhere that the person sits down at, None for tables of our own.
        game: game of that dealer, by name or path.
    """

    reactor: Any
    folder: Path
    bots: Sequence[str] = ("blueprint",)
    folders: Sequence[Path] = field(default_factory=lambda: [Path.cwd()])
    address: tuple[str, int] | None = None
    game: str = "holdem.nolimit.2p.reverse_blinds"
    url: str = ""  # address of the page without a token, set once the server listens
    book: Callable[[Path], Book] = field(default_factory=lambda: lru_cache(MOST_OPEN)(Book))
    """Returns the hands of a file; the last files that pages have opened stay indexed."""
    bot_worker: Worker = field(init=False)
    """Process that works out bots' decisions again. It begins with its first job, and the feature ``inside`` ends it."""

    def __post_init__(self) -> None:
        self.bot_worker = Worker(self.reactor)

    def in_thread(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> Deferred[R]:
        """Call `work` in a thread, so that pages are answered meanwhile. The result fires on the reactor's thread."""
        return deferToThreadPool(self.reactor, self.reactor.getThreadPool(), work, *args, **kwargs)

    def hands(self, name: str) -> Book:
        """Return the hands of a file that the page names. Raises `Refused` for one that it would not list."""
        if not may_hold_hands(name):
            raise Refused(
                f"{name[:100]}: files of hands end in {', '.join(ENDINGS)}, packed or not; rename it to open it"
            )
        return self.book(self.file(name))

    def file(self, name: str) -> Path:
        """Return the path of a file or folder that the page names.

        Raises `Refused` for one outside of `folders`, and for one that is hidden there, which the page does not list.
        """
        shipped = shipped_folder("bots").parent, shipped_strategies()
        allowed = [folder.resolve() for folder in (*self.folders, self.folder, *shipped)]
        for folder in allowed:
            # Some names are impossible for files, such as one with a zero byte, and some links run in circles.
            with suppress(OSError, ValueError, RuntimeError):
                whole = (folder / name).resolve(strict=True)
                if any(whole.is_relative_to(other) and not _hidden(whole.relative_to(other)) for other in allowed):
                    return whole
        raise Refused(f"{name[:100]}: no such file below the folders that this page may open; start limpet table there")


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


class Feature:
    """A group of questions that the page may ask, with the state kept between them."""

    requests: ClassVar[tuple[type[Request], ...]] = ()  # kinds of messages that `answer` takes
    for_guests: ClassVar[bool] = False
    """Whether a tab that was invited to one seat may ask too; `answer` must then look at `Listener.guest`."""

    def __init__(self, room: Room) -> None:
        self.room = room

    def answer(self, request: Request, session: Listener) -> object | Awaitable[object]:
        """Return what the page asked for, or something to await. Raises `Refused`, `ConfigError` or `ProtocolError`.

        The answer is plain data or `msgspec` structs. Nothing here may block for more than 20 ms, see `Room.in_thread`.
        """
        raise NotImplementedError

    def left(self, session: Listener) -> None:
        """Forget a browser tab, which is gone."""

    async def close(self) -> None:
        """End what runs, when the command ends."""
