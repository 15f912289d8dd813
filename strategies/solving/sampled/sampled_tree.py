"""A betting tree as the arrays that sampling kernels walk deal by deal: decisions and terminals numbered apart."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.trees.betting import BettingTree


class SampledTree(NamedTuple):
    """D decision nodes and T terminals, each in preorder; E edges; P players."""

    record: NDArray[np.int32]
    """int32 ``[D, 4]``: player, round, first edge, number of actions; 16 bytes, four records to a cache line."""
    offset: NDArray[np.int64]  # [D]: row (node, bucket) of a table starts at ``offset + bucket * actions``
    child: NDArray[np.int32]  # [E]: number of a decision, or ``~number`` of a terminal
    spent: NDArray[np.float32]  # [T, P]: chips over the hand
    folded: NDArray[np.int32]  # [T]: bit p is set when position p has folded


def sampled_tree(tree: BettingTree, num_buckets: Sequence[int]) -> SampledTree:
    """Lay out `tree` for tables of `BettingTree.row_offset(num_buckets)`."""
    decisions, terminals = tree.decisions, tree.terminals
    actions = tree.num_actions[decisions]
    number = np.empty(tree.num_nodes, np.int32)
    number[decisions] = np.arange(len(decisions))
    number[terminals] = ~np.arange(len(terminals))
    record = np.stack([tree.player[decisions], tree.round[decisions], tree.first_edge[decisions], actions], axis=1)
    return SampledTree(
        record=np.ascontiguousarray(record, np.int32),
        offset=tree.row_offset(num_buckets)[decisions],
        child=number[tree.edge_child],
        spent=np.ascontiguousarray(tree.spent[terminals], np.float32),
        folded=np.ascontiguousarray(tree.folded[terminals], np.int32),
    )
