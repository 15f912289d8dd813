"""Deals of a spot against their definition: who holds what how often, bucket numbers, and ranks."""

import numpy as np
import pytest

from limpet.protocol.cards import parse_cards
from limpet.protocol.ranking import rank_hands
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.solutions.spot import spot_root
from limpet.strategies.trees.betting import build_tree
from limpet.strategies.trees.menu import BetMenu
from tests.oracles.spot_deal_kernels import build_alias
from tests.oracles.spot_deals import SpotDeals
from tests.oracles.spot_games import deals_of, hands

BOARDS = ["QhTh7s", "QhTh7s8s", "QhTh7s8s5s"]


def wide_ranges(seed: int) -> list[np.ndarray]:
    """Two overlapping ranges with weights, some of them on the board."""
    rng = np.random.default_rng(seed)
    return [(rng.random(1326) * (rng.random(1326) < 0.3)).astype(np.float32) for _ in range(2)]


@pytest.mark.parametrize("board", BOARDS)
def test_every_deal_is_legal_and_numbered_as_documented(board: str) -> None:
    cards = parse_cards(board)
    root = len(cards) - 2
    ranges = wide_ranges(1)
    spot = SpotDeals(cards, ranges)
    space = hand_space()
    count = len(spot.hands)
    support = (ranges[0] + ranges[1] > 0) & ~space.blocked(cards)
    assert spot.hands.tolist() == np.flatnonzero(support).tolist()
    assert spot.num_buckets == tuple([0] * root + [count * len(spot.paths(round_)) for round_ in range(root, 4)])
    paths = {round_: spot.paths(round_) for round_ in range(root, 4)}
    buckets, ranks = spot.sample(2, 2_000)
    assert (buckets[:, :, :root] == 0).all()
    assert (buckets < np.maximum(spot.num_buckets, 1)).all()
    for row, rank in zip(buckets, ranks, strict=True):
        holes = [space.cards(int(spot.hands[bucket])) for bucket in row[:, root]]
        runout = tuple(paths[3][row[0, 3] // count].tolist())
        for round_ in range(root, 4):
            assert (row[:, round_] % count == row[:, root]).all()
            path = spot.path(runout[: round_ - root])
            assert (row[:, round_] // count == path).all()
            assert tuple(paths[round_][path].tolist()) == runout[: round_ - root]
        assert len({*holes[0], *holes[1], *cards, *runout}) == 9
        assert all(ranges[p][space.index(holes[p])] > 0 for p in range(2))
        expected = rank_hands(holes, cards + runout)
        assert (rank[0] > rank[1], rank[0] == rank[1]) == (expected[0] > expected[1], expected[0] == expected[1])


def test_pairs_weigh_what_the_ranges_say() -> None:
    board = parse_cards("QhTh7s8s")
    ranges = [hands("AhKh KsKd QsJs 8s7h", [1, 0.5, 0.25, 1]), hands("AhAc KsKc 9c9d QsQc", [0.3, 1, 0.2, 1])]
    spot = SpotDeals(board, ranges)
    space = hand_space()
    expected = np.zeros((len(spot.hands), len(spot.hands)))
    for i, first in enumerate(spot.hands):
        for j, second in enumerate(spot.hands):
            if not set(space.cards(int(first))) & set(space.cards(int(second))):
                expected[i, j] = ranges[0][first] * ranges[1][second]
    assert len(spot.hands) == 7  # one of the eight meets the board
    assert spot.pair_weights == pytest.approx(expected / expected.sum())


@pytest.mark.parametrize("runout", ["", "2c", "2c9h", "9h2c"])
def test_deals_come_as_often_as_they_should(runout: str) -> None:
    """Against the list of all deals; chi-square within five standard deviations of its mean, the number of cells."""
    board, cards = parse_cards("QhTh7s"), parse_cards(runout)
    ranges = [hands("AhKh KsKd", [1, 0.2]), hands("AhAc KsKc 9h9d", [0.3, 1, 0.8])]
    spot = SpotDeals(board, ranges, cards)
    listed = deals_of(spot, ranges, cards)
    buckets, ranks = spot.sample(3, 1_000_000)
    key = buckets[:, 0, 3].astype(np.int64) * spot.num_buckets[3] + buckets[:, 1, 3]
    listed_key = listed.buckets[:, 0, 3].astype(np.int64) * spot.num_buckets[3] + listed.buckets[:, 1, 3]
    order = np.argsort(listed_key)
    at = np.searchsorted(listed_key[order], key)
    assert (listed_key[order][at] == key).all()
    expected = listed.probability[order] * len(key)
    seen = np.bincount(at, minlength=len(order))
    cells = len(order)
    assert abs(((seen - expected) ** 2 / expected).sum() - (cells - 1)) < 5 * np.sqrt(2 * cells)
    compared = listed.ranks[order][at]
    assert (np.sign(compared[:, 0] - compared[:, 1]) == np.sign(ranks[:, 0] - ranks[:, 1])).all()


@pytest.mark.parametrize("weights", [[1.0], [1.0, 1.0], [0.1, 5.0, 0.4, 2.0, 2.5], list(range(1, 800)), [1e-9, 1, 1e9]])
def test_alias_tables_hold_their_weights(weights: list[float]) -> None:
    count = len(weights)
    keep, alias = np.empty(count, np.float32), np.empty(count, np.int32)
    build_alias(np.array(weights, np.float64), keep, alias, np.empty(count, np.int32))
    held = keep.astype(np.float64)
    np.add.at(held, alias, 1.0 - keep.astype(np.float64))
    assert held / count == pytest.approx(np.array(weights) / sum(weights), rel=1e-6, abs=1e-7)
    assert (keep >= 0).all() and (keep <= 1).all()


def test_a_range_may_be_nearly_blocked() -> None:
    """Hands that exclude each other weigh much, the only possible pair next to nothing."""
    ranges = [hands("AhAs KdKc", [1.0, 1e-6]), hands("AhKs 2c2d", [1.0, 1e-6])]
    ranges[1][hand_space().index(parse_cards("2c2d"))] = 0
    ranges[0][hand_space().index(parse_cards("KdKc"))] = 1e-20
    spot = SpotDeals(parse_cards("QhTh7s8s5s"), ranges)
    assert len(spot.hands) == 3
    buckets, _ = spot.sample(1, 100)
    assert {tuple(spot.hands[row]) for row in buckets[:, :, 3]} == {
        (hand_space().index(parse_cards("KdKc")), hand_space().index(parse_cards("AhKs")))
    }


@pytest.mark.parametrize("board", ["QhTh7s8s", "QhTh7s8s5s"])
def test_a_table_is_a_strategy_asked_board_by_board(board: str) -> None:
    cards = parse_cards(board)
    spot = SpotDeals(cards, [hands("AhAc KhJh"), hands("AsAd 6h6c")])
    tree = build_tree(spot_root(cards, 200, 400), BetMenu(sizes=(((1.0,), ()),)))

    def strategy(node: int, board: tuple[int, ...]) -> np.ndarray:
        assert board[: len(cards)] == cards
        return np.random.default_rng((node, *board)).random((tree.num_actions[node], 1326)).astype(np.float32)

    table = spot.table(tree, strategy)
    offset = tree.row_offset(spot.num_buckets)
    for node in tree.decisions.tolist():
        k = int(tree.num_actions[node])
        for runout in ((4,), (51,)) if tree.round[node] > len(cards) - 2 else ((),):
            rows = strategy(node, cards + runout)
            for h, hand in enumerate(spot.hands):
                at = offset[node] + (spot.path(runout) * len(spot.hands) + h) * k
                assert (table[at : at + k] == rows[:, hand]).all()


def test_a_seed_fixes_the_deals() -> None:
    spot = SpotDeals(parse_cards("QhTh7s"), wide_ranges(4))
    first, again, other = spot.sample(5, 1000), spot.sample(5, 1000), spot.sample(6, 1000)
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    assert (first[0] != other[0]).any()


def test_impossible_spots_are_refused() -> None:
    board, some = parse_cards("QhTh7s"), hands("AhKh 2c2d")
    with pytest.raises(ValueError, match="3 to 5 different cards"):
        SpotDeals(board[:2], [some, some])
    with pytest.raises(ValueError, match="3 to 5 different cards"):
        SpotDeals(board, [some, some], runout=board[:1])
    with pytest.raises(ValueError, match="at most 5"):
        SpotDeals(board, [some, some], runout=parse_cards("2c3c4c"))
    with pytest.raises(ValueError, match="0..51"):
        SpotDeals((0, 1, 52), [some, some])
    with pytest.raises(ValueError, match="two ranges"):
        SpotDeals(board, [some])
    with pytest.raises(ValueError, match=r"position 1 has the shape \[169\]"):
        SpotDeals(board, [some, some[:169]])
    with pytest.raises(ValueError, match="negative"):
        SpotDeals(board, [some, -some])
    with pytest.raises(ValueError, match="no two hands"):
        SpotDeals(board, [hands("AhKh"), hands("AhKd")])
    with pytest.raises(ValueError, match="no two hands"):
        SpotDeals(board, [hands("AhKh"), hands("2c2d")], runout=parse_cards("2c"))
    spot = SpotDeals(board, [some, some])
    with pytest.raises(ValueError, match="rounds 1..3"):
        spot.paths(0)
    with pytest.raises(ValueError, match="cannot come"):
        spot.path(board[:1])
    with pytest.raises(ValueError, match="cannot come"):
        spot.path(parse_cards("2c3c4c"))
