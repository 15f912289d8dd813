"""Compiled part of `self_play`: one strategy against itself, every hand of one position against one of the other."""

from typing import NamedTuple

import numpy as np

from limpet.common.jit import Bytes, Flags, Floats, Ints, Longs, njit

INNER, CONSTANT, ROW = 0, 1, 2


class FlatTree(NamedTuple):
    """N nodes in depth-first preorder, as seen by one position.

    Attributes:
        player: int8 ``[N]``: position that acts; -1 at a terminal.
        round: int8 ``[N]``: betting round, from 0.
        depth: int32 ``[N]``: number of actions since node 0.
        after: int32 ``[N]``: the first later node that is not below.
        parent: int32 ``[N]``: parent node; -1 at the root.
        action: int32 ``[N]``: index of the parent's action that leads here.
        actions: int32 ``[N]``: number of actions.
        stake: float32 ``[N]``: chips of the position, at terminals.
        row: int32 ``[N]``: row of scores, at terminals of kind ROW.
    """

    player: Bytes
    round: Bytes
    depth: Ints
    after: Ints
    parent: Ints
    action: Ints
    actions: Ints
    offset: Longs
    """``[N]``: start of the node's rows: the probability of action a with bucket b is ``table[offset + b * actions + a]``."""
    kind: Bytes
    """``[N]``: INNER; CONSTANT, where every hand wins `stake`; ROW, where it wins `stake` times its score in row `row`."""
    stake: Floats
    row: Ints


class Others(NamedTuple):
    """How the opponent acts: a mixture of rows and of counts (`opponent_model`).

    Attributes:
        table: the opponent's rows by bucket, laid out as the position's own.
        trust: float32 ``[N]``: weight of the rows at a node; `counted` has the rest.
    """

    table: Floats
    trust: Floats
    counted: Floats
    """``[N, strengths]``: probability of the parent's action that leads to a node, by strength of the hand."""


@njit(cache=True, nogil=True, error_model="numpy")
def compare(strengths: Ints, held: int, live: Flags, won: Floats) -> Longs:
    """Return the hands that share no card with a board, in order; fill in `live` and `won` ``[H]`` (see `OnBoard`).

    strengths: ``[H]``, below 0 where the board blocks a hand; held: the hand that all are compared with.
    """
    hands = np.empty(len(strengths), np.int64)
    count = 0
    for h in range(len(strengths)):
        live[h] = strengths[h] >= 0
        won[h] = 0.0
        if live[h]:
            won[h] = np.sign(strengths[h] - strengths[held])
            hands[count] = h
            count += 1
    return hands[:count].copy()


@njit(cache=True, nogil=True, error_model="numpy")
def spread(added: Floats, hands: Longs, group: Longs, out: Floats) -> None:
    """Add the chips of each group, ``added[action, G]``, to its hands in ``out[action, H]``; see `group_alike`."""
    for a in range(len(out)):
        for i in range(len(hands)):
            out[a, hands[i]] += added[a, group[i]]


@njit(cache=True, nogil=True, error_model="numpy")
def group_alike(buckets: Ints, won: Floats, hands: Longs, group: Longs, first: Longs, slots: Longs) -> int:
    """Group hands that have the same buckets and the same score, in order of appearance; return the number of groups.

    buckets: ``[rounds, H]``; won: ``[H]``; hands: ``[n]``, whose groups are written to ``group[n]``; first: ``[n]``: the
    first hand of each group is written here; slots: scratch, a power of two above n, all -1.
    """
    rounds, mask = buckets.shape[0], len(slots) - 1
    count = 0
    for i in range(len(hands)):
        h = hands[i]
        mixed = np.uint64(won[h] + np.float32(1))
        for r in range(rounds):
            mixed = (mixed ^ np.uint64(buckets[r, h])) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
        at = np.int64(mixed & np.uint64(mask))
        while slots[at] >= 0:
            other = first[slots[at]]
            same = won[other] == won[h]
            for r in range(rounds):
                same &= buckets[r, other] == buckets[r, h]
            if same:
                break
            at = (at + 1) & mask
        if slots[at] < 0:
            slots[at] = count
            first[count] = h
            count += 1
        group[i] = slots[at]
    return count


@njit(cache=True, nogil=True, error_model="numpy")
def add_action_values(
    tree: FlatTree, node: int, position: int, table: Floats, others: Others, buckets: Ints, other: Ints, strength: Ints,
    rows: Floats, reach: Floats, depth_values: Floats, out: Floats,
) -> None:  # fmt: skip
    """Add net chips of `position` after each action of a decision node to ``out[action, H]``, hand by hand.

    Below the node the position plays `table` and the opponent plays `others`. Nothing is left to chance: all that counts
    of the board is in `buckets` and `rows`. Actions that the opponent never takes with its hand are left alone.

    Args:
        buckets: ``[rounds, H]``: of the position's hands; other, strength: ``[rounds]``: bucket and strength of the
            opponent's hand.
        rows: ``[R, H]``: scores at terminals of kind ROW, 1 for a won showdown and -1 for a lost one.
        reach: scratch ``[N]``: probability of the opponent's actions that lead to a node.
        depth_values: scratch ``[depths, at least H]``, zero before and after. The row of a depth belongs to the one node
            there whose subtree is being added up: backwards in preorder the nodes of a depth come one after the other.
    """
    hands = out.shape[1]
    end = int(tree.after[node])
    reach[node] = 1.0
    for n in range(node + 1, end):
        above = int(tree.parent[n])
        likely = reach[above]
        if likely > 0 and tree.player[above] != position:
            k = np.int64(tree.actions[above])
            r = tree.round[above]
            row = others.table[tree.offset[above] + other[r] * k + tree.action[n]]
            trust = others.trust[above]
            likely *= trust * row + (np.float32(1) - trust) * others.counted[n, strength[r]]
        reach[n] = likely
    # Chips that all hands win alike, and chips times the score at showdowns, at the same depths as `depth_values`.
    alike, shown = np.zeros(len(depth_values), np.float32), np.zeros(len(depth_values), np.float32)
    scored = rows[0]
    for n in range(end - 1, node, -1):
        if reach[n] <= 0:
            continue
        above = int(tree.parent[n])
        a = int(tree.action[n])
        depth, kind = tree.depth[n], tree.kind[n]
        own, up = depth_values[depth], tree.depth[above]
        if kind == CONSTANT:
            alike[depth] = tree.stake[n]
        elif kind == ROW and tree.row[n] == 0:
            shown[depth] = tree.stake[n]
        elif kind == ROW:
            row, stake = rows[tree.row[n]], tree.stake[n]
            for h in range(hands):
                own[h] = stake * row[h]
        c, s = alike[depth], shown[depth]
        alike[depth] = shown[depth] = np.float32(0)
        summed = kind == INNER or tree.row[n] > 0  # otherwise all of it is in c and s
        if above == node:
            for h in range(hands):
                out[a, h] += own[h] + c + s * scored[h]
        elif tree.player[above] == position:
            into = depth_values[up]
            k = np.int64(tree.actions[above])
            start = tree.offset[above] + a
            bucket = buckets[tree.round[above]]
            for h in range(hands):
                into[h] += table[start + bucket[h] * k] * (own[h] + c + s * scored[h])
        else:
            share = reach[n] / reach[above]
            alike[up] += share * c
            shown[up] += share * s
            if summed:
                into = depth_values[up]
                for h in range(hands):
                    into[h] += share * own[h]
        if summed:
            for h in range(hands):
                own[h] = 0.0
