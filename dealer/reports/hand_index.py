"""Where each hand of a file begins, so that any hand is read without those before it, and the same of many files in a database.

An index takes about a second for 100 MB, and is extended while a match goes on writing. Files may be packed; a packed file
is unpacked again from its beginning for each reading. Hands go into a database some thousands at a time, so that work that was
stopped goes on there.
"""

import re
import sqlite3
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from limpet.dealer.reports.hand_database import COUNTS, PLACES, SEAT, add_to_games, as_bytes, forget
from limpet.dealer.reports.tracker_chances import POSITIONS
from limpet.dealer.reports.tracker_statistics import DEPTH_EDGES, BettingCounts, depth_of, winners
from limpet.protocol.archives.acpc import LogStream
from limpet.protocol.archives.blocks import unpacked
from limpet.protocol.archives.hand_file import HandFile, HandPlace, Skip
from limpet.protocol.archives.hands import TextFile, open_hands
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.handhistory import big_blind, contested_pot, street_names
from limpet.protocol.matchlog import HandRecord
from limpet.strategies.opponents.situations import position_name

CHUNK = 1 << 20
"""Number of bytes that are read at a time."""
MOST_LINE = 1 << 24
"""Number of bytes after which a line is cut: such a file holds no hands."""
MOST_LAST = 1 << 18
"""Bytes of the longest text that is taken for the last hand of a file."""

_BOM = b"\xef\xbb\xbf"
# A pattern that begins with plain letters is found ten times as fast as one that begins with a line's beginning.
_LOG_HAND = re.compile(rb"STATE:(?<=^STATE:)", re.MULTILINE)
_LOG_GAME = re.compile(rb"# (?<=^# )(?:GAMEDEF; |name/game/hands/seed )", re.MULTILINE)
_PHH_SECTION = re.compile(rb"\[(?<=^\[)[^\[\]\"'\n]+\][ \t]*\r?$", re.MULTILINE)


class HandIndex:
    """The hands of a file by their number from 0, in the order of the file. Nothing is indexed before `extend`."""

    def __init__(self, path: Path) -> None:
        """Look at the kind of the file. Raises `ProtocolError`."""
        self.path = path
        self.size = 0
        """Number of unpacked bytes that are indexed."""
        file = open_hands(path)
        self.kind = "log" if file.format == "ACPC" else file.format
        self._beginning = _PHH_SECTION if self.kind == "PHH" else _LOG_HAND
        if isinstance(file, TextFile) and self.kind != "PHH":
            self._beginning = re.compile(file.beginning.pattern.encode(), re.MULTILINE)
        self._offsets, self._lines = array("q"), array("q")
        self._games, self._game_lines = array("q"), array("q")
        """Offsets and lines of the comments of a log that name or define the game of the hands below them."""
        self._newlines = 0

    def __len__(self) -> int:
        return len(self._offsets)

    @property
    def last_line(self) -> int:
        """Line at which the last hand begins, 0 where there is no hand."""
        return self._lines[-1] if self._lines else 0

    def number_at(self, line: int) -> int:
        """Return the number of the hand that begins at a line, from 1, of the file. Raises `ProtocolError`."""
        at = bisect_left(self._lines, line)
        if at == len(self) or self._lines[at] != line:
            raise ProtocolError(f"{self.path}:{line}: no hand begins at this line; open the file's list of hands")
        return at

    def span(self, line: int) -> tuple[int, int] | None:
        """Return the unpacked offset and length of the hand at a line and all behind it to the next, None where none begins."""
        at = bisect_left(self._lines, line)
        if at == len(self) or self._lines[at] != line:
            return None
        end = self._offsets[at + 1] if at + 1 < len(self) else self.size
        return self._offsets[at], end - self._offsets[at]

    def extend(self) -> Iterator[int]:
        """Index what has been added to the file, and yield the number of hands after each chunk.

        A last line that is not whole yet is left for the next call. Raises `ProtocolError` for a file that cannot be read.
        """
        with unpacked(self.path) as (file, _):
            file.seek(self.size)
            rest = b""
            while data := file.read(CHUNK):
                rest += data
                end = rest.rfind(b"\n") + 1 or (len(rest) if len(rest) > MOST_LINE else 0)
                if end:
                    self._add(rest[:end])
                rest = rest[end:]
                yield len(self)

    def hands(
        self, first: int, count: int, skipped: list[Skip] | None = None
    ) -> Iterator[tuple[HandPlace, HandRecord]]:
        """Yield `count` hands from number `first` on; those that cannot be read are left out, and appended to `skipped`.

        Raises `ProtocolError` for a file that cannot be read.
        """
        after = min(first + count, len(self))
        if not 0 <= first < after:
            return
        with unpacked(self.path) as (file, _):
            begin, line = self._offsets[first], self._lines[first]
            comments = list(self._games_before(file, begin))
            if self.kind == "log":  # a comment behind the hand before may define the game of this one
                begin, line = 0, 1
                if first:
                    file.seek(self._offsets[first - 1])
                    begin, line = self._offsets[first - 1] + len(file.readline()), self._lines[first - 1] + 1
            file.seek(begin)
            end = self._offsets[after] if after < len(self) else self._offsets[first] + MOST_LAST * count
            text = _text(file.read(end - begin))
        yield from islice(self._part_of_file(comments, text, line, skipped).hands(), count)

    def _part_of_file(
        self, comments: list[tuple[int, str]], text: str, first_line: int, skipped: list[Skip] | None
    ) -> HandFile:
        """Return the hands of a part of the file that begins at a line. `comments`: of a log that define its game, with lines."""
        file = open_hands(self.path, skip_bad=True, skipped=skipped)
        if isinstance(file, LogStream):
            lines = enumerate(text.removesuffix("\n").split("\n"), first_line)
            return file.with_parts([(number, line, True) for number, line in chain(comments, lines)])
        assert isinstance(file, TextFile)
        starts = sorted({0, *(match.start() for match in file.beginning.finditer(text))})
        parts = zip(starts, [*starts[1:], len(text)], strict=True)
        return file.with_parts([(first_line + text.count("\n", 0, start), text[start:end]) for start, end in parts])

    def _games_before(self, file: BinaryIO, offset: int) -> Iterator[tuple[int, str]]:
        """Yield the first and the last two comments about games before an offset, each behind its line."""
        count = bisect_left(self._games, offset)
        for number in sorted({0, count - 2, count - 1}):
            if 0 <= number < count:
                file.seek(self._games[number])
                yield self._game_lines[number], _text(file.readline()).removesuffix("\n")

    def _add(self, data: bytes) -> None:
        """Index whole lines that follow what is indexed."""
        if self.size == 0:
            if data.startswith(_BOM):
                data, self.size = data[len(_BOM) :], len(_BOM)
            if self.kind == "PHH" and data[:1] not in (b"\n", b"["):
                self._offsets.append(self.size)
                self._lines.append(1)
        newlines = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))

        def add(begins: re.Pattern[bytes], offsets: "array[int]", lines: "array[int]") -> None:
            starts = np.array([match.start() for match in begins.finditer(data)], np.int64)
            offsets.extend((starts + self.size).tolist())
            lines.extend((np.searchsorted(newlines, starts) + self._newlines + 1).tolist())

        add(self._beginning, self._offsets, self._lines)
        if self.kind == "log":
            add(_LOG_GAME, self._games, self._game_lines)
        self._newlines += len(newlines)
        self.size += len(data)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape").replace("\r\n", "\n")


