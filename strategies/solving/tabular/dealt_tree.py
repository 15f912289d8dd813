"""A betting tree times all deals of a small game, as the arrays that full-width kernels walk."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.settlement import settle_ranks
from limpet.strategies.solving.tabular.deals import Deals
from limpet.strategies.trees.betting import BettingTree

MOST_BYTES = 8 << 30
"""Largest working space of a solve, in bytes."""


class DealtTree(NamedTuple):
    """N nodes in preorder, T of them terminals; D deals, P players, R rounds; O orders of the players at a showdown.

    A showdown depends on the deal only through who ties with or beats whom, so that its payoffs fit a small table. The
    first five arrays are those of the `BettingTree`, as int64 ``[N]``.
    """

    player: NDArray[np.int64]
    round: NDArray[np.int64]
    num_actions: NDArray[np.int64]
    parent: NDArray[np.int64]
    action: NDArray[np.int64]
    level: NDArray[np.int64]  # [N]: `BettingTree.depth`
    row: NDArray[np.int64]  # [N + 1]: row[node] + bucket * num_actions[node] + action is an entry of a table
    is_last: NDArray[np.bool_]  # [N]: true for the last child of its parent, false at the root
    buckets: NDArray[np.int32]  # [P, R, D]: buckets that strategies distinguish
    infosets: NDArray[np.int32]  # [P, R, D]: infosets that a best response distinguishes
    order: NDArray[np.int32]  # [D]: showdown order of the deal, 0 .. O - 1.
    payoff: NDArray[np.float64]  # [P, T, O]: net chips at each terminal, in preorder


class Scratch(NamedTuple):
    """Working space of one traversal, L levels deep: only the branch being walked is held."""

    reach: NDArray[np.float64]  # [L, D]: probability that chance and the other players play to each level
    reach_at: NDArray[np.int64]  # [L]: row of `reach` that holds for a level; levels may share a row
    own: NDArray[np.float64]  # [L, D]: probability that chance and the updating player play to each level
    own_at: NDArray[np.int64]  # [L]: row of `own` that holds for a level
    value: NDArray[np.float64]  # [L, K, D]: counterfactual values of a level's siblings, by the action that leads there
    gain: NDArray[np.float64]  # [B * K]: values of one node's (bucket, action) pairs; B is the most classes of a round
    weight: NDArray[np.float64]  # [B]: one number for each bucket of a node


@lru_cache(maxsize=4)
def dealt_tree(tree: BettingTree, deals: Deals) -> DealtTree:
    """Lay out `tree` times `deals`. The last few layouts are kept.

    Raises `ValueError` if they are of different games, or if walking them would take over 8 GiB.
    """
    if tree.game != deals.game:
        raise ValueError("the tree and the deals are of different games")
    is_last = np.zeros(tree.num_nodes, np.bool_)
    is_last[tree.edge_child[tree.first_edge[tree.decisions + 1] - 1]] = True
    order, examples = _showdown_orders(deals.ranks)
    payoff = [
        [settle_ranks(tree.spent[node].tolist(), int(tree.folded[node]), ranks) for ranks in examples]
        for node in tree.terminals
    ]
    buckets = np.ascontiguousarray(deals.buckets.transpose(1, 2, 0))
    same = deals.infosets is deals.buckets
    dealt = DealtTree(
        player=tree.player.astype(np.int64),
        round=tree.round.astype(np.int64),
        num_actions=tree.num_actions.astype(np.int64),
        row=tree.row_offset(deals.num_buckets),
        parent=tree.parent.astype(np.int64),
        action=tree.action.astype(np.int64),
        is_last=is_last,
        level=tree.depth.astype(np.int64),
        buckets=buckets,
        infosets=buckets if same else np.ascontiguousarray(deals.infosets.transpose(1, 2, 0)),
        order=order,
        payoff=np.ascontiguousarray(np.array(payoff, np.float64).transpose(2, 0, 1)),
    )
    levels, actions = int(dealt.level.max()) + 1, int(tree.num_actions.max())
    need = 8 * (levels * len(deals) * (actions + 2) + 3 * int(dealt.row[-1]))
    if need > MOST_BYTES:
        raise ValueError(
            f"{levels} levels of {actions} actions times {len(deals):,} deals, and three tables of "
            f"{int(dealt.row[-1]):,} entries, are {need / 2**30:.1f} GiB (limit {MOST_BYTES >> 30}); "
            "use a smaller bet menu or a sampling solver"
        )
    return dealt


def new_scratch(dealt: DealtTree) -> Scratch:
    """Return working space for one traversal at a time."""
    levels, actions, deals = int(dealt.level.max()) + 1, int(dealt.num_actions.max()), len(dealt.order)
    classes = max(int((np.diff(dealt.row) // np.maximum(dealt.num_actions, 1)).max()), int(dealt.infosets.max()) + 1)
    return Scratch(
        reach=np.empty((levels, deals)),
        reach_at=np.zeros(levels, np.int64),
        own=np.empty((levels, deals)),
        own_at=np.zeros(levels, np.int64),
        value=np.empty((levels, actions, deals)),
        gain=np.empty(classes * actions),
        weight=np.empty(classes),
    )


def _showdown_orders(ranks: NDArray[np.int32]) -> tuple[NDArray[np.int32], list[list[int]]]:
    """Return the order of each deal as a number, int32 ``[D]``, and for each number ranks that stand in that order."""
    players = ranks.shape[1]
    beaten = (ranks[:, :, None] > ranks[:, None, :]).sum(axis=2)  # how many a player beats: this fixes the order
    code = beaten @ players ** np.arange(players)
    _, first, order = np.unique(code, return_index=True, return_inverse=True)
    return order.astype(np.int32), beaten[first].tolist()
