"""The files that a resolving player keeps of a match: a line of JSON for each decision, and the rows played by."""

import json
import logging
import os
import zlib
from pathlib import Path
from struct import Struct, error
from threading import Lock
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from limpet.configs.loading import ConfigError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import Hole
from limpet.protocol.state import Action, State
from limpet.strategies.base.agent import DECISION
from limpet.strategies.base.sampling import pick, uniform
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows, Strategy
from limpet.strategies.cards.handspace import game_hands

# --- Sources of the rows that a player played by: worked out again, or kept beside the log.


class PlayedRow(NamedTuple):
    """The strategy of a player in one state, with all hands or with the hand held alone, and the action that was played.

    Attributes:
        actions: the actions of the state; with the hand held alone, draws name their discards.
        probabilities: float64 ``[action, hand]``, 0 for hands that the board blocks; or ``[action]``. They sum to 1 over actions.
        chosen: index of the action that was played.
    """

    actions: tuple[Action, ...]
    probabilities: NDArray[np.float64]
    chosen: int


class ColumnSource(Protocol):
    """Knows how a player played the hands that it held, decision by decision."""

    def column(self, hand: int, state: State, position: int, hole: Hole, action: Action) -> PlayedRow:
        """Return what `RowsSource.played` returns of the hand held alone. A draw's `action` must name its discards."""


class RowsSource(ColumnSource, Protocol):
    """Knows how a player played with all hands, decision by decision."""

    def played(self, hand: int, state: State, position: int, hole: Hole, action: Action) -> PlayedRow:
        """Return the rows of `position` in `state` of hand number `hand`, where it held `hole` and played `action`.

        Raises `ValueError` if no rows are known that `action` can have been drawn from.
        """

    def answers(self, hand: int, state: State, position: int) -> tuple[tuple[Action, ...], NDArray[np.float64]] | None:
        """Return the actions and probabilities ``[action, hand]`` of `position` in `state`; None where they are not known.

        The state need not have come up in hand number `hand`.
        """


class Recomputed:
    """Asks the strategy again, whose rows must depend on nothing but the hand's key and the public history.

    The action is drawn again as well, from the same random number. If it is another one than was played, the log was
    played by another strategy or seed.
    """

    def __init__(self, strategy: Strategy, seed: int) -> None:
        self.strategy = strategy
        self.seed = seed
        self._space = game_hands(strategy.game)
        self._current: tuple[HandKey, HandStrategy] | None = None

    def played(self, hand: int, state: State, position: int, hole: Hole, action: Action) -> PlayedRow:
        rows, _ = self._drawn(hand, state, position, hole, action)
        return played_row(rows, self._space.blocked(state.board), action)

    def column(self, hand: int, state: State, position: int, hole: Hole, action: Action) -> PlayedRow:
        rows, chosen = self._drawn(hand, state, position, hole, action)
        own = rows.column(self._space.index(hole)).astype(np.float64)
        return PlayedRow(rows.named_actions(hole), own / own.sum(), chosen)

    def _drawn(self, hand: int, state: State, position: int, hole: Hole, action: Action) -> tuple[Rows, int]:
        """Return the rows of a state and the number of the action drawn from them. Raises as `RowsSource.played`."""
        key = HandKey(self.seed, hand, position)
        rows = self._hand(key).rows(state)
        own = rows.column(self._space.index(hole))
        chosen = pick(own, uniform(key, DECISION, state.actions_in_hand)) if len(rows.actions) > 1 else 0
        drawn = rows.named_actions(hole)[chosen]
        if (drawn.kind, drawn.size, set(drawn.cards)) != (action.kind, action.size, set(action.cards)):
            raise ValueError(
                f"hand {hand}: {drawn} is what this bot plays after '{state.betting}', and the log says {action}; "
                "name the config, with the strategy and the seed, that the match was played with"
            )
        return rows, chosen

    def answers(self, hand: int, state: State, position: int) -> tuple[tuple[Action, ...], NDArray[np.float64]] | None:
        # A fork is asked, because later answers must not depend on a state that never came up.
        rows = self._hand(HandKey(self.seed, hand, position)).fork().rows(state)
        return rows.actions, played_row(rows, self._space.blocked(state.board), rows.actions[0]).probabilities

    def _hand(self, key: HandKey) -> HandStrategy:
        if self._current is None or self._current[0] != key:
            self._current = key, self.strategy.start_hand(key)
        return self._current[1]


