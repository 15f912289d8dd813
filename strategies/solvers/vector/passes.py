"""Passes of the kernels over a whole game: working space, threads, tables, and the rules by which they run."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction.betting import starts
from limpet.strategies.solvers.schedule import Algorithm
from limpet.strategies.solvers.vector import street_forest
from limpet.strategies.solvers.vector import vector_kernels as kernels
from limpet.strategies.solvers.vector.board_order import padded
from limpet.strategies.solvers.vector.board_tree import BoardTree
from limpet.strategies.solvers.vector.decision_kernels import GREEDY, PREDICT, REGRET, RETURN_NEW, TINY
from limpet.strategies.solvers.vector.pass_arrays import (
    BoardHandGroups,
    BoardTables,
    Capture,
    PassRule,
    PassSpace,
    Root,
)

HandGroups = Callable[[tuple[int, ...]], NDArray[np.integer]]
"""A function from a board to the group of each of the 1,326 hands, negative for those it blocks."""

MEASURE = np.array([[1, 1, 0, 1, 1, 1, 0, 1, 0, 1]], np.float32)
"""The schedule of a pass that visits all boards and changes no table: one `Step`."""
ALL_STAGES = kernels.DESCEND | kernels.VISIT | kernels.RISE
NO_CAPTURE = Capture(-1, np.zeros(0, np.float32), np.zeros(0, np.float32))


def learning_rule(
    algorithm: Algorithm, boards: BoardTree, ranges: NDArray[np.float32], groups: HandGroups | None
) -> PassRule:
    """Return the rule of passes that change the tables. ranges: ``[2, 1326]``, by whose weights a group's hands count."""
    kinds = {"cfr-return-new": RETURN_NEW, "cgh": GREEDY, "pcfr+": PREDICT}
    return PassRule(
        kind=kinds.get(algorithm.name, REGRET),
        by_reach=algorithm.averaging == "reach",
        constant=np.float32(algorithm.constant),
        ties_stay=algorithm.ties == "keep",
        returns_new=algorithm.returns == "new",
        grouped=groups is not None,
        groups=_group_arrays(boards, ranges, groups),
    )


def measuring_rule(learning: PassRule, kind: int, abstract: bool) -> PassRule:
    """Return the rule of a pass that changes nothing. abstract: whether values are averaged over the groups' hands."""
    return learning._replace(kind=kind, grouped=abstract and learning.grouped)


def _group_arrays(boards: BoardTree, ranges: NDArray[np.float32], groups: HandGroups | None) -> BoardHandGroups:
    """Number the groups densely by board, in its order of hands; where nobody holds one, its hands count alike."""
    if groups is None:
        none = np.zeros(len(boards.cards), np.int64)
        return BoardHandGroups(none, np.zeros(0, np.int16), none, np.zeros((2, 0), np.float32))
    of_boards, counts, shares = [], [], []
    for cards, hands in zip(boards.cards, boards.hands, strict=True):
        labels, dense = np.unique(groups(cards)[hands], return_inverse=True)
        of_boards.append(dense.astype(np.int16))
        counts.append(len(labels))
        share = np.empty((2, len(hands)))
        for p, weights in enumerate(ranges[:, hands].astype(np.float64)):
            held = np.bincount(dense, weights)[dense]
            share[p] = np.where(held > 0, weights, 1) / np.where(held > 0, held, np.bincount(dense)[dense])
        shares.append(share)
    return BoardHandGroups(
        start=starts([len(group) for group in of_boards])[:-1],
        group=np.concatenate(of_boards),
        number=np.array(counts, np.int64),
        share=np.concatenate(shares, axis=1).astype(np.float32),
    )


