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
        nodes: int ``[N]``: the strategy file's node of each.
        leaves: int ``[L]``: numbers in this tree of the nodes at which it was cut off; leaf i scores by row i + 1.
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
    """The tree of a file for two players. Showdowns score by row 0, folds are worth what was folded for.

    first_round_only: cut it off where the first board cards are dealt; these leaves are worth their row in chips.
    """
    tree = file.tree
    parent = tree.parent
    keep = np.ones(tree.num_nodes, np.bool_)
    leaf = np.zeros(tree.num_nodes, np.bool_)
    if first_round_only:
        inside = tree.round == 0
        keep = inside | (inside[parent] & (parent >= 0))
        leaf = keep & ~inside & (tree.player >= 0)
    nodes = np.flatnonzero(keep)
    number = np.full(tree.num_nodes, -1, np.int64)
    number[nodes] = np.arange(len(nodes))
    action = np.zeros(tree.num_nodes, np.int32)
    action[tree.edge_child] = np.arange(len(tree.edge_child)) - np.repeat(tree.first_edge[:-1], tree.num_actions)
    above = np.where(parent[nodes] >= 0, number[parent[nodes]], -1).astype(np.int32)
    depth = np.zeros(len(nodes), np.int32)
    after = np.arange(1, len(nodes) + 1, dtype=np.int32)
    for n in range(1, len(nodes)):
        depth[n] = depth[above[n]] + 1
    for n in range(len(nodes) - 1, 0, -1):
        after[above[n]] = max(after[above[n]], after[n])
    spent, folded = tree.spent[nodes], tree.folded[nodes]
    kind = np.where(tree.player[nodes] >= 0, INNER, np.where(folded > 0, CONSTANT, ROW))
    stake = np.where(folded > 0, spent[:, 1 - position], spent.min(axis=1)).astype(np.float32)
    stake[(folded >> position & 1) > 0] = -spent[(folded >> position & 1) > 0, position]
    leaves = np.flatnonzero(leaf[nodes])
    kind[leaves], stake[leaves] = ROW, 1.0
    row = np.zeros(len(nodes), np.int32)
    row[leaves] = np.arange(1, len(leaves) + 1)
    player = tree.player[nodes].copy()
    player[leaves] = -1
    flat = FlatTree(
        player=player,
        round=tree.round[nodes],
        depth=depth,
        after=after,
        parent=above,
        action=action[nodes],
        actions=tree.num_actions[nodes].astype(np.int32),
        offset=file.offset[nodes].astype(np.int64),
        kind=kind.astype(np.int8),
        stake=stake,
        row=row,
    )
    return PositionTree(flat, position, nodes, leaves, np.empty(len(nodes), np.float32))
