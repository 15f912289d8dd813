"""E[HS], E[HS²] and equal-count buckets against the numbers of Kebrle's thesis (2016) and plain enumeration."""

from itertools import combinations

import numpy as np
import pytest

from limpet.protocol.cards import parse_cards
from limpet.strategies.cards.equity import expected_strengths, versus_range
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.ranking_kernels import hand_strengths
from limpet.strategies.players.profile import (
    assumed_equity,
    equal_count_buckets,
    expected_squares,
    strength_buckets,
    strongest,
)

FLOP = tuple(parse_cards("Qh6h7s"))
EXACT = {  # (E[HS], E[HS²]) on FLOP
    "6s6c": (0.910924, 0.840918),
    "7h7d": (0.927033, 0.866348),
    "AcQd": (0.808837, 0.667481),
    "Qs8h": (0.806285, 0.656229),
    "9s9h": (0.713072, 0.520695),
    "8h5h": (0.631382, 0.548181),
    "Ah5h": (0.658778, 0.519129),
    "AcKd": (0.504663, 0.306315),
    "5s4d": (0.390455, 0.303897),
    "2h2d": (0.443611, 0.233785),
    "3c2c": (0.135353, 0.059395),
}
TABLE_7_1_MEANS = (0.71, 0.57, 0.47, 0.40, 0.32, 0.26, 0.23, 0.19, 0.14, 0.10)
TABLE_7_1_HANDS = (
    "6c6s AcQd Qs8h KhQs AhQs 7h3h",
    "9c7h Kh7d 9h9s Th7d Ks7c Qc4c",
    "Jd7h 7c3c Js7d Jc7d Kd7c 8c7h",
    "Ah6s 9c6c Ah6s 7c2h Td6d Jh6c",
    "5d4s 6d2d AdKc 4s4h Kh9c Ts9s",
    "AdJd 5c3h 5s5c 5s5c AsJh Kh5s",
    "2h2d JsTs Ks5d As5c As2s 9s5s",
    "Jh8c Jd9h JsTd Ks2d Kd3h As2h",
    "Jc5c 9s4s Td5c 8s2s Tc4h 9s2s",
    "Js2d Jc4d 4c2d 8s3h Jc2h Tc3s",
)


def hand(text: str) -> int:
    return hand_space().index(parse_cards(text))


def moments_of(strengths: list[float]) -> tuple[float, float]:
    """E[HS] and E[HS²] of a hand whose strength on each run-out is given."""
    return float(np.mean(strengths)), float(np.mean(np.square(strengths)))


def plain_strengths(index: int, board: tuple[int, ...]) -> list[float]:
    """HS of one hand on each run-out, hand by hand."""
    space = hand_space()
    own = space.cards(index)
    rest = [card for card in range(52) if card not in (*board, *own)]
    found = []
    for more in combinations(rest, 5 - len(board)):
        ranks = hand_strengths(np.array((*board, *more), np.int8), space.holes)
        against = ranks[~space.blocked((*board, *more, *own))]
        found.append(((against < ranks[index]).mean() + (against <= ranks[index]).mean()) / 2)
    return found


def test_7_3_2_strength_on_a_full_board() -> None:
    board = tuple(parse_cards("2hTsKh6s5d"))
    assert expected_strengths(board)[hand("JcTc")] == pytest.approx(756 / 990, abs=1e-12)
    live = ~hand_space().blocked(board)
    assert live.sum() == 1081
    assert expected_strengths(board)[live].mean() == pytest.approx(0.5, abs=1e-12)


def test_7_3_4_the_square_tells_a_draw_from_a_made_hand() -> None:
    assert moments_of([0.4, 0.6]) == pytest.approx((0.5, 0.26))
    assert moments_of([0.2, 0.8]) == pytest.approx((0.5, 0.34))


