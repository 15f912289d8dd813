"""The hands of archives, whatever their format."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Self

from limpet.protocol.archives import pokerstars_grammar, read_irc, read_phh, read_pokerstars
from limpet.protocol.archives.acpc import LogStream
from limpet.protocol.archives.blocks import blocks, unpacked
from limpet.protocol.archives.hand_file import BadHand, HandFile, HandPlace, Skip
from limpet.protocol.archives.quick_pokerstars import quick_reader
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord

LOOKED_AT = 1 << 16
"""Number of bytes by which a file's format is recognised."""

PokerRoom = tuple[str, re.Pattern[str], Callable[[str], str]]
"""A poker room: its name, the beginning of a hand in its format, and what puts a hand's text into PokerStars' words."""
ROOMS: tuple[PokerRoom, ...] = (
    ("GGPoker", pokerstars_grammar.GGPOKER, pokerstars_grammar.of_ggpoker),
    ("Winamax", pokerstars_grammar.WINAMAX, pokerstars_grammar.of_winamax),
)
_ACPC = re.compile(r"^\s*(?:STATE:|SCORE:|# name/game/hands/seed )", re.MULTILINE)
_PHH = re.compile(r"^\s*(?:variant|antes|blinds_or_straddles|starting_stacks|actions)\s*=", re.MULTILINE)


Read = tuple[HandRecord, str, float | None]
"""A hand, the name of its table or event (empty where the text names none), and its time in seconds since 1970."""


class TextFile(HandFile):
    """A file with texts of several lines, one a hand; `beginning` matches at a line's start. A subclass reads the text."""

    beginning: re.Pattern[str]

    def texts(self) -> Iterable[tuple[int, str]]:
        """Return the first line and the text of each hand, unread."""
        return blocks(self.path, self.beginning, self._count_bytes) if self._parts is None else self._parts

    def behind(self, line: int) -> Self:
        return self.with_parts(part for part in self.texts() if part[0] > line)

    def _hand(self, text: str) -> Read | None:
        """Return the hand of a text, None for a text that is no hand. Raises `BadHand`."""
        raise NotImplementedError

    def _read(self) -> Iterator[tuple[HandPlace, HandRecord]]:
        for line, text in self.texts():
            try:
                read = self._hand(text)
            except BadHand as error:
                self._complain(line + error.line, str(error))
                continue
            if read is not None:
                hand, match, time = read
                self.match = match or self.path.name.partition(".")[0]
                yield HandPlace(line, text.rstrip("\n"), hand, time), hand


class PokerStarsFile(TextFile):
    """A file in PokerStars' format."""

    format = "PokerStars"
    beginning = pokerstars_grammar.BEGINNING
    reads_right_payoffs = True

    _outlined = False

    def _hand(self, text: str) -> Read:
        quick = quick_reader().read(text, self._outlined) if self._named_game is None else None
        return quick or read_pokerstars.read_hand(text, self._named_game)

    def outlines(self) -> Iterator[tuple[HandPlace, HandRecord]]:
        for hand in self.hands():
            yield hand
            self._outlined = True


class RoomFile(TextFile):
    """A file in the format of another poker room, whose texts are put into PokerStars' words."""

    reads_right_payoffs = True

    def __init__(self, room: PokerRoom, path: Path, *arguments: Any, **options: Any) -> None:
        super().__init__(path, *arguments, **options)
        self.format, self.beginning, self._in_words = room

    def _hand(self, text: str) -> Read:
        return read_pokerstars.read_hand(self._in_words(text), self._named_game)


class PhhFile(TextFile):
    """A file of PHH, with one hand or with sections."""

    format = "PHH"
    beginning = read_phh.SECTION

    def _hand(self, text: str) -> Read | None:
        return read_phh.read_hand(text, self._named_game)


class IrcFile(TextFile):
    """A file ``hdb`` of the IRC poker database, with the players' files beside it."""

    format = "IRC"
    beginning = read_irc.HAND

    def __init__(self, path: Path, *arguments: Any, **options: Any) -> None:
        super().__init__(path, *arguments, **options)
        self._folder = read_irc.Folder(path)

    def _hand(self, text: str) -> Read:
        return read_irc.read_hand(text, self._folder)


def open_hands(path: Path, game: GameDef | None = None, skip_bad: bool | None = None, **options: Any) -> HandFile:
    """Return the reader of a file's format, which its first characters show. A file of no known format is taken for a log.

    The options are those of `HandFile`. Raises `ProtocolError` for a file that cannot be read.
    """
    with unpacked(path) as (file, _):
        text = file.read(LOOKED_AT).decode("utf-8", "replace").replace("\r\n", "\n").removeprefix("\ufeff")
    kind: Callable[..., HandFile] = LogStream
    if not _ACPC.search(text):
        if pokerstars_grammar.BEGINNING.search(text):
            kind = PokerStarsFile
        elif room := next((room for room in ROOMS if room[1].search(text)), None):
            kind = partial(RoomFile, room)
        elif _PHH.search(text):
            kind = PhhFile
        elif read_irc.HAND.match(text):
            kind = IrcFile
    return kind(path, game, skip_bad, **options)


def located_hands(
    paths: Iterable[Path],
    *,
    game: GameDef | None = None,
    aliases: Mapping[str, str] = {},
    skipped: list[Skip] | None = None,
) -> Iterator[tuple[str, HandRecord]]:
    """Yield the hands of files, one after another, each with its place ``FILE:LINE``. Memory does not grow with the files.

    Raises `ProtocolError` for a file that cannot be read, and for a hand that cannot be read if `skipped` is None.

    Args:
        paths: logs of ACPC dealers, texts of PokerStars, GGPoker and Winamax, PHH, and folders of the IRC database; plain or packed
            as .gz, .bz2 or .xz.
        game: definition for logs that do not name theirs.
        aliases: new names of players by the names in the files, which may hold ``*`` and ``?``.
        skipped: list to which a `Skip` is appended for each hand that cannot be read. Without it such a hand raises.
    """
    for path in paths:
        file = open_hands(path, game, True if skipped is not None else None, aliases=aliases, skipped=skipped)
        for line, hand in file.hands():
            yield f"{path}:{line.number}", hand


def read_hands(paths: str | Path | Iterable[str | Path], **options: Any) -> Iterator[HandRecord]:
    """Yield the hands of one or several files, without their places; the options are those of `located_hands`."""
    named = [paths] if isinstance(paths, str | Path) else paths
    return (hand for _, hand in located_hands(map(Path, named), **options))
