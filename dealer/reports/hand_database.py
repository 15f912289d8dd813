"""The hands of many files in one SQLite database, from which trackers' statistics and lists of hands are answered.

The texts of the hands stay in their files. A hand's row has its file, line, offset and length, and what one looks for; each of
its players has a row with position, stack, result and a number for what the hand adds to the counts of `tracker_chances`: there
are some thousands of different ones, whatever the number of hands. The table ``totals`` has the hands of each player summed up,
so that statistics of ten million hands are a query of some seconds; so are those of some depths, which are counted from ``batches``.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from limpet.configs.loading import ConfigError
from limpet.dealer.reports.tracker_chances import POSITIONS
from limpet.dealer.reports.tracker_statistics import DEPTH_EDGES, CountedGroup, Tracker, Wanted
from limpet.protocol.archives.hand_file import renamed

VERSION = 3
"""Number of the tables' form, which SQLite keeps as the file's ``user_version``."""
PLACES = 16
"""Numbers of seats that each hand's number leaves room for: the seat of hand H at position P is ``PLACES * H + P``."""
CACHE_KIB = 1 << 17
"""Most memory of pages, in KiB."""

COUNTS = "<u2"
"""Type of the numbers by which what a hand adds to a player's counts is kept."""
_APPLICATION = 0x4C494D50
_MAGIC = b"SQLite format 3\x00"
_TABLES = """
CREATE TABLE files(id INTEGER PRIMARY KEY, path TEXT UNIQUE, size INTEGER, changed INTEGER, options TEXT, format TEXT,
    first INTEGER, hands INTEGER, line INTEGER, complete INTEGER, skipped INTEGER, remarks TEXT);
CREATE TABLE names(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
CREATE TABLE games(id INTEGER PRIMARY KEY, betting TEXT, streets TEXT, players INTEGER, blinds TEXT, big_blind INTEGER,
    hands INTEGER DEFAULT 0, UNIQUE(betting, streets, blinds, big_blind));
CREATE TABLE counts(id INTEGER PRIMARY KEY, chances BLOB UNIQUE);
CREATE TABLE hands(id INTEGER PRIMARY KEY, file INTEGER, line INTEGER, offset INTEGER, length INTEGER, number INTEGER, time REAL,
    played INTEGER, game INTEGER, pot INTEGER, street INTEGER, showdown INTEGER);
CREATE TABLE seats(id INTEGER PRIMARY KEY, player INTEGER, place INTEGER, players INTEGER, stack INTEGER, depth REAL,
    value REAL, counts INTEGER);
CREATE INDEX seats_of_player ON seats(player);
CREATE TABLE batches(first INTEGER PRIMARY KEY, seats BLOB);
CREATE TABLE totals(player INTEGER, place INTEGER, players INTEGER, depth INTEGER, counts INTEGER, hands INTEGER,
    PRIMARY KEY(player, place, players, depth, counts)) WITHOUT ROWID;
"""

SEAT = np.dtype([("player", "<u4"), ("place", "u1"), ("players", "u1"), ("depth", "<f8"), ("counts", "<u4")])
"""Type of a row of ``seats`` as ``batches`` keep it, which NumPy counts twenty times as fast as SQLite groups rows."""
_KEY = (("player", 32), ("place", 3), ("players", 4), ("depth", 3), ("counts", 22))
"""Columns of ``totals`` and the bits of each, which make one number of 64 bits."""
NO_INDEX = "this is no index of hands that this version reads; delete it and make it anew by `limpet hands index`"
TAKEN_BATCHES = 16
"""Number of batches that are counted at a time."""


def is_database(path: Path) -> bool:
    """Return whether a file is one of SQLite."""
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


