"""Compiled part of `self_play_values`: one strategy against itself, every hand of one player against one of the other."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit

INNER, CONSTANT, ROW = 0, 1, 2


class FlatTree(NamedTuple):
    """N nodes in depth-first preorder, as seen by one position."""

    player: NDArray[np.int8]
    """``[N]``: who acts; -1 at an end."""
    round: NDArray[np.int8]
    """``[N]``."""
    depth: NDArray[np.int32]
    """``[N]``: actions since node 0."""
    after: NDArray[np.int32]
    """``[N]``: the first node that is not below."""
    parent: NDArray[np.int32]
    """``[N]``; -1 at the root."""
    action: NDArray[np.int32]
    """``[N]``: which of its parent's actions leads here."""
    actions: NDArray[np.int32]
    """``[N]``: how many actions a node has."""
    offset: NDArray[np.int64]
    """``[N]``: probability of action a with bucket b is ``table[offset + b * actions + a]``."""
    kind: NDArray[np.int8]
    """``[N]``: INNER; CONSTANT, worth `stake` to every hand; ROW, worth `stake` times row `row` of what hands score."""
    stake: NDArray[np.float32]
    """``[N]``: chips of the position."""
    row: NDArray[np.int32]
    """``[N]``."""


class Others(NamedTuple):
    """How the one who is played against acts: a mixture of rows and of counts (`habits`)."""

    table: NDArray[np.float32]
    """Rows by bucket, laid out as the position's own."""
    trust: NDArray[np.float32]
    """``[N]``: what rows count at a node; `counted` counts the rest."""
    counted: NDArray[np.float32]
    """``[N, strengths]``: how likely its parent's action leads to a node, by strength of the hand."""


@njit(cache=True, nogil=True, error_model="numpy")
def compare(
    strengths: NDArray[np.int32], held: int, live: NDArray[np.bool_], won: NDArray[np.float32]
) -> NDArray[np.int64]:
    """The hands that miss a board, in order; `live` and `won` ``[H]`` are filled in (see `OnBoard`).

    strengths: ``[H]``, below 0 where a hand meets the board; held: the hand that all are compared with.
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
def spread(
    added: NDArray[np.float32], hands: NDArray[np.int64], group: NDArray[np.int64], out: NDArray[np.float32]
) -> None:
    """Add what a group wins, ``added[action, G]``, to each of its hands in ``out[action, H]``; see `group_alike`."""
    for a in range(len(out)):
        for i in range(len(hands)):
            out[a, hands[i]] += added[a, group[i]]


@njit(cache=True, nogil=True, error_model="numpy")
def group_alike(
    buckets: NDArray[np.int32],
    won: NDArray[np.float32],
    hands: NDArray[np.int64],
    group: NDArray[np.int64],
    first: NDArray[np.int64],
    slots: NDArray[np.int64],
) -> int:
    """Number hands that have the same buckets and the same score, in the order they come; returns how many groups.

    buckets: ``[rounds, H]``; won: ``[H]``; hands: ``[n]``, whose groups are written to ``group[n]``; first: ``[n]``, the
    first hand of each group; slots: scratch, a power of two above n, all -1.
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
    tree: FlatTree,
    node: int,
    position: int,
    table: NDArray[np.float32],
    others: Others,
    buckets: NDArray[np.int32],
    other: NDArray[np.int32],
    strength: NDArray[np.int32],
    rows: NDArray[np.float32],
    reach: NDArray[np.float32],
    worth: NDArray[np.float32],
    out: NDArray[np.float32],
) -> None:
    """Add net chips of `position` after each action of a decision node to ``out[action, H]``, hand by hand.

    Below the node the position plays `table` and the other plays `others`, and nothing is left to chance: of the board
    all that counts is in `buckets` and `rows`. Actions that the other never takes with its hand are left alone.

    Args:
        buckets: ``[rounds, H]`` of the position's hands; other and strength: ``[rounds]``, of the other's hand.
        rows: ``[R, H]``: what hands score at ends of kind ROW, 1 for a won showdown and -1 for a lost one.
        reach: scratch ``[N]``: how likely the other's actions lead to a node.
        worth: scratch ``[depths, at least H]``, zero before and after. The row of a depth is that of the one node there
            whose subtree is being added up: backwards in preorder they come one after the other.
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
    # What all hands win alike, and what they win by their score at showdowns, at the same depths as `worth`.
    alike, shown = np.zeros(len(worth), np.float32), np.zeros(len(worth), np.float32)
    scored = rows[0]
    for n in range(end - 1, node, -1):
        if reach[n] <= 0:
            continue
        above = int(tree.parent[n])
        a = int(tree.action[n])
        depth, kind = tree.depth[n], tree.kind[n]
        own, up = worth[depth], tree.depth[above]
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
            into = worth[up]
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
                into = worth[up]
                for h in range(hands):
                    into[h] += share * own[h]
        if summed:
            for h in range(hands):
                own[h] = 0.0
