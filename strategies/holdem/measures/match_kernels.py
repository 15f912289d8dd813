"""Compiled part of `match_engine`: hands played out as agents play them, draw by draw."""

import numpy as np
from numpy.typing import NDArray

from limpet.common.jit import Bytes, Doubles, Floats, Ints, Longs, njit
from limpet.strategies.base.sampling import mixed, unit
from limpet.strategies.cards.ranking_kernels import rank_cards
from limpet.strategies.holdem.measures.joint_betting import MEAN, MOST_ACTIONS, OPEN, OVER, PLAIN, TreeArrays

U64 = np.uint64
DECISION, TRANSLATION = U64(0), U64(1)  # first counters of the draws of `agent` and of `players.blueprint`


@njit(cache=True, nogil=True, error_model="numpy")
def play(
    tree: TreeArrays, table: Floats, base: Longs, cards_of: Longs, keys: NDArray[np.uint64], holes: Bytes, board: Bytes,
    buckets: Ints, deals: Longs, numbers: Longs, which: Longs, at: Ints, net: Doubles, tally: Ints,
) -> None:  # fmt: skip
    """Play the hands `which` on from their nodes, until each is over or has to wait.

    A hand waits at a node that is OPEN or OUTSIDE, and where the actor's bucket is not known (negative).

    Args:
        table, base: the rows of all seats, and ``[P]``: where those of each position start.
        cards_of: ``[P]``: number of each position's card abstraction, -1 for none.
        keys: ``[P]``: `sampling.mixed` of each position's bot seed.
        holes, board, buckets: ``[D, P, cards]``, ``[D, cards]``, and ``[abstractions, D, P, rounds]``.
        deals, numbers: ``[H]``: the deal of each hand, and its number in the match.
        at: ``[H]``: nodes, changed.
        net: ``[H, P]``: chips won, written where a hand ends.
        tally: ``[H, P, 2]``: decisions and misses, added to.
    """
    players = base.shape[0]
    shares = np.empty(MOST_ACTIONS, np.float32)
    seven = np.empty(16, np.int8)
    ranks = np.zeros(players, np.int64)
    for w in range(which.shape[0]):
        hand = which[w]
        deal = deals[hand]
        number = U64(numbers[hand])
        node = np.int64(at[hand])
        while True:
            kind = tree.node[node].kind
            if kind >= OPEN:
                if kind == OVER:
                    _rank(holes[deal], board[deal], tree.folded[node], seven, ranks)
                    settle(tree.spent[node], tree.folded[node], ranks, net[hand])
                break
            actor = tree.node[node].actor
            bucket = np.int64(0)
            if cards_of[actor] >= 0:
                bucket = np.int64(buckets[cards_of[actor], deal, actor, tree.node[node].round])
                if bucket < 0:
                    break
            acted = U64(tree.node[node].acted)
            key = mixed(mixed(keys[actor], number), U64(actor))
            draw = unit(mixed(mixed(key, DECISION), acted))
            total = 0.0
            action = 0
            first = tree.node[node].part
            if kind == PLAIN:
                at_row = base[actor] + tree.part[first].row + bucket * tree.part[first].width
                row = table[at_row : at_row + tree.part[first].width]
                missed = np.signbit(row[0])
            else:
                row = shares[: tree.node[node].edges]
                missed = _add_up(tree, int(node), table, int(base[actor]), int(bucket), kind == MEAN, row)
            for a in range(len(row)):
                share = abs(row[a])
                if share > 0:
                    total += np.float64(share)
                    action = a
                    if draw < total:
                        break
            tally[hand, actor, 0] += 1
            tally[hand, actor, 1] += missed
            edge = tree.node[node].edge + action
            node = tree.edge[edge].child
            for c in range(tree.edge[edge].coins):
                coin = tree.edge[edge].coin + c
                thrower = tree.coin[coin].position
                key = mixed(mixed(keys[thrower], number), U64(thrower))
                if unit(mixed(mixed(key, TRANSLATION), acted)) >= tree.coin[coin].chance:
                    node += 1 << c
        at[hand] = node


@njit(cache=True, nogil=True, error_model="numpy")
def _add_up(tree: TreeArrays, node: int, table: Floats, base: int, bucket: int, mean: bool, shares: Floats) -> bool:
    """Write the probabilities of a node's edges to `shares`. Return whether all its rows were never trained.

    Parts are added up in single precision, in the order of `players.blueprint`.
    """
    edges = tree.node[node].edges
    for a in range(edges):
        shares[a] = 0.0
    missed = True
    for part in range(tree.node[node].part, tree.node[node].part + tree.node[node].parts):
        width, to, share = tree.part[part].width, tree.part[part].to, np.float32(tree.part[part].share)
        if tree.part[part].row < 0:
            shares[tree.to[to]] += share
            missed = False
            continue
        row = base + tree.part[part].row + bucket * width
        missed = missed and np.signbit(table[row])
        for a in range(width):
            shares[tree.to[to + a]] += share * abs(table[row + a])
    if mean:
        total = np.float32(0)
        for a in range(edges):
            total += shares[a]
        for a in range(edges):
            shares[a] /= total
    return missed


@njit(cache=True, nogil=True, error_model="numpy")
def _rank(holes: Bytes, board: Bytes, folded: int, cards: Bytes, ranks: Longs) -> None:
    """Write the showdown ranks of the positions that have not folded, unless only one is left."""
    players, held = holes.shape
    left = 0
    for p in range(players):
        left += not (folded >> p) & 1
    if left < 2:
        return
    shown = board.shape[0]
    for i in range(shown):
        cards[i] = board[i]
    for p in range(players):
        if not (folded >> p) & 1:
            for i in range(held):
                cards[shown + i] = holes[p, i]
            ranks[p] = rank_cards(cards, shown + held)


@njit(cache=True, nogil=True, error_model="numpy")
def settle(spent: Longs, folded: int, ranks: Longs, net: Doubles) -> None:
    """Write each position's net chips, in the order of operations of `protocol.settlement.settle_ranks`, its twin."""
    players = spent.shape[0]
    left = 0
    pot = np.int64(0)
    for p in range(players):
        left += not (folded >> p) & 1
        pot += spent[p]
    for p in range(players):
        if (folded >> p) & 1:
            net[p] = np.float64(-spent[p])
        else:
            net[p] = np.float64(pot - spent[p]) if left == 1 else 0.0
    if left == 1:
        return
    below = np.int64(0)
    while True:
        level = np.int64(0)
        for p in range(players):
            if spent[p] > below and (level == 0 or spent[p] < level):
                level = spent[p]
        if level == 0:
            return
        inside = 0
        winners = 0
        best = np.int64(-1)
        for p in range(players):
            if spent[p] < level:
                continue
            inside += 1
            if (folded >> p) & 1:
                continue
            if ranks[p] > best:
                best = ranks[p]
                winners = 0
            winners += ranks[p] == best
        layer = level - below
        below = level
        if winners == 0:
            continue
        share = np.float64(layer * (inside - winners)) / np.float64(winners)
        for p in range(players):
            if spent[p] >= level and not (folded >> p) & 1:
                if ranks[p] == best:
                    net[p] += share
                else:
                    net[p] -= np.float64(layer)
