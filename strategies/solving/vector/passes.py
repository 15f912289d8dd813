"""Passes of the kernels over a whole game, on one thread or several, and the rules by which they run."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.solving.schedule import Algorithm
from limpet.strategies.solving.vector import vector_kernels as kernels
from limpet.strategies.solving.vector.board_tree import BoardTree
from limpet.strategies.solving.vector.decision_kernels import PREDICT, REGRET
from limpet.strategies.solving.vector.kujath_kernels import GREEDY, RETURN_NEW, Groups, KujathRule
from limpet.strategies.solving.vector.pass_arrays import Capture, Root, Space, Tables
from limpet.strategies.solving.vector.street_forest import Forest
from limpet.strategies.trees.starts import starts

Rule = int | KujathRule
"""The rule of a pass: an integer for the usual kernels, more where Kujath's thesis is asked for."""
HandGroups = Callable[[tuple[int, ...]], NDArray[np.integer]]
"""A function from a board to the group of each of the 1,326 hands, negative for those it blocks."""

ALL_STAGES = kernels.DESCEND | kernels.VISIT | kernels.RISE
NO_CAPTURE = Capture(-1, np.zeros(0, np.float32), np.zeros(0, np.float32))


def learning_rule(
    algorithm: Algorithm, boards: BoardTree, ranges: NDArray[np.float32], groups: HandGroups | None
) -> Rule:
    """Return the rule of passes that change the tables. ranges: ``[2, 1326]``, by whose weights a group's hands count."""
    kinds = {"cfr-return-new": RETURN_NEW, "cgh": GREEDY, "pcfr+": PREDICT}
    kind = kinds.get(algorithm.name, REGRET)
    if kind in (REGRET, PREDICT) and algorithm.averaging == "reach" and groups is None:
        return kind
    return KujathRule(
        kind=kind,
        by_reach=algorithm.averaging == "reach",
        constant=np.float32(algorithm.constant),
        ties_stay=algorithm.ties == "keep",
        returns_new=algorithm.returns == "new",
        grouped=groups is not None,
        groups=_group_arrays(boards, ranges, groups),
    )


def measuring_rule(learning: Rule, kind: int, abstract: bool) -> Rule:
    """Return the rule of a pass that changes nothing. abstract: whether values are averaged over the groups' hands."""
    return learning._replace(kind=kind) if abstract and isinstance(learning, KujathRule) and learning.grouped else kind


def _group_arrays(boards: BoardTree, ranges: NDArray[np.float32], groups: HandGroups | None) -> Groups:
    """Number the groups densely on each board, in its order of hands.

    Where nobody holds any hand of a group, its hands count alike.
    """
    if groups is None:
        none = np.zeros(len(boards.cards), np.int64)
        return Groups(none, np.zeros(0, np.int16), none, np.zeros((2, 0), np.float32))
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
    return Groups(
        start=starts([len(group) for group in of_boards])[:-1],
        group=np.concatenate(of_boards),
        number=np.array(counts, np.int64),
        share=np.concatenate(shares, axis=1).astype(np.float32),
    )


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
        stride = self.boards.stride
        rows, leaf_rows = np.diff(forest.node_start) * stride, np.diff(forest.leaf_start) * stride
        self.chunks = len(boards.chunk_start) - 1
        self.root = Root(
            ranges=np.zeros(2 * int(stride[0]), np.float32),
            reach=np.zeros(int(rows[0]), np.float32),
            value=np.zeros(int(rows[0]), np.float32),
            chunks=np.zeros(max(1, self.chunks) * int(leaf_rows[0]), np.float32),
            chunk_start=boards.chunk_start,
        )
        self.ranges = self.root.ranges.reshape(2, -1)
        self.ranges[:, : len(boards.hands[0])] = ranges[:, boards.hands[0]]
        offset, below_offset = starts([0, *rows[1:]]), starts([0, *leaf_rows[1:]])
        longest = int(stride.max())
        self.spaces = [
            Space(
                reach=np.zeros(offset[-1], np.float32),
                value=np.zeros(offset[-1], np.float32),
                offset=offset[:-1],
                below=np.zeros(below_offset[-1], np.float32),
                below_offset=below_offset[:-1],
                mixed=np.zeros(longest * 8, np.float32),
                shown=np.zeros(longest * 8, np.float32),
                apart=np.zeros(longest * 16, np.float32),
                cards=np.zeros(54 * 8, np.float32),
                fresh=np.zeros(int(forest.actions.max()) * longest, np.float32),
            )
            for _ in range(threads)
        ]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 and self.chunks > 1 else None

    def run(
        self, players: Sequence[int], schedule: NDArray[np.float32], tables: Tables, rule: Rule,
        capture: Capture = NO_CAPTURE,
    ) -> None:  # fmt: skip
        """Run a pass for each of the players in turn, for each row of the schedule (see `run_passes`)."""
        if self._pool is None:
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
