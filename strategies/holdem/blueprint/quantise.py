"""Average strategies as small integers: the entries of a row sum to two less than the number of values of their type.

The last entry of each row is left out, because the others imply it. One value is left to mark rows that training never
reached: their first entry is one more than the sum.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from limpet.common.jit import Floats, Ints, Longs, njit
from limpet.strategies.abstraction.betting import BettingTree, starts

# --- Compiled look-ups in the stored probabilities of a strategy file.


@njit(cache=True, nogil=True, error_model="numpy")
def look_up_all(stored: NDArray[Any], start: Longs, offset: Longs, actions: Longs, total: int, table: Floats) -> None:
    """Write all rows into `table`, layout `offset`; zeros for rows never trained.

    stored: uint8 or uint16, whose rows begin at ``start[node]``; total: the sum of a row's numbers.
    """
    share = np.arange(65536).astype(np.float32) / np.float32(total)
    for node in range(len(actions)):
        k, at, to = int(actions[node]), start[node], offset[node]
        for _ in range((offset[node + 1] - offset[node]) // k if k else 0):
            trained = k == 1 or stored[at] <= total
            left = total if trained else 0
            for a in range(k - 1):
                number = stored[at + a]
                left -= int(number) if trained else 0
                table[to + a] = share[number] if trained else np.float32(0)
            table[to + k - 1] = np.float32(left) / np.float32(total)
            at += k - 1
            to += k


@njit(cache=True, nogil=True, error_model="numpy")
def fill_untrained(table: Floats, offset: Longs, actions: Longs, passive: Longs, marked: bool) -> None:
    """Give each row of zeros of a table of layout `offset` the nearest other row of its node, of two the lower one's.

    Buckets are ordered by strength, or by hand and board in a lossless abstraction. In a node without any other row it is
    the action ``passive[node]``, if that is not negative. marked: the sign bit of such a row's first entry is set.
    """
    for node in range(len(actions)):
        k, first = int(actions[node]), int(offset[node])
        rows = (offset[node + 1] - offset[node]) // k if k else 0
        below, above = -1, -1
        for row in range(rows):
            at = first + row * k
            if _holds_any(table, at, k):
                below = row
                continue
            if above < row:
                above = row + 1
                while above < rows and not _holds_any(table, first + above * k, k):
                    above += 1
            nearest = below if above == rows or (below >= 0 and row - below <= above - row) else above
            for a in range(k):
                table[at + a] = table[first + nearest * k + a] if nearest >= 0 else np.float32(a == passive[node])
            if marked:
                table[at] = -table[at]


@njit(cache=True, nogil=True, error_model="numpy")
def _holds_any(table: Floats, at: int, actions: int) -> bool:
    """Return whether any of the entries from `at` on is above zero."""
    found = False
    for a in range(at, at + actions):
        found |= table[a] > 0
    return found


def filled(rows: NDArray[np.float32], missed: NDArray[np.bool_], passive: int) -> NDArray[np.float32]:
    """Return the rows ``[bucket, action]`` of one node with those that are `missed` filled as `fill_untrained` does."""
    trained = np.flatnonzero(~missed)
    if not len(trained):
        return np.tile(np.arange(rows.shape[1]) == passive, (len(rows), 1)).astype(np.float32)
    row = np.arange(len(rows))
    at = np.searchsorted(trained, row)
    below, above = trained[np.maximum(at - 1, 0)], trained[np.minimum(at, len(trained) - 1)]
    is_below = (at > 0) & ((at == len(trained)) | (row - below <= above - row))
    nearest = np.where(missed, np.where(is_below, below, above), row)
    return rows[nearest]


TYPES = {8: np.uint8, 16: np.uint16}
NEVER_TRAINED = 1e-30
"""Largest sum of a row that counts as never trained: rounding alone leaves that much."""


def row_total(bits: int) -> int:
    """Return the sum of a row's entries: 254 or 65,534."""
    return (1 << bits) - 2


