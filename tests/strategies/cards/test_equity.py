"""Equities: published counts, plain enumeration with the reference order of hands, and identities between the forms."""

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt
import pytest

from limpet.common.folders import data_folder
from limpet.protocol.cards import parse_cards
from limpet.protocol.ranking import rank_hands
from limpet.strategies.cards import equity as equities
from limpet.strategies.cards.equity import (
    FLOP_COUNTS,
    FULL_COUNT,
    EquityError,
    all_in_chances,
    check_deal,
    equity,
    strength_counts,
    versus_range,
)
from limpet.strategies.cards.equity_kernels import sum_disjoint
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import class_number, preflop_classes
from limpet.strategies.cards.preflop_tables import class_equities
from limpet.strategies.cards.ranges import live, parse_range
from tests.oracles.hand_equity import Counts, hand_vs_hand

EVERY_HAND = np.ones(1326, dtype=np.float32)

# Two hands, and the first one's wins and ties on 1,712,304 boards.
PUBLISHED = [
    ("AsAh", "KdKc", 1388072, 6538),
    ("AsAh", "KsKd", 1399204, 7923),
    ("AsAh", "KsKh", 1410336, 9308),
    ("AsKs", "QhQd", 787966, 6732),
    ("AhKd", "2c2d", 805489, 10566),
    ("JsTs", "2h2c", 912248, 24087),
    ("AsKs", "2h2d", 852207, 10775),
    ("AcKd", "QhJh", 1030016, 7565),
    ("AsKh", "AdQc", 1228082, 78598),
    ("AcKc", "AdKd", 122556, 1467192),
]


def cards(text: str) -> tuple[int, ...]:
    return parse_cards(text)


@pytest.mark.parametrize(("first", "second", "win", "tie"), PUBLISHED)
def test_published_counts(first: str, second: str, win: int, tie: int) -> None:
    lose = 1712304 - win - tie
    assert hand_vs_hand(cards(first), cards(second)) == Counts(win, tie, lose)
    scores = versus_range(parse_range(first))
    at = hand_space().index(cards(second))
    assert (scores.win[at], scores.tie[at], scores.lose[at]) == (lose, tie, win)


def plain_counts(first: Sequence[int], second: Sequence[int], board: Sequence[int]) -> Counts:
    rest = [card for card in range(52) if card not in (*first, *second, *board)]
    counts = [0, 0, 0]
    for more in combinations(rest, 5 - len(board)):
        ours, theirs = rank_hands([first, second], [*board, *more])
        counts[0 if ours > theirs else 1 if ours == theirs else 2] += 1
    return Counts(*counts)


@pytest.mark.parametrize(
    ("first", "second", "board", "total"),
    [
        ("AsAh", "KdKc", "Ts9h2c", 990),
        ("7s7c", "QdTd", "QhJh2c", 990),
        ("AsKh", "AhKs", "QhJh2c4d", 44),
        ("2c3c", "2d3d", "TsJsQsKsAs", 1),
        ("JsTs", "4c4h", "QhJh2c4d7h", 1),
    ],
)
def test_boards_against_plain_enumeration(first: str, second: str, board: str, total: int) -> None:
    counts = hand_vs_hand(cards(first), cards(second), cards(board))
    assert counts == plain_counts(cards(first), cards(second), cards(board))
    assert sum(counts) == total


def plain_versus(weights: npt.NDArray[np.float32], board: Sequence[int], hand: int) -> list[float]:
    """Weighted wins, ties and boards of a hand, opponent by opponent and board by board."""
    space = hand_space()
    own = space.cards(hand)
    sums = [0.0, 0.0, 0.0]
    for other in np.flatnonzero(weights):
        theirs = space.cards(int(other))
        if {*own, *theirs} & set(board) or set(own) & set(theirs):
            continue
        counts = hand_vs_hand(own, theirs, board) if board else None
        assert counts is not None
        for i, count in enumerate((counts.win, counts.tie, sum(counts))):
            sums[i] += float(weights[other]) * count
    return sums


