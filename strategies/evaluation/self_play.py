"""What a strategy's own play against itself is worth, every hand of one position against one hand of the other."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.messages import Hole
from limpet.protocol.ranking_kernels import hand_strengths
from limpet.strategies.blueprint.played import PlayedRows
from limpet.strategies.blueprint.strategy_file import StrategyFile
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.evaluation.flat_tree import PositionTree, position_tree
from limpet.strategies.evaluation.self_play_kernels import add_action_values
from limpet.strategies.trees.betting import KINDS

_add: Any = add_action_values

Chips = NDArray[np.float32]
BOARDS_KEPT = 4096


class OnBoard(NamedTuple):
    """A full board, by hand: which hands miss it, and who of them beats the other's hand (1, 0 or -1)."""

    live: NDArray[np.bool_]
    won: Chips


class SelfPlay:
    """Both positions play one strategy file of two players. Not for two threads at once.

    calling: how often the one who is played against checks or calls, whatever the file says.

    Raises `ValueError` for games of more players.
    """

    def __init__(self, file: StrategyFile, calling: float = 0.0) -> None:
        if file.game.num_players != 2:
            raise ValueError(
                f"strategy {file.manifest.name} is for {file.game.num_players} players; "
                "values of self-play are worked out for two"
            )
        self.file = file
        self.space = game_hands(file.game)
        self.calling = calling
        self.table = PlayedRows(file).table()
        self.others = _calling(file, self.table, calling) if calling else self.table
        self.whole = tuple(position_tree(file, position) for position in (0, 1))
        self.first_round = tuple(position_tree(file, position, first_round_only=True) for position in (0, 1))
        self._buckets = lru_cache(maxsize=BOARDS_KEPT)(self._find_buckets)
        self._worth = np.zeros((self.whole[0].depths, self.space.size), np.float32)

    def on_board(self, node: int, position: int, other: Hole, board: tuple[int, ...], out: Chips) -> OnBoard:
        """Add net chips of `position` after each action of a node, on a full board, to float32 ``[action, hand]``.

        Hands that meet the board get nothing.
        """
        strengths = hand_strengths(np.array(board, np.int8), self.space.holes)
        live = strengths >= 0
        won = np.where(live, np.sign(strengths - strengths[self.space.index(other)]), 0).astype(np.float32)
        added = np.zeros_like(out)
        self._run(self.whole[position], node, other, board, won[None], added)
        out += added * live
        return OnBoard(live, won)

    def before_cards(self, node: int, position: int, other: Hole, rows: Chips, out: Chips) -> None:
        """The same for a node before the first board cards, where that round's ends score by `rows`: row 0 for
        showdowns (1 won, -1 lost), row i + 1 in chips for leaf i (`PositionTree`)."""
        self._run(self.first_round[position], node, other, (), rows, out)

    def mix(self, node: int, position: int, other: Hole, board: tuple[int, ...], values: Chips) -> Chips:
        """float32 ``[hand]`` from values ``[action, hand]``: the node's own action mixed in as it is played there."""
        tree = self.file.tree
        actions = int(tree.num_actions[node])
        table = self.table if tree.player[node] == position else self.others
        probabilities = table[self.file.offset[node] : self.file.offset[node + 1]].reshape(-1, actions)
        round_ = int(tree.round[node])
        buckets = self._buckets(round_, board[: self.file.game.board_sizes[round_]])
        if tree.player[node] == position:
            mixed: Chips = np.einsum("ha,ah->h", probabilities[buckets], values)
        else:
            mixed = probabilities[buckets[self.space.index(other)]] @ values
        return mixed

    def _run(self, tree: PositionTree, node: int, other: Hole, board: tuple[int, ...], rows: Chips, out: Chips) -> None:
        game = self.file.game
        number = int(np.searchsorted(tree.nodes, node))
        buckets = np.zeros((game.num_rounds, self.space.size), np.int32)
        for round_ in range(int(self.file.tree.round[node]), game.num_rounds):
            if game.board_sizes[round_] <= len(board):
                buckets[round_] = self._buckets(round_, board[: game.board_sizes[round_]])
        others = np.ascontiguousarray(buckets[:, self.space.index(other)])
        _add(
            tree.flat,
            number,
            tree.position,
            self.table,
            self.others,
            buckets,
            others,
            rows,
            tree.reach,
            self._worth,
            out,
        )

    def _find_buckets(self, round_: int, board: tuple[int, ...]) -> NDArray[np.uint16]:
        found = self.file.cards.bucket_vector(round_, board)
        return np.where(found < 0, 0, found).astype(np.uint16)


def _calling(file: StrategyFile, table: Chips, share: float) -> Chips:
    """The table of somebody who checks or calls with probability `share` and plays `table` otherwise."""
    tree = file.tree
    mixed = (1 - np.float32(share)) * table
    for node in tree.decisions.tolist():
        kinds = tree.edge_kind[tree.first_edge[node] : tree.first_edge[node + 1]]
        call = int(np.flatnonzero(kinds == KINDS.index("c"))[0])
        mixed[file.offset[node] + call : file.offset[node + 1] : len(kinds)] += np.float32(share)
    return np.asarray(mixed, np.float32)
