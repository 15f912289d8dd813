"""A reader of match logs of any size, which keeps only the current line.

The reader of `matchlog` reads a whole text and is strict, as suits the dealer's own files. This one accepts all published
kinds of ACPC logs: CRLF ends, blank lines, a time stamp after the names (as in the matches of DeepStack), compressed
files, a last line that was cut off.
"""

import bz2
import gzip
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from limpet.configs.loading import ConfigError, load_game
from limpet.protocol.cards import cards_text
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import Entry, HandRecord, Header, read_entry, read_header
from limpet.protocol.quick_reader import KNOWN_BETTING, QuickReader

MOST_BYTES = 1 << 16
"""Bytes of the longest line. No hand of any game needs as many: the reference holds 4,096."""
SHOWN_BAD = 5
"""Number of bad lines that are reported in full."""

_UNPACK: dict[str, Callable[[BinaryIO], Any]] = {
    ".gz": lambda raw: gzip.GzipFile(fileobj=raw),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
}
_NUMBER = re.compile(r"\d{1,18}", re.ASCII)
_VALUES = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?(?:\|-?\d{1,15}(?:\.\d{1,15})?)*", re.ASCII)
_STAMP = re.compile(r" # \d{1,20}(?:\.\d{1,20})?")


def no_hands(*files: str | Path) -> str:
    """Return the error message for logs that hold no hand."""
    return f"{', '.join(map(str, files))}: no hands; a hand is a line 'STATE:hand:betting:cards:…'"


class Line(NamedTuple):
    """A line of a log: its number from 1, its text without the line end, and its entry (comments are strings)."""

    number: int
    text: str
    entry: Entry


