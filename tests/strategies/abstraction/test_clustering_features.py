"""Features of hands against plain enumeration, and the cases that tell distributions from means."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt
import pytest

from limpet.protocol.cards import parse_cards
from limpet.strategies.abstraction import clustering
from limpet.strategies.abstraction.clustering import FULL, SURELY, find_clusters
from limpet.strategies.abstraction.clustering_kernels import EQUITY, GROUPS
from limpet.strategies.cards.equity import strength_moments
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import (
    canonical_boards,
    class_number,
    hand_permutation,
    permute_cards,
    preflop_classes,
)
from limpet.strategies.cards.ranking_kernels import hand_strengths

HOLES = hand_space().holes
TURN = (4, 17, 30, 47)
RIVER = (4, 17, 30, 47, 9)
HANDS = [0, 13, 250, 600, 771, 1100, 1325]


def opponents(hand: int, board: tuple[int, ...]) -> npt.NDArray[np.int64]:
    return np.nonzero(~hand_space().blocked((*board, *HOLES[hand].tolist())))[0]


def plain_counts(hand: int, board: tuple[int, ...]) -> list[int]:
    """The hand's count on every river that it can see."""
    left = [card for card in range(52) if card not in board and card not in HOLES[hand]]
    rivers = [board] if len(board) == 5 else [(*board, card) for card in left]
    counts = []
    for river in rivers:
        strengths = hand_strengths(np.array(river, dtype=np.int8), HOLES)
        against = strengths[opponents(hand, river)]
        counts.append(int(2 * (against < strengths[hand]).sum() + (against == strengths[hand]).sum()))
    return counts


@pytest.mark.parametrize("points", [1, 7, 32])
def test_survival(points: int) -> None:
    rows = clustering.survival(TURN, points)
    for hand in HANDS:
        if hand_space().blocked(TURN)[hand]:
            assert not rows[hand].any()
            continue
        counts = plain_counts(hand, TURN)
        above = [sum(2 * points * count > FULL * (2 * i + 1) for count in counts) / len(counts) for i in range(points)]
        assert np.abs(rows[hand] - SURELY * np.array(above)).max() <= 0.5
    assert (np.diff(rows.astype(int), axis=1) <= 0).all()


@pytest.mark.parametrize("board", [TURN, RIVER])
def test_moments(board: tuple[int, ...]) -> None:
    rows = strength_moments(board)
    for hand in HANDS:
        counts = [] if hand_space().blocked(board)[hand] else plain_counts(hand, board)
        assert rows[hand].tolist() == [sum(counts), sum(count**2 for count in counts)]


def test_flop_sums_over_turns_and_rivers() -> None:
    flop = (4, 17, 30)
    rows = clustering.survival(flop, 32).astype(int)
    moments = strength_moments(flop)
    turns = [strength_moments((*flop, card)) for card in range(52) if card not in flop]
    assert (2 * moments == np.sum(turns, axis=0)).all()  # every pair of turn and river in either order
    live = ~hand_space().blocked(flop)
    mean = moments[live, 0] / (1081 * FULL)
    assert np.abs(rows[live].mean(axis=1) / SURELY - mean).max() < 1 / 64  # the sum of a row is the mean strength


def test_group_equities() -> None:
    groups = (np.arange(169) % GROUPS).astype(np.uint8)
    rows = clustering.group_equities(RIVER, groups)
    strengths = hand_strengths(np.array(RIVER, dtype=np.int8), HOLES)
    for hand in range(0, 1326, 41):
        if hand_space().blocked(RIVER)[hand]:
            assert not rows[hand].any()
            continue
        against = opponents(hand, RIVER)
        for group in range(GROUPS):
            theirs = strengths[against[groups[preflop_classes()[against]] == group]]
            equity = ((theirs < strengths[hand]).mean() + (theirs <= strengths[hand]).mean()) / 2
            assert abs(rows[hand, group] - EQUITY * equity) <= 0.5