@contextmanager
def opened(path: Path, writing: bool = False) -> Iterator[sqlite3.Connection]:
    """Yield a connection to a database of hands, which is made if it is missing and `writing`.

    Raises `ConfigError` for another file and for one that cannot be read or written, also while the caller works with it.
    """
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode={'rwc' if writing else 'ro'}", uri=True)
    except sqlite3.Error as error:
        raise ConfigError(f"{path}: cannot open it: {error}") from error
    try:
        connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        connection.execute(f"PRAGMA cache_size = {-CACHE_KIB}")
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if writing and not application and not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            connection.executescript(_TABLES)
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
        elif (application, version) != (_APPLICATION, VERSION):
            raise ConfigError(f"{path}: {NO_INDEX}")
        yield connection
    except (sqlite3.Error, OSError) as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB:
            raise ConfigError(f"{path}: {NO_INDEX}") from error
        raise ConfigError(
            f"{path}: {error}; see that the disk has room, the file is whole and no other program writes it"
        ) from error
    finally:
        connection.close()


def as_bytes(text: str) -> bytes:
    """Return a text for ``CAST(? AS TEXT)``: names in files are not always UTF-8, which SQLite's own texts must be."""
    return text.encode("utf-8", "surrogateescape")


def forget(connection: sqlite3.Connection, file: int) -> None:
    """Take a file and its hands out of the database."""
    first, hands = connection.execute("SELECT first, hands FROM files WHERE id = ?", (file,)).fetchone()
    seats = f"id BETWEEN {PLACES * first} AND {PLACES * (first + hands) - 1}"
    own = f"id BETWEEN {first} AND {first + hands - 1}"
    connection.execute(
        f"INSERT INTO totals SELECT player, place, players, {' + '.join(f'(depth > {edge})' for edge in DEPTH_EDGES)}, counts, "
        f"-count(*) FROM seats WHERE {seats} GROUP BY 1, 2, 3, 4, 5 "
        "ON CONFLICT DO UPDATE SET hands = totals.hands + excluded.hands"
    )
    connection.execute("DELETE FROM totals WHERE hands = 0")
    played = connection.execute(f"SELECT -count(*), game FROM hands WHERE {own} GROUP BY game")
    add_to_games(connection, played.fetchall())
    connection.execute(f"DELETE FROM seats WHERE {seats}")
    connection.execute(f"DELETE FROM batches WHERE first BETWEEN {first} AND {first + hands - 1}")
    connection.execute(f"DELETE FROM hands WHERE {own}")
    connection.execute("DELETE FROM files WHERE id = ?", (file,))


def add_to_games(connection: sqlite3.Connection, hands: Iterable[tuple[int, int]]) -> None:
    """Count more hands of games, or fewer: how many, and of which game."""
    connection.executemany("UPDATE games SET hands = hands + ? WHERE id = ?", hands)


def numbers(values: Sequence[Any]) -> str:
    """Return whole numbers for SQL's ``IN``."""
    return f"({', '.join(str(int(value)) for value in values)})"


