"""Compiled part of `real_response`: counterfactual values of all hands on one street's boards."""

from typing import NamedTuple

import numpy as np

from limpet.common.jit import Bytes, Doubles, Floats, Ints, Longs, Shorts, njit
from limpet.strategies.abstraction.betting import BettingTree, starts
from limpet.strategies.cards.strength_kernels import without
from limpet.strategies.solvers.streets import FOLD, LEAF, SHOWDOWN, StreetNodes, cut_into_streets

# --- A betting tree cut into streets, for one player who answers another's strategy.

OWN, OTHER = 0, 1
"""Kinds of decisions: the answering player's, and the player's whose strategy is answered. Ends are `solvers.streets`'s."""
FOLDS, SHOWDOWNS = 1, 2
"""Bits of `ResponseStreet.ends`."""


class ResponseStreet(NamedTuple):
    """The N nodes of one street, root after root; a root is where a line of betting reaches it.

    Leaf number i of a street leads to root number i of the next. A hand that is all in runs through the streets left,
    each of which has a root for it that is a leaf too, until the last street shows it down.

    Attributes:
        root: int64 ``[R + 1]``: the nodes of root r are ``root[r]:root[r + 1]``, parents before children.
        leaf: int64 ``[R + 1]``: the leaves of root r are those numbered ``leaf[r]:leaf[r + 1]``.
        kind: int8 ``[N]``: `OWN` or `OTHER` (to act), `FOLD`, `SHOWDOWN`, `LEAF`.
        actions: int32 ``[N]``: number of actions; 0 where nobody acts.
        child: int32 ``[N]``: first child of a decision; its other children follow.
        leaf_owner: int32 ``[leaves]``: owner of each leaf.
        ends: int8 ``[N]``: terminals whose owner a node is: 1 folds, 2 showdowns, 3 both, 0 none.
        table_row: int64 ``[N]``: at `OTHER`, where the node's rows start in the other's table.
        stake: float32 ``[N]``: net chips of the player after a fold, or chips that the winner of a showdown wins.
    """

    root: Longs
    leaf: Longs
    kind: Bytes
    actions: Ints
    child: Ints
    owner: Ints
    """int32 ``[N]``: the node from which on the other's reach has not changed; own actions do not change it."""
    leaf_owner: Ints
    ends: Bytes
    table_row: Longs
    stake: Floats


def tree_streets(tree: BettingTree, offset: Longs, player: int) -> tuple[ResponseStreet, ...]:
    """Return all streets, for the answers of `player` to a table of layout `offset`.

    Raises `ValueError` unless two players play.
    """
    stakes = tree.stakes(player)
    return tuple(_street(nodes, player, offset, stakes) for nodes in cut_into_streets(tree, by_root=True))


def _street(nodes: StreetNodes, player: int, offset: Longs, stakes: Doubles) -> ResponseStreet:
    roots = int(nodes.root.max(initial=-1)) + 1
    owner = nodes.reach_owner(player).astype(np.int32)
    ends = np.zeros(len(owner), np.int8)
    for kind, bit in ((FOLD, FOLDS), (SHOWDOWN, SHOWDOWNS)):
        ends[owner[nodes.kind == kind]] |= bit
    return ResponseStreet(
        root=starts(np.bincount(nodes.root)),
        leaf=starts(np.bincount(nodes.root[nodes.leaves], minlength=roots)),
        kind=np.where(nodes.actions > 0, nodes.kind != player, nodes.kind).astype(np.int8),
        actions=nodes.actions,
        child=nodes.child,
        owner=owner,
        leaf_owner=owner[nodes.leaves],
        ends=ends,
        table_row=offset[nodes.origin],
        stake=stakes[nodes.origin].astype(np.float32),
    )


U = np.uint64  # unsigned indices are not tested for counting from the end


