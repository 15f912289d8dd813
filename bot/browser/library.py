"""The files of hands that pages have opened: their indexes are kept, and go on where a match goes on writing."""

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Lock

from limpet.protocol.archives.hand_file import Line
from limpet.protocol.archives.hand_index import HandIndex
from limpet.protocol.archives.skipped import Skip
from limpet.protocol.errors import ProtocolError
from limpet.protocol.matchlog import HandRecord

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

    def hands(self, first: int, count: int, skipped: list[Skip] | None = None) -> list[tuple[Line, HandRecord]]:
        """Return some hands that are indexed, see `HandIndex.hands`. Raises `ProtocolError`."""
        with self._lock:
            return list(self._current().hands(first, count, skipped))

    def at(self, line: int, patience: float) -> tuple[int, Line, HandRecord]:
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
        """Index the next part of the file."""
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
