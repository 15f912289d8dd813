"""Compiled part of `duel`: chips that two seats win from each other on one board, over all pairs of hands at once."""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.strategies.cards.card_removal_kernels import without
from limpet.strategies.engine.joint_betting import (
    ACTOR,
    CHILD,
    COIN,
    COINS,
    EDGE,
    EDGES,
    KIND,
    LOST,
    OVER,
    PART,
    PARTS,
    ROUND,
    ROW,
    TO,
    WIDTH,
    TreeArrays,
)


@njit(cache=True, nogil=True, error_model="numpy")
def expected_chips(
    tree: TreeArrays,
    table0: NDArray[np.float32],
    table1: NDArray[np.float32],
    buckets: NDArray[np.int32],
    cards: NDArray[np.int16],
    run_end: NDArray[np.int32],
    reach: NDArray[np.float32],
    held: NDArray[np.float64],
    prefix: NDArray[np.float64],
) -> tuple[float, float]:
    """Return sums over all pairs of hands that share no card: net chips of position 0, and hands that end off a tree.

    The betting is walked depth first. An action's reach is worked out once for all outcomes of its coins, which count by
    their probabilities. With T the other's reach in all and C(c) that of the hands that hold card c, hand {a, b} can meet
    T - C(a) - C(b) + own of it: its own reach was taken away twice.

    Args:
        tree: whole.
        table0, table1: rows of the positions.
        buckets: ``[2, rounds, H]``: by each position's abstraction, for the hands that miss the board, weakest first.
        cards: ``[H, 2]``: cards of each hand. Hands of one card have a second one that no other hand holds.
        run_end: ``[H]``: for each hand the end of the run of hands that are as strong.
        reach: scratch ``[2, levels, H]``: each position's reach after so many actions of its own.
        held: scratch ``[levels, cards + 1]``: C of position 1's reach, and T in the last entry.
        prefix: scratch ``[cards + 1]``.
    """
    levels = reach.shape[1]
    # For each node on the way to the one that is walked: its next edge, the next outcome of that edge's coins, the
    # probability of the coins so far, the number of actions that each position has taken, and whether a seat was lost.
    nodes, edges, outcomes = np.zeros(levels, np.int64), np.zeros(levels, np.int64), np.zeros(levels, np.int64)
    weights, acted, lost = np.ones(levels), np.zeros((levels, 2), np.int64), np.zeros(levels, np.bool_)
    chips = 0.0
    strayed = 0.0
    reach[:, 0] = 1.0
    sum_up(reach[1, 0], cards, held[0])
    level = 0
    while level >= 0:
        node = nodes[level]
        if edges[level] == tree.record[node, EDGES]:
            level -= 1
            continue
        p = tree.record[node, ACTOR]
        d = acted[level, p] + 1
        if outcomes[level] == 0:
            table = table0 if p == 0 else table1
            bucket = buckets[p, tree.record[node, ROUND]]
            if not follow_edge(tree, int(node), int(edges[level]), table, bucket, reach[p, d - 1], reach[p, d]):
                edges[level] += 1
                continue
            if p == 1:
                sum_up(reach[1, d], cards, held[d])
        edge = tree.record[node, EDGE] + edges[level]
        coins = tree.edge[edge, COINS]
        child, chance = tree.edge[edge, CHILD], 1.0
        for c in range(coins):  # outcomes come in the order of the last coin first, children in that of the first
            likely = tree.chance[tree.edge[edge, COIN] + c]
            if outcomes[level] >> (coins - 1 - c) & 1:
                child += 1 << c
                likely = 1.0 - likely
            chance *= likely
        weight, off = weights[level] * chance, lost[level] or tree.record[node, KIND] == LOST
        outcomes[level] += 1
        if outcomes[level] == 1 << coins:
            outcomes[level] = 0
            edges[level] += 1
        d0, d1 = acted[level, 0] + (p == 0), acted[level, 1] + (p == 1)
        if tree.record[child, KIND] != OVER:
            level += 1
            nodes[level], edges[level], outcomes[level] = child, 0, 0
            weights[level], lost[level], acted[level, 0], acted[level, 1] = weight, off, d0, d1
            continue
        mine, theirs, their_cards = reach[0, d0], reach[1, d1], held[d1]
        pairs = meeting_pairs(mine, theirs, their_cards, cards) * weight
        matched = np.float64(min(tree.spent[child, 0], tree.spent[child, 1]))
        if tree.folded[child]:
            chips += (-matched if tree.folded[child] & 1 else matched) * pairs
        else:
            chips += matched * weight * showdown(mine, theirs, their_cards, cards, run_end, prefix)
        if off:
            strayed += pairs
    return chips, strayed


