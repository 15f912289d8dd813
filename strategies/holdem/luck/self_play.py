"""Net chips of a strategy that plays against itself: every hand of one position against one hand of the other."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.messages import Hole
from limpet.strategies.abstraction.betting import KINDS
from limpet.strategies.abstraction.card_tables import Vector
from limpet.strategies.cards.handspace import game_hands, is_holdem
from limpet.strategies.cards.ranking_kernels import hand_strengths
from limpet.strategies.holdem.blueprint.strategy_file import PlayedRows, StrategyFile
from limpet.strategies.holdem.luck.opponent_model import OpponentModel, edge_probabilities
from limpet.strategies.holdem.luck.runouts import hold_em_equities
from limpet.strategies.holdem.luck.self_play_kernels import (
    CONSTANT,
    INNER,
    ROW,
    FlatTree,
    Others,
    add_action_values,
    compare,
    group_alike,
    spread,
)

Chips = NDArray[np.float32]
BOARDS_KEPT = 4096
STRENGTHS = (0.25, 0.33, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98)
"""Bounds between the strengths of hold'em hands, as equities against any hand."""


class OnBoard(NamedTuple):
    """A full board, by hand: whether the board leaves it, and 1, 0 or -1 as it wins, ties or loses against the other's hand."""

    live: NDArray[np.bool_]
    won: Chips


class Seen(NamedTuple):
    """Classes of the hands of both positions, round by round.

    Attributes:
        buckets: int32 ``[rounds, hands]``: buckets of the position's hands.
        others: int32 ``[rounds]``: buckets of the other's hand.
        strengths: int32 ``[rounds]``: strengths of the other's hand (`SelfPlay.strength`).
    """

    buckets: NDArray[np.int32]
    others: NDArray[np.int32]
    strengths: NDArray[np.int32]


class AlikeHands(NamedTuple):
    """Hands that a full board and a strategy treat alike from some round on: some 150 groups of 1,081 in hold'em.

    Attributes:
        board: the board, for all hands.
        hands: intp ``[live]``: the hands that share no card with the board.
        group: intp ``[live]``: the group of each of those hands.
        classes: classes, with a column for each group.
        won: [1, G]: `OnBoard.won` of each group.
    """

    board: OnBoard
    hands: NDArray[np.intp]
    group: NDArray[np.intp]
    classes: Seen
    won: Chips


@dataclass(frozen=True, eq=False)
class PositionTree:
    """A tree as one position sees it, with scratch for one thread.

    Attributes:
        nodes: int ``[N]``: node of the strategy file's tree that each node stands for.
        leaves: int ``[L]``: nodes at which the tree is cut off; leaf i scores by row i + 1.
        reach: float32 ``[N]``: scratch.
    """

    flat: FlatTree
    position: int
    nodes: NDArray[np.intp]
    leaves: NDArray[np.intp]
    reach: NDArray[np.float32]


