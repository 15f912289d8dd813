"""What a blueprint does on turn and river below a leaf of a flop subgame, as products of its probabilities by bucket."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import State
from limpet.strategies.blueprint.played import PlayedRows
from limpet.strategies.trees.betting import KINDS, BettingTree

Way = Literal["blueprint", "fold", "call", "raise"]
"""How a blueprint is played on: as it is, or with one kind of action made likelier (Brown, Sandholm & Amos 2018)."""

Table = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class LeafPlay:
    """The blueprint's ways to the end from one leaf: a product of probabilities for each end, player and bucket.

    A *line* leads over the turn to the river (R of them) or to an all-in before it (A). "Ours" has the stake of each end
    in it, in big blinds, with our sign where somebody folds; "theirs" is there for each of K ways to play on. Lines with
    fewer ends than others are filled up with zeros.
    """

    lines: tuple[Table, Table]
    """Ours ``[R, turn buckets]`` without a stake, theirs ``[K, R, turn buckets]``."""
    folds: tuple[Table, Table]
    """On the river: ``[R, F, river buckets]`` and ``[K, R, F, river buckets]``."""
    showdowns: tuple[Table, Table]
    """The same."""
    all_ins: tuple[Table, Table]
    """On the turn: ``[A, turn buckets]`` and ``[K, A, turn buckets]``."""
    turn_folds: tuple[Table, Table]
    """The same for folds on the turn."""


def leaf_play(rows: PlayedRows, leaf: int, state: State, us: int, ways: Sequence[Way], bias: float) -> LeafPlay:
    """Walk a blueprint's tree from `leaf`, the node that stands for the real `state`, where the turn begins.

    Our moves are the blueprint's, the other's are so in each of the `ways`: a biased one makes one kind of action `bias`
    times likelier in every row. Chips are the real ones: a bet of the blueprint is the same fraction of the real pot,
    and its all-in is all-in, as when it plays (`walk.Walk.real_actions`).
    """
    tree, file = rows.file.tree, rows.file
    sizes = [file.cards.num_buckets(round_) for round_ in range(tree.game.num_rounds)]
    first_round = int(tree.round[leaf])
    folds: list[list[Table]] = []
    showdowns: list[list[Table]] = []
    lines: list[Table] = []
    all_ins: list[Table] = []
    turn_folds: list[Table] = []
    stack = [(leaf, np.ones((1 + len(ways), sizes[first_round]), np.float32), -1)]
    while stack:
        node, reach, line = stack.pop()
        actor = int(tree.player[node])
        probabilities = rows.node(node).probabilities
        played = [_biased(tree, node, probabilities, way, bias) for way in ways]
        for action in range(len(probabilities)):
            child = tree.child(node, action)
            onward = reach.copy()
            if actor == us:
                onward[0] *= probabilities[action]
            else:
                for way, biased in enumerate(played, start=1):
                    onward[way] *= biased[action]
            if tree.player[child] >= 0 and tree.round[child] == tree.round[node]:
                stack.append((child, onward, line))
            elif tree.player[child] >= 0:  # a line has come to the river
                stack.append((child, np.ones((1 + len(ways), sizes[int(tree.round[child])]), np.float32), len(lines)))
                lines.append(onward)
                folds.append([])
                showdowns.append([])
            else:
                folded = int(tree.folded[child])
                stake = _stake(tree, leaf, child, state)
                onward[0] *= -stake if folded >> us & 1 else stake
                if line >= 0:
                    (folds if folded else showdowns)[line].append(onward)
                else:
                    (turn_folds if folded else all_ins).append(onward)
    ways_and_us = 1 + len(ways)
    return LeafPlay(
        lines=_apart(_stacked(lines, ways_and_us, sizes[2])),
        folds=_apart(_padded(folds, ways_and_us, sizes[3])),
        showdowns=_apart(_padded(showdowns, ways_and_us, sizes[3])),
        all_ins=_apart(_stacked(all_ins, ways_and_us, sizes[2])),
        turn_folds=_apart(_stacked(turn_folds, ways_and_us, sizes[2])),
    )


def _biased(tree: BettingTree, node: int, probabilities: Table, way: Way, bias: float) -> Table:
    """Rows ``[action, bucket]`` with one kind of action `bias` times likelier, scaled to sum to 1 again."""
    if way == "blueprint":
        return probabilities
    kinds = tree.edge_kind[tree.first_edge[node] : tree.first_edge[node + 1]]
    favoured = kinds == KINDS.index(way[0])
    weights = np.where(favoured[:, None], np.float32(bias), np.float32(1)) * probabilities
    return np.asarray(weights / weights.sum(axis=0))


def _stake(tree: BettingTree, leaf: int, end: int, state: State) -> float:
    """Big blinds that the loser of an end has put in, had the blueprint's hand been the real one."""
    most = min(state.game.stack)
    matched, before, real = int(tree.spent[end].min()), int(tree.spent[leaf].min()), min(state.spent)
    chips = float(most)
    if matched < min(tree.game.stack):
        chips = min(chips, real + (matched - before) * real / before)
    return chips / state.game.big_blind


def _stacked(found: list[Table], ways: int, buckets: int) -> Table:
    """``[ways, N, buckets]``."""
    return np.stack(found, axis=1) if found else np.zeros((ways, 0, buckets), np.float32)


def _padded(found: list[list[Table]], ways: int, buckets: int) -> Table:
    """``[ways, N, most, buckets]``."""
    most = max((len(of_line) for of_line in found), default=0)
    table = np.zeros((ways, len(found), most, buckets), np.float32)
    for line, of_line in enumerate(found):
        for end, reach in enumerate(of_line):
            table[:, line, end] = reach
    return table


def _apart(table: Table) -> tuple[Table, Table]:
    return np.ascontiguousarray(table[0]), np.ascontiguousarray(table[1:])
