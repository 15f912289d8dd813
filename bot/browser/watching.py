"""The feature ``watch``: people watch running matches and tournaments."""

import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from limpet.bot.browser.following import (
    FolderFollower,
    MatchFollower,
    ProgressView,
    SngFollower,
    TournamentFollower,
    our_terms,
)
from limpet.bot.browser.views.messages import Event, Listener, Refused, Word, question
from limpet.bot.browser.views.room import Feature, Room, entries, status_of
from limpet.configs.loading import ConfigError
from limpet.dealer.contests.sng_run import TERMS_FILE as SNG_TERMS
from limpet.dealer.contests.sng_run import SngResult
from limpet.dealer.contests.tournament import TERMS_FILE as TOURNAMENT_TERMS
from limpet.dealer.contests.tournament_result import TournamentResult
from limpet.dealer.matches.match import TERMS_FILE
from limpet.dealer.matches.match_result import MatchResult
from limpet.protocol.errors import ProtocolError

EVERY = 1.0
"""Seconds between two looks at what is watched."""
MOST_WATCHED = 16
"""Number of folders that are watched at once."""
MOST_LISTED = 300
"""Number of folders in the list, the last changed first."""
SPEED_OVER = 10.0
"""Seconds over which the speed is measured."""

_KINDS: dict[str, tuple[str, str, Callable[[str, Path], FolderFollower]]] = {
    TERMS_FILE: ("match", MatchResult.FILE, MatchFollower),
    TOURNAMENT_TERMS: ("tournament", TournamentResult.FILE, TournamentFollower),
    SNG_TERMS: ("sit-and-go", SngResult.FILE, SngFollower),
}
"""Kind, result file and follower by the file of terms with which a folder begins."""

_log = Logger()


class FolderNews(Event, frozen=True, tag="watch.news"):
    """How far a match or tournament is. `speed` is in hands a second, null while it is not known or nothing is played."""

    progress: ProgressView
    speed: float | None


class Trouble(Event, frozen=True, tag="watch.trouble"):
    """The reason why a folder is watched no longer."""

    folder: str
    why: str


class Watching(Feature):
    """Lists folders, and watches those that tabs follow."""

    def __init__(self, room: Room) -> None:
        super().__init__(room)
        self._watched: dict[str, Watched] = {}

    @question("watch.folders")
    def folders(self, tab: Listener) -> object:
        return self.room.in_thread(_folders, [*self.room.folders, self.room.folder])

    @question("watch.leave")
    def leave(self, tab: Listener, folder: Word) -> None:
        """End the news of a match or tournament."""
        self._leave(folder, tab)

    @question("watch.follow")
    async def follow(self, tab: Listener, folder: Word) -> FolderNews:
        """Return how far a match or tournament is, and send news of it every second. Raises `Refused` for other folders."""
        watched = self._watched.get(folder)
        if watched is None or watched.fault is not None:
            if len(self._watched) >= MOST_WATCHED:
                raise Refused(f"{MOST_WATCHED} matches are watched at once at most; close another page")
            watched = self._watched[folder] = Watched(self.room, folder, self.room.file(folder))
        if tab not in watched.listeners:  # a tab that connects again may ask twice
            watched.listeners.append(tab)
        try:
            return await watched.news()
        except BaseException:
            self._leave(folder, tab)
            raise

    def _leave(self, name: str, tab: Listener) -> None:
        watched = self._watched.get(name)
        if watched is not None and tab in watched.listeners:
            watched.listeners.remove(tab)
            if not watched.listeners:
                watched.stop()
                del self._watched[name]

    def left(self, tab: Listener) -> None:
        for name in list(self._watched):
            self._leave(name, tab)

    async def close(self) -> None:
        for watched in self._watched.values():
            watched.stop()
        self._watched.clear()


