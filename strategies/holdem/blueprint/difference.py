"""How far apart two strategy files are: total variation of their rows, weighted by how often hands reach them.

Bettings that both trees have are compared, on sampled boards or on all, hand by hand, so that trees and abstractions may
differ. Both players are taken to play the first strategy.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.common.workers import Report, silent
from limpet.protocol.state import Action, action_order
from limpet.strategies.cards.boards import Board, all_boards, count_boards, sampled_boards
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.holdem.blueprint.strategy_file import PlayedRows, StrategyFile

FEW_BOARDS = 100
"""Games with at most this number of boards are compared on all of them."""
NEGLIGIBLE = 1e-5
"""Lines that a smaller share of all hands takes are not followed."""
Reach = NDArray[np.float32]


@dataclass
class StreetDifference:
    """Sums over the decisions of a street.

    Attributes:
        reach: number of such decisions that a hand has on average, those that the second tree lacks included.
        shared: the part of `reach` at decisions that both trees have.
        apart: sum of the distances, weighted by reach.
    """

    reach: float = 0.0
    shared: float = 0.0
    apart: float = 0.0

    @property
    def distance(self) -> float:
        """Return the mean total variation, 0 to 1, over the shared decisions."""
        return self.apart / self.shared if self.shared else 0.0


class NodeDifference(NamedTuple):
    """One decision of both trees: how often a hand has it, the distance, and how often each strategy takes each action."""

    betting: str
    round: int
    reach: float
    distance: float
    actions: tuple[str, ...]
    first: tuple[float, ...]
    second: tuple[float, ...]


@dataclass
class _NodeSums:
    """Sums over boards of one decision; `taken` has float64 ``[2]`` for each action: how often each strategy takes it."""

    reach: float = 0.0
    apart: float = 0.0
    taken: dict[Action, NDArray[np.float64]] = field(default_factory=dict)

    def result(self, betting: str) -> NodeDifference:
        actions = sorted(self.taken, key=action_order)
        taken = (tuple(float(self.taken[action][i] / self.reach) for action in actions) for i in (0, 1))
        distance = self.apart / self.reach
        return NodeDifference(betting, betting.count("/"), self.reach, distance, tuple(map(str, actions)), *taken)


class Difference(NamedTuple):
    """The streets in order, and decisions by how much they add to the distance, the most first."""

    streets: tuple[StreetDifference, ...]
    nodes: tuple[NodeDifference, ...]
    boards: int
    exact: bool


def difference(
    first: StrategyFile, second: StrategyFile, boards: int, seed: int, report: Report = silent
) -> Difference:
    """Compare two files on so many boards, or on all boards where there are few.

    Raises `ValueError` for two games of other rules or stacks, and for games of more than two players.
    """
    game = first.game
    second.check_game(game)
    if game.num_players != 2:
        raise ValueError(f"decisions are weighted by both players' reach; this game has {game.num_players} players")
    exact = count_boards(game) <= max(boards, FEW_BOARDS)
    chosen = list(all_boards(game)) if exact else sampled_boards(game, boards, seed)
    streets = tuple(StreetDifference() for _ in range(game.num_rounds))
    nodes: dict[str, _NodeSums] = {}
    played = PlayedRows(first), PlayedRows(second)
    for done, board in enumerate(chosen):
        _compare(played, board, streets, nodes, 1 / len(chosen))
        report(done + 1, len(chosen))
    results = [sums.result(betting) for betting, sums in nodes.items()]
    results.sort(key=lambda node: -node.reach * node.distance)
    return Difference(streets, tuple(results), len(chosen), exact)


def _compare(
    played: tuple[PlayedRows, PlayedRows], board: Board, streets: tuple[StreetDifference, ...],
    nodes: dict[str, _NodeSums], share: float,
) -> None:  # fmt: skip
    """Add the differences on one board, weighted by `share`, to those of the streets and nodes."""
    first, second = played[0].file, played[1].file
    game, tree = first.game, first.tree
    space = game_hands(game)
    live = ~space.blocked(board)
    buckets = [
        [np.maximum(file.cards.bucket_vector(r, board[:size]), 0) for r, size in enumerate(game.board_sizes)]
        for file in (first, second)
    ]
    full_reach = live.astype(np.float32)
    pairs = float(space.compatible(full_reach)[live].sum())
    # Each entry: a node of the first tree and the second tree's node for the same betting, -1 where it has none.
    stack: list[tuple[int, int, str, tuple[Reach, Reach]]] = [(0, 0, "", (full_reach, full_reach))]
    while stack:
        node, other, betting, reach = stack.pop()
        position, round_ = int(tree.player[node]), int(tree.round[node])
        if position < 0:
            continue
        weights = reach[position] * space.compatible(reach[1 - position])
        happens = float(weights.sum()) / pairs
        if happens < NEGLIGIBLE:
            continue
        rows = played[0].node(node).probabilities[:, buckets[0][round_]]
        streets[round_].reach += share * happens
        children = {action: tree.child(node, index) for index, action in enumerate(tree.actions(node))}
        others: dict[Action, int] = {}
        if other >= 0:
            others = {action: second.tree.child(other, i) for i, action in enumerate(second.tree.actions(other))}
            other_rows = played[1].node(other).probabilities[:, buckets[1][round_]]
            both_rows = {action: [np.zeros_like(reach[0])] * 2 for action in (*children, *others)}
            for which, names, table in ((0, children, rows), (1, others, other_rows)):
                for action, row in zip(names, table, strict=True):
                    both_rows[action][which] = row
            distance = sum(np.abs(one - two) for one, two in both_rows.values()) / 2
            apart = float((weights * distance).sum()) / pairs
            streets[round_].shared += share * happens
            streets[round_].apart += share * apart
            sums = nodes.setdefault(betting, _NodeSums())
            sums.reach += share * happens
            sums.apart += share * apart
            for action, pair in both_rows.items():
                taken = np.array([(weights * row).sum() for row in pair], np.float64) * (share / pairs)
                sums.taken[action] = sums.taken.get(action, np.zeros(2)) + taken
        for row, (action, child) in zip(rows, children.items(), strict=True):
            onward = reach[position] * row
            both = (onward, reach[1]) if position == 0 else (reach[0], onward)
            slash = "/" if tree.round[child] != round_ and tree.player[child] >= 0 else ""
            stack.append((child, others.get(action, -1), f"{betting}{action}{slash}", both))
