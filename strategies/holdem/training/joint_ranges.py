"""Both players' ranges at rivers as weights of pairs of buckets, summed over boards."""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.common.folders import whole_file
from limpet.common.jit import Flags, Floats, Ints, Longs, njit
from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.cards.boards import Board, board_hands, num_cards
from limpet.strategies.solvers.lanes_kernels import WIDTH, load, spread, store
from limpet.strategies.solvers.sampled.seen_boards import Vector, in_order

# --- Compiled sums over pairs of hands of one board: with which buckets both come to a river, and who wins there.

F0 = np.float32(0)
F1 = np.float32(1)


class BoardBuckets(NamedTuple):
    """The H hands that miss a whole board, weakest first, and their buckets in R rounds. C cards can be held.

    Attributes:
        buckets: int32 ``[R, H]``: bucket of each hand.
        run_end: int32 ``[H]``: end of the run of hands that are as strong as each.
        cards: int64 ``[H, 2]``: the hand's cards.
        holders: int64 ``[C, most]``: hands that hold each card, then -1.
    """

    buckets: Ints
    run_end: Ints
    cards: Longs
    holders: Longs


@njit(cache=True, nogil=True, error_model="numpy")
def follow(steps: Longs, table: Floats, buckets: Ints, reach: Floats) -> None:
    """Write how often each player comes to each of N nodes with each of H hands, float32 ``[2, N, H]``, on one board.

    steps: int64 ``[N, 6]``, parents first: each node's parent among the N, the round and the player of the parent's decision,
    that decision's first entry in `table` (layout of `BettingTree.row_offset`), its number of actions, and which of them leads
    to the node. The first node is the tree's root, whose numbers are not read. buckets: int32 ``[R, H]``.
    """
    reach[:, 0] = F1
    for node in range(1, len(steps)):
        above, round_, player, offset, actions, action = steps[node]
        for h in range(buckets.shape[1]):
            row = offset + buckets[round_, h] * actions
            reach[1 - player, node, h] = reach[1 - player, above, h]
            reach[player, node, h] = reach[player, above, h] * table[row + action]