BATCH = 10_000
"""Number of hands after which they are written for good."""
KNOWN_NAMES = 1 << 20
"""Number of names whose numbers are remembered."""


class Indexed(NamedTuple):
    """The outcome of putting a file into the database.

    A file is not new that had been read before and has not changed since, nor whole where the caller stopped the reading.
    """

    hands: int
    skipped: int
    is_new: bool
    is_whole: bool


Located = tuple[HandPlace, HandRecord, str]
"""A hand that is read: its place, the hand, and the name of its match or table."""


class Indexer:
    """Writes hands into a database."""

    def __init__(self, connection: sqlite3.Connection, options: str = "") -> None:
        """Prepare the writing. `options`: how files are read; those that were read otherwise count as changed."""
        self._connection = connection
        self._options = options
        self._betting = BettingCounts()
        self._name = lru_cache(KNOWN_NAMES)(self._named)
        self._games: dict[tuple[object, ...], int] = {}
        self._counts: dict[bytes, int] = dict(connection.execute("SELECT chances, id FROM counts"))

    def add(self, file: HandFile, look: Callable[[], bool]) -> Indexed:
        """Put a file's hands into the database unless they are there. `look` is called now and then; it returns True to stop.

        Raises `ProtocolError` for a file that cannot be read; what has been read of it stays, and is gone on with next time.
        """
        stat, path = file.path.stat(), as_bytes(str(file.path.resolve()))
        mark = (stat.st_size, stat.st_mtime_ns, self._options)
        row = self._row(
            "SELECT id, size, changed, options, first, hands, line, complete, skipped, remarks FROM files "
            "WHERE path = CAST(? AS TEXT)",
            path,
        )
        begun, first, hands, last_line, skipped, remarks = 0, 0, 0, 0, 0, ""
        if row is not None:
            begun, *known, first, hands, last_line, is_complete, skipped, remarks = row
            is_same = tuple(known) == mark
            if is_same and is_complete:
                return Indexed(hands, skipped, False, True)
            if not is_same or first + hands != self._following():
                with self._connection:
                    forget(self._connection, begun)
                begun, hands, last_line, skipped, remarks = 0, 0, 0, 0, ""
        if not begun:
            first = self._following()
            with self._connection:
                begun = self._written(
                    "INSERT INTO files(path, size, changed, options, format, first, hands, line, complete, skipped, remarks) "
                    "VALUES (CAST(? AS TEXT), ?, ?, ?, ?, ?, 0, 0, 0, 0, '')",
                    (path, *mark, file.format, first),
                )
        places = HandIndex(file.path)
        for _ in places.extend():
            if look():
                return Indexed(hands, skipped, True, False)
        before, said = skipped, remarks.splitlines()
        for batch, is_last in _batches(file.behind(last_line) if last_line else file):
            with self._connection:
                self._write(begun, first + hands, batch, places)
                hands += len(batch)
                skipped = before + file.bad
                last_line = batch[-1][0].number if batch else last_line
                told = as_bytes("\n".join([*said, *file.remarks()]))
                self._connection.execute(
                    "UPDATE files SET hands = ?, line = ?, complete = ?, skipped = ?, remarks = CAST(? AS TEXT) WHERE id = ?",
                    (hands, last_line, is_last, skipped, told, begun),
                )
            if look() and not is_last:
                return Indexed(hands, skipped, True, False)
        return Indexed(hands, skipped, True, True)

    def _write(self, file: int, first: int, batch: list[Located], places: HandIndex) -> None:
        hands, seats, totals, games = [], [], Counter[tuple[int, ...]](), Counter[int]()
        for number, (place, hand, table) in enumerate(batch, first):
            state = hand.state
            game, counts = state.game, self._betting.of(state).astype(COUNTS, copy=False)
            won = winners(state, hand.values)
            offset, length = places.span(place.number) or (None, None)
            for position, name in enumerate(hand.names):
                player, depth = self._name(name), depth_of(game, position)
                where = POSITIONS.index(position_name(state, position))
                kind = self._kind(counts[int(won[position]), position].tobytes())
                stack, value = game.starting_stack[position], hand.values[position]
                seats.append((PLACES * number + position, player, where, game.num_players, stack, depth, value, kind))
                totals[player, where, game.num_players, bisect_left(DEPTH_EDGES, depth), kind] += 1
            played = self._game(game)
            games[played] += 1
            told = (place.number, offset, length, hand.hand, place.time, self._name(table), played)
            hands.append((number, file, *told, contested_pot(state), state.round, state.showdown))
        add_to_games(self._connection, ((count, game) for game, count in games.items()))
        many = self._connection.executemany
        many(f"INSERT INTO hands VALUES ({', '.join('?' * 12)})", hands)
        many(f"INSERT INTO seats VALUES ({', '.join('?' * 8)})", seats)
        if seats:
            columns = [(player, place, players, depth, kind) for _, player, place, players, _, depth, _, kind in seats]
            self._connection.execute("INSERT INTO batches VALUES (?, ?)", (first, np.array(columns, SEAT).tobytes()))
        many(
            "INSERT INTO totals VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET hands = totals.hands + excluded.hands",
            ((*key, count) for key, count in sorted(totals.items())),
        )

    def _named(self, name: str) -> int:
        return self._numbered("names", ("name",), (as_bytes(name),), "CAST(? AS TEXT)")

    def _game(self, game: GameDef) -> int:
        blinds = "/".join(map(str, game.blind)) + ("+" + "/".join(map(str, game.dead)) if game.dead else "")
        betting, streets = "nolimit" if game.no_limit else "limit", ",".join(street_names(game))
        key = (betting, streets, game.num_players, blinds, big_blind(game))
        if key not in self._games:
            columns = ("betting", "streets", "players", "blinds", "big_blind")
            self._games[key] = self._numbered("games", columns, key, ", ".join("?" * len(key)))
        return self._games[key]

    def _kind(self, counts: bytes) -> int:
        if counts not in self._counts:
            self._counts[counts] = self._written("INSERT INTO counts(chances) VALUES (?)", (counts,))
        return self._counts[counts]

    def _numbered(self, table: str, columns: tuple[str, ...], values: tuple[object, ...], marks: str) -> int:
        """Return the number of a row, which is written if it is not there."""
        names = ", ".join(columns)
        row = self._row(f"SELECT id FROM {table} WHERE ({names}) = ({marks})", *values)
        return row[0] if row else self._written(f"INSERT INTO {table}({names}) VALUES ({marks})", values)

    def _following(self) -> int:
        """Return the number of the next hand; those of a file follow each other."""
        return 1 + (self._row("SELECT max(first + hands - 1) FROM files")[0] or 0)

    def _row(self, query: str, *values: object) -> Any:
        return self._connection.execute(query, values).fetchone()

    def _written(self, query: str, values: tuple[object, ...]) -> int:
        number = self._connection.execute(query, values).lastrowid
        assert number is not None
        return number


def _batches(file: HandFile) -> Iterator[tuple[list[Located], bool]]:
    """Yield the hands of a file in batches, and whether a batch is the last one, which may be empty."""
    located = ((place, hand, file.match) for place, hand in file.hands())
    is_last = False
    while not is_last:
        batch = list(islice(located, BATCH))
        is_last = len(batch) < BATCH
        yield batch, is_last
