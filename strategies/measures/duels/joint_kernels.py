"""Compiled part of `duel`: what two seats win from each other on one board, with all hands at once."""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.strategies.cards.card_removal_kernels import without
from limpet.strategies.measures.duels.joint_tree import FOLD, INNER, JointTree


@njit(cache=True, nogil=True, error_model="numpy")
def expected_chips(
    tree: JointTree,
    table0: NDArray[np.float32],
    table1: NDArray[np.float32],
    buckets: NDArray[np.int32],
    cards: NDArray[np.int16],
    run_end: NDArray[np.int32],
    reach: NDArray[np.float32],
    held: NDArray[np.float64],
    prefix: NDArray[np.float64],
) -> tuple[float, float]:
    """Net chips of position 0 and the share of hands in which a seat was off its tree when the hand ended, both summed
    over all pairs of hands that share no card; divide by the number of such pairs.

    With T the other's reach in all and C(c) of his hands that hold card c, hand {a, b} meets T - C(a) - C(b) + own of
    it: its own reach was taken away twice.

    Args:
        table0, table1: rows of the positions.
        buckets: ``[2, rounds, H]``: of each position's abstraction, for the hands that miss the board, weakest first.
        cards: ``[H, 2]``: what they hold; a card of its own for each hand stands where a hand has only one.
        run_end: ``[H]``: for each hand the end of the run of hands that are as strong.
        reach: scratch ``[2, depths, H]``; held: scratch ``[2, depths, cards + 1]``: C, and T in the last place.
        prefix: scratch ``[cards + 1]``.
    """
    hands = buckets.shape[2]
    chips = 0.0
    strayed = 0.0
    for p in range(2):
        reach[p, 0] = 1.0
        sum_up(reach[p, 0], cards, held[p, 0])
    node = 1
    nodes = tree.actor.shape[0]
    while node < nodes:
        p = int(tree.actor[node])
        d = int(tree.depth[node, p])
        source, target = reach[p, d - 1], reach[p, d]
        table = table0 if p == 0 else table1
        bucket = buckets[p, tree.round[node]]
        constant = tree.constant[node]
        for h in range(hands):
            target[h] = constant
        for s in range(tree.first[node], tree.first[node + 1]):
            row, actions, share = tree.row[s], np.int64(tree.actions[s]), tree.share[s]
            for h in range(hands):
                target[h] += share * table[row + bucket[h] * actions]
        most = np.float32(0)
        for h in range(hands):
            target[h] *= source[h]
            most = max(most, target[h])
        if most <= 0:
            node = int(tree.after[node])
            continue
        sum_up(target, cards, held[p, d])
        kind = tree.kind[node]
        d0, d1 = int(tree.depth[node, 0]), int(tree.depth[node, 1])
        mine, theirs, their_cards = reach[0, d0], reach[1, d1], held[1, d1]
        met = 0.0
        if kind != INNER:
            met = meeting_pairs(mine, theirs, their_cards, cards) * tree.weight[node]
        if kind == FOLD:
            chips += tree.stake[node] * met
        elif kind != INNER:
            chips += tree.stake[node] * tree.weight[node] * showdown(mine, theirs, their_cards, cards, run_end, prefix)
        if kind != INNER and tree.lost[node]:
            strayed += met
        node += 1
    return chips, strayed


@njit(cache=True, nogil=True, error_model="numpy")
def sum_up(row: NDArray[np.float32], cards: NDArray[np.int16], held: NDArray[np.float64]) -> None:
    """C of every card, and T."""
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
    """Σ mine(h) theirs(i) over hands that share no card. their_cards: of `sum_up`, for theirs."""
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
    """Σ mine(h) theirs(i) (1 where h beats i, -1 where i beats h) over hands that share no card.

    Twice what h beats and once what it ties, less all that it meets, is wins minus losses.
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
