"""All that the features of the page share: the reactor, threads for slow work, and files of hands that a page may name."""

import os
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, ParamSpec, TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThreadPool

from limpet.bot.browser.views.messages import Listener, Refused, Request, message_of
from limpet.bot.browser.views.worker import Worker
from limpet.common.folders import shipped_strategies
from limpet.configs.loading import shipped_folder
from limpet.dealer.reports.hand_index import HandIndex
from limpet.protocol.archives.acpc import UnknownGame
from limpet.protocol.archives.hand_file import HandPlace, Skip
from limpet.protocol.errors import ProtocolError
from limpet.protocol.matchlog import HandRecord

# --- The files of hands that pages have opened: their indexes are kept, and go on where a match goes on writing.

MOST_OPEN = 16
"""Number of files whose indexes are kept."""
ENDINGS = (".log", ".phh", ".phhs", ".txt")
"""Endings of files that may hold hands; each may be packed."""
PACKED = (".gz", ".bz2", ".xz")
MOST_SEEN = 20_000
"""Number of files and folders that a search looks at."""
DEEPEST = 6
"""Number of folders inside each other that a search enters."""


class Book:
    """One file of hands. Its methods may be called from several threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.whole = False
        """True while the index reaches to the end of the file."""
        self._lock = Lock()
        self._index: HandIndex | None = None
        self._reading: Iterator[int] | None = None
        self._file = 0
        self._size = self._read_to = -1

    def read_on(self, seconds: float) -> HandIndex:
        """Index what is new, for at most so many seconds, and return the index. Raises `ProtocolError`."""
        with self._lock:
            index = self._current()
            until = time.monotonic() + seconds
            while not self.whole and time.monotonic() < until:
                self._step(index)
            return index

    def hands(self, first: int, count: int, skipped: list[Skip] | None = None) -> list[tuple[HandPlace, HandRecord]]:
        """Return some hands that are indexed, see `HandIndex.hands`. Raises `ProtocolError`."""
        with self._lock:
            return list(self._current().hands(first, count, skipped))

    def at(self, line: int, patience: float) -> tuple[int, HandPlace, HandRecord]:
        """Return the number, the line and the record of the hand that begins at a line. Raises `ProtocolError`."""
        index = self.read_on(patience)
        while not self.whole and index.last_line < line:
            index = self.read_on(patience)
        number = index.number_at(line)
        skipped: list[Skip] = []
        for record_line, hand in self.hands(number, 1, skipped):
            return number, record_line, hand
        raise ProtocolError(
            f"{self.path.name}:{line}: this hand cannot be read: {'; '.join(s.reason for s in skipped)}"
        )

    def _current(self) -> HandIndex:
        """Return the index, a new one for a file that is another one or shorter than before."""
        try:
            status = self.path.stat()
        except OSError as error:
            raise ProtocolError(f"{self.path}: cannot read it: {error.strerror}; open another file") from error
        if self._index is None or status.st_ino != self._file or status.st_size < self._size:
            self._index, self._reading, self._read_to = HandIndex(self.path), None, -1
        self._file, self._size = status.st_ino, status.st_size
        self.whole = self._read_to == self._size
        return self._index

    def _step(self, index: HandIndex) -> None:
        self._reading = self._reading or index.extend()
        try:
            ended = next(self._reading, None) is None
        except ProtocolError:
            self._reading = None
            raise
        if ended:
            self._reading, self._read_to, self.whole = None, self._size, True


def may_hold_hands(name: str) -> bool:
    """Return whether a file's name ends as those of files of hands do."""
    lower = name.lower()
    for ending in PACKED:
        lower = lower.removesuffix(ending)
    return lower.endswith(ENDINGS)


def entries(folders: Iterable[Path]) -> Iterator[tuple[Path, os.DirEntry[str]]]:
    """Yield the files below folders, each with the folder of the search, without hidden folders and links."""
    left = MOST_SEEN
    for folder in folders:
        waiting = [(folder, 0)]
        while waiting and left > 0:
            inside, depth = waiting.pop(0)
            try:
                listed = sorted(os.scandir(inside), key=lambda entry: entry.name)
            except OSError:
                continue
            for entry in listed:
                left -= 1
                if entry.name.startswith(".") or entry.is_symlink():
                    continue
                if entry.is_file():
                    yield folder, entry
                elif depth < DEEPEST and entry.is_dir():
                    waiting.append((Path(entry.path), depth + 1))


