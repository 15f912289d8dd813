"""A betting tree as public chance sampling walks it: in parts that fit the processor's caches.

A *part* is one way to reach a street, with all decisions of that street below it. The parts of the street before the
last hold the last street's decisions too, below all their leaves; so do those of a game with one street only, where
there are none. A part's numbers are kept by *slot*: a slot for its root and one for each child of its decisions, the
children of a decision side by side. Slots of the part's own street are *upper* ones, those of the last street *lower*.

Terminals are valued in lanes: a *lane* is one row of the other player's reach, and the fold and the showdown that it is
worth something at. The decision of a player who faces a bet has both, with the same reach.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.trees.betting import BettingTree
from limpet.strategies.trees.starts import starts


class Layout(NamedTuple):
    """K parts in preorder. Indices of slots count from 0 in each part; lower slot 0 is no node but a row of ones."""

    level: NDArray[np.int64]
    """``[K]``: round of the part's own street."""
    parent_slot: NDArray[np.int64]
    """``[K]``: upper slot of the part above that leads here."""
    after: NDArray[np.int64]
    """``[K]``: the next part that is not below this one."""
    slots: NDArray[np.int64]
    """``[K, 2]``: how many upper and how many lower slots."""
    node_start: NDArray[np.int64]
    """``[K + 1]`` into the decisions: the part's upper ones, parents first,"""
    lower_start: NDArray[np.int64]
    """``[K]``: and from here on its lower ones."""
    slot: NDArray[np.int64]
    """Of each decision."""
    child: NDArray[np.int64]
    """First slot of its children."""
    actions: NDArray[np.int64]
    player: NDArray[np.int64]
    offset: NDArray[np.int64]
    """Row (decision, bucket) of a table starts at ``offset + bucket * actions``."""
    root: NDArray[np.int64]
    """Which root of its street a lower decision is below, counted from 0 in the part; 0 for upper ones."""
    leaf_start: NDArray[np.int64]
    """``[K + 1]`` into:"""
    leaf: NDArray[np.int64]
    """Upper slots that lead to lower roots: the n-th to lower slot 1 + n."""
    lane_start: NDArray[np.int64]
    """``[2, K + 1]``: lanes seen by player p, those with showdowns first,"""
    fold_start: NDArray[np.int64]
    """``[2, K]``: and from here on those without."""
    lane_upper: NDArray[np.int64]
    """The upper slot that a lane is at or below."""
    lane_reach: NDArray[np.int64]
    """The lower slot whose reach it has beyond that: 0 for terminals of the upper street."""
    lane_fold: NDArray[np.int64]
    """Lower slot of its fold, 0 for none."""
    lane_show: NDArray[np.int64]
    """Lower slot of its showdown, 0 for none."""
    fold_stake: NDArray[np.float32]
    """Net chips of the player if the fold happens; 0 without one."""
    show_stake: NDArray[np.float32]
    """What the winner of the showdown wins."""
    lane_exact: NDArray[np.bool_]
    """All in on the first street, and worth its odds: counted as a fold, for all that is at stake."""


class _Lane(NamedTuple):
    upper: int
    reach: int = 0
    fold: int = 0
    show: int = 0
    fold_stake: float = 0.0
    show_stake: float = 0.0
    exact: bool = False


class _Part:
    """One part's slots, as tree nodes, and its decisions: (slot, first child's slot), parents first."""

    def __init__(self, tree: BettingTree, root: int, level: int, parent_slot: int) -> None:
        self.level, self.parent_slot, self.after = level, parent_slot, 0
        self.upper = [root]
        self.upper_nodes = _grow(tree, self.upper, 0)
        self.leaves = [
            slot for slot, node in enumerate(self.upper) if tree.player[node] >= 0 and tree.round[node] == level + 1
        ]
        self.lower = [-1]
        self.lower_nodes: list[tuple[int, int]] = []
        self.root_of = [0]
        if level == tree.game.num_rounds - 2:
            self.lower += [self.upper[slot] for slot in self.leaves]
            self.root_of += range(len(self.leaves))
            self.lower_nodes = _grow(tree, self.lower, 1)
            for slot, _ in self.lower_nodes:
                self.root_of += [self.root_of[slot]] * int(tree.num_actions[self.lower[slot]])

    def lanes(self, tree: BettingTree, player: int, exact: bool) -> list[_Lane]:
        found = []
        for slot, node in enumerate(self.upper):
            if tree.player[node] < 0:
                fold, show = _stakes(tree, node, player)
                odds = exact and self.level == 0 and not tree.folded[node]
                found.append(_Lane(slot, 0, 0, 0, show if odds else fold, 0.0 if odds else show, odds))
        for slot, child in self.lower_nodes:
            node = self.lower[slot]
            upper = self.leaves[self.root_of[slot]]
            ends = [at for at in range(child, child + int(tree.num_actions[node])) if tree.player[self.lower[at]] < 0]
            if tree.player[node] != player:
                found += [self._lane(tree, player, upper, at, [at]) for at in ends]
            elif ends:
                found.append(self._lane(tree, player, upper, slot, ends))
        return sorted(found, key=lambda lane: not lane.show_stake)

    def _lane(self, tree: BettingTree, player: int, upper: int, reach: int, ends: list[int]) -> _Lane:
        lane = _Lane(upper, reach)
        for end in ends:
            fold, show = _stakes(tree, self.lower[end], player)
            lane = lane._replace(fold=end, fold_stake=fold) if fold else lane._replace(show=end, show_stake=show)
        return lane