@njit(cache=True, nogil=True, error_model="numpy")
def follow_edge(
    tree: TreeArrays,
    node: int,
    edge: int,
    table: NDArray[np.float32],
    bucket: NDArray[np.int32],
    source: NDArray[np.float32],
    target: NDArray[np.float32],
) -> bool:
    """Write the reach after a node's edge, the source times the edge's probability. Return whether any hand takes it."""
    constant = 0.0
    first, parts = tree.record[node, PART], tree.record[node, PARTS]
    for part in range(first, first + parts):
        if tree.part[part, ROW] < 0 and tree.to[tree.part[part, TO]] == edge:
            constant += tree.share[part]
    for h in range(len(bucket)):
        target[h] = np.float32(constant)
    for part in range(first, first + parts):
        width, share = tree.part[part, WIDTH], np.float32(tree.share[part])
        for a in range(width):
            if tree.part[part, ROW] >= 0 and tree.to[tree.part[part, TO] + a] == edge:
                row = tree.part[part, ROW] + a
                for h in range(len(bucket)):
                    target[h] += share * table[row + bucket[h] * width]
    most = np.float32(0)
    for h in range(len(bucket)):
        target[h] *= source[h]
        most = max(most, target[h])
    return bool(most > 0)


@njit(cache=True, nogil=True, error_model="numpy")
def sum_up(row: NDArray[np.float32], cards: NDArray[np.int16], held: NDArray[np.float64]) -> None:
    """Write the reach of the hands that hold each card, and in the last entry the reach of all."""
    held[:] = 0.0
    total = 0.0
    for h in range(row.shape[0]):
        own = np.float64(row[h])
        total += own
        held[cards[h, 0]] += own
        held[cards[h, 1]] += own
    held[held.shape[0] - 1] = total


@njit(cache=True, nogil=True, error_model="numpy")
def meeting_pairs(
    mine: NDArray[np.float32], theirs: NDArray[np.float32], their_cards: NDArray[np.float64], cards: NDArray[np.int16]
) -> float:
    """Return Σ mine(h) theirs(i) over hands that share no card; their_cards: written by `sum_up` for theirs."""
    total = their_cards[their_cards.shape[0] - 1]
    met = 0.0
    for h in range(mine.shape[0]):
        if mine[h] > 0:
            met += mine[h] * (without(total, their_cards[cards[h, 0]], their_cards[cards[h, 1]]) + theirs[h])
    return met


@njit(cache=True, nogil=True, error_model="numpy")
def showdown(
    mine: NDArray[np.float32],
    theirs: NDArray[np.float32],
    their_cards: NDArray[np.float64],
    cards: NDArray[np.int16],
    run_end: NDArray[np.int32],
    prefix: NDArray[np.float64],
) -> float:
    """Return Σ mine(h) theirs(i) (1 where h beats i, -1 where i beats h) over hands that share no card.

    Twice the reach that h beats and once the reach that it ties, less all reach that it meets, is wins minus losses.
    """
    hands = mine.shape[0]
    whole = prefix.shape[0] - 1
    prefix[:] = 0.0
    passed = 0.0
    result = 0.0
    total = their_cards[whole]
    start = 0
    while start < hands:
        end = int(run_end[start])
        for h in range(start, end):
            if mine[h] > 0:
                a, b = cards[h, 0], cards[h, 1]
                met = without(total, their_cards[a], their_cards[b]) + theirs[h]
                result += mine[h] * (without(passed, prefix[a], prefix[b]) - met)
        for h in range(start, end):
            own = np.float64(theirs[h])
            passed += own
            prefix[cards[h, 0]] += own
            prefix[cards[h, 1]] += own
        for h in range(start, end):
            if mine[h] > 0:
                result += mine[h] * (without(passed, prefix[cards[h, 0]], prefix[cards[h, 1]]) + theirs[h])
        start = end
    return result