@njit(cache=True, nogil=True, error_model="numpy")
def descend(street: ResponseStreet, root: int, table: Floats, bucket: Ints, reach: Floats) -> None:
    """Fill in the other's reach at every node below a root, by the rows of `table` and the bucket of each hand, ``[H]``.

    reach: ``[nodes of the root, H or more]``; the first row is given. Rows of owners alone are filled in.
    """
    base = street.root[root]
    for node in range(base, street.root[root + 1]):
        if street.kind[node] != OTHER:
            continue
        source = reach[street.owner[node] - base]
        child, count = street.child[node] - base, int(street.actions[node])
        actions = U(count)
        for a in range(0, count, 2):  # two at a time: their probabilities lie side by side
            row = U(street.table_row[node] + a)
            target = reach[child + a]
            if a + 1 == count:
                for h in range(len(bucket)):
                    target[h] = source[h] * table[row + U(bucket[h]) * actions]
                continue
            second = reach[child + a + 1]
            for h in range(len(bucket)):
                at, own = row + U(bucket[h]) * actions, source[h]
                target[h] = own * table[at]
                second[h] = own * table[at + U(1)]


@njit(cache=True, nogil=True, error_model="numpy")
def fold_values(stake: np.float32, reach: Floats, cards: Shorts, held: Floats, value: Floats) -> None:
    """Write each hand's value of a fold: the stake times the reach of the hands that share no card with it.

    held: scratch ``[cards]``: reach of the hands that hold each card.
    """
    hands = reach.shape[0]
    held[:] = 0.0
    total = np.float32(0)
    for h in range(hands):
        own = reach[h]
        total += own
        held[cards[h, 0]] += own
        held[cards[h, 1]] += own
    for h in range(hands):
        value[h] = stake * (without(total, held[cards[h, 0]], held[cards[h, 1]]) + reach[h])


@njit(cache=True, nogil=True, error_model="numpy")
def variants(honest: Floats, fitted: Floats, count: Floats, of_all: Floats, chance: np.float32, leaves: Floats) -> None:
    """Write leaf values in the variants that `ascend` takes, as means over boards, ``[leaves, 2 P + 1, H]``.

    The variants are: honest values outside each part, fitted values of all boards, honest values of each part.

    honest, fitted: ``[P, leaves, H]``: sums over the boards of each part, still to be multiplied by `chance`. count: ``[P, H]``,
    of_all: ``[H]``: numbers of a part's boards, and of all boards, that leave each hand possible.
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
    street: ResponseStreet, root: int, reach: Floats, cards: Shorts, leaves: Floats, judge: Ints, held: Floats,
    best: Bytes, value: Floats,
) -> None:  # fmt: skip
    """Work out values of a root in V variants from its leaves' values; the result is ``value[0]``.

    Variant v takes the action that is best in variant ``judge[v]``, hand by hand. So an action can be chosen on some
    boards and valued on others. The street is not the last one: no showdowns happen on it.

    `reach` is filled in by `descend`; leaves: ``[leaves of the root, V, H]``; value: ``[nodes of the root, V, H]``. Scratch:
    held ``[cards]``, best ``[V, H]``.
    """
    begin = street.root[root]
    variants, hands = leaves.shape[1], leaves.shape[2]
    leaf = leaves.shape[0]
    for node in range(street.root[root + 1] - 1, begin - 1, -1):
        here = value[node - begin]
        kind = street.kind[node]
        if kind == LEAF:
            leaf -= 1
            for v in range(variants):
                for h in range(hands):
                    here[v, h] = leaves[leaf, v, h]
            continue
        if kind == FOLD:
            fold_values(street.stake[node], reach[street.owner[node] - begin], cards, held, here[0])
            for v in range(1, variants):
                for h in range(hands):
                    here[v, h] = here[0, h]
            continue
        child = street.child[node] - begin
        for a in range(street.actions[node]):
            below = value[child + a]
            if a == 0:
                best[:] = 0
                for v in range(variants):
                    for h in range(hands):
                        here[v, h] = below[v, h]
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
                        here[v, h] = value[child + best[judge[v], h], v, h]
