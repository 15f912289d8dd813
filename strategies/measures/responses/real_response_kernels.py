"""Compiled part of `real_response`: counterfactual values of all hands on one street's boards."""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.strategies.cards.card_removal_kernels import without
from limpet.strategies.measures.responses.tree_streets import FOLD, LEAF, OTHER, OWN, SHOWDOWN, Street

U = np.uint64  # unsigned indices need no look at whether they count from the end


@njit(cache=True, nogil=True, error_model="numpy")
def descend(
    street: Street,
    root: int,
    table: NDArray[np.float32],
    bucket: NDArray[np.int32],
    reach: NDArray[np.float32],
) -> None:
    """The other's reach at every node of a root.

    table: the other's probabilities; bucket: ``[H]``, not negative; reach: ``[rows of the root, H or more]``, the first
    given.
    """
    base = street.row[root]
    for node in range(street.root[root], street.root[root + 1]):
        if street.kind[node] != OTHER:
            continue
        source = reach[street.reach_row[node] - base]
        begin, end = street.first[node], street.first[node + 1]
        actions = U(end - begin)
        for a in range(0, end - begin, 2):  # two at a time: they lie side by side
            row = U(street.table_row[node] + a)
            target = reach[street.reach_row[street.child[begin + a]] - base]
            if begin + a + 1 == end:
                for h in range(len(bucket)):
                    target[h] = source[h] * table[row + U(bucket[h]) * actions]
                continue
            second = reach[street.reach_row[street.child[begin + a + 1]] - base]
            for h in range(len(bucket)):
                at, own = row + U(bucket[h]) * actions, source[h]
                target[h] = own * table[at]
                second[h] = own * table[at + U(1)]


@njit(cache=True, nogil=True, error_model="numpy")
def terminal(
    kind: int,
    stake: np.float32,
    reach: NDArray[np.float32],
    cards: NDArray[np.int16],
    run_end: NDArray[np.int32],
    held: NDArray[np.float32],
    value: NDArray[np.float32],
) -> None:
    """Values of a fold or a showdown for all hands, in O(H); see `vector_kernels.terminals` for the sums.

    A hand's value is stake * Σ reach of the others' hands that share no card with it, or of those it beats less those
    that beat it. held: ``[cards]`` scratch; run_end: unused at a fold.
    """
    hands = reach.shape[0]
    held[:] = 0.0
    total = np.float32(0)
    if kind == SHOWDOWN:
        start = 0
        while start < hands:
            end = int(run_end[start])
            for h in range(start, end):
                value[h] = without(total, held[cards[h, 0]], held[cards[h, 1]])
            for h in range(start, end):
                own = reach[h]
                total += own
                held[cards[h, 0]] += own
                held[cards[h, 1]] += own
            for h in range(start, end):
                value[h] += without(total, held[cards[h, 0]], held[cards[h, 1]]) + reach[h]
            start = end
        for h in range(hands):
            value[h] = stake * (value[h] - (without(total, held[cards[h, 0]], held[cards[h, 1]]) + reach[h]))
        return
    for h in range(hands):
        own = reach[h]
        total += own
        held[cards[h, 0]] += own
        held[cards[h, 1]] += own
    for h in range(hands):
        value[h] = stake * (without(total, held[cards[h, 0]], held[cards[h, 1]]) + reach[h])


@njit(cache=True, nogil=True, error_model="numpy")
def variants(
    honest: NDArray[np.float32],
    fitted: NDArray[np.float32],
    count: NDArray[np.float32],
    of_all: NDArray[np.float32],
    chance: np.float32,
    leaves: NDArray[np.float32],
) -> None:
    """Means of the boards below a root in the variants that `ascend` takes: outside each part, all fitted, each part's own.

    Args:
        honest, fitted: ``[P, leaves, H]``: sums over the boards of each part; chance: what they are to be multiplied by.
        count: ``[P, H]``: how many of a part's boards leave each hand possible; of_all: ``[H]``, the same of all.
        leaves: ``[leaves, 2 P + 1, H]``, the result.
    """
    parts, hands, one = honest.shape[0], leaves.shape[2], np.float32(1)
    for leaf in range(leaves.shape[0]):
        total = leaves[leaf, parts]
        total[:] = 0
        for p in range(parts):
            for h in range(hands):
                total[h] += honest[p, leaf, h] * chance
        for p in range(parts):
            others, of_part = leaves[leaf, p], leaves[leaf, parts + 1 + p]
            for h in range(hands):
                own = honest[p, leaf, h] * chance
                others[h] = (total[h] - own) / max(of_all[h] - count[p, h], one)
                of_part[h] = own / max(count[p, h], one)
        total[:] = 0
        for p in range(parts):
            for h in range(hands):
                total[h] += fitted[p, leaf, h] * chance
        for h in range(hands):
            total[h] /= max(of_all[h], one)


@njit(cache=True, nogil=True, error_model="numpy")
def ascend(
    street: Street,
    root: int,
    reach: NDArray[np.float32],
    cards: NDArray[np.int16],
    leaves: NDArray[np.float32],
    judge: NDArray[np.int32],
    held: NDArray[np.float32],
    best: NDArray[np.int8],
    value: NDArray[np.float32],
) -> None:
    """Values of a root in V variants from those of its leaves; result in ``value[0]``.

    Variant v takes the action that is best in variant ``judge[v]``, hand by hand, so that a choice can be made by some
    boards and valued on others.

    Args:
        reach: of `descend`.
        leaves: ``[leaves of the root, V, H]``.
        best: scratch ``[V, H]``; value: ``[nodes of the root, V, H]``.
    """
    begin, base = street.root[root], street.row[root]
    variants, hands = leaves.shape[1], leaves.shape[2]
    leaf = leaves.shape[0]
    for node in range(street.root[root + 1] - 1, begin - 1, -1):
        here = value[node - begin]
        kind = street.kind[node]
        if kind == LEAF:
            leaf -= 1
            here[:] = leaves[leaf]
            continue
        if kind == FOLD:
            terminal(kind, street.stake[node], reach[street.reach_row[node] - base], cards, _NO_RUNS, held, here[0])
            for v in range(1, variants):
                here[v] = here[0]
            continue
        edges = street.first[node + 1] - street.first[node]
        for a in range(edges):
            below = value[street.child[street.first[node] + a] - begin]
            if a == 0:
                here[:] = below
                best[:] = 0
            elif kind == OTHER:
                here += below
            else:
                for v in range(variants):
                    if judge[v] == v:
                        for h in range(hands):
                            if below[v, h] > here[v, h]:
                                here[v, h] = below[v, h]
                                best[v, h] = a
        if kind == OWN:
            for v in range(variants):
                if judge[v] != v:
                    for h in range(hands):
                        choice = best[judge[v], h]
                        here[v, h] = value[street.child[street.first[node] + choice] - begin, v, h]


_NO_RUNS = np.empty(0, np.int32)