class Watched:
    """A folder that is looked at every second for the `listeners`."""

    def __init__(self, room: Room, name: str, folder: Path) -> None:
        self.listeners: list[Listener] = []
        self._room, self._name, self._folder = room, name, folder
        self.fault: Exception | None = None
        """Reason why the folder is looked at no longer."""
        self._follower: FolderFollower | None = None
        self._latest: FolderNews | None = None
        self._waiting: list[Deferred[FolderNews]] = []
        self._played: deque[tuple[float, int]] = deque()
        """Times of looks within the last `SPEED_OVER` seconds, and the hands played by then."""
        self._loop = LoopingCall(lambda: Deferred.fromCoroutine(self._look()))
        self._loop.clock = room.reactor
        self._loop.start(EVERY)

    def news(self) -> Deferred[FolderNews]:
        """Return the latest news, or fire with the first. Fails as followers do."""
        coming: Deferred[FolderNews] = Deferred()
        if self.fault is not None:
            coming.errback(self.fault)
        elif self._latest is None:
            self._waiting.append(coming)
        else:
            coming.callback(self._latest)
        return coming

    def stop(self) -> None:
        if self._loop.running:
            self._loop.stop()

    async def _look(self) -> None:
        try:
            progress = await self._room.in_thread(self._read)
        except Exception as error:  # noqa: BLE001 - one folder must not end the others
            self._fail(error)
            return
        before, self._latest = self._latest, FolderNews(progress=progress, speed=self._speed(progress))
        if before != self._latest:
            for listener in self.listeners:
                listener.send(self._latest)
        waiting, self._waiting = self._waiting, []
        for coming in waiting:
            coming.callback(self._latest)

    def _read(self) -> ProgressView:
        if self._follower is None:
            self._follower = follower(self._name, self._folder)
        return self._follower.look()

    def _speed(self, progress: ProgressView) -> float | None:
        now = time.monotonic()
        self._played.append((now, progress.hands))
        while now - self._played[0][0] > SPEED_OVER:
            self._played.popleft()
        began, before = self._played[0]
        seconds = now - began
        return (progress.hands - before) / seconds if seconds >= EVERY / 2 and not progress.over else None

    def _fail(self, error: Exception) -> None:
        """Tell everybody why, and look no more."""
        self.stop()
        if not isinstance(error, ConfigError | ProtocolError | OSError):
            _log.failure("a match could not be followed")
        self.fault = error if isinstance(error, ConfigError | ProtocolError) else Refused(str(error))
        for listener in self.listeners:
            listener.send(Trouble(folder=self._name, why=str(error)))
        waiting, self._waiting = self._waiting, []
        for coming in waiting:
            coming.errback(self.fault)


def follower(name: str, folder: Path) -> FolderFollower:
    """Return the follower of a folder, which the page calls `name`. Raises `ConfigError` where nothing is played in it."""
    for terms, (_, _, kind) in _KINDS.items():
        if (folder / terms).is_file():
            with our_terms(folder / terms):
                return kind(name, folder)
    raise ConfigError(f"{name}: no match and no tournament is played in this folder; choose one from the list")


def _folders(roots: list[Path]) -> list[dict[str, Any]]:
    """Return the matches and tournaments below folders, the last changed first, without the matches of tournaments.

    ``changed`` is in seconds since 1970; ``over`` says that the result has been written.
    """
    names: dict[Path, str] = {}
    changed: dict[Path, float] = {}
    files: set[Path] = set()
    for root, entry in entries(roots):
        path = Path(entry.path)
        if (status := status_of(entry)) is None:
            continue
        files.add(path)
        folder = path.parent
        if entry.name in _KINDS:
            names.setdefault(folder, str(folder.relative_to(root)))
        for inside in (folder, *folder.parents):
            changed[inside] = max(changed.get(inside, 0.0), status.st_mtime)
            if inside == root:
                break
    views: list[dict[str, Any]] = []
    for folder, name in names.items():
        if any(parent / TOURNAMENT_TERMS in files for parent in folder.parents):
            continue
        kind, result, _ = next(kind for terms, kind in _KINDS.items() if folder / terms in files)
        over = folder / result in files
        views.append({"folder": name, "kind": kind, "changed": changed[folder], "over": over})
    return sorted(views, key=lambda view: -view["changed"])[:MOST_LISTED]
