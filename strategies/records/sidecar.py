"""Rows kept beside a log: what a player that searches played by, for every hand it might have held.

Such rows cannot be worked out again, because a clock decided when to stop. They are rounded, the action is drawn from the
rounded row, and the row is appended to a file, at most 4 KB a decision. The file is a sequence of blocks, each with the
hand, the position, how many actions had been played and a check sum of the public state; a later block for the same
decision replaces the earlier, and a last block that was cut off is left out.
"""

import os
from pathlib import Path
from struct import Struct
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import Hole
from limpet.protocol.state import Action, State
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.records.row_codec import decode_rows, encode_rows
from limpet.strategies.records.rows_source import PlayedRow, played_row
from limpet.strategies.strategy import Rows

MAGIC = b"limpet-rows/1\n"
_BLOCK = Struct("<QBHII")  # hand, position, actions before, check sum of the state, bytes that follow


class RowsWriter:
    """Appends rows to a file, to a new one if it has been taken away. One writer for one match and position at a time."""

    def __init__(self, path: Path, game: GameDef) -> None:
        """Raises `OSError`, and `ValueError` for a file that is not one of rows."""
        self._path = path
        self._space = game_hands(game)
        self._append(b"")
        data = path.read_bytes()
        if not data.startswith(MAGIC):
            raise ValueError(f"{path}: not a file of rows; name another one")
        os.truncate(path, _blocks(data)[1])

    def record(self, hand: int, position: int, state: State, rows: Rows) -> Rows:
        """Write down the rows of a decision; returns them rounded, and from these the action must be drawn. Raises
        `OSError`."""
        blocked = self._space.blocked(state.board)
        coded = encode_rows(rows, blocked)
        self._append(_BLOCK.pack(hand, position, state.actions_in_hand, _check(state), len(coded)) + coded)
        rounded = decode_rows(coded, blocked)
        if rows.missed is None:
            return rounded
        return Rows(rounded.actions, rounded.probabilities, None, _by_hand(rows))

    def _append(self, block: bytes) -> None:
        with self._path.open("ab") as file:
            file.write(block if file.tell() else MAGIC + block)


class RowsFile:
    """Reads them back: a `rows_source.RowsSource`."""

    def __init__(self, path: Path, game: GameDef) -> None:
        """Raises `ValueError` for a file that is not one of rows."""
        self.path = path
        self._space = game_hands(game)
        self._data = path.read_bytes()
        if not self._data.startswith(MAGIC):
            raise ValueError(f"{path}: not a file of rows")
        self._blocks, _ = _blocks(self._data)

    def __len__(self) -> int:
        """Decisions."""
        return len(self._blocks)

    def played(self, hand: int, state: State, position: int, hole: Hole, action: Action) -> PlayedRow:
        found = self._blocks.get((hand, position, state.actions_in_hand))
        if found is None:
            raise ValueError(f"hand {hand}: {self.path} has no rows for position {position} after '{state.betting}'")
        check, start, end = found
        if check != _check(state):
            raise ValueError(
                f"hand {hand}: the rows in {self.path} are of other cards or bets; it belongs to another log"
            )
        blocked = self._space.blocked(state.board)
        return played_row(decode_rows(self._data[start:end], blocked), blocked, action)

    def answers(self, hand: int, state: State, position: int) -> None:
        """Only the rows that were played by are kept."""


Blocks = dict[tuple[int, int, int], tuple[int, int, int]]


def _blocks(data: bytes) -> tuple[Blocks, int]:
    """(hand, position, actions before) to (check sum, first and last byte of the rows), and where the whole ones end."""
    blocks: Blocks = {}
    at = len(MAGIC)
    while at + _BLOCK.size <= len(data):
        hand, position, before, check, size = _BLOCK.unpack_from(data, at)
        start = at + _BLOCK.size
        if start + size > len(data):
            break
        blocks[hand, position, before] = check, start, start + size
        at = start + size
    return blocks, at


def _check(state: State) -> int:
    return crc32(state.betting.encode() + bytes(state.board))


def _by_hand(rows: Rows) -> NDArray[np.bool_]:
    assert rows.missed is not None
    return rows.missed if rows.classes is None else rows.missed[rows.classes]
