"""The tables of a vector solver: where a decision's rows lie, locks, and what is kept on disk."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.solving.schedule import Algorithm
from limpet.strategies.solving.vector.board_tree import BoardTree
from limpet.strategies.solving.vector.decision_kernels import TINY
from limpet.strategies.solving.vector.pass_arrays import Tables
from limpet.strategies.solving.vector.street_forest import StreetForest
from limpet.strategies.trees.starts import starts

Storage = Literal["float32", "int16"]


class SolverTables:
    """Regrets and average strategies of all decisions on all boards.

    Attributes:
        arrays: the tables as the kernels take them.
        averages: whether the answer is an average; if not, it is the last strategy.
        stale_locks: whether the averages of locked decisions may be others than the locked strategies.
    """

    def __init__(self, forest: StreetForest, boards: BoardTree, algorithm: Algorithm, storage: Storage) -> None:
        self.forest, self.boards, self.storage = forest, boards, storage
        self.averages = algorithm.averages
        self.stale_locks = False
        street = boards.arrays.street
        base = starts(forest.arrays.slots[street] * boards.arrays.stride[street])
        decision_base = starts(np.diff(forest.arrays.decision_start)[street])
        entries, count = int(base[-1]), int(decision_base[-1])
        dtype: Any = np.int16 if storage == "int16" else np.float32
        regret = np.zeros(entries, dtype)
        self.arrays = Tables(
            base=base,
            play=np.zeros(entries, dtype) if algorithm.name == "pcfr+" else regret,
            regret=regret,
            average=np.zeros(entries if self.averages else 0, dtype),
            decision_base=decision_base,
            regret_scale=np.zeros(count, np.float32),
            average_scale=np.zeros(count, np.float32),
            locked=np.zeros(count, np.bool_),
        )

    def answer(self) -> Tables:
        """Return tables whose `play` is the answer: the average, or the last strategy where that is the answer."""
        self._settle_locks()
        return self.arrays._replace(play=self.arrays.average) if self.averages else self.arrays

    def find(self, node: int, board: Sequence[int]) -> tuple[int, int, NDArray[np.int16]]:
        """Return a decision's number within its street, and the number and columns of its board (see `BoardTree.find`).

        Raises `ValueError` for a node that is no decision, and for a board of another street or spot.
        """
        street, local = self.forest.locate(node)
        cards = len(self.boards.cards[0]) + street
        if len(board) != cards:
            raise ValueError(f"this decision stands on a board of {cards} cards, not {len(board)}")
        return local, *self.boards.find(tuple(board))

    def of_board(self, table: NDArray[Any], board: int) -> NDArray[Any]:
        """Return a board's rows in a table, ``[slots, stride]``, as a view."""
        street, base = self.boards.arrays.street[board], self.arrays.base
        return table[base[board] : base[board + 1]].reshape(-1, self.boards.arrays.stride[street])

    def rows(self, table: NDArray[Any], board: int, local: int) -> NDArray[Any]:
        """Return a decision's rows in a table, ``[actions, stride]``, as a view."""
        street = int(self.boards.arrays.street[board])
        return self.of_board(table, board)[self.forest.slots(street, local)]

    def lock(self, node: int, board: Sequence[int], strategy: NDArray[np.floating]) -> None:
        """Fix a decision's strategy on a board (and those merged with it): ``[actions, 1326]``, columns summing to 1.

        Best responses of its player keep to it as well. In int16 a probability of 1 is the largest number. Raises
        `ValueError` for a wrong shape or columns that are no probabilities.
        """
        local, at, column = self.find(node, board)
        rows = self.rows(self.arrays.play, at, local)
        if strategy.shape != (len(rows), 1326):
            raise ValueError(f"this decision has {len(rows)} actions for 1,326 hands, not the shape {strategy.shape}")
        held = np.flatnonzero(column >= 0)
        if (strategy[:, held] < 0).any() or not np.allclose(strategy[:, held].sum(axis=0), 1, atol=1e-4):
            raise ValueError("a fixed strategy is probabilities that add up to 1 for every hand")
        full = np.zeros_like(rows)
        full[:, column[held]] = strategy[:, held] if self.storage == "float32" else np.rint(32767 * strategy[:, held])
        for table in (self.arrays.play, self.arrays.regret):
            self.rows(table, at, local)[:] = full
        forest, street = self.forest.arrays, int(self.boards.arrays.street[at])
        first = int(forest.decision_start[street])
        index = int(np.flatnonzero(forest.decision[first : int(forest.decision_start[street + 1])] == local)[0])
        self.arrays.locked[int(self.arrays.decision_base[at]) + index] = True
        self.stale_locks = True

    def _settle_locks(self) -> None:
        """Write the locked strategies into the averages, which passes leave alone at locked decisions."""
        if not self.stale_locks:
            return
        self.stale_locks = False
        if not self.averages:
            return
        forest = self.forest.arrays
        for index in np.flatnonzero(self.arrays.locked):
            at = int(np.searchsorted(self.arrays.decision_base, index, side="right")) - 1
            street = int(self.boards.arrays.street[at])
            first = int(forest.decision_start[street])
            local = int(forest.decision[first + int(index - self.arrays.decision_base[at])])
            self.rows(self.arrays.average, at, local)[:] = self.rows(self.arrays.play, at, local)

    def state_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the tables that a later run needs to go on, bit for bit."""
        self._settle_locks()
        t = self.arrays
        arrays = {"regret": t.regret, "average": t.average, "locked": t.locked}
        if self.storage == "int16":
            arrays |= {"regret_scale": t.regret_scale, "average_scale": t.average_scale}
        if t.play is not t.regret:
            arrays["play"] = t.play
        return arrays

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Read the tables from `state_arrays`. Raises `ValueError` if they are of another solve."""
        mine = self.state_arrays()
        if set(arrays) != set(mine) or any(arrays[key].shape != array.shape for key, array in mine.items()):
            raise ValueError("the saved tables are of another tree, board, storage or algorithm")
        for key, array in mine.items():
            array[:] = arrays[key]


def normalised(rows: NDArray[Any]) -> NDArray[np.float32]:
    """Return rows ``[actions, hands]`` as probabilities; negative weights are 0, and hands without weight play evenly."""
    weights = np.maximum(rows.astype(np.float32), 0)
    total = weights.sum(axis=0)
    even = np.full_like(weights, np.float32(1 / len(rows)))
    return np.asarray(np.divide(weights, total, out=even, where=total > TINY))
