"""External-sampling MCCFR as a work queue over a flat betting tree.

A queue instead of recursion, because a recursive kernel passes every array at every node; and because a child's table
row is known when it is queued, so that the fetch from memory overlaps the work in between.
"""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.strategies.solving.prefetch_kernels import prefetch

# Fields of a node record (`sampled_tree.SampledTree.record`).
PLAYER, ROUND, FIRST_EDGE, ACTIONS = 0, 1, 2, 3

ALL_IN = 1 << 30
"""A bit in `folded` beside the positions': all in before the first board card; the showdown is worth its odds."""

PRUNED_SHARE = 0.95
"""Of the traversals skip actions of low regret, once pruning is on (Brown & Sandholm 2019)."""

U64 = np.uint64
SKIPPED = np.float32(1e30)


@njit(cache=True, nogil=True, inline="always")
def xorshift(x: np.uint64) -> np.uint64:
    """Marsaglia's xorshift64."""
    x ^= x << U64(13)
    x ^= x >> U64(7)
    return x ^ (x << U64(17))


@njit(cache=True, nogil=True)
def seeded(seed: np.uint64) -> np.uint64:
    """A non-zero xorshift state from a counter: SplitMix64's finaliser."""
    x = seed + U64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> U64(30))) * U64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> U64(27))) * U64(0x94D049BB133111EB)
    return (x ^ (x >> U64(31))) | U64(1)


@njit(cache=True, nogil=True, error_model="numpy")
def terminal_value(
    player: int,
    terminal: int,
    deal: int,
    ranks: NDArray[np.int32],
    spent: NDArray[np.float32],
    folded: NDArray[np.int32],
) -> np.float32:
    """Net chips of `player` at a terminal: side pots by distinct amounts, ties split evenly (`settlement`).

    ranks: ``[deals, P]``, higher wins; spent: ``[terminals, P]``; folded: bitmask ``[terminals]``.
    """
    players = spent.shape[1]
    mine: np.float32 = spent[terminal, player]
    mask = folded[terminal]
    if mask >> player & 1:
        return -mine
    if players == 2:
        other: np.float32 = spent[terminal, 1 - player]
        if mask:
            return other
        if ranks[deal, player] == ranks[deal, 1 - player]:
            return np.float32(0)
        called = min(mine, other)
        return called if ranks[deal, player] > ranks[deal, 1 - player] else -called
    value = np.float32(0)
    level = np.float32(0)
    while level < mine:
        above = mine
        for p in range(players):
            if level < spent[terminal, p] < above:
                above = spent[terminal, p]
        inside = 0
        best = np.int32(-1)
        winners = 0
        for p in range(players):
            if spent[terminal, p] >= above:
                inside += 1
                if not mask >> p & 1:
                    if ranks[deal, p] > best:
                        best = ranks[deal, p]
                        winners = 1
                    elif ranks[deal, p] == best:
                        winners += 1
        layer = above - level
        if ranks[deal, player] == best:
            value += layer * np.float32(inside - winners) / np.float32(winners)
        else:
            value -= layer
        level = above
    return value