def played_row(rows: Rows, blocked: NDArray[np.bool_], action: Action) -> PlayedRow:
    """Return rows whose columns sum to 1, with the action that was played. Raises `ValueError` if they lack it."""
    dense = rows.dense(blocked).astype(np.float64)
    total = dense.sum(axis=0)
    dense /= np.where(total > 0, total, 1.0)
    if action not in rows.actions:
        raise ValueError(f"{action} was played, but the rows know only {', '.join(map(str, rows.actions))}")
    return PlayedRow(rows.actions, dense, rows.actions.index(action))


# --- Rows kept beside a log: those that a searching player played by, for every hand that it might have held.

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
        """Write a decision's rows; return them rounded: the action must be drawn from those. Raises `OSError`."""
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
    """A file that `RowsWriter` has written, read as a `RowsSource`."""

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
    """Return uint8 ``[action, hand]``: shares of `levels`, by largest remainder; 0 for hands that are `blocked`."""
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


_log = logging.getLogger(__name__)


class Journal:
    """The files of one match, begun anew if they are taken away. Safe to use from two threads.

    A file that cannot be written any more is given up with a warning, because play does not depend on it.
    """

    def __init__(self, game: GameDef, log: Path | None, rows: Path | None) -> None:
        """log, rows: paths of the two files; None for a file that is not kept."""
        self.log, self.rows = log, rows
        self._game = game
        self._writer: RowsWriter | None = None
        self._lock = Lock()

    def begin(self) -> None:
        """Open both files before the first hand. Raises `ConfigError` for one that cannot be, or holds other things."""
        with self._lock:
            for option, path, open_file in (("log", self.log, self._append), ("rows", self.rows, self._rows_file)):
                try:
                    if path is not None:
                        open_file(path)
                except OSError as error:
                    remedy = f"name a file that can be written as '{option}', or leave that out"
                    raise ConfigError(f"{path}: {error.strerror}; {remedy}") from error
                except ValueError as error:
                    raise ConfigError(str(error)) from error

    def played_by(self, key: HandKey, state: State, rows: Rows) -> Rows:
        """Return the rows to play by: `rows`, rounded as they are written where rows are kept."""
        with self._lock:
            if self.rows is not None:
                try:
                    return self._rows_file(self.rows).record(key.hand, key.position, state, rows)
                except (OSError, ValueError) as error:
                    _give_up(self.rows, error)
                    self.rows = None
            return rows

    def write(self, entry: dict[str, Any]) -> None:
        """Append a decision to the log, as a line."""
        with self._lock:
            if self.log is not None:
                try:
                    self._append(self.log, json.dumps(entry, allow_nan=False) + "\n")
                except (OSError, ValueError) as error:
                    _give_up(self.log, error)
                    self.log = None

    def _append(self, path: Path, line: str = "") -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Opened to append and written at once: the seats of a match may share a file.
        with path.open("a", encoding="utf-8") as file:
            file.write(line)

    def _rows_file(self, path: Path) -> RowsWriter:
        path.parent.mkdir(parents=True, exist_ok=True)
        if self._writer is None:
            self._writer = RowsWriter(path, self._game)
        return self._writer


def _give_up(path: Path, error: Exception) -> None:
    reason = error.strerror if isinstance(error, OSError) else error
    _log.warning("%s: %s; nothing more is written there, and play goes on", path, reason)


def keep_rows(strategy: Strategy, path: Path) -> None:
    """Have a strategy keep the rows that it plays by in a file, from its warm-up on. Raises `ConfigError`."""
    journal = getattr(strategy, "journal", None)
    if not isinstance(journal, Journal):
        raise ConfigError(f"{path}: this bot keeps no rows, because they can be worked out again; leave --rows out")
    journal.rows = path


def silenced(strategy: Strategy) -> Strategy:
    """Return `strategy`, whose journal from now on writes nothing."""
    journal = getattr(strategy, "journal", None)
    if isinstance(journal, Journal):
        journal.log = journal.rows = None
    return strategy
