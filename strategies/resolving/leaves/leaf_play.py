"""A blueprint's play on turn and river below a leaf of a flop subgame, as products of probabilities by bucket."""

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import State
from limpet.strategies.blueprint.played import PlayedRows
from limpet.strategies.trees.betting import KINDS, BettingTree

Way = Literal["blueprint", "fold", "call", "raise"]
"""A way to play on a blueprint: as it is, or with one kind of action made likelier (Brown, Sandholm & Amos 2018)."""

Table = NDArray[np.float32]

MOST_ROUNDS = 48
"""Number of rounds of 49 runouts in which no runout of a flop comes twice."""


class LeafRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the leaves of a flop subgame are valued.

    Attributes:
        ways: what the opponent may choose from: the ``blueprint`` as it is, or with every ``fold``, ``call`` or
            ``raise`` made likelier.
        bias: factor by which an action is made likelier before a row is scaled to sum to 1 again (Pluribus: 5,
            Modicum: 10).
        rounds: number of rounds of 49 runouts; in each round every card comes once as the turn and once as the river.
        classes: most classes of hands that leaves tell apart.
    """

    ways: tuple[Way, ...] = ("blueprint", "fold", "call", "raise")
    bias: Annotated[float, msgspec.Meta(gt=0)] = 5.0
    rounds: Annotated[int, msgspec.Meta(ge=1, le=MOST_ROUNDS)] = 1
    classes: Annotated[int, msgspec.Meta(ge=1)] = 150

    def __post_init__(self) -> None:
        if not self.ways or len(set(self.ways)) < len(self.ways):
            raise ValueError(
                "'ways' are different ones, at least one; write for example 'ways: [blueprint, fold, call]'"
            )


class LeafPlay(NamedTuple):
    """Reach probabilities of all ends below one leaf, by bucket: ours, then the opponent's in each of K ways to play on.

    A *line* is a betting sequence over the turn to the river; there are R lines. Our probabilities of an end are multiplied
    by its stake in big blinds, negative where we fold. Lines with fewer ends than others are filled up with zeros.
    """

    lines: Table
    """``[1 + K, R, turn buckets]``: lines on the turn; ours without a stake."""
    folds: Table
    """``[1 + K, R, F, river buckets]``: river folds of each line."""
    showdowns: Table
    """``[1 + K, R, S, river buckets]``: river showdowns of each line."""
    all_ins: Table
    """``[1 + K, A, turn buckets]``: all-ins on the turn."""
    turn_folds: Table
    """``[1 + K, F, turn buckets]``: folds on the turn."""


def leaf_play(rows: PlayedRows, leaf: int, state: State, us: int, ways: Sequence[Way], bias: float) -> LeafPlay:
    """Return the play below `leaf`, the node of a blueprint's tree that stands for the real `state`, where the turn begins.

    We play the blueprint's rows, the opponent plays them in each of the `ways`: a biased way makes one kind of action
    `bias` times likelier in every row. Chips are the real ones: a bet of the blueprint is the same fraction of the real
    pot, and its all-in is all-in, as when it plays (`walk.Walk.real_actions`).
    """
    tree, file = rows.file.tree, rows.file
    players = 1 + len(ways)  # us, and the opponent in each way
    sizes = [file.cards.num_buckets(round_) for round_ in range(tree.game.num_rounds)]
    folds: list[list[Table]] = []
    showdowns: list[list[Table]] = []
    lines: list[Table] = []
    all_ins: list[Table] = []
    turn_folds: list[Table] = []
    stack = [(leaf, np.ones((players, sizes[int(tree.round[leaf])]), np.float32), -1)]
    while stack:
        node, reach, line = stack.pop()
        probabilities = rows.node(node).probabilities
        if tree.player[node] == us:
            moved, moves = slice(0, 1), probabilities[None]
        else:
            moved, moves = slice(1, None), np.stack([_biased(tree, node, probabilities, way, bias) for way in ways])
        for action in range(len(probabilities)):
            child = tree.child(node, action)
            onward = reach.copy()
            onward[moved] *= moves[:, action]
            if tree.player[child] >= 0 and tree.round[child] == tree.round[node]:
                stack.append((child, onward, line))
            elif tree.player[child] >= 0:  # a line has come to the river
                stack.append((child, np.ones((players, sizes[int(tree.round[child])]), np.float32), len(lines)))
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
    return LeafPlay(
        lines=_padded([lines], players, sizes[2])[:, 0],
        folds=_padded(folds, players, sizes[3]),
        showdowns=_padded(showdowns, players, sizes[3]),
        all_ins=_padded([all_ins], players, sizes[2])[:, 0],
        turn_folds=_padded([turn_folds], players, sizes[2])[:, 0],
    )


def _biased(tree: BettingTree, node: int, probabilities: Table, way: Way, bias: float) -> Table:
    """Return rows ``[action, bucket]`` with one kind of action `bias` times likelier, scaled to sum to 1 again."""
    if way == "blueprint":
        return probabilities
    kinds = tree.edge_kind[tree.first_edge[node] : tree.first_edge[node + 1]]
    favoured = kinds == KINDS.index(way[0])
    weights = np.where(favoured[:, None], np.float32(bias), np.float32(1)) * probabilities
    return np.asarray(weights / weights.sum(axis=0))


def _stake(tree: BettingTree, leaf: int, end: int, state: State) -> float:
    """Return the big blinds that the loser has put in at `end`, a node below `leaf`, if play begins at the real `state`."""
    most = min(state.game.stack)
    matched, before, real = int(tree.spent[end].min()), int(tree.spent[leaf].min()), min(state.spent)
    chips = float(most)
    if matched < min(tree.game.stack):
        chips = min(chips, real + (matched - before) * real / before)
    return chips / state.game.big_blind


def _padded(by_line: list[list[Table]], ways: int, buckets: int) -> Table:
    """Return ``[ways, N, most, buckets]`` from N lists of tables ``[ways, buckets]``, filled up with zeros."""
    most = max((len(of_line) for of_line in by_line), default=0)
    table = np.zeros((ways, len(by_line), most, buckets), np.float32)
    for line, of_line in enumerate(by_line):
        for end, reach in enumerate(of_line):
            table[:, line, end] = reach
    return table
