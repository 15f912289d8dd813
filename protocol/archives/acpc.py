"""Read and write the logs of ACPC dealers, of any size, keeping only the current line.

The reader of `matchlog` reads a whole text and is strict, as suits the dealer's own files. This one accepts all published
kinds of ACPC logs: CRLF ends, blank lines, a time stamp after the names (as in the matches of DeepStack), compressed
files, a last line that was cut off, hand numbers that begin again.
"""

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from itertools import count, groupby, islice
from math import inf
from pathlib import Path
from typing import Any, Self

from limpet.configs.loading import ConfigError, load_game, shipped_names
from limpet.protocol.archives.blocks import unpacked
from limpet.protocol.archives.hand_file import HandFile, HandPlace, contradiction
from limpet.protocol.cards import cards_text
from limpet.protocol.draws import all_cards
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.handhistory import Unsupported, with_ending_stacks
from limpet.protocol.matchlog import (
    KNOWN_BETTING,
    Entry,
    HandRecord,
    Header,
    QuickReader,
    Transaction,
    parse_transaction,
    read_entry,
    read_header,
)
from limpet.protocol.situation import PREFIX, Situation, game_of

MOST_BYTES = 1 << 16
"""Bytes of the longest line. No hand of any game needs as many: the reference holds 4,096."""
GUESSED_FROM = 200
"""Number of hands by which the game of a log without a header is recognised."""

KNOWN_READERS = 64
"""Number of games of a log that are remembered, where comments define them."""

_DEFINITION = "# GAMEDEF; "
_NUMBER = re.compile(r"\d{1,18}", re.ASCII)
_VALUES = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?(?:\|-?\d{1,15}(?:\.\d{1,15})?)*", re.ASCII)
_STAMP = re.compile(r" # (\d{1,20}(?:\.\d{1,20})?)(?=\s|$)")


def file_lines(path: Path, report: Callable[[int], None] = lambda read: None) -> Iterator[tuple[int, str, bool]]:
    """Yield the number of each line of a file, its text without the line end, and whether it had a line end.

    `report` is called with the number of bytes that have been read of the file on disk. Raises `ProtocolError` for a file
    that cannot be read and for a line of `MOST_BYTES` or more.
    """
    with unpacked(path) as (file, raw):
        for number in count(1):
            data = file.readline(MOST_BYTES)
            if not data:
                return
            report(raw.tell())
            whole = data.endswith(b"\n")
            if len(data) == MOST_BYTES and not whole:
                raise ProtocolError(
                    f"{path}:{number}: a line of {MOST_BYTES:,} bytes or more; this is no log of a match"
                )
            yield number, data.decode("utf-8", "surrogateescape").rstrip("\r\n"), whole


