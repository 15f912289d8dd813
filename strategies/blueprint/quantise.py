"""Average strategies as small integers: the entries of a row sum to two less than the number of values of their type.

A file leaves out the last action of each row, which the others imply (`pack_table`), and then has one value left to mark
rows that training never reached.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.blueprint import row_kernels as kernels
from limpet.strategies.trees.betting import BettingTree
from limpet.strategies.trees.starts import starts

TYPES = {8: np.uint8, 16: np.uint16}
NEVER_TRAINED = 1e-30
"""Largest sum of a row that counts as never trained: rounding alone leaves that much."""


def row_total(bits: int) -> int:
    """Return the sum of a row's entries: 254 or 65,534."""
    return (1 << bits) - 2


def quantise(
    average: NDArray[Any], tree: BettingTree, offset: NDArray[np.int64], bits: int
) -> tuple[NDArray[Any], int]:
    """Return rows of `average` (non-negative weights, layout `offset`) as uint8 or uint16, and how many are untrained.

    Entries are rounded by largest remainders, so that each row sums to `row_total`. A row that was never trained stays
    all zero: play then counts a miss, instead of taking it for a deliberate uniform choice.
    """
    most = row_total(bits)
    table = np.zeros(len(average), TYPES[bits])
    actions = tree.num_actions
    untrained = 0
    for node in tree.decisions.tolist():
        begin, end, k = int(offset[node]), int(offset[node + 1]), int(actions[node])
        rows = np.asarray(average[begin:end], np.float64).reshape(-1, k)
        total = rows.sum(axis=1, keepdims=True)
        trained = total[:, 0] > NEVER_TRAINED
        untrained += int((~trained).sum()) if k > 1 else 0  # a row with one action needs no training
        share = rows / np.where(total > NEVER_TRAINED, total, 1.0) * most
        floor = np.floor(share)
        missing = np.rint(most - floor.sum(axis=1)).astype(np.int64)
        by_remainder = np.argsort(-(share - floor), axis=1, kind="stable")
        rank = np.argsort(by_remainder, axis=1, kind="stable")
        floor += rank < missing[:, None]
        floor[~trained] = 0
        table[begin:end] = floor.reshape(-1).astype(table.dtype)
    return table, untrained


def dequantise(rows: NDArray[Any]) -> NDArray[np.float32]:
    """Return the probabilities ``[bucket, k]`` of quantised rows ``[bucket, k]``; a row of zeros stays zero."""
    total = rows.sum(axis=1, dtype=np.int64, keepdims=True)
    probabilities: NDArray[np.float32] = (rows / np.maximum(total, 1)).astype(np.float32)
    return probabilities


def stored_probabilities(table: NDArray[Any], tree: BettingTree, offset: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return a whole quantised table as float64 probabilities, for exact evaluation; rows never trained are uniform."""
    actions = tree.num_actions
    probabilities = np.empty(len(table), np.float64)
    for node in tree.decisions.tolist():
        begin, end, k = int(offset[node]), int(offset[node + 1]), int(actions[node])
        rows = dequantise(table[begin:end].reshape(-1, k))
        rows[rows.sum(axis=1) == 0] = 1.0 / k
        probabilities[begin:end] = rows.reshape(-1)
    return probabilities


def packed_offset(tree: BettingTree, offset: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return int64 ``[N + 1]``: the layout `offset` without the last action of each row."""
    actions = np.maximum(tree.num_actions, 1)
    entries = np.diff(offset) // actions * (actions - 1)
    return starts(entries)


def pack_table(table: NDArray[Any], tree: BettingTree, offset: NDArray[np.int64]) -> NDArray[Any]:
    """Return the numbers that a file stores of a quantised table, layout `packed_offset`.

    Raises `ValueError` for rows that `quantise` does not make.
    """
    start = packed_offset(tree, offset)
    stored = np.empty(int(start[-1]), table.dtype)
    total = row_total(8 * table.dtype.itemsize)
    wrong = kernels.pack(np.ascontiguousarray(table), start, offset, tree.num_actions, total, stored)
    if wrong:
        raise ValueError(f"{wrong:,} rows sum neither to {total} nor to 0; make the table with `quantise`")
    return stored


def unpack_table(stored: NDArray[Any], tree: BettingTree, offset: NDArray[np.int64]) -> NDArray[Any]:
    """Return the quantised table that `pack_table` made the stored numbers of."""
    table = np.empty(int(offset[-1]), stored.dtype)
    total = row_total(8 * stored.dtype.itemsize)
    kernels.unpack(stored, packed_offset(tree, offset), offset, tree.num_actions, total, table)
    return table