class SelfPlay:
    """Both positions play one strategy file of two players. Not for two threads at once. Raises `ValueError` for more players.

    calling: probability with which the opponent checks or calls, whatever the file says. It ends with `learn`. vector: a faster
    function for the buckets of the file's abstraction.
    """

    def __init__(self, file: StrategyFile, calling: float = 0.0, vector: Vector | None = None) -> None:
        game = file.game
        if game.num_players != 2:
            raise ValueError(
                f"strategy {file.manifest.name} is for {game.num_players} players; "
                "values of self-play are worked out for two"
            )
        self.file = file
        self.space = game_hands(game)
        self.calling = calling
        self._vector = vector or file.cards.bucket_vector
        self.table = PlayedRows(file).table()
        self.hold_em = is_holdem(game, whole=True)
        most_buckets = max(file.cards.num_buckets(round_) for round_ in range(game.num_rounds))
        self.strengths = len(STRENGTHS) + 1 if self.hold_em else most_buckets
        self.whole = tuple(_position_tree(file, position) for position in (0, 1))
        self.first_round = tuple(_position_tree(file, position, first_round_only=True) for position in (0, 1))
        self._buckets = lru_cache(maxsize=BOARDS_KEPT)(
            lambda round_, board: np.maximum(self._vector(round_, board), 0).astype(np.uint16)
        )
        self._groups = lru_cache(maxsize=BOARDS_KEPT)(self._find_groups)
        self._strength = lru_cache(maxsize=BOARDS_KEPT)(
            lambda other, board: _strength_number(hold_em_equities(other, board)[~self.space.blocked([*other, *board])])
        )
        self._depth_values = np.zeros((int(file.tree.depth.max()) + 1, self.space.size), np.float32)
        self._others = leaning(file, self.table, calling) if calling else self.table
        self._model: OpponentModel | None = None
        self._counted = np.zeros((len(file.tree.edge_child), 1), np.float32)
        self._lay_out()

    def learn(self, model: OpponentModel) -> None:
        """Have the opponent act by a model from here on, where it is trusted, and by the file elsewhere."""
        self._others, self._model = self.table, model
        self._groups.cache_clear()
        self._counted = edge_probabilities(self.file.tree, model)
        self._lay_out()

    def strength(self, other: Hole, board: tuple[int, ...], round_: int) -> int:
        """Return the number of a hand's strength for opponent models.

        It goes by equity against any hand in hold'em, and is the file's bucket elsewhere.
        """
        board = board[: self.file.game.board_sizes[round_]]
        if not self.hold_em:
            return int(self._buckets(round_, board)[self.space.index(other)])
        return self._strength(tuple(other), board)

    def buckets_on(
        self, board: tuple[int, ...], first_round: int, hands: NDArray[np.intp] | slice = slice(None)
    ) -> NDArray[np.int32]:
        """Return int32 ``[rounds, hands]``: buckets of hands on a full board, from a round on; zeros before it."""
        sizes = self.file.game.board_sizes
        later = [self._buckets(round_, board[: sizes[round_]])[hands] for round_ in range(first_round, len(sizes))]
        return np.stack([*[np.zeros_like(later[0])] * first_round, *later]).astype(np.int32)

    def row(self, node: int, other: Hole, board: tuple[int, ...], counted: bool = True) -> Chips:
        """Return ``[action]``: the opponent's probabilities at its node with a hand; by the file alone unless `counted`."""
        tree = self.file.tree
        bucket = self._buckets_at(node, board)[self.space.index(other)]
        row = self._rows(self._others if counted else self.table, node)[bucket]
        if self._model is None or not counted:
            return np.asarray(row)
        trust = np.float32(self._trust(np.array([node]))[0])
        edges = slice(int(tree.first_edge[node]), int(tree.first_edge[node + 1]))
        strength = self.strength(other, board, int(tree.round[node]))
        return np.asarray(trust * row + (1 - trust) * self._counted[edges, strength])

    def on_board(self, node: int, position: int, other: Hole, board: tuple[int, ...], out: Chips) -> OnBoard:
        """Add net chips of `position` after each action of a node, on a full board, to float32 ``[action, hand]``.

        Hands that the board blocks get nothing.
        """
        alike = self._groups(int(self.file.tree.round[node]), tuple(other), board)
        added = np.zeros((len(out), alike.won.shape[1]), np.float32)
        self._add_values(self.whole[position], node, alike.classes, alike.won, added)
        spread(added, alike.hands, alike.group, out)
        return alike.board

    def before_cards(self, node: int, position: int, other: Hole, rows: Chips, out: Chips) -> None:
        """Add net chips of `position` after each action of a node of the first round to float32 ``[action, hand]``.

        rows: scores of the round's ends ``[1 + L, hand]``: of showdowns (1 won, -1 lost), then chips at each leaf of
        `PositionTree`.
        """
        buckets = self._buckets(0, ()).astype(np.int32)[None]
        others = np.ascontiguousarray(buckets[:, self.space.index(other)])
        strengths = np.array([self.strength(other, (), 0) if self._model else 0], np.int32)
        self._add_values(self.first_round[position], node, Seen(buckets, others, strengths), rows, out)

    def mix(self, node: int, position: int, other: Hole, board: tuple[int, ...], values: Chips) -> Chips:
        """Return float32 ``[hand]`` from values ``[action, hand]``, weighted by how each action is played at the node."""
        if self.file.tree.player[node] != position:
            mixed: Chips = self.row(node, other, board) @ values
        else:
            mixed = np.einsum("ha,ah->h", self._rows(self.table, node)[self._buckets_at(node, board)], values)
        return mixed

    def _rows(self, table: Chips, node: int) -> Chips:
        """Return a node's rows of a table, ``[bucket, action]``."""
        rows: Chips = table[self.file.offset[node] : self.file.offset[node + 1]]
        return rows.reshape(-1, int(self.file.tree.num_actions[node]))

    def _buckets_at(self, node: int, board: tuple[int, ...]) -> NDArray[np.uint16]:
        """Return the buckets of all hands in a node's round."""
        round_ = int(self.file.tree.round[node])
        return self._buckets(round_, board[: self.file.game.board_sizes[round_]])

    def _add_values(self, tree: PositionTree, node: int, classes: Seen, rows: Chips, out: Chips) -> None:
        add_action_values(
            tree.flat, int(np.searchsorted(tree.nodes, node)), tree.position, self.table, self._acting[tree],
            classes.buckets, classes.others, classes.strengths, rows, tree.reach, self._depth_values, out,
        )  # fmt: skip

    def _lay_out(self) -> None:
        """Lay out the opponent's play as each tree is."""
        self._acting: dict[PositionTree, Others] = {}
        for tree in (*self.whole, *self.first_round):
            above = tree.nodes[np.maximum(tree.flat.parent, 0)]
            counted = self._counted[self.file.tree.first_edge[above] + tree.flat.action]
            self._acting[tree] = Others(self._others, self._trust(tree.nodes), counted)

    def _trust(self, nodes: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return the weight of the file's rows at nodes."""
        if self._model is None:
            return np.ones(len(nodes), np.float32)
        tree = self.file.tree
        spent, player = tree.spent[nodes], np.maximum(tree.player[nodes], 0)
        priced = spent.max(axis=1) > spent[np.arange(len(nodes)), player]
        return np.asarray(self._model.trust[tree.round[nodes], priced.astype(np.intp)], np.float32)

    def _find_groups(self, round_: int, other: Hole, board: tuple[int, ...]) -> AlikeHands:
        """Group the hands on a full board by their play from a round on."""
        game = self.file.game
        strengths = hand_strengths(np.array(board, np.int8), self.space.holes)
        held = self.space.index(other)
        live, won = np.empty(self.space.size, np.bool_), np.empty(self.space.size, np.float32)
        hands = compare(strengths, held, live, won)
        buckets = self.buckets_on(board, round_)
        group, first = np.empty(len(hands), np.int64), np.empty(len(hands), np.int64)
        slots = np.full(2 << len(hands).bit_length(), -1, np.int64)
        chosen = first[: group_alike(buckets[round_:], won, hands, group, first, slots)]
        kinds = np.zeros(game.num_rounds, np.int32)
        if self._model is not None:
            kinds[round_:-1] = [self.strength(other, board, later) for later in range(round_, game.num_rounds - 1)]
            if self.hold_em:
                kinds[-1] = _strength_number((won[live & ~self.space.blocked(other)] + 1.0) / 2)
            else:
                kinds[-1] = self.strength(other, board, game.num_rounds - 1)
        classes = Seen(np.ascontiguousarray(buckets[:, chosen]), np.ascontiguousarray(buckets[:, held]), kinds)
        return AlikeHands(OnBoard(live, won), hands, group, classes, won[None, chosen])


def _strength_number(equities: NDArray[np.floating]) -> int:
    """Return the number of a hand's strength, from the equities of all hands against it."""
    return int(np.searchsorted(STRENGTHS, 1 - equities.mean(dtype=np.float64)))


def _position_tree(file: StrategyFile, position: int, first_round_only: bool = False) -> PositionTree:
    """Return the tree of a file for two players. Showdowns score by row 0, folds by the chips that they win or lose.

    first_round_only: cut the tree off where the first board cards are dealt. Leaves score by a row of their own, in chips.
    """
    tree = file.tree
    nodes = np.arange(tree.num_nodes)
    if first_round_only:
        nodes = np.flatnonzero((tree.parent < 0) | (tree.round[tree.parent] == 0))
    leaves = np.flatnonzero((tree.player[nodes] >= 0) & (tree.round[nodes] > 0)) if first_round_only else nodes[:0]
    player, stake = tree.player[nodes], tree.stakes(position)[nodes].astype(np.float32)
    kind = np.where(player >= 0, INNER, np.where(tree.folded[nodes] > 0, CONSTANT, ROW)).astype(np.int8)
    row = np.zeros(len(nodes), np.int32)
    player[leaves], kind[leaves], stake[leaves], row[leaves] = -1, ROW, 1.0, np.arange(1, len(leaves) + 1)
    parent = np.searchsorted(nodes, tree.parent[nodes]).astype(np.int32)
    parent[0] = -1
    flat = FlatTree(
        player=player,
        round=tree.round[nodes],
        depth=tree.depth[nodes],
        after=np.searchsorted(nodes, tree.after[nodes]).astype(np.int32),
        parent=parent,
        action=tree.action[nodes],
        actions=tree.num_actions[nodes],
        offset=file.offset[nodes].astype(np.int64),
        kind=kind,
        stake=stake,
        row=row,
    )
    return PositionTree(flat, position, nodes, leaves, np.empty(len(nodes), np.float32))


def leaning(file: StrategyFile, table: Chips, share: float, kinds: str = "c") -> Chips:
    """Return the table of a player who plays `table`, but with probability `share` one of some kinds of action.

    It is the first of these kinds that a node has: ``c`` checks or calls, ``fc`` folds to every bet and checks otherwise.
    """
    tree = file.tree
    mixed = (1 - np.float32(share)) * table
    for node in tree.decisions.tolist():
        own = tree.edge_kind[tree.first_edge[node] : tree.first_edge[node + 1]].tolist()
        edge = next(own.index(KINDS.index(kind)) for kind in kinds if KINDS.index(kind) in own)
        mixed[file.offset[node] + edge : file.offset[node + 1] : len(own)] += np.float32(share)
    return np.asarray(mixed, np.float32)