class LogStream(HandFile):
    """A log file. Iterating over it yields all lines, over `hands` only the hands."""

    format = "ACPC"

    def __init__(self, path: Path, game: GameDef | None = None, skip_bad: bool | None = None, **options: Any) -> None:
        super().__init__(path, game, skip_bad, **options)
        self._reader: HandReader | None = HandReader(game) if game else None
        self._reader_of = lru_cache(KNOWN_READERS)(HandReader)
        self._defined = False
        """True once a comment has held the definition of the hands' game."""
        self._names_read: set[tuple[str, ...]] = set()

    @property
    def game(self) -> GameDef:
        """The game of the log. Raises `ProtocolError` if it cannot be recognised."""
        return self._known_reader(self.path).game

    def _known_reader(self, where: object) -> "HandReader":
        if self._reader is None:
            self._reader = HandReader(guessed_game(self.path, where))
        return self._reader

    def behind(self, line: int) -> Self:
        return self.with_parts(part for part in self._lines() if part[0] > line or not part[1].startswith("STATE:"))

    def _lines(self) -> Iterable[tuple[int, str, bool]]:
        return file_lines(self.path, self._count_bytes) if self._parts is None else self._parts

    def __iter__(self) -> Iterator[HandPlace]:
        """Yield the lines. Raises `ProtocolError` for an unknown game, and for a bad line unless they are skipped."""
        for number, text, whole in self._lines():
            where = f"{self.path}:{number}"
            if text.startswith(("#", ";")) or not text.strip():
                self._comment(text, where)
                yield HandPlace(number, text, text)
                continue
            reader = self._known_reader(where)
            try:
                entry = reader.read(text, where)
                if not whole and isinstance(entry, HandRecord) and entry.names not in self._names_read:
                    raise ProtocolError(f"{where}: the names may be cut off: {'|'.join(entry.names)[:200]!r}")
            except ProtocolError as error:
                if not whole:
                    self.torn = f"{where}: the last line was cut off and is left out: {text[:80]!r}"
                    return
                self._complain(number, str(error).removeprefix(f"{where}: "), "; correct the line")
                continue
            line = HandPlace(number, text, entry, stamp_of(text))
            if isinstance(entry, HandRecord):
                self._names_read.add(entry.names)
                line = line._replace(entry=self._finished(line, entry))
            yield line

    def hands(self) -> Iterator[tuple[HandPlace, HandRecord]]:
        """Yield only the hands. Raises as iterating does."""
        for line in self:
            if isinstance(line.entry, HandRecord):
                yield line, line.entry

    def find(self, hand: int) -> Iterator[tuple[HandPlace, HandRecord]]:
        """Yield the hands numbered `hand`, of which an appended log may hold several, without parsing other hands."""
        start = re.compile(rf"STATE:\s*\+?0*{hand}:")
        for number, text, _ in self._lines():
            where = f"{self.path}:{number}"
            if text.startswith("#"):
                self._comment(text, where)
            elif start.match(text):
                entry = self._known_reader(where).read(text, where)
                if isinstance(entry, HandRecord):
                    line = HandPlace(number, text, entry, stamp_of(text))
                    yield line, self._finished(line, entry)

    def _comment(self, text: str, where: str) -> None:
        if text.startswith((_DEFINITION, PREFIX)) and self._named_game is None:
            if text.startswith(PREFIX):
                self._reader = HandReader(game_of(Situation.parse(text)))
            else:
                self._reader = self._reader_of(GameDef.parse(text[2:].replace("; ", "\n"), where))
            self._defined = True
            return
        header = read_header(text)
        if header is None:
            return
        if self._named_game is None and not self._defined and (self.header is None or header.game != self.header.game):
            game = find_game(header.game, self.path, where)
            if self._reader is None:
                self._reader = HandReader(game)
            elif game != self._reader.game:
                raise ProtocolError(
                    f"{where}: another game begins here ({header.game}); split the file before this line"
                )
        self.header, self.match = header, header.name


def stamp_of(text: str) -> float | None:
    """Return the time stamp behind the names of a line in seconds since 1970, None if there is none."""
    stamp = _STAMP.search(text) if " # " in text else None
    return float(stamp[1]) if stamp else None


class UnknownGame(ProtocolError):
    """A log whose game is not known: `where` it begins, `why`, and the `file` of the game, empty where the log names none."""

    def __init__(self, where: object, why: str, remedy: str, file: str = "") -> None:
        super().__init__(str(where), why, remedy, file)  # all of them, so that a process can send the error to another
        self.where, self.why, self.remedy, self.file = str(where), why, remedy, file

    def __str__(self) -> str:
        return f"{self.where}: {self.why}; {self.remedy}"


def find_game(text: str, log: Path, where: str) -> GameDef:
    """Load a header's game: a file beside the log, at the header's path, or that ships. Raises `UnknownGame`."""
    name = Path(text).name
    try:
        for path in (log.parent / name, Path(text)):
            if path.is_file():
                return GameDef.load(path)
        return load_game(name.removesuffix(".game"))
    except (ConfigError, OSError) as error:  # some names are impossible for files
        why = f"the game {text!r} lies neither beside the log nor among those that ship"
        raise UnknownGame(where, why, "put its file there, or name it with --game", name) from error


def guessed_game(path: Path, where: object) -> GameDef:
    """Return the only shipped game by whose rules a log's first hands are right. Raises `UnknownGame` without one."""
    readers = {name: HandReader(load_game(name)) for name in shipped_names("games")}
    fitting: Counter[str] = Counter()
    hands = (text for _, text, whole in file_lines(path) if whole and text.startswith("STATE:"))
    for text in islice(hands, GUESSED_FROM):
        fitting.update(name for name, reader in readers.items() if _fits(reader, text))
    best = [name for name, count in fitting.items() if count == max(fitting.values())]
    if len(best) == 1:
        return readers[best[0]].game
    several = f", and {' and '.join(sorted(best))} fit" if best else ", and no game that ships fits"
    why = f"no line '# name/game/hands/seed …' says which game this is{several}"
    raise UnknownGame(where, why, "if it holds hands, name it with --game")