@pytest.mark.parametrize("hand", HANDS)
def test_one_hand_has_the_row_of_all(hand: int) -> None:
    groups = np.append(clustering.preflop_groups(0)[:168], 5).astype(np.uint8)
    if not hand_space().blocked(RIVER)[hand]:
        assert (
            clustering.group_equities_of_hand(RIVER, groups, hand) == clustering.group_equities(RIVER, groups)[hand]
        ).all()
    if not hand_space().blocked(TURN)[hand]:
        assert (clustering.survival_of_hand(TURN, 9, hand) == clustering.survival(TURN, 9)[hand]).all()


def test_a_group_without_hands_is_even() -> None:
    groups = np.zeros(169, dtype=np.uint8)
    groups[class_number("AA")] = 7
    board = tuple(parse_cards("AcAdAh2c7d"))
    rows = clustering.group_equities(board, groups)
    live = ~hand_space().blocked(board)
    assert (rows[live, 7] == EQUITY // 2).all() and (rows[live, 3] == EQUITY // 2).all()


@pytest.mark.parametrize("permutation", [(1, 0, 2, 3), (3, 0, 1, 2)])
def test_suits_have_no_names(permutation: tuple[int, ...]) -> None:
    move = hand_permutation(permutation)
    groups = clustering.preflop_groups(0)
    turn, river = permute_cards(TURN, permutation), permute_cards(RIVER, permutation)
    assert (clustering.survival(turn, 32)[move] == clustering.survival(TURN, 32)).all()
    assert (clustering.group_equities(river, groups)[move] == clustering.group_equities(RIVER, groups)).all()
    assert (strength_moments(river)[move] == strength_moments(RIVER)).all()


def test_groups_of_starting_hands() -> None:
    groups = clustering.preflop_groups(0)
    assert sorted(set(groups.tolist())) == list(range(GROUPS))
    strong, weak = groups[class_number("AA")], groups[class_number("32o")]
    assert strong == GROUPS - 1 and weak == 0
    assert groups[class_number("KK")] == strong and groups[class_number("AKs")] != strong


def class_distributions(step: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """(E[HS], survival at 32 points) of the 169 classes before the flop, on every step-th canonical river board."""
    boards = canonical_boards(5)
    counts = np.zeros((169, FULL + 1))
    for row in range(0, boards.count, step):
        moments = strength_moments(boards.boards[row].tolist())
        live = ~hand_space().blocked(boards.boards[row].tolist())
        np.add.at(counts, (preflop_classes()[live], moments[live, 0]), boards.orbit[row])
    counts /= counts.sum(axis=1, keepdims=True)
    means = counts @ np.arange(FULL + 1) / FULL
    thresholds = (2 * np.arange(32) + 1) / 64
    return means, counts @ (np.arange(FULL + 1)[:, None] / FULL > thresholds)


def check_sixes_and_king_queen(means: npt.NDArray[np.float64], rows: npt.NDArray[np.float64], error: float) -> None:
    sixes, suited = class_number("66"), class_number("KQs")
    assert means[sixes] == pytest.approx(0.633, abs=error) and means[suited] == pytest.approx(0.634, abs=error)
    apart = np.abs(rows[:, None] - rows[None]).mean(axis=2)  # earth mover's distances
    assert apart[sixes, suited] == pytest.approx(0.106, abs=0.01)
    assert 3 * max(apart[sixes, class_number("55")], apart[suited, class_number("KJs")]) < apart[sixes, suited]
    vectors = np.rint(SURELY * rows).astype(np.uint8)
    with ThreadPoolExecutor(1) as pool:
        clusters, _ = find_clusters(vectors, np.bincount(preflop_classes()), 30, False, 0, pool)
    labels = clusters.nearest(vectors)
    assert labels[sixes] != labels[suited]


def test_sixes_and_king_queen_suited_are_apart() -> None:
    """Johanson et al.: 6c6d and KcQc win equally often, one by staying ahead, the other by getting there."""
    check_sixes_and_king_queen(*class_distributions(100), 0.02)


@pytest.mark.slow
def test_sixes_and_king_queen_suited_exactly() -> None:
    check_sixes_and_king_queen(*class_distributions(1), 0.0011)