def status_of(entry: os.DirEntry[str]) -> os.stat_result | None:
    """Return the status of a listed file; None where it is gone by now, such as one that was written under another name."""
    try:
        return entry.stat()
    except FileNotFoundError:
        return None


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
        return self.book(self.hand_file(name))

    def hand_file(self, name: str) -> Path:
        """Return the path of a file of hands that the page names. Raises `Refused` for one that it would not list."""
        if not may_hold_hands(name):
            raise Refused(
                f"{name[:100]}: files of hands end in {', '.join(ENDINGS)}, packed or not; rename it to open it"
            )
        return self.file(name)

    def roots(self) -> list[Path]:
        """Return the folders that are searched; the tables' own where it lies below none of the others."""
        roots, own = [folder.resolve() for folder in self.folders], self.folder.resolve()
        return roots if any(own.is_relative_to(root) for root in roots) else [*roots, own]

    def new_folder(self, kind: str, name: str) -> Path:
        """Return the path of a folder among those of its kind, below that of the tables' files. Raises `Refused` if it is there."""
        folder = self.folder.resolve() / kind / name
        if folder.exists():
            raise Refused(f"{kind}/{name} is there already; choose another name")
        return folder

    def name_of(self, path: Path) -> str:
        """Return the name by which the page asks for a file or folder, see `file`."""
        return next((str(path.relative_to(root)) for root in self.roots() if path.is_relative_to(root)), path.name)

    def words_of(self, error: Exception) -> str:
        """Return what an error says, with a remedy that a page has, and files by the names it has for them, see `name_of`."""
        text = str(error)
        if isinstance(error, UnknownGame):
            beside = f"drop {error.file} together with the log, or put it beside the log"
            remedy = beside if error.file else "choose a file of hands, or begin the log with such a line"
            text = f"{error.where}: {error.why}; {remedy}"
        for root in self.roots():
            text = text.replace(f"{root}/", "")
        return text

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
    """A group of questions that the page may ask, with the state kept between them.

    A method that `question` marks returns what the page asked for, plain data or `msgspec` structs, or something to await.
    It raises `Refused`, `ConfigError` or `ProtocolError`, and may not block for more than 20 ms, see `Room.in_thread`.
    """

    answers: ClassVar[dict[type[Request], Callable[..., object]]]
    """Methods by the messages that they answer."""
    for_guests: ClassVar[bool] = False
    """Whether a tab that was invited to one seat may ask too; methods must then look at `Listener.guest`."""

    def __init_subclass__(cls) -> None:
        cls.answers = {message_of(method): method for method in vars(cls).values() if hasattr(method, "kind")}

    def __init__(self, room: Room) -> None:
        self.room = room

    def answer(self, request: Request, tab: Listener) -> object | Awaitable[object]:
        """Return the answer of the method for a message, or something to await. Raises as these do."""
        fields = (getattr(request, name) for name in request.__struct_fields__ if name != "id")
        return self.answers[type(request)](self, tab, *fields)

    def left(self, tab: Listener) -> None:
        """Forget a browser tab, which is gone."""

    async def close(self) -> None:
        """End what runs, when the command ends."""


MOST_WORKERS = 4
"""Number of tabs that may have a process of one feature at once; what such a process solves takes all cores."""


class TabWorkers(Feature):
    """A feature whose work for each tab is done by a process of that tab's own."""

    busy: ClassVar[str]
    """What the other tabs do, in the words of a refusal."""

    def __init__(self, room: Room) -> None:
        super().__init__(room)
        self._workers: dict[Listener, Worker] = {}
        self._holding = set[Listener]()
        """Tabs whose process holds something that cannot be had again at once."""

    def worker(self, tab: Listener, holds: bool = False) -> Worker:
        """Return the process of a tab, begun now if need be, in place of another's that holds nothing where there are too many.

        holds: whether the process keeps something from now on. Raises `Refused` where too many tabs have one that does.
        """
        if tab not in self._workers:
            if len(self._workers) >= MOST_WORKERS:
                idle = next((other for other in self._workers if other not in self._holding), None)
                if idle is None:
                    raise Refused(f"{MOST_WORKERS} tabs {self.busy} already; close one of them")
                self.left(idle)
            self._workers[tab] = Worker(self.room.reactor)
        if holds:
            self._holding.add(tab)
        return self._workers[tab]

    def left(self, tab: Listener) -> None:
        self._holding.discard(tab)
        worker = self._workers.pop(tab, None)
        if worker is not None:
            worker.end()

    async def close(self) -> None:
        for worker in self._workers.values():
            worker.end()
