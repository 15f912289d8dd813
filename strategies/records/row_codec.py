"""Rows in few bytes. Probabilities are rounded until they fit, and the rounded rows are those to be played by."""

import zlib
from struct import Struct, error

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import Action
from limpet.strategies.strategy import Rows

MOST_BYTES = 4096
"""Most bytes of the coded rows of one decision."""
LEVELS = (255, 63, 15, 3)
"""Numbers of levels, tried in turn until rows fit. A share is a whole number of levels, so that sums are exact."""

_HEAD = Struct("<BBH")  # levels, actions, hands
_ACTION = Struct("<cI")


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


def encode_rows(rows: Rows, blocked: NDArray[np.bool_], most: int = MOST_BYTES) -> bytes:
    """Return the rows as at most `most` bytes, in as many levels as fit. Raises `ValueError` if none do."""
    for levels in LEVELS:
        shares = round_rows(rows, blocked, levels)
        head = _HEAD.pack(levels, len(rows.actions), len(blocked))
        head += b"".join(_ACTION.pack(action.kind.encode(), action.size) for action in rows.actions)
        coded = head + zlib.compress(shares[:-1][:, ~blocked].tobytes(), 9)
        if len(coded) <= most:
            return coded
    raise ValueError(f"a row of {len(rows.actions)} actions does not fit into {most} bytes")


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
    return Rows(tuple(actions), _probabilities(shares.reshape(count - 1, -1), live, levels))


def _probabilities(shares: NDArray[np.uint8], live: NDArray[np.bool_], levels: int) -> NDArray[np.float32]:
    probabilities = np.zeros((len(shares) + 1, len(live)), np.float32)
    last = levels - shares.sum(axis=0, dtype=np.int64)
    if (last < 0).any():
        raise ValueError("damaged rows: shares of more than a whole")
    probabilities[:-1, live] = shares / np.float32(levels)
    probabilities[-1, live] = last / np.float32(levels)
    return probabilities
