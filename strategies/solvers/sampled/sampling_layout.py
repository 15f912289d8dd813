"""A betting tree as public chance sampling walks it: in parts that fit the processor's caches.

A *part* is one way to reach a street, with all decisions of that street below it. A part of the street before the last
also holds the last street's decisions below its leaves; the last street has parts of its own only in games of one street.
Numbers of a part are kept by *slot*: a slot for its root and one for each child of its decisions, the children of a
decision side by side. Slots of the part's own street are *upper* ones, slots of the last street *lower* ones.

Terminals are valued in lanes: a *lane* is one row of the other player's reach, with the fold and the showdown that it
values. The decision of a player who faces a bet can have both, with the same reach.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction.betting import BettingTree, starts
from limpet.strategies.solvers.streets import FOLD, StreetNodes, street_below


class SamplingLayout(NamedTuple):
    """K parts in preorder with D decisions in all.

    Slots count from 0 in each part. Lower slot 0 is no node but a row of ones, the reach of terminals of the upper street.

    Attributes:
        level: int64 ``[K]``: number of the part's own street, counted from the street that the tree begins on.
        parent_slot: int64 ``[K]``: upper slot, in the part above, that leads to each part.
        after: int64 ``[K]``: the next part that is not below each part.
        slots: int64 ``[K, 2]``: number of upper and of lower slots.
        node_start: int64 ``[K + 1]``: index of each part's first upper decision; parents precede children.
        lower_start: int64 ``[K]``: index of each part's first lower decision; parents precede children.
        slot: int64 ``[D]``: slot of each decision.
        child: int64 ``[D]``: slot of each decision's first child.
        actions: int64 ``[D]``: number of actions.
        player: int64 ``[D]``: position to act.
        offset: int64 ``[D]``: row (decision, bucket) of a table starts at ``offset + bucket * actions``.
        leaf_start: int64 ``[K + 1]``: index in `leaf` of each part's first leaf.
        fold_start: int64 ``[2, K]``: index of each part's first lane without a showdown.
        lane_upper: int64 per lane: the upper slot that the lane is at or below.
        lane_fold: int64 per lane: lower slot of its fold, 0 for none.
        lane_show: int64 per lane: lower slot of its showdown, 0 for none.
        fold_stake: float32 per lane: net chips of the player if the fold happens; 0 without one.
        show_stake: float32 per lane: chips that the winner of the showdown wins; 0 without one.
    """

    level: NDArray[np.int64]
    parent_slot: NDArray[np.int64]
    after: NDArray[np.int64]
    slots: NDArray[np.int64]
    node_start: NDArray[np.int64]
    lower_start: NDArray[np.int64]
    slot: NDArray[np.int64]
    child: NDArray[np.int64]
    actions: NDArray[np.int64]
    player: NDArray[np.int64]
    offset: NDArray[np.int64]
    root: NDArray[np.int64]
    """int64 ``[D]``: number, within the part, of the last street's root that a lower decision is below; 0 for upper ones."""
    leaf_start: NDArray[np.int64]
    leaf: NDArray[np.int64]
    """int64: upper slots that lead to the last street's roots; the n-th of a part leads to lower slot 1 + n."""
    lane_start: NDArray[np.int64]
    """int64 ``[2, K + 1]``: index of each part's first lane as seen by player p; lanes with showdowns come first."""
    fold_start: NDArray[np.int64]
    lane_upper: NDArray[np.int64]
    lane_reach: NDArray[np.int64]
    """int64 per lane: the lower slot that holds the lane's reach; 0 for terminals of the upper street."""
    lane_fold: NDArray[np.int64]
    lane_show: NDArray[np.int64]
    fold_stake: NDArray[np.float32]
    show_stake: NDArray[np.float32]
    lane_exact: NDArray[np.bool_]
    """bool per lane: true for an all-in on the first street that is valued by its odds, as a fold for all that is at stake."""


class _Part(NamedTuple):
    """One part. Slot s of the upper street is node s of `upper`; lower slot s is node s - 1 of `lower`."""

    level: int
    parent_slot: int
    upper: StreetNodes
    leaves: NDArray[np.intp]
    lower: StreetNodes

    def decisions(self) -> NDArray[np.int64]:
        """Return int64 ``[4, decisions]``: tree node, slot, first child's slot and root of the upper and lower decisions."""
        columns: list[NDArray[np.int64]] = []
        for street, first in ((self.upper, 0), (self.lower, 1)):
            acting = np.flatnonzero(street.actions)
            child, root = street.child[acting] + first, first * street.root[acting]
            columns.append(np.array([street.origin[acting], acting + first, child, root], np.int64))
        return np.concatenate(columns, axis=1)

    def lanes(self, tree: BettingTree, player: int, stakes: NDArray[np.float64], exact: bool) -> NDArray[np.float64]:
        """Return float64 ``[7, lanes]``: the columns of `SamplingLayout` from `lane_upper` to `lane_exact`, showdowns first."""
        ends = np.flatnonzero(tree.player[self.upper.origin] < 0)
        folds, stake, none = self.upper.kind[ends] == FOLD, stakes[self.upper.origin[ends]], np.zeros(len(ends))
        odds = ~folds & (exact and self.level == 0)
        shows = np.where(folds | odds, 0, stake)
        upper = np.array([ends, none, none, none, np.where(folds | odds, stake, 0), shows, odds])
        street = self.lower
        ends = np.flatnonzero(tree.player[street.origin] < 0)
        # The player's own actions leave the other's reach as it is at their decision.
        parent = street.parent[ends]
        reach = np.where(street.kind[parent] == player, parent, ends)
        lane = np.cumsum(np.diff(reach, prepend=-1) != 0) - 1
        lower = np.zeros((7, int(lane.max(initial=-1)) + 1))
        lower[:2, lane] = self.leaves[street.root[ends]], reach + 1
        folds = street.kind[ends] == FOLD
        for of_kind, slot_row, stake_row in ((folds, 2, 4), (~folds, 3, 5)):
            lower[slot_row, lane[of_kind]] = ends[of_kind] + 1
            lower[stake_row, lane[of_kind]] = stakes[street.origin[ends[of_kind]]]
        lanes = np.concatenate([upper, lower], axis=1)
        return lanes[:, np.argsort(lanes[5] == 0, kind="stable")]


