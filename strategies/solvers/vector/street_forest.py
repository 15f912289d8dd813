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
from limpet.strategies.solvers.lanes_kernels import WIDTH, Table
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


# --- The arrays that a vector solver's pass reads and writes.


class Visit(NamedTuple):
    """A visit of a pass to one board.

    Attributes:
        p: player whose values the pass computes.
        street: street of the board, 0 at the root.
        board: number of the board.
        hands: number of hands on the board.
        begin: column at which rows of the player's hands begin: that of the first one, rounded down to whole lanes.
        lanes: length of the part of such a row that is in use: to the player's last hand and one more, in whole lanes.
        stride: length of such rows on the street.
        seen_begin: the same for rows of the other player's hands.
        seen_lanes: the same for rows of the other player's hands.
        seen_stride: the same for rows of the other player's hands.
    """

    p: int
    street: int
    board: int
    hands: int
    begin: int
    lanes: int
    stride: int
    seen_begin: int
    seen_lanes: int
    seen_stride: int


class BoardTables(NamedTuple):
    """Regrets and average strategies of all decisions on B boards: float32, or int16 with a scale for each decision.

    Attributes:
        base: int64 ``[B]``: index at which each board's entries start.
        row: int64 ``[N]``: entries of a board before the first row of each decision, which has its player's hands.
        play: weights of actions. Negative weights count as 0, and a row without weight is played uniformly.
        regret: the same array as `play`; with predictions (PCFR+) `play` is regret plus the prediction.
        average: weighted sum of strategies; empty where the answer is the last strategy.
        decision_base: int64 ``[B]``: index at which each board's decisions start in the arrays below.
        regret_scale: float32 ``[decision]``: factor of int16 regrets; unused with float32.
        average_scale: float32 ``[decision]``: factor of int16 sums of strategies; unused with float32.
        locked: bool_ ``[decision]``: whether the decision keeps the strategy it has.
    """

    base: NDArray[np.int64]
    row: NDArray[np.int64]
    play: Table
    regret: Table
    average: Table
    decision_base: NDArray[np.int64]
    regret_scale: NDArray[np.float32]
    average_scale: NDArray[np.float32]
    locked: NDArray[np.bool_]


class BoardHandGroups(NamedTuple):
    """Card abstraction: the hands that a player must treat alike on each of B boards.

    Attributes:
        start: int64 ``[B]``: index at which each board's hands start in `group` and `share`.
        group: int16 ``[H]``: group of each hand, in the board's order of hands.
        number: int64 ``[B]``: number of groups on the board.
        share: float32 ``[2, H]``: share of each hand in its group, by player; the shares of a group sum to 1.
    """

    start: NDArray[np.int64]
    group: NDArray[np.int16]
    number: NDArray[np.int64]
    share: NDArray[np.float32]


class PassRule(NamedTuple):
    """How a pass treats the decisions of its player, with all that Kujath's thesis lets one choose.

    Attributes:
        kind: one of the kinds of `decision_kernels`.
        by_reach: whether averages are weighted by the player's reach; not in the thesis's algorithm 3.
        constant: `GREEDY`: its constant c.
        ties_stay: `GREEDY`: whether equal actions leave the strategy; if not, the last one counts as best.
        returns_new: `GREEDY`: whether the value passed up is that of the new strategy.
        grouped: whether values are averaged over the player's hand groups at the bottom of each street.
        groups: the hand groups; empty without.
    """

    kind: int
    by_reach: bool
    constant: np.float32
    ties_stay: bool
    returns_new: bool
    grouped: bool
    groups: BoardHandGroups


class IterationWeights(NamedTuple):
    """The weights of one round of an iteration, see `Step`.

    Attributes:
        keep_positive: factor of regrets above 0 before the new ones are added.
        keep_negative: factor of regrets below 0 before the new ones are added.
        average_weight: weight of the iteration's strategies in the average; 0 leaves the average alone.
        iteration: number of the iteration, from 1.
    """

    keep_positive: np.float32
    keep_negative: np.float32
    average_weight: np.float32
    iteration: np.float32


class Step(NamedTuple):
    """One round of an iteration. A float32 row of a schedule holds its numbers in this order.

    Attributes:
        early: weights on the streets before the last.
        late: weights on the last street of L > 1; a single street is an early one.
        round: number of the round, from 0: the boards of the last street that it visits, see `Root.round`.
        rounds: number of rounds of the iteration. Every round visits all boards of the streets before the last.
    """

    early: IterationWeights
    late: IterationWeights
    round: np.float32
    rounds: np.float32


class PassSpace(NamedTuple):
    """Working space of one thread for the streets below the root's; the root street's own rows are shared.

    Attributes:
        reach: reach of the other player's hands, by reach row of each street, as long as the other player's rows.
        value: counterfactual values of the player's hands, by node of each street, as long as the player's rows; and a row more.
        offset: int64 ``[street]``: start of each street in `reach` and `value`; 0 for the root's.
        below: values summed over the next card, by leaf of each street.
        below_offset: int64 ``[street]``: start of each street in `below`.
        mixed: float32 ``[stride * 8]``: reach of eight terminals, hand by hand.
        runs: float32 ``[(runs + 1) * 8]``: reach passed at each run of hands, see `terminal_kernels.sum_by_card`.
        parts: float32 ``[(parts + 1) * 8]``: the same of one card's hands at each of its parts.
        cards: float32 ``[54 * 8]``: reach of the hands that hold each card; 52 and 53 are padding's.
        rows: int64 ``[16]``: where the rows of eight showdowns and then of eight folds start.
        stakes: float32 ``[32]``: stakes of eight showdowns and of eight folds; half the house's shares of each.
        fresh: float32 ``[actions * stride]``: new rows of a decision before they are rounded to int16.
    """

    reach: NDArray[np.float32]
    value: NDArray[np.float32]
    offset: NDArray[np.int64]
    below: NDArray[np.float32]
    below_offset: NDArray[np.int64]
    mixed: NDArray[np.float32]
    runs: NDArray[np.float32]
    parts: NDArray[np.float32]
    cards: NDArray[np.float32]
    rows: NDArray[np.int64]
    stakes: NDArray[np.float32]
    fresh: NDArray[np.float32]


class Capture(NamedTuple):
    """Copies of one board's rows of `PassSpace.reach` and `value`, made by a pass for a reader; -1 is no board."""

    board: int
    reach: NDArray[np.float32]
    value: NDArray[np.float32]


class Root(NamedTuple):
    """Arrays that all threads of a pass share: the root street's rows, and the values that come up from below it.

    Attributes:
        ranges: float32 ``[2, hands]``, flat and padded to lanes: weights of both players' hands.
        reach: float32 ``[node * stride]``: reach of the other player's hands.
        value: float32 ``[(node + 1) * stride]``: counterfactual values; row 0 is the game's value of every hand.
        chunks: float32 ``[chunk * leaf * stride]``: values of the boards of each chunk, summed by leaf.
        chunk_start: int64 ``[chunks + 1]``: first board of each chunk.
        next_chunk: int64 ``[1]``: first chunk that no thread has begun.
        round: int8 ``[B]``: round of an iteration that visits each board of the last street.
    """

    ranges: NDArray[np.float32]
    reach: NDArray[np.float32]
    value: NDArray[np.float32]
    chunks: NDArray[np.float32]
    chunk_start: NDArray[np.int64]
    next_chunk: NDArray[np.int64]
    round: NDArray[np.int8]