@pytest.mark.parametrize("text", EXACT)
def test_7_3_5_exact_values_on_a_flop(text: str) -> None:
    number = hand(text)
    assert (expected_strengths(FLOP)[number], expected_squares(FLOP)[number]) == pytest.approx(EXACT[text], abs=1e-6)


def test_7_4_1_bucket_means() -> None:
    buckets = strength_buckets(FLOP, 10)
    square = expected_squares(FLOP)
    means = [square[buckets == bucket].mean() for bucket in range(10)]
    assert np.abs(np.array(means) - TABLE_7_1_MEANS).max() < 0.02


def test_7_4_1_all_printed_hands_are_in_their_bucket_or_the_next() -> None:
    buckets = strength_buckets(FLOP, 10)
    apart = [buckets[hand(text)] - row for row, hands in enumerate(TABLE_7_1_HANDS) for text in hands.split()]
    assert len(apart) == 60 and np.abs(apart).max() <= 1


def test_7_4_1_buckets_by_the_mean_alone_do_not_fit() -> None:
    live = ~hand_space().blocked(FLOP)
    buckets = equal_count_buckets(expected_strengths(FLOP), live, 10)
    assert abs(buckets[hand("5c3h")] + 1 - 6) == 3 and abs(buckets[hand("5d4s")] + 1 - 5) == 2


def test_7_4_2_four_queens_and_an_ace_are_even() -> None:
    board = tuple(parse_cards("QsQdQcQhAs"))
    live = ~hand_space().blocked(board)
    assert (expected_strengths(board)[live] == 0.5).all()
    assert set(strength_buckets(board, 10)[live].tolist()) == {4}, "one tie of all hands, middle rank 540"


def test_7_4_2_a_straight_flush_on_the_board_can_be_beaten() -> None:
    board = tuple(parse_cards("5s6s7s8s9s"))
    live = ~hand_space().blocked(board)
    values, counts = np.unique(expected_strengths(board)[live], return_counts=True)
    assert values == pytest.approx([473 / 990, 1.0]) and counts.tolist() == [1035, 46]


@pytest.mark.parametrize("text", ["Qh6h7s2c", "Qh6h7s2cQd"])
def test_a_few_hands_on_small_boards_against_enumeration(text: str) -> None:
    board = tuple(parse_cards(text))
    means, squares = expected_strengths(board), expected_squares(board)
    for index in np.nonzero(~hand_space().blocked(board))[0][::97].tolist():
        assert (means[index], squares[index]) == pytest.approx(moments_of(plain_strengths(index, board)))


@pytest.mark.parametrize("text", ["Qh6h7s", "2c2d9h", "KdJd4d"])
def test_equities_on_a_flop_are_those_of_all_run_outs(text: str) -> None:
    flop = tuple(parse_cards(text))
    inside = strongest(flop, 0.37)
    assert inside.sum() == pytest.approx(0.37 * 1176, abs=12)
    expected = versus_range(inside.astype(np.float32), flop).equity
    assert assumed_equity(flop, 0.37) == pytest.approx(expected, abs=1e-12)


def test_blocked_hands_and_the_order_of_cards() -> None:
    blocked = hand_space().blocked(FLOP)
    assert not expected_squares(FLOP)[blocked].any() and (strength_buckets(FLOP, 10)[blocked] == -1).all()
    assert (expected_squares(FLOP[::-1]) == expected_squares(FLOP)).all()
    with pytest.raises(ValueError, match="board"):
        expected_squares(FLOP[:2])


def test_equal_counts_with_ties_at_their_middle_rank() -> None:
    values = np.array([9.0, 8, 8, 8, 5, 4, 3, 2, 1, 0, 7])
    live = np.arange(11) < 10
    assert equal_count_buckets(values, live, 10).tolist() == [0, 2, 2, 2, 4, 5, 6, 7, 8, 9, -1]
    assert equal_count_buckets(values, live, 5).tolist() == [0, 1, 1, 1, 2, 2, 3, 3, 4, 4, -1]
