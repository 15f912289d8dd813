"""What a strategy's own play against itself is worth, every hand of one position against one hand of the other."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.messages import Hole
from limpet.protocol.ranking_kernels import hand_strengths
from limpet.strategies.abstraction.card_tables import Vector
from limpet.strategies.blueprint.played import PlayedRows
from limpet.strategies.blueprint.strategy_file import StrategyFile
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.evaluation.flat_tree import PositionTree, position_tree
from limpet.strategies.evaluation.self_play_kernels import add_action_values, group_alike
from limpet.strategies.trees.betting import KINDS

_add: Any = add_action_values
_group: Any = group_alike

Chips = NDArray[np.float32]
BOARDS_KEPT = 4096


class OnBoard(NamedTuple):
    """A full board, by hand: which hands miss it, and who of them beats the other's hand (1, 0 or -1)."""

    live: NDArray[np.bool_]
    won: Chips


class Groups(NamedTuple):
    """Hands that a full board and a strategy treat alike from some round on: some 150 groups of 1,081 in hold'em.

    Attributes:
        board: for all of them.
        hands: ``[live]`` those that miss the board, and ``[live]`` the group of each.
        buckets: int32 ``[rounds, G]``; others: the same of the other's hand, ``[rounds]``.
        won: ``[1, G]``.
    """

    board: OnBoard
    hands: NDArray[np.intp]
    group: NDArray[np.intp]
    buckets: NDArray[np.int32]
    others: NDArray[np.int32]
    won: Chips


class SelfPlay:
    """Both positions play one strategy file of two players. Not for two threads at once.

    calling: how often the one who is played against checks or calls, whatever the file says. vector: a faster way to the
    buckets of the file's abstraction.

    Raises `ValueError` for games of more players.
    """

    def __init__(self, file: StrategyFile, calling: float = 0.0, vector: Vector | None = None) -> None:
        if file.game.num_players != 2:
            raise ValueError(
                f"strategy {file.manifest.name} is for {file.game.num_players} players; "
                "values of self-play are worked out for two"
            )
        self.file = file
        self.space = game_hands(file.game)
        self.calling = calling
        self._vector = vector or file.cards.bucket_vector
        self.table = PlayedRows(file).table()
        self.others = _calling(file, self.table, calling) if calling else self.table
        self.whole = tuple(position_tree(file, position) for position in (0, 1))
        self.first_round = tuple(position_tree(file, position, first_round_only=True) for position in (0, 1))
        self._buckets = lru_cache(maxsize=BOARDS_KEPT)(self._find_buckets)
        self._groups = lru_cache(maxsize=BOARDS_KEPT)(self._find_groups)
        self._worth = np.zeros((self.whole[0].depths, self.space.size), np.float32)

    def on_board(self, node: int, position: int, other: Hole, board: tuple[int, ...], out: Chips) -> OnBoard:
        """Add net chips of `position` after each action of a node, on a full board, to float32 ``[action, hand]``.

        Hands that meet the board get nothing.
        """
        alike = self._groups(int(self.file.tree.round[node]), tuple(other), board)
        added = np.zeros((len(out), alike.won.shape[1]), np.float32)
        self._run(self.whole[position], node, alike.buckets, alike.others, alike.won, added)
        out[:, alike.hands] += added[:, alike.group]
        return alike.board

    def before_cards(self, node: int, position: int, other: Hole, rows: Chips, out: Chips) -> None:
        """The same for a node before the first board cards, where that round's ends score by `rows`: row 0 for
        showdowns (1 won, -1 lost), row i + 1 in chips for leaf i (`PositionTree`)."""
        buckets = self._buckets(0, ()).astype(np.int32)[None]
        others = np.ascontiguousarray(buckets[:, self.space.index(other)])
        self._run(self.first_round[position], node, buckets, others, rows, out)

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

    def _run(
        self, tree: PositionTree, node: int, buckets: NDArray[np.int32], others: NDArray[np.int32], rows: Chips,
        out: Chips,
    ) -> None:  # fmt: skip
        number = int(np.searchsorted(tree.nodes, node))
        _add(
            tree.flat, number, tree.position, self.table, self.others, buckets, others, rows, tree.reach, self._worth,
            out,
        )  # fmt: skip

    def _find_groups(self, round_: int, other: Hole, board: tuple[int, ...]) -> Groups:
        """From a round on, on a full board."""
        game = self.file.game
        strengths = hand_strengths(np.array(board, np.int8), self.space.holes)
        live = strengths >= 0
        held = self.space.index(other)
        won = np.where(live, np.sign(strengths - strengths[held]), 0).astype(np.float32)
        hands = np.flatnonzero(live)
        buckets = np.zeros((game.num_rounds, self.space.size), np.int32)
        for later in range(round_, game.num_rounds):
            buckets[later] = self._buckets(later, board[: game.board_sizes[later]])
        group, first = np.empty(len(hands), np.int64), np.empty(len(hands), np.int64)
        slots = np.full(2 << len(hands).bit_length(), -1, np.int64)
        count = _group(buckets[round_:], won, hands, group, first, slots)
        chosen = first[:count]
        return Groups(
            OnBoard(live, won), hands, group, np.ascontiguousarray(buckets[:, chosen]),
            np.ascontiguousarray(buckets[:, held]), won[None, chosen],
        )  # fmt: skip

    def _find_buckets(self, round_: int, board: tuple[int, ...]) -> NDArray[np.uint16]:
        found = self._vector(round_, board)
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
