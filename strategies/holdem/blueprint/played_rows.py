"""The rows of a strategy file that are played: filled in where training never came, thresholded if asked for."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.holdem.blueprint.quantise import look_up_all
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.trees.betting import KINDS, BettingTree


class NodeRows(NamedTuple):
    """The rows of a node as played, float32 ``[action, bucket]``, and bool_ ``[bucket]``: where training never came."""

    probabilities: NDArray[np.float32]
    missed: NDArray[np.bool_]


class PlayedRows:
    """Rows of a strategy file as they are played.

    Args:
        threshold: actions less likely than this are never taken (Ganzfried, Sandholm & Waugh 2012); the others share
            their probability in proportion.
        purify: whether only the likeliest action is taken, the first of equal ones.
    """

    def __init__(self, file: StrategyFile, threshold: float = 0.0, purify: bool = False) -> None:
        self.file = file
        self.threshold = threshold
        self.purify = purify
        self.node = lru_cache(maxsize=4096)(self._work_out)
        """Returns the rows of a node; those of the last 4,096 nodes are kept."""

    def table(self, marked: bool = False) -> NDArray[np.float32]:
        """Return every row, in the file's layout `offset`.

        marked: whether the sign bit of a row's first entry is set where the row was never trained.
        """
        file = self.file
        table = np.empty(int(file.offset[-1]), np.float32)
        if not (self.threshold or self.purify):
            actions = np.diff(file.tree.first_edge).astype(np.int64)
            look_up_all(file.stored, file.start, file.offset, actions, _passive(file.tree), file.total, marked, table)
            return table
        for node in file.tree.decisions.tolist():
            probabilities, missed = self._work_out(node)
            rows = table[file.offset[node] : file.offset[node + 1]].reshape(-1, len(probabilities))
            rows[:] = probabilities.T
            if marked:
                rows[missed, 0] = -rows[missed, 0]
        return table

    def _work_out(self, node: int) -> NodeRows:
        probabilities = np.ascontiguousarray(self.file.node_rows(node).T)
        missed = probabilities.sum(axis=0) == 0
        probabilities = fill_from_neighbours(probabilities, missed, self.file.tree, node)
        if self.purify:
            probabilities = purified(probabilities)
        elif self.threshold > 0:
            probabilities = thresholded(probabilities, self.threshold)
        return NodeRows(probabilities, missed)


def _passive(tree: BettingTree) -> NDArray[np.int64]:
    """Return int64 ``[node]``: the number of the check or call among a node's actions, -1 where there is none."""
    calls = np.flatnonzero(tree.edge_kind == KINDS.index("c"))
    nodes = np.searchsorted(tree.first_edge, calls, side="right") - 1
    passive = np.full(tree.num_nodes, -1, np.int64)
    passive[nodes] = calls - tree.first_edge[nodes]
    return passive


def thresholded(probabilities: NDArray[np.float32], threshold: float) -> NDArray[np.float32]:
    """Return the columns of ``[action, bucket]`` without actions below `threshold`, scaled to sum to 1 again.

    A column whose actions are all below it is purified.
    """
    kept = np.where(probabilities >= threshold, probabilities, np.float32(0))
    total = kept.sum(axis=0)
    shared: NDArray[np.float32] = np.where(total > 0, kept / np.maximum(total, 1e-9), purified(probabilities))
    return shared.astype(np.float32)


def purified(probabilities: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return 1 for the likeliest action of each column of ``[action, bucket]``, the first of equal ones; 0 elsewhere."""
    pure = np.zeros_like(probabilities)
    pure[probabilities.argmax(axis=0), np.arange(probabilities.shape[1])] = 1.0
    return pure


def fill_from_neighbours(
    probabilities: NDArray[np.float32], missed: NDArray[np.bool_], tree: BettingTree, node: int
) -> NDArray[np.float32]:
    """Return a node's rows in which untrained buckets have the row of the nearest trained one, or check or call without any.

    probabilities: ``[action, bucket]``; missed: bool ``[bucket]``, the untrained ones. The nearest bucket is that in number,
    the lower of two: buckets are ordered by strength, or by hand and board in a lossless abstraction.
    """
    if not missed.any():
        return probabilities
    filled = probabilities.copy()
    trained = np.flatnonzero(~missed)
    if not len(trained):
        filled[tree.edge_kind[tree.first_edge[node] : tree.first_edge[node + 1]] == KINDS.index("c")] = 1.0
        return filled
    untrained = np.flatnonzero(missed)
    after = np.searchsorted(trained, untrained)
    above = trained[np.minimum(after, len(trained) - 1)]
    below = trained[np.maximum(after - 1, 0)]
    nearest = np.where(np.abs(untrained - below) <= np.abs(above - untrained), below, above)
    filled[:, untrained] = probabilities[:, nearest]
    return filled