def public_layout(tree: BettingTree, offset: NDArray[np.int64], exact: bool = False) -> SamplingLayout:
    """Lay out a tree of two players for tables of a row `offset`; all-ins on the first street by odds if `exact`."""
    parts: list[_Part] = []
    after: list[int] = []
    _add_parts(tree, parts, after, 0, 0, 0)
    origin, slot, child, root = np.concatenate([part.decisions() for part in parts], axis=1)
    lower_counts = np.array([np.count_nonzero(part.lower.actions) for part in parts])
    node_start = starts(np.array([np.count_nonzero(part.upper.actions) for part in parts]) + lower_counts)
    stakes = [tree.stakes(player) for player in (0, 1)]
    lanes = [part.lanes(tree, player, stakes[player], exact) for player in (0, 1) for part in parts]
    lane_start = starts(of_part.shape[1] for of_part in lanes)
    shows = np.array([np.count_nonzero(of_part[5]) for of_part in lanes]).reshape(2, -1)
    lane_start = np.array([lane_start[: len(parts) + 1], lane_start[len(parts) :]])
    upper, reach, fold, show, fold_stake, show_stake, odds = np.concatenate(lanes, axis=1)
    leaves = [part.leaves if len(part.lower.kind) else part.leaves[:0] for part in parts]
    return SamplingLayout(
        level=np.array([part.level for part in parts], np.int64),
        parent_slot=np.array([part.parent_slot for part in parts], np.int64),
        after=np.array(after, np.int64),
        slots=np.array([(len(part.upper.kind), 1 + len(part.lower.kind)) for part in parts], np.int64),
        node_start=node_start,
        lower_start=node_start[1:] - lower_counts,
        slot=slot,
        child=child,
        actions=tree.num_actions[origin].astype(np.int64),
        player=tree.player[origin].astype(np.int64),
        offset=offset[origin],
        root=root,
        leaf_start=starts(map(len, leaves)),
        leaf=np.concatenate(leaves),
        lane_start=lane_start,
        fold_start=lane_start[:, :-1] + shows,
        lane_upper=upper.astype(np.int64),
        lane_reach=reach.astype(np.int64),
        lane_fold=fold.astype(np.int64),
        lane_show=show.astype(np.int64),
        fold_stake=fold_stake.astype(np.float32),
        show_stake=show_stake.astype(np.float32),
        lane_exact=odds.astype(np.bool_),
    )


def _add_parts(
    tree: BettingTree, parts: list[_Part], after: list[int], root: int, level: int, parent_slot: int
) -> None:
    """Append the part of a root and the parts below it, in preorder, and each one's `SamplingLayout.after`."""
    street = tree.root.round + level
    upper = street_below(tree, np.array([root]), street)
    leaves = np.flatnonzero((tree.player[upper.origin] >= 0) & (upper.actions == 0))
    holds_last_street = street == tree.game.num_rounds - 2
    lower = street_below(tree, upper.origin[leaves] if holds_last_street else np.zeros(0, np.int64), street + 1)
    number = len(parts)
    parts.append(_Part(level, parent_slot, upper, leaves, lower))
    after.append(0)
    if not holds_last_street:
        for slot in leaves.tolist():
            _add_parts(tree, parts, after, int(upper.origin[slot]), level + 1, slot)
    after[number] = len(parts)


# --- A betting tree as the arrays that sampling kernels walk deal by deal: decisions and terminals numbered apart.


class SampledTree(NamedTuple):
    """D decision nodes and T terminals, each in preorder; E edges; P players.

    Attributes:
        offset: int64 ``[D]``: row (node, bucket) of a table starts at ``offset + bucket * actions``.
        child: int32 ``[E]``: number of a decision, or ``~number`` of a terminal.
        spent: float32 ``[T, P]``: chips over the hand.
        folded: int32 ``[T]``: bit p is set when position p has folded.
    """

    record: NDArray[np.int32]
    """int32 ``[D, 4]``: player, round, first edge, number of actions; 16 bytes, four records to a cache line."""
    offset: NDArray[np.int64]
    child: NDArray[np.int32]
    spent: NDArray[np.float32]
    folded: NDArray[np.int32]


def sampled_tree(tree: BettingTree, num_buckets: Sequence[int]) -> SampledTree:
    """Lay out `tree` for tables of `BettingTree.row_offset(num_buckets)`."""
    decisions, terminals = tree.decisions, tree.terminals
    actions = tree.num_actions[decisions]
    number = np.empty(tree.num_nodes, np.int32)
    number[decisions] = np.arange(len(decisions))
    number[terminals] = ~np.arange(len(terminals))
    record = np.stack([tree.player[decisions], tree.round[decisions], tree.first_edge[decisions], actions], axis=1)
    return SampledTree(
        record=np.ascontiguousarray(record, np.int32),
        offset=tree.row_offset(num_buckets)[decisions],
        child=number[tree.edge_child],
        spent=np.ascontiguousarray(tree.spent[terminals], np.float32),
        folded=np.ascontiguousarray(tree.folded[terminals], np.int32),
    )