class Passes:
    """The working space of passes over one game, and the threads that share them.

    Threads share chunks of the boards below the root. The sums of the chunks are added in a fixed order, so that results do
    not depend on the number of threads. ranges: float32 ``[2, hands]`` and padding, the weights of both players' hands in the
    root board's order; may be written to between passes.
    """

    def __init__(
        self, forest: street_forest.Forest, boards: BoardTree, ranges: NDArray[np.float32], threads: int
    ) -> None:
        """ranges: ``[2, 1326]``."""
        self.forest, self.boards = forest, boards.arrays
        stride = self.boards.stride.max(axis=0)
        rows, leaf_rows = np.diff(forest.node_start) * stride, np.diff(forest.leaf_start) * stride
        longest = int(stride.max())
        self.chunks = len(boards.chunk_start) - 1
        self.root = Root(
            ranges=np.zeros(2 * padded(len(boards.hands[0])), np.float32),
            reach=np.zeros(int(rows[0]), np.float32),
            value=np.zeros(int(rows[0]) + longest, np.float32),
            chunks=np.zeros(max(1, self.chunks) * int(leaf_rows[0]), np.float32),
            chunk_start=boards.chunk_start,
            next_chunk=np.zeros(1, np.int64),
            round=np.zeros(len(boards.cards), np.int8),
        )
        self.ranges = self.root.ranges.reshape(2, -1)
        self.ranges[:, : len(boards.hands[0])] = ranges[:, boards.hands[0]]
        offset, below_offset = starts([0, *rows[1:]]), starts([0, *leaf_rows[1:]])
        self.spaces = [
            PassSpace(
                reach=np.zeros(offset[-1], np.float32),
                value=np.zeros(offset[-1] + longest, np.float32),
                offset=offset[:-1],
                below=np.zeros(below_offset[-1], np.float32),
                below_offset=below_offset[:-1],
                mixed=np.zeros(padded(int(self.boards.hands.max())) * 8, np.float32),
                runs=np.zeros((int(self.boards.runs.max()) + 1) * 8, np.float32),
                parts=np.zeros((int(self.boards.card_part.max()) + 1) * 8, np.float32),
                rows=np.zeros(16, np.int64),
                stakes=np.zeros(32, np.float32),
                cards=np.zeros(54 * 8, np.float32),
                fresh=np.zeros(int(forest.actions.max()) * longest, np.float32),
            )
            for _ in range(threads)
        ]
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 and self.chunks > 1 else None

    def run(self, players: Sequence[int], schedule: NDArray[np.float32], tables: BoardTables, rule: PassRule) -> None:
        """Run a pass for each of the players in turn, for each row of the schedule (see `run_passes`)."""
        if self._pool is None:
            ends = players[0], players[-1] + 1
            self._stages(ALL_STAGES, ends, schedule, tables, rule, self.spaces[0])
            return
        for row in schedule:
            for p in players:
                ends, now = (p, p + 1), row.reshape(1, -1)
                self._stages(kernels.DESCEND, ends, now, tables, rule, self.spaces[0])
                visit = partial(self._stages, kernels.VISIT, ends, now, tables, rule)
                others = [self._pool.submit(visit, space) for space in self.spaces[1:]]
                try:
                    visit(self.spaces[0])
                finally:
                    for other in others:
                        other.result()
                self._stages(kernels.RISE, ends, now, tables, rule, self.spaces[0])

    def captured(self, p: int, board: int, tables: BoardTables, rule: PassRule) -> Capture:
        """Return the rows of a board after a pass of player p that changes nothing, over no more boards than that needs."""
        street = int(self.boards.street[board])
        if street == 0:
            self.run((p,), MEASURE, tables, rule)
            return Capture(0, self.root.reach, self.root.value)
        size = int(np.diff(self.forest.node_start)[street] * self.boards.stride[:, street].max())
        capture = Capture(board, np.zeros(size, np.float32), np.zeros(size, np.float32))
        branches = np.append(np.flatnonzero(self.boards.parent == 0), len(self.boards.parent))
        branch = int(np.searchsorted(branches, board, "right"))
        whole = self.root
        self.root = whole._replace(chunk_start=branches[branch - 1 : branch + 1].astype(np.int64))
        try:
            stages = kernels.DESCEND | kernels.VISIT
            self._stages(stages, (p, p + 1), MEASURE, tables, rule, self.spaces[0], capture)
        finally:
            self.root = whole
        return capture

    def _stages(
        self, stages: int, players: tuple[int, int], schedule: NDArray[np.float32], tables: BoardTables, rule: PassRule,
        space: PassSpace, capture: Capture = NO_CAPTURE,
    ) -> None:  # fmt: skip
        kernels.run_passes(
            stages, *players, schedule, self.forest, self.boards, tables, rule, self.root, space, capture
        )


# --- The tables of a vector solver: where a decision's rows lie, locks, and what is kept on disk.

Storage = Literal["float32", "int16"]