def remarks(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield what reading the files said about skipped and contradictory hands, and which files are not whole yet."""
    for path, is_complete, said in connection.execute("SELECT path, complete, remarks FROM files ORDER BY id"):
        yield from (said or "").splitlines()
        if not is_complete:
            yield f"{path}: not read to its end; the same `limpet hands index` goes on"


def tracked(
    connection: sqlite3.Connection, wanted: Wanted, aliases: Mapping[str, str], most: int
) -> tuple[Tracker, list[str]]:
    """Return a tracker with the hands of the players with most hands, at most `most`, and the names of all counted players.

    Raises `ConfigError` for hands of games with different streets.
    """
    tracker = Tracker(wanted)
    for (streets,) in connection.execute("SELECT DISTINCT streets FROM games WHERE hands > 0"):
        tracker.begin(tuple(streets.split(",")))
    tracker.hands = connection.execute("SELECT coalesce(sum(hands), 0) FROM files").fetchone()[0]
    _choose(connection, wanted, aliases)
    source, tests = "totals", ["1"]
    if wanted.depth != (0.0, inf):
        connection.execute("CREATE TEMP TABLE part(player, place, players, depth, counts, hands)")
        connection.executemany("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", _of_depth(connection, wanted))
        source = "part"
    if wanted.positions:
        tests.append(f"place IN {numbers([POSITIONS.index(name) for name in wanted.positions])}")
    if wanted.seats:
        tests.append(f"players IN {numbers(wanted.seats)}")
    counted = f"FROM {source} JOIN chosen USING (player) WHERE {' AND '.join(tests)}"
    ranking = connection.execute(f"SELECT name {counted} GROUP BY name ORDER BY sum(hands) DESC, name")
    names = [name for (name,) in ranking]
    shown = ", ".join(["CAST(? AS TEXT)"] * len(names[:most]))
    parts = connection.execute(
        f"SELECT name, place, players, depth, chances, hands FROM (SELECT name, place, players, depth, counts, sum(hands) AS hands "
        f"{counted} AND name IN ({shown}) GROUP BY 1, 2, 3, 4, 5) JOIN counts ON counts.id = counts",
        [*map(as_bytes, names[:most])],
    )
    for name, place, players, depth, chances, hands in parts:
        counts = np.frombuffer(chances, COUNTS).reshape(2, -1).astype(np.int64) * hands
        tracker.count(CountedGroup(name, POSITIONS[place], players, depth), counts, hands)
    return tracker, names


def _of_depth(connection: sqlite3.Connection, wanted: Wanted) -> Iterator[tuple[int, ...]]:
    """Yield rows as those of ``totals`` for the seats that have the wanted depth, of the players in ``chosen`` if some are wanted."""
    (low, high), chosen = wanted.depth, [player for (player,) in connection.execute("SELECT player FROM chosen")]
    keys, hands = np.zeros(0, np.uint64), np.zeros(0, np.int64)
    rows = connection.execute("SELECT seats FROM batches")
    while batches := rows.fetchmany(TAKEN_BATCHES):
        seats = np.frombuffer(b"".join(seats for (seats,) in batches), SEAT)
        is_wanted = (seats["depth"] >= low) & (seats["depth"] <= high)
        if wanted.players:
            is_wanted &= np.isin(seats["player"], chosen)
        seats = seats[is_wanted]
        key = np.zeros(len(seats), np.uint64)
        for name, bits in _KEY:
            part = np.searchsorted(DEPTH_EDGES, seats["depth"]) if name == "depth" else seats[name]
            key = key << np.uint64(bits) | part.astype(np.uint64)
        new, counted = np.unique(key, return_counts=True)
        keys, places = np.unique(np.concatenate([keys, new]), return_inverse=True)
        hands = np.bincount(places, np.concatenate([hands, counted])).astype(np.int64)
    columns = [hands.tolist()]
    for _, bits in reversed(_KEY):
        columns.insert(0, (keys & np.uint64((1 << bits) - 1)).tolist())
        keys = keys >> np.uint64(bits)
    yield from zip(*columns, strict=True)


def _choose(connection: sqlite3.Connection, wanted: Wanted, aliases: Mapping[str, str]) -> None:
    """Make the table ``chosen`` of the numbers of players that are wanted, and their names under `aliases`."""
    connection.execute("CREATE TEMP TABLE chosen(player INTEGER PRIMARY KEY, name TEXT)")
    renaming = ((number, renamed(name, aliases)) for number, name in connection.execute("SELECT id, name FROM names"))
    chosen = ((number, as_bytes(name)) for number, name in renaming if wanted.names(name))
    connection.executemany("INSERT INTO chosen VALUES (?, CAST(? AS TEXT))", chosen)


class HandSearch(NamedTuple):
    """Conditions on hands, of which each player in ``wanted`` is listed where `is_of_players`. Times are seconds since 1970.

    Attributes:
        least, most: smallest and largest pot in big blinds, without uncalled chips.
        street: number of the last street that was dealt at least, from 0.
        won: True for hands in which the player won chips, False for those in which it lost some.
    """

    wanted: Wanted
    least: float | None = None
    most: float | None = None
    street: int | None = None
    showdown: bool | None = None
    won: bool | None = None
    since: float | None = None
    before: float | None = None

    @property
    def is_of_players(self) -> bool:
        return self.wanted != Wanted() or self.won is not None

    def conditions(self) -> Iterator[tuple[str, Sequence[float]]]:
        """Yield the conditions in SQL, and their values."""
        for test, value in (
            ("pot >= ? * big_blind", self.least),
            ("pot <= ? * big_blind", self.most),
            ("street >= ?", self.street),
            ("showdown = ?", self.showdown),
            ("time >= ?", self.since),
            ("time < ?", self.before),
        ):
            if value is not None:
                yield test, [value]
        if self.won is not None:
            yield f"value {'>' if self.won else '<'} 0", []
        if self.wanted.positions:
            yield f"place IN {numbers([POSITIONS.index(name) for name in self.wanted.positions])}", []
        if self.wanted.seats:
            yield f"seats.players IN {numbers(self.wanted.seats)}", []
        if self.wanted.depth != (0.0, inf):
            yield "depth BETWEEN ? AND ?", self.wanted.depth


class FoundPlayer(NamedTuple):
    """A player of a hand that was found. `stack` and `net` are chips."""

    name: str
    position: str
    stack: int
    net: float


class FoundHand(NamedTuple):
    """A hand that was found.

    Attributes:
        offset, length: bytes of the unpacked file that hold the hand, None where they are unknown.
        number: number of the hand in its file.
        time: when it was played, by UTC.
        pot: chips without uncalled ones.
        street: number of the last street that was dealt, from 0.
        player: name of the player whom the search was for, None without one.
        players: everybody in order of position, the small blind first with three and more.
    """

    file: str
    format: str
    line: int
    offset: int | None
    length: int | None
    number: int
    time: str | None
    table: str
    betting: str
    blinds: str
    big_blind: int
    pot: int
    street: str
    showdown: bool
    player: str | None
    players: tuple[FoundPlayer, ...]


def found(connection: sqlite3.Connection, search: HandSearch, limit: int, largest: bool = False) -> Iterator[FoundHand]:
    """Yield at most `limit` hands in the order of the files, or those with the largest pots in big blinds first."""
    tests = list(search.conditions())
    tables, seat = "hands", "NULL"
    if search.is_of_players:
        tables, seat = f"seats JOIN hands ON hands.id = seats.id / {PLACES}", "seats.id"
        if search.wanted.players:
            _choose(connection, search.wanted, {})
            tables = f"chosen JOIN {tables}"
            tests.append(("seats.player = chosen.player", []))
    where = " AND ".join(["1", *(test for test, _ in tests)])
    order = "pot * 1.0 / big_blind DESC, hands.id" if largest else "hands.id"
    rows = connection.execute(
        f"SELECT hands.id, {seat}, path, format, hands.line, offset, length, number, time, names.name, betting, blinds, big_blind, "
        f"streets, pot, street, showdown FROM {tables} JOIN games ON games.id = game JOIN files ON files.id = file "
        f"JOIN names ON names.id = played WHERE {where} ORDER BY {order} LIMIT ?",
        [*(value for _, values in tests for value in values), limit],
    )
    for hand, at, *file, time, table, betting, blinds, big, streets, pot, street, shown in rows:
        seats = {
            seat: FoundPlayer(name, POSITIONS[place], stack, value)
            for seat, name, place, stack, value in connection.execute(
                "SELECT seats.id, name, place, stack, value FROM seats JOIN names ON names.id = player "
                f"WHERE seats.id BETWEEN {PLACES * hand} AND {PLACES * hand + PLACES - 1} ORDER BY seats.id"
            )
        }
        played = None if time is None else datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M:%S")
        asked = seats[at].name if at is not None else None
        facts = (played, table, betting, blinds, big, pot, streets.split(",")[street], bool(shown), asked)
        yield FoundHand._make((*file, *facts, tuple(seats.values())))
