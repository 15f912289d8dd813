"""Files of hands that a page sends in parts: they are kept below one folder, under names without any path.

Those of a tab lie in a folder of their own, because the log of a match names the file of its game, which lies beside it.
"""

import filecmp
import re
from contextlib import suppress
from itertools import count
from pathlib import Path

from limpet.bot.browser.base.messages import Listener, Refused
from limpet.bot.browser.base.room import ENDINGS, may_hold_hands

MOST_FILE_BYTES = 64 * 2**20
"""Number of bytes of one file."""
MOST_KEPT_BYTES = 512 * 2**20
"""Number of bytes of all files that are kept."""
GAME_ENDING = ".game"
LONGEST_NAME = 80
PARTIAL = ".part-"
"""Beginning of the names of files that are not whole yet, which are not listed."""


class Uploads:
    """The files below a folder, and those that tabs are sending."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._folders: dict[Listener, Path] = {}
        self._sending: dict[tuple[Listener, str], Path] = {}

    def add(self, tab: Listener, name: str, size: int, offset: int, data: bytes) -> Path | None:
        """Append a part to a file that a tab sends, and return the file's path once it has `size` bytes.

        A part at offset 0 begins the file. Raises `Refused` for parts out of order, and for files that are too large.
        """
        key = tab, name
        if offset == 0:
            self._drop(key)
            self._require_room(name, size)
            self._sending[key] = self._folder_of(tab) / f"{PARTIAL}{plain_name(name)}"
            self._sending[key].write_bytes(b"")
        path = self._sending.get(key)
        if path is None or path.stat().st_size != offset or offset + len(data) > size or not data:
            self._drop(key)
            raise Refused(f"{name[:100]}: a part is missing or too long; send the file again")
        with path.open("ab") as file:
            file.write(data)
        if offset + len(data) < size:
            return None
        del self._sending[key]
        return self._kept(path, plain_name(name))

    def leave(self, tab: Listener) -> None:
        """Forget what a tab has sent in part."""
        for key in [key for key in self._sending if key[0] is tab]:
            self._drop(key)
        self._folders.pop(tab, None)

    def _require_room(self, name: str, size: int) -> None:
        plain = plain_name(name)
        if not (may_hold_hands(plain) or plain.endswith(GAME_ENDING)):
            endings = ", ".join((*ENDINGS, GAME_ENDING))
            raise Refused(f"{name[:100]}: files of hands end in {endings}, packed or not; rename it to send it")
        if size > MOST_FILE_BYTES:
            raise Refused(
                f"{name[:100]}: more than {MOST_FILE_BYTES >> 20} MB; put it below the folder of limpet table"
            )
        kept = sum(path.stat().st_size for path in self._folder.rglob("*") if path.is_file())
        if kept + size > MOST_KEPT_BYTES:
            raise Refused(f"{self._folder} would hold more than {MOST_KEPT_BYTES >> 20} MB; delete files there")

    def _folder_of(self, tab: Listener) -> Path:
        """Return the folder of a tab's files, a new one at first."""
        for number in count(1):
            if tab in self._folders:
                break
            with suppress(FileExistsError):
                (self._folder / str(number)).mkdir(parents=True)
                self._folders[tab] = self._folder / str(number)
        return self._folders[tab]

    def _kept(self, path: Path, name: str) -> Path:
        """Move a whole file to a name that is free, or drop it where the same file is there already."""
        for number in count(1):
            kept = path.with_name(name if number == 1 else f"{number}-{name}")
            if not kept.exists():
                return path.rename(kept)
            if filecmp.cmp(path, kept, shallow=False):
                path.unlink()
                return kept
        raise AssertionError

    def _drop(self, key: tuple[Listener, str]) -> None:
        if (path := self._sending.pop(key, None)) is not None:
            with suppress(OSError):
                path.unlink()


def plain_name(name: str) -> str:
    """Return a file's name as one that leads nowhere else: letters of ASCII, digits and a few signs, its ending kept."""
    last = re.split(r"[/\\]", name)[-1]
    plain = re.sub(r"[^A-Za-z0-9 ._()+-]+", "_", last).lstrip(". -")
    return plain[-LONGEST_NAME:].lstrip(". -")