@njit(cache=True, nogil=True, error_model="numpy")
def traverse(
    buckets: NDArray[np.int32],
    ranks: NDArray[np.int32],
    seed: np.uint64,
    node_record: NDArray[np.int32],
    node_offset: NDArray[np.int64],
    edge_child: NDArray[np.int32],
    spent: NDArray[np.float32],
    folded: NDArray[np.int32],
    regret: NDArray[np.float32],
    average: NDArray[np.float32],
    odds: NDArray[np.float32],
    prune_below: np.float32,
    floor: np.float32,
    queue_node: NDArray[np.int32],
    queue_row: NDArray[np.int64],
    queue_slot: NDArray[np.int64],
    own: NDArray[np.int64],
    sigma: NDArray[np.float32],
    value: NDArray[np.float32],
) -> int:
    """One external-sampling traversal per deal and player (Lanctot et al. 2009); returns decision nodes visited.

    The traverser tries all its actions, everybody else samples one from regret matching. Regrets are added at the
    traverser's nodes; the average strategy at those of the next player, whose own sampling weights it by its reach.
    Each player of one iteration traverses a different deal: on the same deal the second traversal would answer to
    regrets that have just seen these cards.

    Args:
        buckets: ``[deals, P, rounds]``; ranks: ``[deals, P]`` showdown order.
        node_record: ``[D, 4]`` of decision nodes: player, round, first edge, number of actions.
        node_offset: ``[D]``: row (node, bucket) starts at ``offset + bucket * actions``.
        edge_child: ``[E]``: decision index, or ``~terminal``.
        spent, folded: per terminal, see `terminal_value`; and `ALL_IN`, for two players.
        regret, average: tables, updated in place.
        odds: ``[B, B]``: P(win) - P(loss) of the traverser's bucket of round 0 against the other's.
        prune_below: regret below which an action is skipped in most traversals; -inf: none is. Only where it would lead
            to another decision, before the last round, and where the row has an action of positive regret.
        floor: what regrets are kept from falling below, so that a skipped action can come back; -inf: nothing.
        queue_*, own, sigma, value: scratch; ``[Q]``, and ``[Q * A]`` for the last two with A the most actions.
    """
    deals, players, rounds = buckets.shape
    prunes = prune_below > np.float32(-np.inf)
    most = sigma.shape[0] // queue_node.shape[0]
    state = seeded(seed)
    visits = 0
    root_slot = value.shape[0] - 1
    for first in range(deals):
        for traverser in range(players):
            deal = (first + traverser * (deals // players)) % deals
            averaged = (traverser + 1) % players
            below = np.float32(-np.inf)
            if prunes:
                state = xorshift(state)
                if np.float32(state >> U64(40)) * np.float32(2.0**-24) < np.float32(PRUNED_SHARE):
                    below = prune_below
            queue_node[0] = 0
            bucket = buckets[deal, node_record[0, PLAYER], node_record[0, ROUND]]
            queue_row[0] = node_offset[0] + np.int64(bucket) * node_record[0, ACTIONS]
            queue_slot[0] = root_slot
            queued = 1
            owned = 0
            at = 0
            while at < queued:
                node = queue_node[at]
                row = queue_row[at]
                player = node_record[node, PLAYER]
                actions = node_record[node, ACTIONS]
                first_edge = node_record[node, FIRST_EDGE]
                base = at * most
                skip_below = np.float32(-np.inf)
                total = np.float32(0)
                for a in range(actions):
                    positive = max(regret[row + a], np.float32(0))
                    sigma[base + a] = positive
                    total += positive
                if total > np.float32(1e-20):
                    scale = np.float32(1) / total
                    for a in range(actions):
                        sigma[base + a] *= scale
                else:
                    even = np.float32(1) / np.float32(actions)
                    for a in range(actions):
                        sigma[base + a] = even
                if player == traverser:
                    if total > np.float32(1e-20) and node_record[node, ROUND] < rounds - 1:
                        skip_below = below
                    own[owned] = at
                    owned += 1
                    begin, end = 0, actions
                else:
                    if player == averaged:
                        for a in range(actions):
                            average[row + a] += sigma[base + a]
                    state = xorshift(state)
                    draw = np.float32(state >> U64(40)) * np.float32(2.0**-24)
                    begin = 0
                    cumulative = sigma[base]
                    while cumulative <= draw and begin < actions - 1:
                        begin += 1
                        cumulative += sigma[base + begin]
                    end = begin + 1
                for a in range(begin, end):
                    slot = base + a if player == traverser else queue_slot[at]
                    child = edge_child[first_edge + a]
                    if child < 0:
                        if folded[~child] & ALL_IN:
                            chips = min(spent[~child, 0], spent[~child, 1])
                            value[slot] = chips * odds[buckets[deal, traverser, 0], buckets[deal, 1 - traverser, 0]]
                        else:
                            value[slot] = terminal_value(traverser, ~child, deal, ranks, spent, folded)
                    elif regret[row + a] < skip_below:
                        value[slot] = SKIPPED  # σ is 0 here, so that the mean does not see it
                    else:
                        bucket = buckets[deal, node_record[child, PLAYER], node_record[child, ROUND]]
                        child_row = node_offset[child] + np.int64(bucket) * node_record[child, ACTIONS]
                        prefetch(regret, child_row)
                        if node_record[child, PLAYER] == averaged:
                            prefetch(average, child_row)
                        queue_node[queued] = child
                        queue_row[queued] = child_row
                        queue_slot[queued] = slot
                        queued += 1
                at += 1
            for k in range(owned - 1, -1, -1):
                entry = own[k]
                base = entry * most
                row = queue_row[entry]
                actions = node_record[queue_node[entry], ACTIONS]
                mean = np.float32(0)
                for a in range(actions):
                    mean += sigma[base + a] * value[base + a]
                for a in range(actions):
                    if value[base + a] < SKIPPED:
                        regret[row + a] = max(regret[row + a] + (value[base + a] - mean), floor)
                value[queue_slot[entry]] = mean
            visits += queued
    return visits
