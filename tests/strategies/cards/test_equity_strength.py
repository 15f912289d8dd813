"""Exact strengths against plain enumeration, and equities everybody knows."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
import pytest

from limpet.protocol.ranking import rank_hands
from limpet.strategies.abstraction.card_tables import count_all
from limpet.strategies.cards import strength_kernels as kernels
from limpet.strategies.cards.equity import FULL_COUNT, expected_strengths, strength_counts
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import canonical_boards, class_number, preflop_classes
from limpet.strategies.cards.preflop_tables import class_equities


def plain_river(board: list[int], hands: range) -> list[int]:
    """Twice wins plus ties of some hands on a river, by looking at every opposing hand."""
    space = hand_space()
    live = [index for index in range(space.size) if not set(space.cards(index)) & set(board)]
    ranks = dict(zip(live, rank_hands([space.cards(index) for index in live], board), strict=True))
    counts = []
    for index in hands:
        if index not in ranks:
            counts.append(-1)
            continue
        own = set(space.cards(index))
        others = [ranks[other] for other in live if not own & set(space.cards(other))]
        counts.append(sum(2 * (ranks[index] > other) + (ranks[index] == other) for other in others))
    return counts


def random_boards(n: int, boards: int, seed: int) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    return [rng.permutation(52)[:n].tolist() for _ in range(boards)]


# A royal flush on the board (all tie), quads, a full board of one suit without, and any boards.
RIVERS = [[51, 47, 43, 39, 35], [48, 49, 50, 51, 0], [3, 11, 23, 31, 43], *random_boards(5, 3, seed=1)]


@pytest.mark.parametrize("board", RIVERS)
def test_river_is_the_plain_count(board: list[int]) -> None:
    some = range(0, 1326, 19)
    assert strength_counts(board)[::19].tolist() == plain_river(board, some)


def sum_of_children(board: list[int]) -> npt.NDArray[np.int64]:
    """Counts of a board by adding those of all boards with one card more."""
    total = np.zeros(1326, dtype=np.int64)
    for card in range(52):
        if card not in board:
            counts = strength_counts([*board, card])
            total += np.where(counts >= 0, counts, 0)
    return np.where(hand_space().blocked(board), -1, total)


@pytest.mark.parametrize("board", [[0, 17, 34, 51], *random_boards(4, 2, seed=2)])
def test_turn_is_the_sum_over_rivers(board: list[int]) -> None:
    assert (strength_counts(board) == sum_of_children(board)).all()


def test_flop_is_half_the_sum_over_turns() -> None:
    # A pair of later cards is met twice from the turns, in either order.
    board = [2, 21, 47]
    twice = sum_of_children(board)
    counts = strength_counts(board)
    assert (np.where(counts >= 0, 2 * counts, -1) == twice).all()


@pytest.mark.parametrize("board", [[50, 10, 7], [50, 10, 7, 30], [50, 10, 7, 30, 1]])
def test_strengths_average_to_a_half(board: list[int]) -> None:
    counts = strength_counts(board)
    live = counts >= 0
    assert (live == ~hand_space().blocked(board)).all()
    assert counts[live].max() <= FULL_COUNT[len(board)]
    # Whoever wins, somebody loses: a river's counts sum to half of all there is to win.
    assert expected_strengths(board)[live].mean() == pytest.approx(0.5, abs=1e-12)
    assert (expected_strengths(board)[~live] == 0).all()


def test_order_of_the_board_does_not_matter() -> None:
    assert (strength_counts([3, 9, 27, 50]) == strength_counts([50, 27, 9, 3])).all()


def test_sorting() -> None:
    rng = np.random.default_rng(3)
    strengths = rng.integers(-1, 9861, 1326).astype(np.int32)
    order, spare, bins = (np.empty(size, dtype=np.int32) for size in (1326, 1326, 256))
    live = kernels.sort_by_strength(strengths, order, spare, bins)
    expected = np.argsort(strengths, kind="stable")
    assert order[:live].tolist() == expected[(strengths < 0).sum() :].tolist()


@pytest.mark.parametrize("board", [[], [1, 2], [1, 2, 2], [1, 2, 52], [-1, 2, 3], [1, 2, 3, 4, 5, 6]])
def test_bad_boards(board: list[int]) -> None:
    with pytest.raises(ValueError):
        strength_counts(board)


@pytest.mark.parametrize(
    ("name", "equity"),
    [
        ("AA", 0.852037),
        ("KK", 0.823957),
        ("AKs", 0.670446),
        ("JTs", 0.575279),
        ("22", 0.503340),
        ("72o", 0.345836),
        ("32o", 0.323032),
    ],
)
def test_equity_before_the_flop(name: str, equity: float) -> None:
    assert class_equities()[class_number(name)] == pytest.approx(equity, abs=1e-6)


def test_equities_average_to_a_half() -> None:
    assert class_equities()[preflop_classes()].mean() == pytest.approx(0.5, abs=1e-12)


@pytest.mark.slow
def test_equities_are_the_sum_over_flops() -> None:
    flops = canonical_boards(3)
    with ThreadPoolExecutor(2) as pool:
        counts = count_all(flops, pool, lambda share: None)
    by_hand = (np.where(counts >= 0, counts, 0) * flops.orbit.astype(np.int64)[:, None]).sum(axis=0)
    counts = np.rint(class_equities() * 2_118_760 * 1980).astype(np.int64)  # of one hand, over all boards of five
    for number, count in enumerate(counts.tolist()):
        hands = preflop_classes() == number
        # Each board of five is met from 10 flops.
        assert by_hand[hands].sum() == 10 * hands.sum() * count
