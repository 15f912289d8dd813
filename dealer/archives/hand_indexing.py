"""Puts the hands of files into a database of hands, some thousands at a time, so that work that was stopped goes on there."""

import sqlite3
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from limpet.dealer.archives.hand_database import (
    COUNTS,
    PLACES,
    add_to_games,
    as_bytes,
    forget,
)
from limpet.dealer.archives.hand_index import HandIndex
from limpet.dealer.measures.tracker_chances import POSITIONS
from limpet.dealer.measures.tracker_statistics import DEPTH_EDGES, BettingCounts, depth_of, without_pots, won_share
from limpet.protocol.archives.hand_file import HandFile, HandPlace
from limpet.protocol.gamedef import GameDef
from limpet.protocol.handhistory import big_blind, contested_pot, street_names
from limpet.protocol.matchlog import HandRecord
from limpet.strategies.opponents.imitation.situations import position_name

BATCH = 10_000
"""Number of hands after which they are written for good."""
KNOWN_NAMES = 1 << 20
"""Number of names whose numbers are remembered."""


class Indexed(NamedTuple):
    """The outcome of putting a file into the database.

    Attributes:
        is_new: False for a file that had been read before and has not changed since.
        is_whole: False for a file that is not read to its end, because the caller stopped.
    """

    hands: int
    skipped: int
    is_new: bool
    is_whole: bool


class Located(NamedTuple):
    """A hand that is read, its place, and the name of its match or table."""

    place: HandPlace
    hand: HandRecord
    table: str


class Indexer:
    """Writes hands into a database."""

    def __init__(self, connection: sqlite3.Connection, options: str = "") -> None:
        """Prepare the writing. `options`: how files are read; those that were read otherwise count as changed."""
        self._connection = connection
        self._options = options
        self._betting = BettingCounts()
        self._names: dict[str, int] = {}
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
                last_line = batch[-1].place.number if batch else last_line
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
            game, counts = state.game, self._betting.of(state)
            offset, length = places.span(place.number) or (None, None)
            for position, name in enumerate(hand.names):
                own = counts[position]
                if not won_share(state, position, hand.values[position]):
                    own = without_pots(own)
                player, depth = self._name(name), depth_of(game, position)
                where, kind = POSITIONS.index(position_name(state, position)), self._kind(own.astype(COUNTS).tobytes())
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
        many(
            "INSERT INTO totals VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET hands = totals.hands + excluded.hands",
            ((*key, count) for key, count in sorted(totals.items())),
        )

    def _name(self, name: str) -> int:
        if name not in self._names:
            if len(self._names) >= KNOWN_NAMES:
                self._names.clear()
            self._names[name] = self._numbered("names", ("name",), (as_bytes(name),), "CAST(? AS TEXT)")
        return self._names[name]

    def _game(self, game: GameDef) -> int:
        blinds = "/".join(map(str, game.blind)) + ("+" + "/".join(map(str, game.dead)) if game.dead else "")
        key = (
            "nolimit" if game.no_limit else "limit",
            ",".join(street_names(game)),
            game.num_players,
            blinds,
            big_blind(game),
        )
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
    located = (Located(place, hand, file.match) for place, hand in file.hands())
    while batch := list(islice(located, BATCH)):
        if len(batch) < BATCH:
            yield batch, True
            return
        yield batch, False
    yield [], True
