"""Rows kept beside a log: those that a searching player played by, for every hand that it might have held.

Such rows cannot be worked out again, because a clock decided when to stop. They are rounded, the action is drawn from the
rounded rows, and these are appended to a file, in at most 4 KB a decision. The file is a sequence of blocks, each with the
hand, the position, the number of actions played before and a checksum of the public state. A later block for the same
decision replaces the earlier one, and a last block that was cut off is left out.
"""

import os
import zlib
from pathlib import Path
from struct import Struct, error

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import Hole
from limpet.protocol.state import Action, State
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.records.rows_source import PlayedRow, played_row
from limpet.strategies.strategy import Rows

MAGIC = b"limpet-rows/1\n"
MOST_BYTES = 4096
"""Most bytes of the coded rows of one decision."""
LEVELS = (255, 63, 15, 3)
"""Numbers of levels, tried in turn until rows fit. A share is a whole number of levels, so that sums are exact."""

_HEAD = Struct("<BBH")  # levels, actions, hands
_ACTION = Struct("<cI")
_BLOCK = Struct("<QBHII")  # hand, position, actions before, checksum of the state, bytes of rows that follow


class RowsWriter:
    """Appends the rows of one match and position to a file; to a new one if the file has been taken away."""

    def __init__(self, path: Path, game: GameDef) -> None:
        """Raises `OSError`, and `ValueError` for a file of another kind."""
        self._path = path
        self._space = game_hands(game)
        self._append(b"")
        os.truncate(path, _read(path)[2])

    def record(self, hand: int, position: int, state: State, rows: Rows) -> Rows:
        """Write the rows of a decision; return the rounded rows, from which the action must be drawn.

        Raises `OSError`.
        """
        blocked = self._space.blocked(state.board)
        coded = encode_rows(rows, blocked)
        self._append(_BLOCK.pack(hand, position, state.actions_in_hand, _checksum(state), len(coded)) + coded)
        rounded = decode_rows(coded, blocked)
        missed = rows.missed if rows.missed is None or rows.classes is None else rows.missed[rows.classes]
        return Rows(rounded.actions, rounded.probabilities, None, missed)

    def _append(self, block: bytes) -> None:
        with self._path.open("ab") as file:
            file.write(block if file.tell() else MAGIC + block)


class RowsFile:
    """A file that `RowsWriter` has written, read as a `rows_source.RowsSource`."""

    def __init__(self, path: Path, game: GameDef) -> None:
        """Raises `ValueError` for a file of another kind."""
        self.path = path
        self._space = game_hands(game)
        self._data, self._blocks, _ = _read(path)

    def __len__(self) -> int:
        """Return the number of decisions."""
        return len(self._blocks)

    def played(self, hand: int, state: State, position: int, hole: Hole, action: Action) -> PlayedRow:
        block = self._blocks.get((hand, position, state.actions_in_hand))
        if block is None:
            raise ValueError(f"hand {hand}: {self.path} has no rows for position {position} after '{state.betting}'")
        checksum, start, end = block
        if checksum != _checksum(state):
            raise ValueError(
                f"hand {hand}: the rows in {self.path} are of other cards or bets; it belongs to another log"
            )
        blocked = self._space.blocked(state.board)
        return played_row(decode_rows(self._data[start:end], blocked), blocked, action)

    def column(self, hand: int, state: State, position: int, hole: Hole, action: Action) -> PlayedRow:
        row = self.played(hand, state, position, hole, action)
        return PlayedRow(row.actions, row.probabilities[:, self._space.index(hole)], row.chosen)

    def answers(self, hand: int, state: State, position: int) -> None:
        """Return None: only rows that were played by are kept."""


_Blocks = dict[tuple[int, int, int], tuple[int, int, int]]
"""By hand, position and number of actions before: checksum, first byte of the rows and the byte after the last."""