def public_layout(tree: BettingTree, offset: NDArray[np.int64], exact: bool = False) -> Layout:
    """Lay out a two-player tree for tables of layout `offset` (`BettingTree.row_offset`).

    exact: whether all-ins on the first street are to be worth their odds.
    """
    parts: list[_Part] = []
    _add_parts(tree, parts, 0, 0, 0)
    # A part's upper decisions, then its lower ones: (tree node, slot, first child's slot, root).
    nodes = [
        (own[slot], slot, child, root)
        for part in parts
        for own, decisions, root_of in (
            (part.upper, part.upper_nodes, [0] * len(part.upper)),
            (part.lower, part.lower_nodes, part.root_of),
        )
        for slot, child in decisions
        for root in (root_of[slot],)
    ]
    origin, slot, child, root = np.array(nodes, np.int64).T.copy()
    node_start = starts(len(part.upper_nodes) + len(part.lower_nodes) for part in parts)
    lanes = [[part.lanes(tree, player, exact) for part in parts] for player in (0, 1)]
    every = [lane for of_player in lanes for of_part in of_player for lane in of_part]
    lane_start = np.array([starts(map(len, of_player)) for of_player in lanes])
    lane_start[1] += lane_start[0, -1]
    shows = np.array([[sum(lane.show_stake != 0 for lane in of) for of in of_player] for of_player in lanes], np.int64)
    return Layout(
        level=np.array([part.level for part in parts], np.int64),
        parent_slot=np.array([part.parent_slot for part in parts], np.int64),
        after=np.array([part.after for part in parts], np.int64),
        slots=np.array([(len(part.upper), len(part.lower)) for part in parts], np.int64),
        node_start=node_start,
        lower_start=node_start[:-1] + np.array([len(part.upper_nodes) for part in parts], np.int64),
        slot=slot,
        child=child,
        actions=tree.num_actions[origin].astype(np.int64),
        player=tree.player[origin].astype(np.int64),
        offset=offset[origin],
        root=root,
        leaf_start=starts(len(part.leaves) if part.lower_nodes else 0 for part in parts),
        leaf=np.array([leaf for part in parts if part.lower_nodes for leaf in part.leaves], np.int64),
        lane_start=lane_start,
        fold_start=lane_start[:, :-1] + shows,
        lane_upper=np.array([lane.upper for lane in every], np.int64),
        lane_reach=np.array([lane.reach for lane in every], np.int64),
        lane_fold=np.array([lane.fold for lane in every], np.int64),
        lane_show=np.array([lane.show for lane in every], np.int64),
        fold_stake=np.array([lane.fold_stake for lane in every], np.float32),
        show_stake=np.array([lane.show_stake for lane in every], np.float32),
        lane_exact=np.array([lane.exact for lane in every], np.bool_),
    )


def _add_parts(tree: BettingTree, parts: list[_Part], root: int, level: int, parent_slot: int) -> None:
    part = _Part(tree, root, level, parent_slot)
    parts.append(part)
    if not part.lower_nodes:
        for slot in part.leaves:
            _add_parts(tree, parts, part.upper[slot], level + 1, slot)
    part.after = len(parts)


def _grow(tree: BettingTree, slots: list[int], first: int) -> list[tuple[int, int]]:
    """Add a street's nodes breadth first below those in ``slots[first:]``; (slot, first child's slot) of decisions."""
    street = tree.round[slots[-1]] if len(slots) > first else -1
    decisions = []
    for slot, node in enumerate(slots):  # grows as it is walked
        if slot >= first and tree.player[node] >= 0 and tree.round[node] == street:
            decisions.append((slot, len(slots)))
            slots += tree.edge_child[tree.first_edge[node] : tree.first_edge[node + 1]].tolist()
    return decisions


def _stakes(tree: BettingTree, node: int, player: int) -> tuple[float, float]:
    """(net chips of the player after a fold, what the winner of a showdown wins), 0 for what the terminal is not."""
    spent = tree.spent[node]
    if not tree.folded[node]:
        return 0.0, float(spent.min())
    lost = bool(tree.folded[node] >> player & 1)
    return (-float(spent[player]) if lost else float(spent[1 - player])), 0.0
