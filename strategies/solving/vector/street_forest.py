"""A public tree cut into streets, as the arrays that vector solvers walk.

Cards do not change what bets are possible, so all boards of a street share one set of nodes: a forest with a root for
every way to reach the street. A root may be a showdown at once, where the betting ended before with players all in.
Nodes are numbered breadth first within their street: roots first, and the children of a node side by side.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.solving.lanes_kernels import WIDTH
from limpet.strategies.trees.betting import BettingTree
from limpet.strategies.trees.starts import starts

FOLD, SHOWDOWN, LEAF = 2, 3, 4
"""Kinds of nodes beside the decisions of player 0 and 1. A leaf waits for the next street's cards."""
FOLDS, SHOWDOWNS = 1, 2
"""What a block of terminals holds, as bits."""


class Forest(NamedTuple):
    """L streets. Node numbers are local to a street; street l has the entries ``node_start[l]:node_start[l + 1]``.

    A *reach row* is a node whose incoming reach of the other player is stored: below a player's own decision it does
    not change, so that many nodes share one. A *slot* is a row of a table, one for each action of each decision.
    """

    node_start: NDArray[np.int64]
    """``[L + 1]``."""
    kind: NDArray[np.int8]
    """Player to act, or what else the node is."""
    child: NDArray[np.int32]
    """First child; the others follow."""
    actions: NDArray[np.int32]
    slot: NDArray[np.int32]
    """First slot of a decision, counted within the street."""
    slots: NDArray[np.int64]
    """``[L]`` slots of a street."""
    decision_start: NDArray[np.int64]
    """``[L + 1]``."""
    decision: NDArray[np.int32]
    """The decisions of each street, ascending."""
    leaf_start: NDArray[np.int64]
    """``[L + 1]``."""
    leaf: NDArray[np.int32]
    """The leaves of each street; leaf j leads to root j of the next."""
    reach_row: NDArray[np.int32]
    """``[2, N]``: where the reach of the other player is stored, seen by player p."""
    gather_start: NDArray[np.int64]
    """``[2, L + 1]``."""
    gather_row: NDArray[np.int32]
    """Roots of a street that have a reach row of their own, first for player 0, then for player 1."""
    gather_from: NDArray[np.int32]
    """The reach row of the street before that each of them is filled from."""
    block_start: NDArray[np.int64]
    """``[2, L + 1]``: terminals are worked off in blocks of eight reach rows."""
    block_row: NDArray[np.int32]
    """``[B, 8]``, the last repeated in an unfilled block."""
    block_holds: NDArray[np.int8]
    """``[B]``: `FOLDS`, `SHOWDOWNS` or both."""
    out_start: NDArray[np.int64]
    """``[B + 1]``."""
    out_lane: NDArray[np.int32]
    """Which row of the block a terminal takes its reach from."""
    out_kind: NDArray[np.int8]
    out_node: NDArray[np.int32]
    out_stake: NDArray[np.float32]
    """What the reach is multiplied by: chips won, with the sign of a fold."""


@dataclass(frozen=True, eq=False)
class StreetForest:
    """The arrays, and which node of the `BettingTree` each of their nodes stands for (-1: a root that only waits)."""

    tree: BettingTree
    arrays: Forest
    origin: tuple[NDArray[np.int64], ...]
    """Per street, tree node of each local node."""

    @property
    def streets(self) -> int:
        return len(self.origin)

    def locate(self, node: int) -> tuple[int, int]:
        """(street, local node) of a decision of the tree. Raises `ValueError` for any other node."""
        if not 0 <= node < self.tree.num_nodes or self.tree.player[node] < 0:
            raise ValueError(f"node {node} is not a decision of this tree")
        street = int(self.tree.round[node] - self.tree.round[0])
        return street, int(np.flatnonzero(self.origin[street] == node)[0])


def street_forest(tree: BettingTree, chip: float = 1.0) -> StreetForest:
    """Lay out a two-player tree. Stakes are divided by `chip`, so that values come out in its unit.

    Raises `ValueError` unless two players play.
    """
    if tree.spent.shape[1] != 2:
        raise ValueError(f"vector solvers play heads-up; this tree has {tree.spent.shape[1]} players")
    first_round, last_round = int(tree.round[0]), tree.game.num_rounds - 1
    streets = [_Street(tree, [0], first_round, last_round)]
    while streets[-1].round < last_round:
        streets.append(_Street(tree, streets[-1].waiting(), streets[-1].round + 1, last_round))
    for street in streets:
        street.share_reach(streets[street.round - first_round - 1] if street.round > first_round else None)
    blocks = [[street.blocks(p, chip) for street in streets] for p in (0, 1)]
    every = [block for of_player in blocks for of_street in of_player for block in of_street]
    arrays = Forest(
        node_start=starts(len(s.kind) for s in streets),
        kind=np.concatenate([np.array(s.kind, np.int8) for s in streets]),
        child=np.concatenate([np.array(s.child, np.int32) for s in streets]),
        actions=np.concatenate([np.array(s.actions, np.int32) for s in streets]),
        slot=np.concatenate([s.slot for s in streets]),
        slots=np.array([sum(s.actions) for s in streets], np.int64),
        decision_start=starts(len(s.decisions) for s in streets),
        decision=np.concatenate([s.decisions for s in streets]),
        leaf_start=starts(len(s.leaves) for s in streets),
        leaf=np.concatenate([s.leaves for s in streets]),
        reach_row=np.concatenate([s.reach_row for s in streets], axis=1),
        gather_start=_player_starts([[len(s.gather[p]) for s in streets] for p in (0, 1)]),
        gather_row=np.array([row for p in (0, 1) for s in streets for row, _ in s.gather[p]], np.int32),
        gather_from=np.array([source for p in (0, 1) for s in streets for _, source in s.gather[p]], np.int32),
        block_start=_player_starts([[len(of_street) for of_street in blocks[p]] for p in (0, 1)]),
        block_row=np.array([block.rows for block in every], np.int32).reshape(-1, WIDTH),
        block_holds=np.array([block.holds for block in every], np.int8),
        out_start=starts(len(block.outs) for block in every),
        out_lane=np.array([out[0] for block in every for out in block.outs], np.int32),
        out_kind=np.array([out[1] for block in every for out in block.outs], np.int8),
        out_node=np.array([out[2] for block in every for out in block.outs], np.int32),
        out_stake=np.array([out[3] for block in every for out in block.outs], np.float32),
    )
    return StreetForest(tree, arrays, tuple(np.array(street.origin, np.int64) for street in streets))