def _fits(reader: "HandReader", line: str) -> bool:
    """Return whether a line is a hand of a reader's game with the right payoffs."""
    try:
        entry = reader.read(line, "")
    except ProtocolError:
        return False
    return isinstance(entry, HandRecord) and contradiction(entry) is None


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
        cards = all_cards(state, hand.holes, hand.draws)
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


# --- Write hands as a log of ACPC dealers.

_BREAKS_LINES = re.compile(r"[|\n\r]| # \d")


class LogWriter:
    """A log whose hands are written."""

    def __init__(self) -> None:
        self._game: GameDef | None = None
        self._match: tuple[str, Header | None] | None = None

    def hand_text(self, hand: HandRecord, match: str = "limpet", header: Header | None = None) -> str:
        """Return the lines of one hand of the match of that name. `header` is the one of the log that it was read from.

        Raises `Unsupported` for names and boards that a log cannot hold.
        """
        if bad := next(filter(_BREAKS_LINES.search, hand.names), None):
            raise Unsupported(f"hand {hand.hand}: no log can hold the name {bad!r}; give another one with --alias")
        if hand.runs:
            raise Unsupported(f"hand {hand.hand}: its board was run {len(hand.boards)} times, and a log has one board")
        game, lines = with_ending_stacks(hand.state), []
        name = shipped_file(game)
        shown = header or Header(re.sub(r"\s+", "_", match) or "limpet", name or "hand.game", 0, 0)
        if game != self._game and not (self._game is None and shown.game == name):
            lines.append(definition_comment(game))
        if (match, header) != self._match:
            lines.append(str(shown).partition("\n")[0])
        self._game, self._match = game, (match, header)
        return "\n".join([*lines, str(hand), ""])


@cache
def shipped_file(game: GameDef) -> str | None:
    """Return the file name of a game that ships, as headers write it; None for another game."""
    return next((f"{name}.game" for name in shipped_names("games") if load_game(name) == game), None)


def definition_comment(game: GameDef) -> str:
    """Return a game's definition as a comment of one line."""
    return "# " + "; ".join(str(game).splitlines())


# --- Decision times of the players, from transaction logs that are read beside their match logs.

MOST_MICROS = 2**32 - 1
"""Longest time that is kept, in microseconds: the largest number of 4 bytes."""


Micros = dict[str, "array[int]"]
"""Decision times by player, in microseconds, 4 bytes each."""


class TransactionStream:
    """A transaction log that is read along with its match log."""

    def __init__(self, path: Path, log: LogStream) -> None:
        """`log` knows the game, and whether bad lines are to be skipped."""
        self.path = path
        self.unused = 0
        """Number of hands that are not in the match log, such as an unfinished one."""
        self._log = log
        self._groups = groupby(self._transactions(), lambda transaction: transaction.hand)
        self._number: float = -1
        """Number of the hand that was read last; infinite at the end of the file."""
        self._read: list[Transaction] = []
        """Transactions of that hand until they are used."""

    def collect(self, hand: HandRecord, times: Micros) -> None:
        """Add to `times` those of the next hand of the match log, if the transaction log has them.

        A time outside of 0 to 71 minutes, as after a clock was set, counts as the nearer bound. Raises `ProtocolError`
        if the transaction log has other actions for the hand.
        """
        while self._number < hand.hand:
            self.unused += bool(self._read)
            self._number, group = next(self._groups, (inf, iter(())))
            self._read = list(group)
        if self._number != hand.hand:
            return
        transactions, self._number, self._read = self._read, -1, []
        states = [state for state in hand.state.path() if state.parent is not None]
        if [state.action for state in states] != [transaction.action.public for transaction in transactions]:
            raise ProtocolError(
                f"{self.path}: hand {hand.hand} has the actions {''.join(str(t.action) for t in transactions)[:200]!r}, "
                f"the match log {hand.state.betting[:200]!r}; name the transaction log that was written with it"
            )
        for state, transaction in zip(states, transactions, strict=True):
            assert state.parent is not None
            micros = min(max(transaction.received - transaction.sent, 0), MOST_MICROS)
            times.setdefault(hand.names[state.parent.actor], array("I")).append(micros)

    def _transactions(self) -> Iterator[Transaction]:
        for number, text, whole in file_lines(self.path):
            if not whole:
                return  # a line that a killed dealer did not finish
            if text.strip():
                yield parse_transaction(text, self._log.game, f"{self.path}:{number}")
