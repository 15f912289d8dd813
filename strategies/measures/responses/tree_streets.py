"""A betting tree cut into streets, for one player who answers another's strategy."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.trees.betting import BettingTree
from limpet.strategies.trees.starts import starts
from limpet.strategies.trees.streets import FOLD, SHOWDOWN, StreetNodes, cut_into_streets

OWN, OTHER = 0, 1
"""Kinds of decisions: the answering player's, and the player's whose strategy is answered. Ends are `trees.streets`'s."""
FOLDS, SHOWDOWNS = 1, 2
"""Bits of `Street.ends`."""


class Street(NamedTuple):
    """The N nodes of one street, root after root; a root is where a line of betting reaches it.

    Leaf number i of a street leads to root number i of the next. A hand that is all in runs through the streets left,
    each of which has a root for it that is a leaf too, until the last street shows it down.
    """

    root: NDArray[np.int64]  # [R + 1]: the nodes of root r are ``root[r]:root[r + 1]``, parents before children
    leaf: NDArray[np.int64]  # [R + 1]: the leaves of root r are those numbered ``leaf[r]:leaf[r + 1]``
    kind: NDArray[np.int8]  # [N]: `OWN` or `OTHER` (to act), `FOLD`, `SHOWDOWN`, `LEAF`
    actions: NDArray[np.int32]  # [N]: number of actions; 0 where nobody acts
    child: NDArray[np.int32]  # [N]: first child of a decision; its other children follow
    owner: NDArray[np.int32]
    """int32 ``[N]``: the node from which on the other's reach has not changed; own actions do not change it."""
    leaf_owner: NDArray[np.int32]  # [leaves]: owner of each leaf
    ends: NDArray[np.int8]  # [N]: terminals whose owner a node is: 1 folds, 2 showdowns, 3 both, 0 none
    table_row: NDArray[np.int64]  # [N]: at `OTHER`, where the node's rows start in the other's table
    stake: NDArray[np.float32]  # [N]: net chips of the player after a fold, or chips that the winner of a showdown wins


def tree_streets(tree: BettingTree, offset: NDArray[np.int64], player: int) -> tuple[Street, ...]:
    """Return all streets, for the answers of `player` to a table of layout `offset`.

    Raises `ValueError` unless two players play.
    """
    stakes = tree.stakes(player)
    return tuple(_street(nodes, player, offset, stakes) for nodes in cut_into_streets(tree, by_root=True))


def _street(nodes: StreetNodes, player: int, offset: NDArray[np.int64], stakes: NDArray[np.float64]) -> Street:
    roots = int(nodes.root.max(initial=-1)) + 1
    owner = nodes.reach_owner(player).astype(np.int32)
    ends = np.zeros(len(owner), np.int8)
    for kind, bit in ((FOLD, FOLDS), (SHOWDOWN, SHOWDOWNS)):
        ends[owner[nodes.kind == kind]] |= bit
    return Street(
        root=starts(np.bincount(nodes.root)),
        leaf=starts(np.bincount(nodes.root[nodes.leaves], minlength=roots)),
        kind=np.where(nodes.actions > 0, nodes.kind != player, nodes.kind).astype(np.int8),
        actions=nodes.actions,
        child=nodes.child,
        owner=owner,
        leaf_owner=owner[nodes.leaves],
        ends=ends,
        table_row=offset[nodes.origin],
        stake=stakes[nodes.origin].astype(np.float32),
    )