def packed_offset(tree: BettingTree, offset: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return int64 ``[N + 1]``: the layout `offset` without the last action of each row."""
    actions = np.maximum(tree.num_actions, 1)
    return starts(np.diff(offset) // actions * (actions - 1))


def quantise(
    average: NDArray[Any], tree: BettingTree, offset: NDArray[np.int64], bits: int
) -> tuple[NDArray[Any], int]:
    """Return rows of `average` (non-negative weights, layout `offset`) as uint8 or uint16, and how many are untrained.

    The layout of the result is `packed_offset`. Entries are rounded by largest remainders, so that each row sums to
    `row_total`. A row that was never trained is marked: play then counts a miss, instead of taking it for a deliberate
    uniform choice.
    """
    most = row_total(bits)
    start = packed_offset(tree, offset)
    stored = np.empty(int(start[-1]), TYPES[bits])
    actions = tree.num_actions
    untrained = 0
    for node in tree.decisions.tolist():
        k = int(actions[node])
        if k == 1:  # nothing is stored of a row with one action, which needs no training
            continue
        rows = np.asarray(average[offset[node] : offset[node + 1]], np.float64).reshape(-1, k)
        total = rows.sum(axis=1, keepdims=True)
        trained = total[:, 0] > NEVER_TRAINED
        untrained += int((~trained).sum())
        share = rows / np.where(total > NEVER_TRAINED, total, 1.0) * most
        floor = np.floor(share)
        missing = np.rint(most - floor.sum(axis=1)).astype(np.int64)
        by_remainder = np.argsort(-(share - floor), axis=1, kind="stable")
        rank = np.argsort(by_remainder, axis=1, kind="stable")
        floor += rank < missing[:, None]
        floor[~trained] = most + 1
        stored[start[node] : start[node + 1]] = floor[:, :-1].reshape(-1).astype(stored.dtype)
    return stored, untrained


def look_up_node(stored: NDArray[Any], at: int, total: int, buckets: int, actions: int) -> NDArray[np.float32]:
    """Return all rows of a node, float32 ``[bucket, action]``, that start at entry `at`; zeros for untrained rows.

    They are those of `look_up_all`, by numpy: play asks for single nodes, and need not wait for a kernel to be compiled.
    """
    numbers = stored[at : at + buckets * (actions - 1)].reshape(buckets, actions - 1).astype(np.int32)
    rows = np.column_stack((numbers, total - numbers.sum(axis=1))).astype(np.float32) / np.float32(total)
    if actions > 1:
        rows[numbers[:, 0] > total] = 0
    return rows


def stored_probabilities(stored: NDArray[Any], tree: BettingTree, offset: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return quantised rows as float64 probabilities in layout `offset`, for small games; untrained rows are uniform."""
    table, actions = np.empty(int(offset[-1]), np.float32), tree.num_actions.astype(np.int64)
    look_up_all(stored, packed_offset(tree, offset), offset, actions, row_total(8 * stored.dtype.itemsize), table)
    for node in tree.decisions.tolist():
        rows = table[offset[node] : offset[node + 1]].reshape(-1, actions[node])
        rows[~rows.any(axis=1)] = 1 / actions[node]
    return table.astype(np.float64)


def survey(stored: NDArray[Any], start: Longs, actions: Ints, total: int) -> tuple[int, int]:
    """Return (number of rows with numbers that no row may have, number of rows never trained)."""
    wrong_rows = missed = 0
    for node in np.flatnonzero(actions > 1).tolist():
        rows = stored[start[node] : start[node + 1]].reshape(-1, int(actions[node]) - 1)
        held, marked = rows.sum(axis=1, dtype=np.int64), rows[:, 0] > total
        missed += int(marked.sum())
        wrong_rows += int(np.where(marked, held != rows.shape[1] * (total + 1), held > total).sum())
    return wrong_rows, missed