class LineReader:
    """The lines of a file, plain or compressed, read once from its beginning."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.bytes_read = 0
        """Bytes read of the file on disk, so that progress can be shown for compressed files too."""

    def __iter__(self) -> Iterator[tuple[int, str, bool]]:
        """Yield the number of each line, its text without the line end, and whether it had a line end.

        Raises `ProtocolError` for a file that cannot be read and for a line of `MOST_BYTES` or more.
        """
        try:
            with self.path.open("rb") as raw, _opened(raw, self.path.suffix) as file:
                number = 0
                while data := file.readline(MOST_BYTES):
                    number += 1
                    self.bytes_read = raw.tell()
                    whole = data.endswith(b"\n")
                    if len(data) == MOST_BYTES and not whole:
                        raise ProtocolError(
                            f"{self.path}:{number}: a line of {MOST_BYTES:,} bytes or more; this is no log of a match"
                        )
                    yield number, data.decode("utf-8", "surrogateescape").rstrip("\r\n"), whole
        except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
            reason = getattr(error, "strerror", None) or error
            raise ProtocolError(
                f"{self.path}: cannot read it: {reason}; see that the file is whole and readable"
            ) from error


class LogStream:
    """A log file. Iterating over it reads it once, from the beginning.

    Meanwhile and afterwards, `bad` is the number of skipped lines, `complaints` are the first few messages about them, and
    `torn` is the message about a last line that was cut off and left out.
    """

    def __init__(self, path: Path, game: GameDef | None = None, skip_bad: bool | None = None) -> None:
        """Prepare the reading of a log.

        `game` replaces the game that the log's header names. With `skip_bad`, bad lines are counted; otherwise they raise.
        None is for callers without an option to skip them, so that the error message does not mention it.
        """
        self.path = path
        self.skip_bad = skip_bad
        self.header: Header | None = None
        """The last header read."""
        self.bad = 0
        self.complaints: list[str] = []
        self.torn: str | None = None
        self._lines = LineReader(path)
        self._given = game
        self._reader: HandReader | None = HandReader(game) if game else None
        self._names: set[tuple[str, ...]] = set()

    @property
    def game(self) -> GameDef:
        """The game of the log. Raises `ProtocolError` before a header or a given game says which it is."""
        return self._known_reader(self.path).game

    def _known_reader(self, where: object) -> "HandReader":
        if self._reader is None:
            raise ProtocolError(
                f"{where}: no line '# name/game/hands/seed …' says which game this is; name it with --game"
            )
        return self._reader

    @property
    def bytes_read(self) -> int:
        """Bytes read of the file on disk."""
        return self._lines.bytes_read

    def __iter__(self) -> Iterator[Line]:
        """Yield the lines of the log.

        Raises `ProtocolError` naming file and line, unless bad lines are skipped, and for a game that is not known.
        """
        for number, text, whole in self._lines:
            where = f"{self.path}:{number}"
            if text.startswith(("#", ";")) or not text.strip():
                self._comment(text, where)
                yield Line(number, text, text)
                continue
            reader = self._known_reader(where)
            try:
                entry = reader.read(text, where)
                if not whole and isinstance(entry, HandRecord) and entry.names not in self._names:
                    raise ProtocolError(f"{where}: the names may be cut off: {'|'.join(entry.names)[:200]!r}")
            except ProtocolError as error:
                if not whole:
                    self.torn = f"{where}: the last line was cut off and is left out: {text[:80]!r}"
                    return
                others = "" if self.skip_bad is None else ", or leave such lines out with --skip-bad"
                self._complain(f"{error}; correct the line{others}")
                continue
            if isinstance(entry, HandRecord):
                self._names.add(entry.names)
            yield Line(number, text, entry)

    def hands(self) -> Iterator[tuple[Line, HandRecord]]:
        """Yield only the hands. Raises as iterating does."""
        for line in self:
            if isinstance(line.entry, HandRecord):
                yield line, line.entry

    def chosen(self, hand: int | None) -> Iterator[tuple[Line, HandRecord]]:
        """Yield all hands, or those numbered `hand`. Raises `ProtocolError` if no hand has the number."""
        none = True
        for found in self.hands() if hand is None else self.find(hand):
            none = False
            yield found
        if none and hand is not None:
            raise ProtocolError(f"{self.path}: there is no hand {hand}; `limpet log summary` tells how many there are")

    def find(self, hand: int) -> Iterator[tuple[Line, HandRecord]]:
        """Yield the hands numbered `hand`, of which an appended log may hold several, without parsing other hands."""
        start = re.compile(rf"STATE:\s*\+?0*{hand}:")
        for number, text, _ in self._lines:
            where = f"{self.path}:{number}"
            if text.startswith("#"):
                self._comment(text, where)
            elif start.match(text):
                entry = self._known_reader(where).read(text, where)
                if isinstance(entry, HandRecord):
                    yield Line(number, text, entry), entry

    def _comment(self, text: str, where: str) -> None:
        header = read_header(text)
        if header is None:
            return
        if self._given is None and (self.header is None or header.game != self.header.game):
            game = find_game(header.game, self.path, where)
            if self._reader is None:
                self._reader = HandReader(game)
            elif game != self._reader.game:
                raise ProtocolError(
                    f"{where}: another game begins here ({header.game}); split the file before this line"
                )
        self.header = header

    def _complain(self, message: str) -> None:
        if not self.skip_bad:
            raise ProtocolError(message)
        self.bad += 1
        if len(self.complaints) < SHOWN_BAD:
            self.complaints.append(message)


def find_game(text: str, log: Path, where: str) -> GameDef:
    """Load the game that a header names: a file beside the log, the path in the header, or a game that ships.

    Raises `ProtocolError`.
    """
    name = Path(text).name
    try:
        for path in (log.parent / name, Path(text)):
            if path.is_file():
                return GameDef.load(path)
        return load_game(name.removesuffix(".game"))
    except (ConfigError, OSError) as error:  # some names are impossible for files
        raise ProtocolError(
            f"{where}: the game {text!r} lies neither beside the log nor among those that ship; name it with --game"
        ) from error


class HandReader:
    """Reads lines of one game's logs as `matchlog.read_entry` does, and faster where they are spelt as dealers spell them.

    It also refuses hands that no dealer writes: hands that are not over, and cards twice or of another deck.
    """

    def __init__(self, game: GameDef) -> None:
        self.game = game
        self._quick = QuickReader(game)
        self._players = lru_cache(KNOWN_BETTING)(lambda text: tuple(text.split("|")))

    def read(self, line: str, where: str) -> Entry:
        """Read a line. Raises `ProtocolError` that begins with `where`."""
        if " # " in line:
            line = _STAMP.sub("", line)
        entry: Entry | None = self._well_spelt(line)
        if entry is None:
            entry = read_entry(line, self.game, where)
        if isinstance(entry, HandRecord):
            self._check(entry, line, where)
        return entry

    def _well_spelt(self, line: str) -> HandRecord | None:
        """Return the hand of a line as dealers print it, None for another line, which may still be a hand."""
        parts = line.split(":", 5)
        if len(parts) != 6:
            return None
        kind, number, betting, cards, values, names_text = parts
        names = self._players(names_text)
        read = self._quick.read(betting, cards)
        if read is None or kind != "STATE" or not _NUMBER.fullmatch(number) or not _VALUES.fullmatch(values):
            return None
        end, dealt = read
        chips = tuple([float(value) for value in values.split("|")])
        if len(names) != self.game.num_players or len(chips) != self.game.num_players or not all(dealt.holes):
            return None
        return HandRecord(int(number), end._replace(board=dealt.board), dealt.holes, chips, names)

    def _check(self, hand: HandRecord, line: str, where: str) -> None:
        state = hand.state
        if hand.hand >= 1 << 63:
            raise ProtocolError(f"{where}: hand {str(hand.hand)[:40]}… is no number of a hand; they end below 2^63")
        if not state.finished:
            raise ProtocolError(f"{where}: the hand is not over after '{state.betting[:200]}', so it has no result")
        cards = [card for hole in hand.holes for card in hole]
        cards += state.board
        seen = set(cards)
        if len(seen) != len(cards):
            raise ProtocolError(f"{where}: a card appears twice in {line[:200]!r}")
        if not self.game.card_set.issuperset(seen):
            extra = cards_text(sorted(seen - self.game.card_set))
            raise ProtocolError(
                f"{where}: {extra} is not in this game's deck; see whether the log is of another game and name that "
                "with --game"
            )


def _opened(raw: BinaryIO, suffix: str) -> BinaryIO:
    unpack = _UNPACK.get(suffix.lower())
    return cast(BinaryIO, unpack(raw)) if unpack else raw