class SolverTables:
    """Regrets and average strategies of all decisions on all boards, as the kernels take them.

    `averages` says whether the answer is an average and not the last strategy, and `stale_locks` whether averages of locked
    decisions may be others than the locked strategies.
    """

    def __init__(
        self, forest: street_forest.StreetForest, boards: BoardTree, algorithm: Algorithm, storage: Storage
    ) -> None:
        self.forest, self.boards, self.storage = forest, boards, storage
        self.averages = algorithm.averages
        self.stale_locks = False
        street = boards.arrays.street
        row, of_street = _table_rows(forest.arrays, boards.arrays.stride)
        base = starts(of_street[street])
        decision_base = starts(np.diff(forest.arrays.decision_start)[street])
        entries, count = int(base[-1]), int(decision_base[-1])
        dtype: Any = np.int16 if storage == "int16" else np.float32
        regret = np.zeros(entries, dtype)
        self.arrays = BoardTables(
            base=base,
            row=row,
            play=np.zeros(entries, dtype) if algorithm.name == "pcfr+" else regret,
            regret=regret,
            average=np.zeros(entries if self.averages else 0, dtype),
            decision_base=decision_base,
            regret_scale=np.zeros(count, np.float32),
            average_scale=np.zeros(count, np.float32),
            locked=np.zeros(count, np.bool_),
        )

    def answer(self) -> BoardTables:
        """Return tables whose `play` is the answer: the average, or the last strategy where that is the answer."""
        self._settle_locks()
        return self.arrays._replace(play=self.arrays.average) if self.averages else self.arrays

    def find(self, node: int, board: Sequence[int]) -> tuple[int, int, NDArray[np.int16]]:
        """Return a decision's number in its street, its board's number, and every hand's column in its rows.

        The columns are int16 ``[1326]``, -1 for hands that its player does not hold. Raises `ValueError` for what is no
        decision, or no board of it.
        """
        street, local = self.forest.locate(node)
        cards = len(self.boards.cards[0]) + street
        if len(board) != cards:
            raise ValueError(f"this decision stands on a board of {cards} cards, not {len(board)}")
        at, column = self.boards.find(tuple(board))
        actor = int(self.forest.arrays.kind[self.forest.arrays.node_start[street] + local])
        return local, at, self.boards.places(at, actor, column)

    def rows(self, table: NDArray[Any], board: int, local: int) -> NDArray[Any]:
        """Return a decision's rows in a table, ``[actions, stride]``, as a view. Its columns are those that `find` returns."""
        forest, street = self.forest.arrays, int(self.boards.arrays.street[board])
        node = int(forest.node_start[street]) + local
        stride = int(self.boards.arrays.stride[forest.kind[node], street])
        first = int(self.arrays.base[board] + self.arrays.row[node])
        return table[first : first + forest.actions[node] * stride].reshape(-1, stride)

    def of_board(self, table: NDArray[Any], board: int) -> NDArray[Any]:
        """Return a copy of a board's rows, ``[slots, hands]``; 0 for hands that a decision's player does not hold."""
        slots = int(self.forest.arrays.slots[self.boards.arrays.street[board]])
        rows = np.zeros((slots, len(self.boards.hands[board])), table.dtype)
        for place, held in self._held_rows(table, board):
            rows[place] = held
        return rows

    def put_on_board(self, table: NDArray[Any], board: int, rows: NDArray[Any]) -> None:
        """Write a board's rows, as `of_board` returns them, into a table."""
        for place, held in self._held_rows(table, board):
            held[:] = rows[place]

    def _held_rows(self, table: NDArray[Any], board: int) -> Iterator[tuple[tuple[slice, slice], NDArray[Any]]]:
        """Yield for each decision its slots and its player's columns, and its rows of the hands there, as a view."""
        forest, street = self.forest.arrays, int(self.boards.arrays.street[board])
        own = [(self.boards.columns(board, p), self.boards.in_rows(board, p)) for p in (0, 1)]
        for local in forest.decision[forest.decision_start[street] : forest.decision_start[street + 1]].tolist():
            columns, in_rows = own[forest.kind[forest.node_start[street] + local]]
            yield (self.forest.slots(street, local), columns), self.rows(table, board, local)[:, in_rows]

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


def _table_rows(forest: street_forest.Forest, stride: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return `BoardTables.row`, and how many entries a board of each street has. stride: ``[2, street]``."""
    rows, of_street = [], []
    for street, (first, last) in enumerate(pairwise(forest.node_start.tolist())):
        of_actor = np.where(forest.kind[first:last] == 1, stride[1, street], stride[0, street])
        start = starts(forest.actions[first:last] * of_actor)  # where nobody acts there are no actions
        rows.append(start[:-1])
        of_street.append(start[-1])
    return np.concatenate(rows), np.array(of_street)


def normalised(rows: NDArray[Any]) -> NDArray[np.float32]:
    """Return rows ``[actions, hands]`` as probabilities; negative weights are 0, and hands without weight play evenly."""
    weights = np.maximum(rows.astype(np.float32), 0)
    total = weights.sum(axis=0)
    even = np.full_like(weights, np.float32(1 / len(rows)))
    return np.asarray(np.divide(weights, total, out=even, where=total > TINY))
