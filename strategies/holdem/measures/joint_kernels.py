"""Compiled sums of `duel` and `range_values`: chips that two seats win on one board, over all pairs of hands at once."""

import numpy as np

from limpet.common.jit import Doubles, Floats, Ints, Shorts, njit
from limpet.strategies.cards.strength_kernels import without
from limpet.strategies.holdem.measures.joint_betting import LOST, OVER, PLAIN, TreeArrays


@njit(cache=True, nogil=True, error_model="numpy")
def expected_chips(
    tree: TreeArrays, table0: Floats, table1: Floats, buckets: Ints, cards: Shorts, run_end: Ints, reach: Floats,
    root: int, rare: float,
) -> tuple[float, float, float, float]:  # fmt: skip
    """Return four sums over all pairs of hands that share no card, where both play on from a node.

    They are: net chips of position 0; pairs that end off a tree; wins less losses at a showdown at the node; all pairs.

    The betting is walked depth first. An action's reach is worked out once for all outcomes of its coins, which count by
    their probabilities. With T the other's reach in all and C(c) that of the hands that hold card c, hand {a, b} can meet
    T - C(a) - C(b) + own of it: its own reach was taken away twice.

    Args:
        tree: whole.
        table0, table1: rows of the positions.
        buckets: ``[2, rounds, H]``: by each position's abstraction, for the hands that miss the board, weakest first.
        cards: ``[H, 2]``: cards of each hand. Hands of one card have a second one that no other hand holds.
        run_end: ``[H]``: for each hand the end of the run of hands that are as strong.
        reach: ``[2, levels, H]``: each position's reach after so many actions of its own; the first level is given.
        rare: lines that no more than this share of the pairs takes, pairs with common cards included, are left out.
    """
    levels, num_cards = reach.shape[1], int(cards.max()) + 1
    # C of position 1's reach, and T in the last entry; and the same of weaker hands at a showdown.
    held, prefix = np.empty((levels, num_cards + 1)), np.empty(num_cards + 1)
    # For each node on the way to the one that is walked: its next edge, the next outcome of that edge's coins, the
    # probability of the coins so far, the number of actions that each position has taken, and whether a seat was lost.
    nodes, edges, outcomes = np.zeros(levels, np.int64), np.zeros(levels, np.int64), np.zeros(levels, np.int64)
    weights, acted, lost = np.ones(levels), np.zeros((levels, 2), np.int64), np.zeros(levels, np.bool_)
    chips = 0.0
    strayed = 0.0
    sums = np.zeros((2, levels))
    for p in range(2):
        for h in range(reach.shape[2]):
            sums[p, 0] += reach[p, 0, h]
    least = rare * sums[0, 0] * sums[1, 0]
    sum_up(reach[1, 0], cards, held[0])
    won = showdown(reach[0, 0], reach[1, 0], held[0], cards, run_end, prefix)
    all_pairs = meeting_pairs(reach[0, 0], reach[1, 0], held[0], cards)
    nodes[0] = root
    level = 0
    while level >= 0:
        node = nodes[level]
        if edges[level] == tree.node[node].edges:
            level -= 1
            continue
        p = tree.node[node].actor
        d = acted[level, p] + 1
        if outcomes[level] == 0:
            table = table0 if p == 0 else table1
            bucket = buckets[p, tree.node[node].round]
            sums[p, d] = follow_edge(tree, int(node), int(edges[level]), table, bucket, reach[p, d - 1], reach[p, d])
            if sums[p, d] * sums[1 - p, acted[level, 1 - p]] <= least:
                edges[level] += 1
                continue
            if p == 1:
                sum_up(reach[1, d], cards, held[d])
        edge = tree.node[node].edge + edges[level]
        coins = tree.edge[edge].coins
        child, chance = tree.edge[edge].child, 1.0
        for c in range(coins):  # outcomes come in the order of the last coin first, children in that of the first
            likely = tree.coin[tree.edge[edge].coin + c].chance
            if outcomes[level] >> (coins - 1 - c) & 1:
                child += 1 << c
                likely = 1.0 - likely
            chance *= likely
        weight, off = weights[level] * chance, lost[level] or tree.node[node].kind == LOST
        outcomes[level] += 1
        if outcomes[level] == 1 << coins:
            outcomes[level] = 0
            edges[level] += 1
        d0, d1 = acted[level, 0] + (p == 0), acted[level, 1] + (p == 1)
        if tree.node[child].kind != OVER:
            level += 1
            nodes[level], edges[level], outcomes[level] = child, 0, 0
            weights[level], lost[level], acted[level, 0], acted[level, 1] = weight, off, d0, d1
            continue
        mine, theirs, their_cards = reach[0, d0], reach[1, d1], held[d1]
        matched = np.float64(min(tree.spent[child, 0], tree.spent[child, 1]))
        folded = tree.folded[child]
        pairs = meeting_pairs(mine, theirs, their_cards, cards) * weight if folded or off else 0.0
        if folded:
            chips += (-matched if folded & 1 else matched) * pairs
        else:
            chips += matched * weight * showdown(mine, theirs, their_cards, cards, run_end, prefix)
        if off:
            strayed += pairs
    return chips, strayed, won, all_pairs


@njit(cache=True, nogil=True, error_model="numpy")
def follow_edge(
    tree: TreeArrays, node: int, edge: int, table: Floats, bucket: Ints, source: Floats, target: Floats
) -> float:
    """Write the reach after a node's edge, the source times the edge's probability. Return its sum over all hands."""
    total, constant = 0.0, 0.0
    first, parts = tree.node[node].part, tree.node[node].parts
    if tree.node[node].kind == PLAIN:
        row, width = tree.part[first].row + edge, tree.part[first].width
        for h in range(len(bucket)):
            target[h] = source[h] * table[row + bucket[h] * width]
            total += target[h]
        return total
    for part in range(first, first + parts):
        if tree.part[part].row < 0 and tree.to[tree.part[part].to] == edge:
            constant += tree.part[part].share
    for h in range(len(bucket)):
        target[h] = np.float32(constant)
    for part in range(first, first + parts):
        width, share = tree.part[part].width, np.float32(tree.part[part].share)
        for a in range(width):
            if tree.part[part].row >= 0 and tree.to[tree.part[part].to + a] == edge:
                row = tree.part[part].row + a
                for h in range(len(bucket)):
                    target[h] += share * table[row + bucket[h] * width]
    for h in range(len(bucket)):
        target[h] *= source[h]
        total += target[h]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def sum_up(row: Floats, cards: Shorts, held: Doubles) -> None:
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
def meeting_pairs(mine: Floats, theirs: Floats, their_cards: Doubles, cards: Shorts) -> float:
    """Return Σ mine(h) theirs(i) over hands that share no card; their_cards: written by `sum_up` for theirs."""
    total = their_cards[their_cards.shape[0] - 1]
    pairs = 0.0
    for h in range(mine.shape[0]):
        if mine[h] > 0:
            pairs += mine[h] * (without(total, their_cards[cards[h, 0]], their_cards[cards[h, 1]]) + theirs[h])
    return pairs


@njit(cache=True, nogil=True, error_model="numpy")
def showdown(
    mine: Floats, theirs: Floats, their_cards: Doubles, cards: Shorts, run_end: Ints, prefix: Doubles
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
                opposing = without(total, their_cards[a], their_cards[b]) + theirs[h]
                result += mine[h] * (without(passed, prefix[a], prefix[b]) - opposing)
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