@njit(cache=True, nogil=True, error_model="numpy")
def add_pairs(reach: Floats, nodes: Longs, board: BoardBuckets, count: int, joint: Floats, net_wins: Floats) -> None:
    """Add all pairs of hands of one board to the sums of eight nodes, whose numbers in `reach` of `follow` are given, a lane each.

    All pairs are summed bucket by bucket. Wins are summed on the way up the order of strength, where each bucket of player
    1 has a sum of its hands below less those above. Pairs that share a card are then taken out one by one.

    Args:
        count: number of buckets of the last round.
        joint: float32 ``[count, count, 8]`` flat: products of both players' reach, by bucket of player 0, then of player 1.
        net_wins: the same, less where player 1 has the stronger hand, and without ties.
    """
    bucket, run_end = board.buckets[-1], board.run_end
    hands = len(bucket)
    by_hand = np.empty((2, hands * WIDTH), np.float32)
    reaches = np.empty((2, hands), np.bool_)
    sums = np.zeros((2, count * WIDTH), np.float32)
    occupied = np.zeros((2, count), np.bool_)
    for p in range(2):
        for h in range(hands):
            most = F0
            for k in range(WIDTH):
                here = reach[p, nodes[k], h]
                by_hand[p, h * WIDTH + k] = here
                sums[p, bucket[h] * WIDTH + k] += here
                most = max(most, here)
            reaches[p, h] = most > F0
            if reaches[p, h]:
                occupied[p, bucket[h]] = True
    own, other, others = by_hand[0], by_hand[1], np.flatnonzero(occupied[1])
    for b in range(count):
        if occupied[0, b]:
            _add_products(joint, b * count, sums[0], b * WIDTH, sums[1], others)
    ahead = -sums[1]
    first = 0
    while first < hands:
        last = run_end[first]
        for h in range(first, last):
            _add(ahead, bucket[h] * WIDTH, other, h * WIDTH)
        for h in range(first, last):
            if reaches[0, h]:
                _add_products(net_wins, bucket[h] * count, own, h * WIDTH, ahead, others)
        for h in range(first, last):
            _add(ahead, bucket[h] * WIDTH, other, h * WIDTH)
        first = last
    for h in range(hands):
        if reaches[0, h]:
            _take_out(board, h, own, other, reaches[1], count, joint, net_wins)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _add_products(
    target: Floats, row: int, own: Floats, start: int, weights: Floats, buckets: NDArray[np.intp]
) -> None:
    """Add the product of one bucket's or hand's reach and the weight of each of some buckets to a row of `target`."""
    mine = load(own, start)
    for n in range(len(buckets)):
        bucket = int(buckets[n])
        at = (row + bucket) * WIDTH
        store(target, at, load(target, at) + mine * load(weights, bucket * WIDTH))


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _add(target: Floats, at: int, source: Floats, start: int) -> None:
    store(target, at, load(target, at) + load(source, start))


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _take_out(
    board: BoardBuckets, h: int, own: Floats, other: Floats, reaches: Flags, count: int, joint: Floats, net_wins: Floats
) -> None:
    """Take out of the sums the pairs of hand `h` of player 0 with hands of player 1 that share a card with it."""
    bucket, run_end, holders = board.buckets[-1], board.run_end, board.holders
    mine, row = load(own, h * WIDTH), bucket[h] * count
    for c in range(2):
        for n in range(holders.shape[1]):
            held = holders[board.cards[h, c], n]
            if held < 0:
                break
            if not reaches[held] or (c == 1 and held == h):
                continue
            pair = mine * load(other, held * WIDTH)
            at = (row + bucket[held]) * WIDTH
            store(joint, at, load(joint, at) - pair)
            ahead = np.float32(run_end[h] > run_end[held]) - np.float32(run_end[h] < run_end[held])
            store(net_wins, at, load(net_wins, at) - pair * spread(ahead))


class Paths(NamedTuple):
    """The ways from the tree's root to some nodes: `steps` as `follow` takes them, and int64 ``[R]``: the nodes' numbers there."""

    steps: Longs
    ends: Longs


def paths_to(tree: BettingTree, offset: Longs, nodes: Iterable[int]) -> Paths:
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
    """Sums over boards, so many so far, for R nodes with B buckets in the last round.

    joint, net_wins: float32 ``[R in eights, B * B * 8]``, see `add_pairs`.
    """

    def __init__(self, paths: Paths, table: Floats, buckets: int) -> None:
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

    def reach(self, board: BoardBuckets) -> Floats:
        """Return float32 ``[2, N, H]``: how often each player comes to the nodes of the paths with each hand."""
        reach = np.empty((2, len(self.paths.steps), board.buckets.shape[1]), np.float32)
        follow(self.paths.steps, self._table, board.buckets, reach)
        return reach

    def of_node(self, index: int) -> tuple[Floats, Floats]:
        """Return the weights of a node, float32 ``[B, B]``: joint reach, and wins of player 0 less those of player 1."""
        group, lane = divmod(index, WIDTH)
        shape, sums = (self._buckets, self._buckets, WIDTH), (self.joint, self.net_wins)
        joint, net_wins = (np.ascontiguousarray(each[group].reshape(shape)[:, :, lane]) for each in sums)
        return joint, net_wins

    def save(self, path: Path) -> None:
        """Write the sums into a file, in one rename."""
        with whole_file(path) as file:
            np.savez(file, allow_pickle=False, boards=self.boards, met=self.joint, won=self.net_wins)

    def restore(self, path: Path) -> None:
        """Go on from the sums that `save` wrote for the same nodes."""
        with np.load(path, allow_pickle=False) as stored:
            self.boards, self.joint, self.net_wins = int(stored["boards"]), stored["met"], stored["won"]
