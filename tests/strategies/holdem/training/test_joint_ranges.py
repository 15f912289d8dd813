"""Joint ranges at rivers, held against sums over all pairs of hands in plain loops."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.betting import BettingTree, build_tree
from limpet.strategies.abstraction.cards import LosslessBuckets
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.cards.boards import board_hands, sampled_boards
from limpet.strategies.holdem.training.joint_ranges import JointRanges, board_buckets, paths_to
from limpet.strategies.solvers.sampled.seen_boards import Vector
from limpet.strategies.solvers.streets import street_roots

MENU = BetMenu(sizes=(((1.0,), ()),), raise_cap=1)
BUCKETS = 7
"""Buckets of the made-up hold'em abstraction, in every round."""


def by_index(round_: int, board: tuple[int, ...]) -> np.ndarray:
    """Buckets of hold'em hands that depend on round and board, and on nothing else that means anything."""
    return (np.arange(1326) * (1 + round_) + sum(board)) % BUCKETS


def abstraction(game: GameDef) -> tuple[tuple[int, ...], Vector]:
    if game.num_hole_cards == 2:
        return (BUCKETS,) * game.num_rounds, by_index
    cards = LosslessBuckets(game)
    return tuple(cards.num_buckets(round_) for round_ in range(game.num_rounds)), cards.bucket_vector


def random_table(tree: BettingTree, buckets: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of every row, some of them zero, and their offsets."""
    offset, rng = tree.row_offset(buckets), np.random.default_rng(3)
    table = np.zeros(int(offset[-1]), np.float32)
    for node in tree.decisions.tolist():
        rows = rng.random((buckets[tree.round[node]], tree.num_actions[node]))
        rows[rng.random(rows.shape) < 0.2] = 0
        table[offset[node] : offset[node + 1]] = rows.ravel()
    return table, offset


def plain_sums(
    game: GameDef, tree: BettingTree, table: np.ndarray, offset: np.ndarray, vector: Vector, boards: list[tuple[int, ...]],
    node: int, count: int,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    met, won = np.zeros((count, count)), np.zeros((count, count))
    for board in boards:
        hands, cards, run_end = board_hands(game, board)
        seen = [vector(round_, board[:size])[hands] for round_, size in enumerate(game.board_sizes)]
        reach, at = np.ones((2, len(hands))), node
        while at:
            above, action = int(tree.parent[at]), int(tree.action[at])
            rows = table[offset[above] : offset[above + 1]].reshape(-1, tree.num_actions[above])
            reach[tree.player[above]] *= rows[seen[tree.round[above]], action]
            at = above
        apart = (cards[:, None, :, None] != cards[None, :, None, :]).all(axis=(2, 3))
        pairs = reach[0][:, None] * reach[1] * apart
        ahead = np.sign(run_end[:, None] - run_end)
        rows, columns = np.meshgrid(seen[-1], seen[-1], indexing="ij")
        np.add.at(met, (rows, columns), pairs)
        np.add.at(won, (rows, columns), pairs * ahead)
    return met, won


@pytest.mark.parametrize(("name", "boards"), [("leduc.limit.2p", 12), ("holdem.nolimit.2p.reverse_blinds", 2)])
def test_sums_are_those_of_plain_loops(name: str, boards: int) -> None:
    game = load_game(name)
    tree = build_tree(game, MENU if game.no_limit else None)
    counts, vector = abstraction(game)
    table, offset = random_table(tree, counts)
    nodes = street_roots(tree, game.num_rounds - 1)[:5].tolist()
    dealt = [tuple(sorted(board[:-2])) + board[-2:] for board in sampled_boards(game, boards, seed=5)]
    ranges = JointRanges(paths_to(tree, offset, nodes), table, counts[-1])
    with ThreadPoolExecutor(2) as pool:
        ranges.add([board_buckets(game, board, vector) for board in dealt[:1]], pool)
        ranges.add([board_buckets(game, board, vector) for board in dealt[1:]], pool)
    assert ranges.boards == boards
    for index, node in enumerate(nodes):
        met, won = plain_sums(game, tree, table, offset, vector, dealt, node, counts[-1])
        scale = np.abs(met).max()
        assert scale > 0
        for sums, plain in zip(ranges.of_node(index), (met, won), strict=True):
            assert sums / scale == pytest.approx(plain / scale, abs=2e-4)  # float32 sums of 20,000 pairs
