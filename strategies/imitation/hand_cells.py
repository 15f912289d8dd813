"""Cells of hands after the flop: how strong each hand is among those that the board leaves possible."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.cards.handspace import read_only
from limpet.strategies.cards.isomorphism import canonical_boards, hand_permutation, preflop_classes
from limpet.strategies.cards.preflop_matrix import class_equities
from limpet.strategies.cards.strength import strength_counts
from limpet.strategies.imitation.grids import Grid

Cells = NDArray[np.int16]

GROUPS = 3
"""Number of groups of strength within which raise sizes are counted apart: weak, middling, strong."""


def strength_cells(board: tuple[int, ...], cells: int) -> Cells:
    """Return int16 ``[1326]``: the quantile of each hand's chance to beat a random one, -1 for blocked hands; read-only.

    Cell 0 is the weakest. Hands of equal strength share the cell of the middle of their ranks. A new flop takes some
    20 ms, a turn 1 ms, a river less.
    """
    if len(board) == 3:
        number, permutation = canonical_boards(3).find(board)
        return read_only(_canonical_flop(number, cells)[hand_permutation(permutation)])
    return _later_board(tuple(sorted(board)), cells)


def is_ready(board: tuple[int, ...], cells: int) -> bool:
    """Return False where `strength_cells` takes more than a millisecond because the board is new."""
    return len(board) != 3 or (canonical_boards(3).find(board)[0], cells) in _worked_out


_worked_out: set[tuple[int, int]] = set()


@lru_cache(maxsize=2 * 1755)
def _canonical_flop(number: int, cells: int) -> Cells:
    _worked_out.add((number, cells))
    return _quantiles([int(card) for card in canonical_boards(3).boards[number]], cells)


@lru_cache(maxsize=1024)
def _later_board(board: tuple[int, ...], cells: int) -> Cells:
    return _quantiles(list(board), cells)


def _quantiles(board: list[int], cells: int) -> Cells:
    counts = strength_counts(board)
    live = np.sort(counts[counts >= 0])
    middle = (np.searchsorted(live, counts) + np.searchsorted(live, counts, side="right")) / 2
    quantile = np.minimum(cells * middle / len(live), cells - 1).astype(np.int16)
    quantile[counts < 0] = -1
    return read_only(quantile)


@lru_cache(maxsize=8)
def preflop_cells(grid: Grid) -> Cells:
    """Return int16 ``[1326]``: the grid's cell of each hand; read-only."""
    return read_only(grid.cell_of_class[preflop_classes()].astype(np.int16))


@lru_cache(maxsize=8)
def preflop_groups(grid: Grid) -> NDArray[np.intp]:
    """Return int ``[cell]``: the group of strength that each of the grid's cells belongs to; read-only."""
    hands = class_equities()[preflop_classes()]
    cells = preflop_cells(grid)
    mean = np.bincount(cells, hands, grid.size) / np.bincount(cells, minlength=grid.size)
    bounds = np.quantile(hands, [part / GROUPS for part in range(1, GROUPS)])
    return read_only(np.searchsorted(bounds, mean))
