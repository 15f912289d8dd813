"""A betting tree as `self_play_kernels` takes it: whole, or up to the first board cards."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.blueprint.strategy_file import StrategyFile
from limpet.strategies.measures.luck.self_play_kernels import CONSTANT, INNER, ROW, FlatTree


@dataclass(frozen=True, eq=False)
class PositionTree:
    """A tree as one position sees it, with scratch for one thread.

    Attributes:
        nodes: int ``[N]``: node of the strategy file's tree that each node stands for.
        leaves: int ``[L]``: nodes at which the tree is cut off; leaf i scores by row i + 1.
        reach: float32 ``[N]``: scratch.
    """

    flat: FlatTree
    position: int
    nodes: NDArray[np.intp]
    leaves: NDArray[np.intp]
    reach: NDArray[np.float32]

    @property
    def depths(self) -> int:
        return int(self.flat.depth.max()) + 1


def position_tree(file: StrategyFile, position: int, first_round_only: bool = False) -> PositionTree:
    """Return the tree of a file for two players. Showdowns score by row 0, folds by the chips that they win or lose.

    first_round_only: cut the tree off where the first board cards are dealt. Leaves score by a row of their own, in chips.
    """
    tree = file.tree
    nodes = np.arange(tree.num_nodes)
    if first_round_only:
        nodes = np.flatnonzero((tree.parent < 0) | (tree.round[tree.parent] == 0))
    leaves = np.flatnonzero((tree.player[nodes] >= 0) & (tree.round[nodes] > 0)) if first_round_only else nodes[:0]
    player, stake = tree.player[nodes], tree.stakes(position)[nodes].astype(np.float32)
    kind = np.where(player >= 0, INNER, np.where(tree.folded[nodes] > 0, CONSTANT, ROW)).astype(np.int8)
    row = np.zeros(len(nodes), np.int32)
    player[leaves], kind[leaves], stake[leaves], row[leaves] = -1, ROW, 1.0, np.arange(1, len(leaves) + 1)
    parent = np.searchsorted(nodes, tree.parent[nodes]).astype(np.int32)
    parent[0] = -1
    flat = FlatTree(
        player=player,
        round=tree.round[nodes],
        depth=tree.depth[nodes],
        after=np.searchsorted(nodes, tree.after[nodes]).astype(np.int32),
        parent=parent,
        action=tree.action[nodes],
        actions=tree.num_actions[nodes],
        offset=file.offset[nodes].astype(np.int64),
        kind=kind,
        stake=stake,
        row=row,
    )
    return PositionTree(flat, position, nodes, leaves, np.empty(len(nodes), np.float32))