class _Block(NamedTuple):
    rows: list[int]
    holds: int
    outs: list[tuple[int, int, int, float]]


class _Street:
    """One street's nodes, breadth first from its roots."""

    def __init__(self, tree: BettingTree, roots: list[int], round_: int, last_round: int) -> None:
        self.tree = tree
        self.round = round_
        self.num_roots = len(roots)
        self.origin = list(roots)
        self.kind: list[int] = []
        self.child: list[int] = []
        self.actions: list[int] = []
        for node in self.origin:  # grows as it is walked
            children: list[int] = []
            if tree.player[node] >= 0 and tree.round[node] == round_:
                children = tree.edge_child[tree.first_edge[node] : tree.first_edge[node + 1]].tolist()
                self.kind.append(int(tree.player[node]))
            elif tree.player[node] < 0 and tree.folded[node]:
                self.kind.append(FOLD)
            else:
                self.kind.append(SHOWDOWN if round_ == last_round else LEAF)
            self.child.append(len(self.origin))
            self.actions.append(len(children))
            self.origin += children
        kind = np.array(self.kind)
        self.slot = starts(self.actions)[:-1].astype(np.int32)
        self.decisions = np.flatnonzero(kind < FOLD).astype(np.int32)
        self.leaves = np.flatnonzero(kind == LEAF).astype(np.int32)
        self.reach_row = np.empty((2, len(kind)), np.int32)
        self.gather: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])

    def waiting(self) -> list[int]:
        """Tree nodes of the leaves: the roots of the next street."""
        return [self.origin[leaf] for leaf in self.leaves]

    def share_reach(self, before: "_Street | None") -> None:
        for p in (0, 1):
            rows = self.reach_row[p]
            first: dict[int, int] = {}
            for root in range(self.num_roots):
                source = root if before is None else int(before.reach_row[p][before.leaves[root]])
                rows[root] = first.setdefault(source, root)
            if before is not None:
                self.gather[p].extend((row, source) for source, row in first.items())
            for node in self.decisions:
                for child in range(self.child[node], self.child[node] + self.actions[node]):
                    rows[child] = rows[node] if self.kind[node] == p else child

    def blocks(self, p: int, chip: float) -> list[_Block]:
        """Terminals seen by player p, by reach row, rows with showdowns first."""
        by_row: dict[int, list[int]] = {}
        for node, kind in enumerate(self.kind):
            if kind in (FOLD, SHOWDOWN):
                by_row.setdefault(int(self.reach_row[p][node]), []).append(node)
        ordered = sorted(by_row.items(), key=lambda item: all(self.kind[node] == FOLD for node in item[1]))
        blocks = []
        for start in range(0, len(ordered), WIDTH):
            some = ordered[start : start + WIDTH]
            outs = [(lane, *self._out(node, p, chip)) for lane, (_, nodes) in enumerate(some) for node in nodes]
            holds = 0
            for _, kind, _, _ in outs:
                holds |= FOLDS if kind == FOLD else SHOWDOWNS
            rows = [row for row, _ in some]
            blocks.append(_Block(rows + rows[-1:] * (WIDTH - len(rows)), holds, outs))
        return blocks

    def _out(self, node: int, p: int, chip: float) -> tuple[int, int, float]:
        """(kind, node, stake): what p wins, or loses, of the other's matching chips."""
        origin = self.origin[node]
        stake = float(self.tree.spent[origin].min()) / chip
        lost = bool(self.tree.folded[origin] >> p & 1)
        return self.kind[node], node, -stake if lost else stake


def _player_starts(lengths: list[list[int]]) -> NDArray[np.int64]:
    """``[2, L + 1]`` into one array that holds player 0's entries and then player 1's."""
    return np.array([sum(lengths[0]) * p + starts(of_player) for p, of_player in enumerate(lengths)], np.int64)