def _read(path: Path) -> tuple[bytes, _Blocks, int]:
    """Return a file's bytes, its whole blocks, and the byte at which they end. Raises `ValueError` for another kind of file."""
    data = path.read_bytes()
    if not data.startswith(MAGIC):
        raise ValueError(f"{path}: not a file of rows; name another one")
    blocks: _Blocks = {}
    at = len(MAGIC)
    while at + _BLOCK.size <= len(data):
        hand, position, before, checksum, size = _BLOCK.unpack_from(data, at)
        start = at + _BLOCK.size
        if start + size > len(data):
            break
        blocks[hand, position, before] = checksum, start, start + size
        at = start + size
    return data, blocks, at


def _checksum(state: State) -> int:
    return zlib.crc32(state.betting.encode() + bytes(state.board))


# --- rows in few bytes


def round_rows(rows: Rows, blocked: NDArray[np.bool_], levels: int) -> NDArray[np.uint8]:
    """Return shares uint8 ``[action, hand]`` that sum to `levels` for each hand; 0 for hands that are `blocked`.

    The largest remainders are rounded up.
    """
    dense = rows.dense(blocked).astype(np.float64)
    total = dense.sum(axis=0)
    exact = dense * (levels / np.where(total > 0, total, 1.0))
    shares = np.floor(exact)
    short = np.where(total > 0, levels - shares.sum(axis=0), 0).astype(np.int64)
    order = np.argsort(shares - exact, axis=0, kind="stable")  # largest remainders first
    rank = np.argsort(order, axis=0, kind="stable")
    rounded = shares + (rank < short)
    # An action that is never played has a remainder of 0, and stays so.
    return rounded.astype(np.uint8)


def encode_rows(rows: Rows, blocked: NDArray[np.bool_]) -> bytes:
    """Return the rows as at most `MOST_BYTES` bytes, in as many levels as fit. Raises `ValueError` if none do."""
    for levels in LEVELS:
        shares = round_rows(rows, blocked, levels)
        head = _HEAD.pack(levels, len(rows.actions), len(blocked))
        head += b"".join(_ACTION.pack(action.kind.encode(), action.size) for action in rows.actions)
        coded = head + zlib.compress(shares[:-1][:, ~blocked].tobytes(), 9)
        if len(coded) <= MOST_BYTES:
            return coded
    raise ValueError(f"a row of {len(rows.actions)} actions does not fit into {MOST_BYTES} bytes")


def decode_rows(coded: bytes, blocked: NDArray[np.bool_]) -> Rows:
    """Return the rounded rows that were coded. Raises `ValueError` for bytes that are no rows, or rows of other hands."""
    try:
        levels, count, hands = _HEAD.unpack_from(coded)
        actions = []
        for index in range(count):
            kind, size = _ACTION.unpack_from(coded, _HEAD.size + index * _ACTION.size)
            actions.append(Action(kind.decode("ascii"), size))
        # Damaged data must not unpack to more than rows can have.
        packed = zlib.decompressobj().decompress(coded[_HEAD.size + count * _ACTION.size :], count * hands + 1)
        shares = np.frombuffer(packed, np.uint8)
    except (error, zlib.error, UnicodeDecodeError) as reason:
        raise ValueError(f"damaged rows: {reason}") from reason
    live = ~blocked
    if hands != len(blocked) or count < 1 or levels not in LEVELS or len(shares) != (count - 1) * int(live.sum()):
        raise ValueError("damaged rows, or rows of another board")
    shares = shares.reshape(count - 1, int(live.sum()))
    last = levels - shares.sum(axis=0, dtype=np.int64)
    if (last < 0).any():
        raise ValueError("damaged rows: shares of more than a whole")
    probabilities = np.zeros((count, hands), np.float32)
    probabilities[:-1, live] = shares / np.float32(levels)
    probabilities[-1, live] = last / np.float32(levels)
    return Rows(tuple(actions), probabilities)