@pytest.mark.parametrize(
    "board", ["QhJh2c", "7s7h7d", "QhJh2c4d", "9s9h9d9c", "QhJh2c4d7h", "TsJsQsKsAs", "AsAhAdAcKd"]
)
def test_the_sweep_is_the_plain_sum(board: str) -> None:
    rng = np.random.default_rng(len(board))
    weights = np.where(rng.random(1326) < 0.1, rng.random(1326), 0).astype(np.float32)
    scores = versus_range(weights, cards(board))
    hands = rng.choice(1326, 20, replace=False)
    for hand in hands:
        expected = plain_versus(weights, cards(board), int(hand))
        found = [scores.win[hand], scores.tie[hand], scores.total[hand]]
        if hand_space().blocked(cards(board))[hand]:
            assert found == [0, 0, 0]
        else:
            assert found == pytest.approx(expected, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("board", ["Ks7d2c", "Ks7d2c2h", "Ks7d2c2hAs"])
def test_against_every_hand_it_is_the_strength(board: str) -> None:
    counts = strength_counts(cards(board))
    scores = versus_range(EVERY_HAND, cards(board))
    assert (2 * scores.win + scores.tie == np.where(counts >= 0, counts, 0)).all()
    assert (scores.total == np.where(counts >= 0, FULL_COUNT[len(cards(board))] / 2, 0)).all()


def test_preflop_against_every_hand() -> None:
    scores = versus_range(EVERY_HAND)
    assert (scores.total == 1225 * 1712304).all()
    assert scores.equity == pytest.approx(class_equities()[preflop_classes()], abs=1e-15)


def test_preflop_weights_of_single_combos_count() -> None:
    weights = parse_range("AdQc, KdKc:0.5")
    one, two = hand_vs_hand(cards("AsKh"), cards("AdQc")), hand_vs_hand(cards("AsKh"), cards("KdKc"))
    result = versus_range(weights).sum(parse_range("AsKh"))
    assert result.win == pytest.approx((one.win + 0.5 * two.win) / (1.5 * 1712304), abs=1e-15)
    assert result.tie == pytest.approx((one.tie + 0.5 * two.tie) / (1.5 * 1712304), abs=1e-15)


@pytest.mark.parametrize(
    ("hand", "board", "equity"),
    [
        # Kujath's figures, against every hand.
        ("AsAd", "", 0.852037),
        ("AsAd", "4h5h6h", 0.6010),
        ("7s7c", "QhJh2c", 0.5810),
        ("7s7d", "QhJh2c", 0.5803),
        ("AhKs", "QhJh2c4d7h", 0.3712),
        ("AsKh", "QhJh2c4d7h", 0.3712),
        ("4c4d", "", 0.57),
        ("JsTs", "", 0.575279),
    ],
)
def test_kujaths_equities(hand: str, board: str, equity: float) -> None:
    digits = 5e-3 if equity == 0.57 else 6e-5
    result = versus_range(EVERY_HAND, cards(board)).sum(parse_range(hand))
    assert result.equity == pytest.approx(equity, abs=digits)


def test_only_one_of_kujaths_equal_hands_meets_the_nuts_eight_times() -> None:
    # The ace of hearts takes the nut flushes away; the king of hearts leaves eight of them.
    board = cards("QhJh2c4d7h")
    nuts = parse_range("Ah2h,Ah3h,Ah4h,Ah5h,Ah6h,Ah8h,Ah9h,AhTh,AhKh")
    total = versus_range(nuts, board).total
    assert total[hand_space().index(cards("AsKh"))] == 8
    assert total[hand_space().index(cards("AhKs"))] == 0


@pytest.mark.parametrize("board", ["", "Ts9h2c", "Ts9h2cQd", "Ts9h2cQd2s"])
def test_one_players_wins_are_the_others_losses(board: str) -> None:
    rng = np.random.default_rng(5)
    first, second = (rng.random(1326, dtype=np.float32) * (rng.random(1326) < 0.3) for _ in range(2))
    ours = versus_range(second, cards(board)).sum(first)
    theirs = versus_range(first, cards(board)).sum(second)
    assert (ours.win, ours.tie, ours.lose) == pytest.approx((theirs.lose, theirs.tie, theirs.win), abs=1e-12)
    assert ours.win + ours.tie + ours.lose == pytest.approx(1, abs=1e-12)
    assert ours.equity + theirs.equity == pytest.approx(1, abs=1e-12)
    same = versus_range(first, cards(board)).sum(first)
    assert same.equity == pytest.approx(0.5, abs=1e-12)


def test_flop_is_the_mean_of_its_turns_for_ranges() -> None:
    board = cards("8c8d3s")
    first, second = parse_range("77+,AK:0.5"), parse_range("98s,T9,A2s+:0.25")
    scores = versus_range(second, board)
    turns = [versus_range(second, (*board, card)) for card in range(52) if card not in board]
    for name in ("win", "tie", "total"):
        # Either later card may come first; blocked hands score nothing on their turns.
        assert 2 * getattr(scores, name) == pytest.approx(sum(getattr(turn, name) for turn in turns), rel=1e-11)
    assert scores.sum(first).win == pytest.approx(float(first @ scores.win) / float(first @ scores.total), rel=1e-6)


def test_classes_add_up_to_the_range() -> None:
    board = cards("AsKd7h")
    first, second = parse_range("AA,AK,72o:0.5"), parse_range("22+,A2+")
    scores = versus_range(second, board)
    by_class = scores.by_class(first)
    assert by_class.total.sum() == pytest.approx(float(first @ scores.total))
    assert set(np.flatnonzero(by_class.total)) == {class_number(name) for name in ("AA", "AKs", "AKo", "72o")}
    assert (by_class.equity @ by_class.total) / by_class.total.sum() == pytest.approx(scores.sum(first).equity)
    aces = class_number("AA")
    hands = [hand_space().index(cards(text)) for text in ("AcAd", "AcAh", "AdAh")]
    assert by_class.win[aces] == scores.win[hands].sum()


@pytest.mark.parametrize("board", ["", "QhJh2c", "QhJh2c4d7h"])
def test_who_is_met(board: str) -> None:
    rng = np.random.default_rng(2)
    weights = rng.random(1326, dtype=np.float32)
    space = hand_space()
    disjoint = (space.holes[:, None, :, None] != space.holes[None, :, None, :]).all(axis=(2, 3))
    open_hands = ~space.blocked(cards(board))
    expected = (disjoint @ live(weights, cards(board)).astype(np.float64)) * open_hands
    boards = comb(48 - len(cards(board)), 5 - len(cards(board)))
    assert versus_range(weights, cards(board)).total / boards == pytest.approx(expected, abs=1e-10)


def test_order_of_the_board_and_repeats() -> None:
    weights = parse_range("22+,AK:0.3")
    one = versus_range(weights, cards("QhJh2c"))
    two = versus_range(weights, cards("2cQhJh"))
    assert (one.win == two.win).all() and (one.tie == two.tie).all()


@pytest.mark.parametrize(
    ("first", "second", "board", "words"),
    [
        ("AsAh", "AsKc", "", "As is dealt twice"),
        ("AsAh", "KsKc", "QdKs2c", "Ks is dealt twice"),
    ],
)
def test_impossible_cards(first: str, second: str, board: str, words: str) -> None:
    with pytest.raises(EquityError, match=words):
        check_deal([*cards(first), *cards(second), *cards(board)])


def test_ranges_that_cannot_meet() -> None:
    with pytest.raises(EquityError, match="can meet"):
        versus_range(parse_range("AsKs,AhKh")).sum(parse_range("AsAh"))
    with pytest.raises(EquityError, match="can meet"):
        versus_range(parse_range("random"), cards("As2c3c")).sum(parse_range("AsAh"))
    with pytest.raises(EquityError, match="not \\(99,\\)"):
        versus_range(EVERY_HAND, (99,))
    with pytest.raises(EquityError, match="five different cards, not 2c2c3c"):
        versus_range(EVERY_HAND, cards("2c2c3c"))
    with pytest.raises(EquityError, match="up to five"):
        versus_range(EVERY_HAND, cards("2c3c4c5c6c7c"))
    assert versus_range(parse_range("AsAh"), ()).equity[hand_space().index(cards("AsKs"))] == 0


@pytest.mark.slow
def test_a_board_of_two_cards_is_the_mean_of_its_flops_for_ranges() -> None:
    rng = np.random.default_rng(8)
    weights = rng.random(1326, dtype=np.float32)
    board = cards("Ah7c")
    scores = versus_range(weights, board)
    flops = [versus_range(weights, (*board, card)) for card in range(52) if card not in board]
    # Each board is met from three third cards.
    assert 3 * scores.win == pytest.approx(sum(flop.win for flop in flops), rel=1e-10)


def test_equity_of_two_texts_is_that_of_their_ranges() -> None:
    assert equity("AsAh", "KdKc").win == 1388072 / 1712304
    board = cards("Ts9h2c")
    assert equity("QQ+,AK", "77+", "Ts9h2c") == versus_range(parse_range("77+"), board).sum(parse_range("QQ+,AK"))
    with pytest.raises(EquityError, match="As is dealt twice"):
        equity("AsAh", "AsKd")


# --- Chances of all-ins on a flop, against every runout one by one


FLOP = parse_cards("Ks7h2d")
HANDS = ("AsAh", "KdQd", "7c7d", "QhJh", "6h5h", "Ac2c", "9s8s")


def test_all_ins_are_run_out_exactly() -> None:
    space = hand_space()
    held = np.sort([space.index(parse_cards(hand)) for hand in HANDS])
    found = all_in_chances(FLOP, held)
    for a, first in enumerate(held.tolist()):
        for b, second in enumerate(held.tolist()):
            if set(space.cards(first)) & set(space.cards(second)):
                assert found[a, b] == 0
            else:
                counts = hand_vs_hand(space.cards(first), space.cards(second), FLOP)
                assert found[a, b] == pytest.approx((counts.win - counts.lose) / 990, abs=1e-6)
    with pytest.raises(ValueError, match="from a flop"):
        all_in_chances((*FLOP, 0), held)


# --- The kernel against the plain sum of the hand space


def test_sums_are_over_the_hands_that_share_no_card() -> None:
    reach = np.random.default_rng(0).random(1326)
    sums = np.empty(1326)
    sum_disjoint(hand_space().holes, reach, sums)
    assert sums == pytest.approx(hand_space().compatible(reach))


@pytest.mark.usefixtures("own_data_folder")
def test_strengths_on_a_flop_are_worked_out_once_on_a_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    flop, renamed = cards("Ah7h2c"), cards("2dAs7s")
    counts = strength_counts(flop)
    kept = data_folder() / FLOP_COUNTS
    rows = np.fromfile(kept, "<i4")
    assert (
        strength_counts(renamed) == np.where(hand_space().blocked(renamed), -1, equities.river_sums(renamed)[0][:, 0])
    ).all()
    rows[np.flatnonzero(rows)[-1]] -= 1  # the row of a process that was ended while it wrote
    rows.tofile(kept)
    assert (strength_counts(flop) == counts).all()
    monkeypatch.setattr(equities, "river_sums", None)
    assert (strength_counts(flop) == counts).all()


@pytest.mark.usefixtures("own_data_folder")
def test_strengths_on_a_flop_need_no_folder_to_keep_them() -> None:
    data_folder().write_text("a file where the folder should be")
    assert strength_counts(cards("Ah7h2c")).max() > 0
