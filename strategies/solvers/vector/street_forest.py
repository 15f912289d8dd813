"""A betting tree cut into streets, as the arrays that vector solvers walk.

Cards do not change what bets are possible, so all boards of a street share one set of nodes (`solvers.streets`), in
breadth-first order: roots first, and the children of a decision side by side.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction.betting import BettingTree, starts
from limpet.strategies.solvers.lanes_kernels import WIDTH
from limpet.strategies.solvers.streets import FOLD, SHOWDOWN, StreetNodes, cut_into_streets

FOLDS, SHOWDOWNS, RAKED = 1, 2, 4
"""Bits that say whether a block of terminals holds folds, showdowns or both."""


class Forest(NamedTuple):
    """Arrays of L streets with N nodes in all.

    Street l has the nodes ``node_start[l]:node_start[l + 1]``; numbers of nodes that other arrays hold count within their
    street.

    A *reach row* is a node at which the reach of the other player is stored. A player's own decisions do not change it,
    so that many nodes share one row. A *slot* is a row of a table, one for each action of each decision.

    Attributes:
        node_start: int64 ``[L + 1]``: first node of each street.
        kind: int8 ``[N]``: player to act, `FOLD`, `SHOWDOWN` or `LEAF` of `solvers.streets`.
        child: int32 ``[N]``: first child of a decision; its other children follow.
        actions: int32 ``[N]``: number of actions; 0 where nobody acts.
        slot: int32 ``[N]``: first slot of a decision, counted within the street.
        slots: int64 ``[L]``: number of slots of a street.
        decision_start: int64 ``[L + 1]``: index in `decision` of each street's first decision.
        decision: the decisions of each street, ascending.
        leaf_start: int64 ``[L + 1]``: index in `leaf` of each street's first leaf.
        leaf: the leaves of each street, ascending; leaf j leads to root j of the next street.
        reach_row: int32 ``[2, N]``: reach row of the other player, as seen by player p.
        gather_start: int64 ``[2, L + 1]``: index in the next two arrays of player p's first entry of each street.
        gather_row: roots of a street that have a reach row of their own.
        gather_from: the reach row of the street before that fills each root of `gather_row`.
        block_start: int64 ``[2, L + 1]``: player p's first block of each street; a block has eight reach rows.
        block_row: int32 ``[B, 8]``: reach rows of each block; the last row is repeated to fill a block.
        block_holds: int8 ``[B]``: `FOLDS`, `SHOWDOWNS` or both, and `RAKED` where the house takes a share.
        out_start: int64 ``[B + 1]``: index in the arrays below of each block's first terminal.
        out_lane: which of the block's eight rows holds a terminal's reach.
        out_kind: `FOLD` or `SHOWDOWN`.
        out_node: the terminal's node.
        out_stake: factor of the reach: what the pass's player wins, negative where it has folded.
        out_rake: half the house's share, which either player pays for every pair of hands that meets.
    """

    node_start: NDArray[np.int64]
    kind: NDArray[np.int8]
    child: NDArray[np.int32]
    actions: NDArray[np.int32]
    slot: NDArray[np.int32]
    slots: NDArray[np.int64]
    decision_start: NDArray[np.int64]
    decision: NDArray[np.int32]
    leaf_start: NDArray[np.int64]
    leaf: NDArray[np.int32]
    reach_row: NDArray[np.int32]
    gather_start: NDArray[np.int64]
    gather_row: NDArray[np.int32]
    gather_from: NDArray[np.int32]
    block_start: NDArray[np.int64]
    block_row: NDArray[np.int32]
    block_holds: NDArray[np.int8]
    out_start: NDArray[np.int64]
    out_lane: NDArray[np.int32]
    out_kind: NDArray[np.int8]
    out_node: NDArray[np.int32]
    out_stake: NDArray[np.float32]
    out_rake: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class StreetForest:
    """A forest, the tree that it was made of, and for each street the tree node that is the `origin` of each of its nodes."""

    tree: BettingTree
    arrays: Forest
    origin: tuple[NDArray[np.int64], ...]

    def locate(self, node: int) -> tuple[int, int]:
        """Return (street, node of the street) of a decision of the tree. Raises `ValueError` for any other node."""
        if not 0 <= node < self.tree.num_nodes or self.tree.player[node] < 0:
            raise ValueError(f"node {node} is not a decision of this tree")
        street = int(self.tree.round[node] - self.tree.round[0])
        return street, int(np.flatnonzero(self.origin[street] == node)[0])

    def slots(self, street: int, node: int) -> slice:
        """Return the slots of a decision, which is numbered within its street."""
        index = int(self.arrays.node_start[street]) + node
        first = int(self.arrays.slot[index])
        return slice(first, first + int(self.arrays.actions[index]))


class Rake(NamedTuple):
    """The house's share of a pot in which money of both is matched: a share of it, up to a cap in chips."""

    share: float
    cap: float

    def of(self, stakes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the chips taken from pots in which either player has put so many, whatever their sign."""
        return np.minimum(2 * self.share * np.abs(stakes), self.cap)


NO_RAKE = Rake(0.0, 0.0)


def street_forest(tree: BettingTree, chip: float = 1.0, rake: Rake = NO_RAKE) -> StreetForest:
    """Lay out a tree. chip: divides the stakes, so that values come out in its unit.

    A winner of stake s from whose pot R is taken wins s - R, and the loser loses s: the pot is worth ±(s - R / 2) to
    both, and either pays R / 2, who splits it as well. Raises `ValueError` unless two players play.
    """
    streets = cut_into_streets(tree)
    rows, gather_rows, gather_sources = zip(*(_reach_rows(streets, p) for p in (0, 1)), strict=True)
    stakes = [tree.stakes(p) for p in (0, 1)]
    halves = rake.of(stakes[0]) / 2
    paid = halves / chip
    won = [(stake - np.sign(stake) * halves) / chip for stake in stakes]
    blocks = [
        [_blocks(street, row, won[p], paid) for street, row in zip(streets, rows[p], strict=True)] for p in (0, 1)
    ]
    every = [block for of_player in blocks for of_street in of_player for block in of_street]
    outs = np.array([out for block in every for out in block.outs], np.float64).reshape(-1, 5).T
    decisions = [np.flatnonzero(street.actions) for street in streets]
    arrays = Forest(
        node_start=starts(len(street.kind) for street in streets),
        kind=np.concatenate([street.kind for street in streets]),
        child=np.concatenate([street.child for street in streets]),
        actions=np.concatenate([street.actions for street in streets]),
        slot=np.concatenate([starts(street.actions)[:-1] for street in streets]).astype(np.int32),
        slots=np.array([street.actions.sum() for street in streets], np.int64),
        decision_start=starts(map(len, decisions)),
        decision=np.concatenate(decisions).astype(np.int32),
        leaf_start=starts(len(street.leaves) for street in streets),
        leaf=np.concatenate([street.leaves for street in streets]).astype(np.int32),
        reach_row=np.array([np.concatenate(rows[p]) for p in (0, 1)], np.int32),
        gather_start=_player_starts(gather_rows),
        gather_row=np.concatenate([*gather_rows[0], *gather_rows[1]]).astype(np.int32),
        gather_from=np.concatenate([*gather_sources[0], *gather_sources[1]]).astype(np.int32),
        block_start=_player_starts(blocks),
        block_row=np.array([block.rows for block in every], np.int32).reshape(-1, WIDTH),
        block_holds=np.array([block.holds for block in every], np.int8),
        out_start=starts(len(block.outs) for block in every),
        out_lane=outs[0].astype(np.int32),
        out_kind=outs[1].astype(np.int8),
        out_node=outs[2].astype(np.int32),
        out_stake=outs[3].astype(np.float32),
        out_rake=outs[4].astype(np.float32),
    )
    return StreetForest(tree, arrays, tuple(street.origin for street in streets))


_Numbers = list[NDArray[np.int64]]


def _reach_rows(streets: list[StreetNodes], p: int) -> tuple[_Numbers, _Numbers, _Numbers]:
    """Return, for each street, the nodes' reach rows as seen by player p, the gathered roots, and their sources.

    Roots whose leaves of the street before share a reach row share one too.
    """
    rows, gathered, sources = [streets[0].reach_owner(p)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for before, street in pairwise(streets):
        source = rows[-1][before.leaves]
        _, first, number = np.unique(source, return_index=True, return_inverse=True)
        rows.append(street.reach_owner(p, first[number]))
        gathered.append(np.sort(first))
        sources.append(source[gathered[-1]])
    return rows, gathered, sources


class _Block(NamedTuple):
    """Eight reach rows, and for each terminal that they value its lane, kind, node, stake and half the house's share."""

    rows: list[int]
    holds: int
    outs: list[tuple[int, int, int, float, float]]


def _blocks(
    street: StreetNodes, row: NDArray[np.int64], stakes: NDArray[np.float64], paid: NDArray[np.float64]
) -> list[_Block]:
    """Return the terminals of a street in blocks of eight reach rows, rows with showdowns first.

    A row has a fold and a showdown at most; what is over stands with the row again.
    """
    ends: dict[tuple[int, int], list[int]] = {}
    seen: Counter[tuple[int, int]] = Counter()
    for node in np.flatnonzero((street.kind == FOLD) | (street.kind == SHOWDOWN)).tolist():
        of_kind = int(row[node]), int(street.kind[node])
        ends.setdefault((of_kind[0], seen[of_kind]), []).append(node)
        seen[of_kind] += 1
    ordered = sorted(ends.items(), key=lambda item: all(street.kind[node] == FOLD for node in item[1]))
    blocks = []
    for start in range(0, len(ordered), WIDTH):
        rows = [row for (row, _), _ in ordered[start : start + WIDTH]]
        outs = [
            (lane, int(street.kind[node]), node, float(stakes[street.origin[node]]), float(paid[street.origin[node]]))
            for lane, (_, nodes) in enumerate(ordered[start : start + WIDTH])
            for node in nodes
        ]
        kinds = {kind for _, kind, *_ in outs}
        holds = FOLDS * (FOLD in kinds) + SHOWDOWNS * (SHOWDOWN in kinds) + RAKED * any(half for *_, half in outs)
        blocks.append(_Block(rows + rows[-1:] * (WIDTH - len(rows)), holds, outs))
    return blocks


def _player_starts(parts: tuple[_Numbers, ...] | list[list[list[_Block]]]) -> NDArray[np.int64]:
    """Return int64 ``[2, L + 1]``: starts of each street's part in an array of player 0's parts and then player 1's."""
    begin = starts(len(of_street) for of_player in parts for of_street in of_player)
    streets = len(parts[0])
    return np.array([begin[: streets + 1], begin[streets:]])
