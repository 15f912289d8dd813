"""Ranking against recorded counts, two independent evaluators, and a plain twin for every hand size."""

import random
import warnings
from collections import Counter
from itertools import combinations, islice, pairwise
from math import comb

import numpy as np
import numpy.typing as npt
import phevaluator
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limpet.protocol.cards import parse_cards
from limpet.protocol.ranking import category, rank, rank_hands, rank_mask
from limpet.strategies.cards import ranking_kernels as kernels
from tests.oracles.every_hand import every_rank, rank_counts, ranks_from

with warnings.catch_warnings():  # its range parser uses names that pyparsing has retired
    warnings.simplefilter("ignore", DeprecationWarning)
    import eval7

RANKS = "23456789TJQKA"
TEXTS = [r + s for r in RANKS for s in "cdhs"]


def cards(text: str) -> list[int]:
    return [TEXTS.index(text[i : i + 2]) for i in range(0, len(text), 2)]


# -- a plain twin ------------------------------------------------------------------------------------------------------


def plain_five(hand: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """(category, ranks in order of weight) of up to five cards."""
    groups = sorted(((count, r) for r, count in Counter(c >> 2 for c in hand).items()), reverse=True)
    shape = tuple(count for count, _ in groups)
    ranks = tuple(r for _, r in groups)
    flush = len(hand) == 5 and len({c & 3 for c in hand}) == 1
    straight = None
    if shape == (1, 1, 1, 1, 1):
        if ranks[0] - ranks[4] == 4:
            straight = ranks[0]
        elif ranks == (12, 3, 2, 1, 0):
            straight = 3
    if straight is not None:
        return (8 if flush else 4), (straight,)
    if flush:
        return 5, ranks
    by_shape = {(4,): 7, (3, 2): 6, (3,): 3, (2, 2): 2, (2,): 1}
    for start, number in by_shape.items():
        if shape[: len(start)] == start:
            return number, ranks
    return 0, ranks


def plain(hand: list[int]) -> tuple[int, tuple[int, ...]]:
    return max(plain_five(five) for five in combinations(hand, min(5, len(hand))))


@st.composite
def two_hands(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Two hands of equal size from one deck of high ranks and high suits; they may overlap."""
    suits = draw(st.integers(1, 4))
    ranks = draw(st.integers(2, 13))
    deck = [4 * r + s for r in range(13 - ranks, 13) for s in range(4 - suits, 4)]
    n = draw(st.integers(1, min(10, len(deck))))
    hand = st.lists(st.sampled_from(deck), min_size=n, max_size=n, unique=True)
    return draw(hand), draw(hand)


@settings(max_examples=300)
@given(two_hands())
def test_order_is_the_plain_order(hands: tuple[list[int], list[int]]) -> None:
    a, b = hands
    mine, twin = (rank(a), rank(b)), (plain(a), plain(b))
    assert (mine[0] > mine[1]) == (twin[0] > twin[1])
    assert (mine[0] == mine[1]) == (twin[0] == twin[1])
    assert category(mine[0]) == twin[0][0]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_small_hands_of_the_full_deck(n: int) -> None:
    # With 1 to 3 cards every hand, with 4 every hand of three suits of nine ranks.
    deck = range(52) if n < 4 else [c for c in range(16, 52) if c & 3]
    by_rank: dict[int, set[tuple[int, tuple[int, ...]]]] = {}
    for hand in combinations(deck, n):
        by_rank.setdefault(rank(hand), set()).add(plain_five(hand))
    assert all(len(keys) == 1 for keys in by_rank.values())
    in_order = [by_rank[r].pop() for r in sorted(by_rank)]
    assert all(a < b for a, b in pairwise(in_order))


# -- counts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "classes", "expected"),
    [
        (5, 7462, [1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40]),
        (6, 6075, [6612900, 9730740, 2532816, 732160, 361620, 205792, 165984, 14664, 1844]),
        pytest.param(
            *(7, 4824, [23294460, 58627800, 31433400, 6461620, 6180020, 4047644, 3473184, 224848, 41584]),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_every_hand_of_the_deck(n: int, classes: int, expected: list[int]) -> None:
    counts = rank_counts(n)
    by_category = [0] * 9
    for r in np.nonzero(counts)[0]:
        by_category[category(int(r))] += int(counts[r])
    assert by_category == expected
    assert np.count_nonzero(counts) == classes


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_every_rank_is_that_of_the_hand(n: int) -> None:
    hands = np.fromiter(combinations(range(52), n), dtype=(np.int8, n), count=comb(52, n))
    assert np.array_equal(every_rank(n), kernels.rank_batch(hands))


@pytest.mark.parametrize("n", [6, 7, 8])
@pytest.mark.parametrize("first", [0, 28])
def test_ranks_from_a_card(n: int, first: int) -> None:
    # From 28 on six ranks are left, straights and flushes of up to six cards among them.
    rest = list(islice(combinations(range(first + 1, 52), n - 1), 100_000))
    hands = np.array([(first, *cards) for cards in rest], dtype=np.int8)
    ranks = np.zeros(comb(51 - first, n - 1), dtype=np.uint16)
    assert ranks_from(first, n, ranks) == len(ranks)
    assert np.array_equal(ranks[: len(hands)], kernels.rank_batch(hands))


@pytest.mark.parametrize("n", range(1, 11))
def test_plain_python_ranks_as_the_kernel_does(n: int) -> None:
    """Random hands of the whole deck and of one where repeated ranks, straights and flushes are frequent."""
    draw = random.Random(n)
    few = [card for card in range(52) if 12 <= card < 36]
    for number in range(4000):
        mask = sum(1 << (16 * (card & 3) + (card >> 2)) for card in draw.sample(few if number % 2 else range(52), n))
        assert rank_mask(mask) == kernels.rank_mask(mask), f"{mask:b}"


@pytest.mark.parametrize("n", [1, 8])
def test_every_hand_of_a_wrong_size(n: int) -> None:
    with pytest.raises(ValueError, match="2 to 7 cards"):
        every_rank(n)
    with pytest.raises(ValueError, match="2 to 7 cards"):
        rank_counts(n)


# -- other evaluators --------------------------------------------------------------------------------------------------


def random_hands(n: int, hands: int, seed: int) -> npt.NDArray[np.int8]:
    rng = np.random.default_rng(seed)
    return np.argsort(rng.random((hands, 52)), axis=1)[:, :n].astype(np.int8)


def assert_same_order(mine: npt.NDArray[np.int32], other: npt.NDArray[np.int64]) -> None:
    order = np.lexsort((mine, other))
    assert ((np.diff(mine[order]) > 0) == (np.diff(other[order]) > 0)).all()
    assert (np.diff(mine[order]) >= 0).all()


@pytest.mark.parametrize("n", [5, 6, 7])
def test_order_of_eval7(n: int) -> None:
    deck = [eval7.Card(text) for text in TEXTS]
    hands = random_hands(n, 20_000, seed=n)
    assert_same_order(
        kernels.rank_batch(hands), np.array([eval7.evaluate([deck[c] for c in hand]) for hand in hands], dtype=np.int64)
    )


@pytest.mark.parametrize("n", [5, 6, 7])
def test_order_of_phevaluator(n: int) -> None:
    hands = random_hands(n, 20_000, seed=10 + n)
    other = [-phevaluator.evaluate_cards(*(int(c) for c in hand)) for hand in hands]
    assert_same_order(kernels.rank_batch(hands), np.array(other, dtype=np.int64))


# -- by hand -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("6c5d4h3s2c", "5c4d3h2sAc"),  # the wheel is the lowest straight
        ("5c4d3h2sAc", "AcAdAhKsQc"),
        ("AsKsQsJs9s2c2d", "AcKdQhJsTc2h3d"),
        ("KcKdKh2c2d2h3s", "QcQdQhAcAdKsJs"),  # two trips are a full house
        ("AcAdKcKdQcQd2h", "AcAdKcKdJcJd3h"),  # three pairs: the third is a kicker
        ("7c7d7h7s5c5d5h", "7c7d7h7s4c4d4h"),  # quads with trips: the trips are the kicker
        ("KcKdKhKs7c7d7h7s", "KcKdKhKs5c5d5h5s"),  # two quads
        ("AhQh", "KhQh"),
        ("2h2s", "AhKs"),
        ("3c3d3h2c", "AcAdKcKd"),
        ("AcAdKcKd", "AcAdKcQd"),
    ],
)
def test_better(better: str, worse: str) -> None:
    assert rank(cards(better)) > rank(cards(worse))


def test_short_hands_make_no_straight_or_flush() -> None:
    assert category(rank(cards("AsKsQsJs"))) == 0
    assert category(rank(cards("5c4d3h2s"))) == 0


def test_ten_cards_with_two_flushes() -> None:
    assert rank(cards("AcKc9c5c3cAhQhJh4h2h")) == rank(cards("AcKc9c5c3c"))


NAMED = ["AcKdJh9s2c", "AcAd", "AcAdKhKs", "AcAdAh", "Ac2d3h4s5c", "2c4c6c8cTc", "2c2d2h3c3d", "2c2d2h2s", "TsJsQsKsAs"]


@pytest.mark.parametrize(("number", "text"), list(enumerate(NAMED)))
def test_categories(number: int, text: str) -> None:
    assert category(rank(cards(text))) == number


def test_hands_with_a_board() -> None:
    board = cards("AhKhQh2c2d")
    holes = [cards("JhTh"), cards("AcAd"), cards("2h2s"), cards("JcTd")]
    assert rank_hands(holes, board) == tuple(rank(hole + board) for hole in holes)
    assert rank_hands([[3], [7]], []) == (rank([3]), rank([7]))


@pytest.mark.parametrize("hand", [[], list(range(11)), [52], [-1], [3, 3]])
def test_bad_hands(hand: list[int]) -> None:
    with pytest.raises(ValueError):
        rank(hand)
    with pytest.raises(ValueError):
        rank_hands([hand], [])


def test_hand_meets_the_board() -> None:
    with pytest.raises(ValueError, match="card id 7 appears twice"):
        rank_hands([[7, 8]], [7])


# -- all hands of a board ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("cards_shown", [0, 1, 3, 4, 5, 6, 7])
def test_strengths_of_a_board(k: int, cards_shown: int) -> None:
    rng = np.random.default_rng(100 * k + cards_shown)
    holes = np.array(list(combinations(range(52), k)), dtype=np.int8)
    holes = holes[rng.permutation(len(holes))[:1326]]
    boards = [rng.permutation(52)[:cards_shown] for _ in range(4)]
    boards += [rng.permutation(np.arange(2, 52, 4))[:cards_shown]]  # one suit
    boards += [np.arange(44, 44 + cards_shown)]  # quads
    for board in boards:
        strengths = kernels.hand_strengths(board.astype(np.int8), holes)
        assert strengths.dtype == np.int32
        for hole, strength in zip(holes.tolist(), strengths.tolist(), strict=True):
            blocked = bool(set(hole) & set(board.tolist()))
            assert strength == (kernels.BLOCKED if blocked else rank(hole + board.tolist()))


def test_rank_cards_reads_the_first_n() -> None:
    hand = np.array([0, 13, 26, 39, 51, 50, 3], dtype=np.int8)
    for n in range(1, 8):
        assert kernels.rank_cards(hand, n) == rank(hand[:n].tolist())


# Kebrle's thesis (2016), table 2.2: hands on boards with their categories, strongest first.
TABLE_2_2 = (
    ("Qc8d", "KcAcTc4hJc", 8), ("5d6d", "Kc3dAc4d7d", 8), ("AdAh", "7c7d7h4d7s", 7), ("Ts7h", "7c7dKhTd4s", 6),
    ("AsKc", "2s4d8s9sKs", 5), ("Ts7h", "8c9d2hJsKd", 4), ("3d3c", "8c9d3hJsKd", 3), ("AdAc", "8c9d3hJs3d", 2),
    ("7s8h", "JcKd3h7h2d", 1), ("7s8h", "JcKd3h5h2d", 0),
)  # fmt: skip


def test_2_7_1_the_ten_hands_of_the_thesis() -> None:
    ranks = [rank(parse_cards(hole + board)) for hole, board, _ in TABLE_2_2]
    assert [category(each) for each in ranks] == [expected for *_, expected in TABLE_2_2]
    assert ranks == sorted(ranks, reverse=True) and len(set(ranks)) == 10
