"""Compiled part of `real_response`: counterfactual values of all hands on one street's boards."""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.strategies.blueprint.tree_streets import FOLD, LEAF, OTHER, OWN, SHOWDOWN, Street


@njit(cache=True, nogil=True, error_model="numpy")
def descend(
    street: Street,
    root: int,
    table: NDArray[np.float32],
    bucket: NDArray[np.int32],
    reach: NDArray[np.float32],
) -> None:
    """The other's reach at every node of a root. reach: ``[rows, H]`` by `Street.reach_row`, row 0 given.

    table: the other's probabilities; bucket: ``[H]``, not negative.
    """
    for node in range(street.root[root], street.root[root + 1]):
        if street.kind[node] != OTHER:
            continue
        source = reach[street.reach_row[node]]
        begin, end = street.first[node], street.first[node + 1]
        actions = np.int64(end - begin)
        row = street.table_row[node]
        for a in range(actions):
            target = reach[street.reach_row[street.child[begin + a]]]
            for h in range(source.shape[0]):
                target[h] = source[h] * table[row + bucket[h] * actions + a]


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
                value[h] = total - held[cards[h, 0]] - held[cards[h, 1]]
            for h in range(start, end):
                own = reach[h]
                total += own
                held[cards[h, 0]] += own
                held[cards[h, 1]] += own
            for h in range(start, end):
                value[h] += total - held[cards[h, 0]] - held[cards[h, 1]] + reach[h]
            start = end
        for h in range(hands):
            value[h] = stake * (value[h] - (total - held[cards[h, 0]] - held[cards[h, 1]] + reach[h]))
        return
    for h in range(hands):
        own = reach[h]
        total += own
        held[cards[h, 0]] += own
        held[cards[h, 1]] += own
    for h in range(hands):
        value[h] = stake * (total - held[cards[h, 0]] - held[cards[h, 1]] + reach[h])


@njit(cache=True, nogil=True, error_model="numpy")
def last_street(
    street: Street,
    first_root: int,
    table: NDArray[np.float32],
    given: NDArray[np.float32],
    hands: NDArray[np.int32],
    cards: NDArray[np.int16],
    run_end: NDArray[np.int32],
    buckets: NDArray[np.int32],
    fold: NDArray[np.int32],
    reach: NDArray[np.float32],
    value: NDArray[np.float32],
    held: NDArray[np.float32],
    sums: NDArray[np.float32],
) -> None:
    """Add the values of the best answers on B last boards to `sums`: the cards are all known, so a maximum is honest.

    Args:
        given: ``[roots, all hands]``: the other's reach at the roots from `first_root` on.
        hands: ``[B, H]``: those that miss each board, weakest first; cards ``[B, H, 2]``, run_end and buckets ``[B, H]``
            in that order.
        fold: ``[B]``: which of the sums a board belongs to.
        reach, value: scratch ``[rows, H]`` and ``[nodes of a root, H]``.
        sums: ``[folds, roots, all hands]``.
    """
    count = hands.shape[1]
    for r in range(given.shape[0]):
        root = first_root + r
        begin = street.root[root]
        for b in range(hands.shape[0]):
            most = np.float32(0)
            for h in range(count):
                reach[0, h] = given[r, hands[b, h]]
                most = max(most, reach[0, h])
            if most <= 0:
                continue
            descend(street, root, table, buckets[b], reach)
            for node in range(street.root[root + 1] - 1, begin - 1, -1):
                here = value[node - begin]
                kind = street.kind[node]
                if kind in (FOLD, SHOWDOWN):
                    terminal(
                        kind, street.stake[node], reach[street.reach_row[node]], cards[b], run_end[b], held, here
                    )  # fmt: skip
                    continue
                for e in range(street.first[node], street.first[node + 1]):
                    below = value[street.child[e] - begin]
                    if e == street.first[node]:
                        here[:] = below
                    elif kind == OWN:
                        for h in range(count):
                            here[h] = max(here[h], below[h])
                    else:
                        for h in range(count):
                            here[h] += below[h]
            target = sums[fold[b], r]
            for h in range(count):
                target[hands[b, h]] += value[0, h]


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
    begin = street.root[root]
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
            terminal(kind, street.stake[node], reach[street.reach_row[node]], cards, _NO_RUNS, held, here[0])
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
