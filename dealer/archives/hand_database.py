"""The hands of many files in one SQLite database: where each is, who played it, and what it adds to trackers' statistics.

The texts of the hands stay in their files. A hand's row has its file, line, offset and length, and what one looks for; each of
its players has a row with position, stack, result and a number for what the hand adds to the counts of `tracker_chances`: there
are some thousands of different ones, whatever the number of hands. The table ``totals`` has the hands of each player summed up,
so that statistics of ten million hands are a query of some seconds.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from limpet.configs.loading import ConfigError
from limpet.dealer.measures.tracker_statistics import DEPTH_EDGES

VERSION = 1
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
CREATE TABLE totals(player INTEGER, place INTEGER, players INTEGER, depth INTEGER, counts INTEGER, hands INTEGER,
    PRIMARY KEY(player, place, players, depth, counts)) WITHOUT ROWID;
"""

GROUPED = f"""SELECT player, place, players, {" + ".join(f"(depth > {edge})" for edge in DEPTH_EDGES)} AS depth, counts,
    {{hands}} AS hands FROM seats WHERE {{where}}"""
"""Seats as ``totals`` has them."""


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
        if writing:
            connection = sqlite3.connect(path)
        else:
            connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
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
            raise ConfigError(
                f"{path}: this is no index of hands that this version reads; make it by `limpet hands index`"
            )
        yield connection
    except (sqlite3.Error, OSError) as error:
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
    connection.execute(
        f"INSERT INTO totals {GROUPED.format(hands='-count(*)', where=seats)} GROUP BY 1, 2, 3, 4, 5 "
        "ON CONFLICT DO UPDATE SET hands = totals.hands + excluded.hands"
    )
    connection.execute("DELETE FROM totals WHERE hands = 0")
    played = connection.execute(
        "SELECT -count(*), game FROM hands WHERE id BETWEEN ? AND ? GROUP BY game", (first, first + hands - 1)
    )
    add_to_games(connection, played.fetchall())
    connection.execute(f"DELETE FROM seats WHERE {seats}")
    connection.execute("DELETE FROM hands WHERE id BETWEEN ? AND ?", (first, first + hands - 1))
    connection.execute("DELETE FROM files WHERE id = ?", (file,))


def add_to_games(connection: sqlite3.Connection, hands: Iterable[tuple[int, int]]) -> None:
    """Count more hands of games, or fewer: how many, and of which game."""
    connection.executemany("UPDATE games SET hands = hands + ? WHERE id = ?", hands)


def numbers(values: Sequence[Any]) -> str:
    """Return whole numbers for SQL's ``IN``."""
    return f"({', '.join(str(int(value)) for value in values)})"
