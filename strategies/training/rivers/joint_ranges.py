"""Both players' ranges at rivers as weights of pairs of buckets, summed over boards."""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.strategies.cards.public_boards import Board, board_hands, num_cards
from limpet.strategies.solving.lanes_kernels import WIDTH
from limpet.strategies.solving.public.seen_boards import Vector, in_order
from limpet.strategies.storage.folders import whole_file
from limpet.strategies.training.rivers.joint_range_kernels import BoardBuckets, add_pairs, follow
from limpet.strategies.trees.betting import BettingTree

Weights = NDArray[np.float32]


class Paths(NamedTuple):
    """The ways from the tree's root to some nodes."""

    steps: NDArray[np.int64]  # [N, 6], see `joint_range_kernels.follow`
    ends: NDArray[np.int64]  # [R]: numbers among the N of the nodes asked for


def paths_to(tree: BettingTree, offset: NDArray[np.int64], nodes: Iterable[int]) -> Paths:
    """Return the ways to some nodes; offset: `BettingTree.row_offset`."""
    parent, targets = tree.parent, [int(node) for node in nodes]
    needed = {0}
    for end in targets:
        node = end
        while node not in needed:
            needed.add(node)
            node = int(parent[node])
    passed = np.array(sorted(needed))
    above = parent[passed]
    number = {node: index for index, node in enumerate(passed.tolist())}
    parents = [number.get(node, 0) for node in above.tolist()]
    columns = (
        parents,
        tree.round[above],
        tree.player[above],
        offset[above],
        tree.num_actions[above],
        tree.action[passed],
    )
    return Paths(np.column_stack(columns).astype(np.int64), np.array([number[node] for node in targets], np.int64))


def board_buckets(game: GameDef, board: Board, vector: Vector) -> BoardBuckets:
    """Return the hands of a whole board with their buckets, as `vector` has them."""
    ordered = in_order(game, board)
    hands, cards, run_end = board_hands(game, ordered)
    buckets = [vector(round_, ordered[:size])[hands] for round_, size in enumerate(game.board_sizes)]
    by_card = np.argsort(cards.ravel(), kind="stable")
    held = cards.ravel()[by_card]
    start = np.searchsorted(held, np.arange(num_cards(game)))
    slot = np.arange(len(held)) - start[held]
    holders = np.full((int(held.max()) + 1, int(slot.max()) + 1), -1, np.int64)
    holders[held, slot] = by_card // 2
    return BoardBuckets(np.array(buckets, np.int32), run_end, cards.astype(np.int64), holders)


class JointRanges:
    """Sums over boards for R nodes with B buckets in the last round.

    Attributes:
        boards: number of boards summed so far.
        joint, net_wins: float32 ``[R in eights, B * B * 8]``, see `joint_range_kernels.add_pairs`.
    """

    def __init__(self, paths: Paths, table: Weights, buckets: int) -> None:
        """table: the strategy's probabilities; buckets: B."""
        self.paths, self.boards = paths, 0
        self._table, self._buckets = table, buckets
        groups = -(-len(paths.ends) // WIDTH)
        self._groups = np.resize(paths.ends, (groups, WIDTH))
        self.joint = np.zeros((groups, buckets * buckets * WIDTH), np.float32)
        self.net_wins = np.zeros_like(self.joint)

    def add(self, boards: Sequence[BoardBuckets], pool: ThreadPoolExecutor) -> None:
        """Add some boards. Sums do not depend on the number of threads."""
        reaches = list(pool.map(self.reach, boards))

        def add_to(group: int) -> None:
            for board, reach in zip(boards, reaches, strict=True):
                add_pairs(reach, self._groups[group], board, self._buckets, self.joint[group], self.net_wins[group])

        list(pool.map(add_to, range(len(self._groups))))
        self.boards += len(boards)

    def reach(self, board: BoardBuckets) -> Weights:
        """Return float32 ``[2, N, H]``: how often each player comes to the nodes of the paths with each hand."""
        reach = np.empty((2, len(self.paths.steps), board.buckets.shape[1]), np.float32)
        follow(self.paths.steps, self._table, board.buckets, reach)
        return reach

    def of_node(self, index: int) -> tuple[Weights, Weights]:
        """Return the weights of a node, float32 ``[B, B]``: joint reach, and wins of player 0 less those of player 1."""
        group, lane = divmod(index, WIDTH)
        shape = (self._buckets, self._buckets, WIDTH)
        joint, net_wins = (
            np.ascontiguousarray(sums[group].reshape(shape)[:, :, lane]) for sums in (self.joint, self.net_wins)
        )
        return joint, net_wins

    def save(self, path: Path) -> None:
        """Write the sums into a file, in one rename."""
        with whole_file(path) as file:
            np.savez(file, allow_pickle=False, boards=self.boards, met=self.joint, won=self.net_wins)

    def restore(self, path: Path) -> None:
        """Go on from the sums that `save` wrote for the same nodes."""
        with np.load(path, allow_pickle=False) as stored:
            self.boards, self.joint, self.net_wins = int(stored["boards"]), stored["met"], stored["won"]
