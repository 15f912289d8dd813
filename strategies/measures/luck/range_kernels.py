"""Compiled part of `range_values`: what two ranges win from each other on a full board, by the rows of both."""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.strategies.measures.duels.joint_kernels import meeting_pairs, showdown, sum_up
from limpet.strategies.measures.luck.self_play_kernels import CONSTANT, INNER, FlatTree


@njit(cache=True, nogil=True, error_model="numpy")
def range_chips(
    tree: FlatTree,
    root: int,
    table: NDArray[np.float32],
    others: NDArray[np.float32],
    position: int,
    buckets: NDArray[np.int32],
    cards: NDArray[np.int16],
    run_end: NDArray[np.int32],
    ranges: NDArray[np.float32],
    rare: float,
    reach: NDArray[np.float32],
    held: NDArray[np.float64],
    prefix: NDArray[np.float64],
) -> tuple[float, float, float]:
    """Return three sums over all pairs of hands without a common card.

    They are the net chips of position 0 when both play on from a node, wins less losses at a showdown there, and the pairs.

    Args:
        tree: the tree as position 0 sees it.
        table: rows by bucket, which `position` plays; others: rows in the same layout, which the other position plays.
        buckets: ``[rounds, H]``: buckets of the hands that the board leaves, weakest hand first.
        cards: ``[H, 2]``: the cards of each hand; run_end: ``[H]``: end of the run of hands that are as strong.
        ranges: ``[2, H]``: reach of each position's hands at the node.
        rare: lines that less than this share of the pairs takes, pairs with common cards included, are left out.
        reach: scratch ``[2, depths, H]``; held: scratch ``[depths, cards + 1]``, sums of position 1's reach;
            prefix: scratch ``[cards + 1]``.
    """
    hands = cards.shape[0]
    top = tree.depth[root]
    # The reach of a position at a depth stands in the row of the depth at which the position acted last.
    at = np.zeros((2, reach.shape[1]), np.int64)
    sums = np.zeros((2, reach.shape[1]))
    for p in range(2):
        for h in range(hands):
            reach[p, 0, h] = ranges[p, h]
            sums[p, 0] += ranges[p, h]
    sum_up(reach[1, 0], cards, held[0])
    least = rare * sums[0, 0] * sums[1, 0]
    won = showdown(reach[0, 0], reach[1, 0], held[0], cards, run_end, prefix)
    pairs = meeting_pairs(reach[0, 0], reach[1, 0], held[0], cards)
    chips = 0.0
    node = root
    end = int(tree.after[root])
    while node < end:
        d = int(tree.depth[node] - top)
        if node != root:
            above = int(tree.parent[node])
            p = int(tree.player[above])
            source, target = reach[p, at[p, d - 1]], reach[p, d]
            rows = table if p == position else others
            actions = np.int64(tree.actions[above])
            row = tree.offset[above] + tree.action[node]
            bucket = buckets[tree.round[above]]
            total = 0.0
            for h in range(hands):
                value = source[h] * rows[row + bucket[h] * actions]
                target[h] = value
                total += value
            at[p, d], at[1 - p, d] = d, at[1 - p, d - 1]
            sums[p, d], sums[1 - p, d] = total, sums[1 - p, d - 1]
            if sums[0, d] * sums[1, d] <= least:
                node = int(tree.after[node])
                continue
            if p == 1:
                sum_up(target, cards, held[d])
        if tree.kind[node] != INNER:
            mine, theirs, their_cards = reach[0, at[0, d]], reach[1, at[1, d]], held[at[1, d]]
            if tree.kind[node] == CONSTANT:
                chips += tree.stake[node] * meeting_pairs(mine, theirs, their_cards, cards)
            else:
                chips += tree.stake[node] * showdown(mine, theirs, their_cards, cards, run_end, prefix)
        node += 1
    return chips, won, pairs
