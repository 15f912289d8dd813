"""Passes of the kernels over a whole game, on one thread or several."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.solving.vector import vector_kernels as kernels
from limpet.strategies.solving.vector.board_tree import BoardTree
from limpet.strategies.solving.vector.kujath_kernels import KujathRule
from limpet.strategies.solving.vector.pass_arrays import Capture, Root, Space, Tables
from limpet.strategies.solving.vector.street_forest import Forest
from limpet.strategies.trees.starts import starts

Rule = int | KujathRule
ALL_STAGES = kernels.DESCEND | kernels.VISIT | kernels.RISE
NO_CAPTURE = Capture(-1, np.zeros(0, np.float32), np.zeros(0, np.float32))


class Passes:
    """The working space of passes over one game, and the threads that share them.

    Threads share chunks of the boards below the root. The sums of the chunks are added in a fixed order, so that results
    do not depend on the number of threads.

    Attributes:
        ranges: float32 ``[2, stride]``, the weights of both players' hands in the root board's order; may be written to
            between passes.
    """

    def __init__(self, forest: Forest, boards: BoardTree, ranges: NDArray[np.float32], threads: int) -> None:
        """ranges: ``[2, 1326]``."""
        self.forest, self.boards = forest, boards.arrays
        nodes, leaves, stride = np.diff(forest.node_start), np.diff(forest.leaf_start), self.boards.stride
        self.chunks = len(boards.chunk_start) - 1
        self.root = Root(
            ranges=np.zeros(2 * int(stride[0]), np.float32),
            reach=np.zeros(int(nodes[0] * stride[0]), np.float32),
            value=np.zeros(int(nodes[0] * stride[0]), np.float32),
            chunks=np.zeros(max(1, self.chunks) * int(leaves[0] * stride[0]), np.float32),
            chunk_start=boards.chunk_start,
        )
        self.ranges = self.root.ranges.reshape(2, -1)
        self.ranges[:, : len(boards.hands[0])] = ranges[:, boards.hands[0]]
        offset = starts([0, *(nodes * stride)[1:]])[: len(stride)]
        below_offset = starts([0, *(leaves * stride)[1:]])[: len(stride)]
        self.spaces = [self._space(offset, below_offset) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 and self.chunks > 1 else None

    def _space(self, offset: NDArray[np.int64], below_offset: NDArray[np.int64]) -> Space:
        nodes, leaves, stride = np.diff(self.forest.node_start), np.diff(self.forest.leaf_start), self.boards.stride
        longest = int(stride.max())
        rows = int((nodes * stride)[1:].sum())
        return Space(
            reach=np.zeros(rows, np.float32),
            value=np.zeros(rows, np.float32),
            offset=offset,
            below=np.zeros(int((leaves * stride)[1:].sum()), np.float32),
            below_offset=below_offset,
            mixed=np.zeros(longest * 8, np.float32),
            shown=np.zeros(longest * 8, np.float32),
            apart=np.zeros(longest * 16, np.float32),
            cards=np.zeros(54 * 8, np.float32),
            fresh=np.zeros(int(self.forest.actions.max()) * longest, np.float32),
        )

    @property
    def in_stages(self) -> bool:
        """Whether the stages of a pass are run one by one, because work is done between them."""
        return self._pool is not None

    def run(
        self, players: Sequence[int], schedule: NDArray[np.float32], tables: Tables, rule: Rule,
        capture: Capture = NO_CAPTURE,
    ) -> None:  # fmt: skip
        """Run a pass for each of the players in turn, for each row of the schedule (see `run_passes`)."""
        if not self.in_stages:
            ends = players[0], players[-1] + 1
            self._stages(ALL_STAGES, (0, self.chunks), ends, schedule, tables, rule, self.spaces[0], capture)
            return
        for row in schedule:
            for p in players:
                ends, now = (p, p + 1), row.reshape(1, -1)
                self._stages(kernels.DESCEND, (0, 0), ends, now, tables, rule, self.spaces[0], capture)
                self._visit(p, now, tables, rule, capture)
                self._stages(kernels.RISE, (0, 0), ends, now, tables, rule, self.spaces[0], capture)

    def _visit(self, p: int, schedule: NDArray[np.float32], tables: Tables, rule: Rule, capture: Capture) -> None:
        """Pass over all chunks of boards below the root, as threads become free."""
        assert self._pool is not None
        left = iter(range(self.chunks))
        lock = threading.Lock()

        def work(space: Space) -> None:
            while True:
                with lock:
                    c = next(left, None)
                if c is None:
                    return
                self._stages(kernels.VISIT, (c, c + 1), (p, p + 1), schedule, tables, rule, space, capture)

        for future in [self._pool.submit(work, space) for space in self.spaces]:
            future.result()

    def _stages(
        self, stages: int, chunks: tuple[int, int], players: tuple[int, int], schedule: NDArray[np.float32],
        tables: Tables, rule: Rule, space: Space, capture: Capture,
    ) -> None:  # fmt: skip
        kernels.run_passes(
            stages, *chunks, *players, schedule, self.forest, self.boards, tables, rule, self.root, space, capture
        )
