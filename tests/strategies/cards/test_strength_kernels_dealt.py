"""Counts of dealt hands against their opponents by ranks, against every opposing hand one by one."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from limpet.protocol.cards import parse_cards
from limpet.strategies.cards.equity import dealt_counts, dealt_turn_counts
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.ranking_kernels import hand_strengths

GROUPS = 3


def plain_counts(board: list[int], hand: tuple[int, int], group_of: NDArray[np.uint8]) -> tuple[list[int], list[int]]:
    """Return the hand's counts and the numbers of its opponents by group, looked at hand by hand."""
    space, counts, opponents = hand_space(), [0] * GROUPS, [0] * GROUPS
    strengths = hand_strengths(np.array(board, np.int8), space.holes)
    own = strengths[space.index(hand)]
    for other in np.flatnonzero(~space.blocked((*board, *hand))).tolist():
        y, x = sorted(space.cards(other))
        high, low = x >> 2, y >> 2
        group = group_of[high, low] if x & 3 == y & 3 else group_of[low, high]
        opponents[group] += 1
        counts[group] += 2 * int(strengths[other] < own) + int(strengths[other] == own)
    return counts, opponents


@settings(max_examples=30, deadline=None)  # the first compiles
@given(st.randoms(use_true_random=False), st.sampled_from([52, 28, 16]))
def test_what_dealt_hands_beat(random: Random, ranks_from: int) -> None:
    """Decks of few cards make pairs of the board's ranks, quads and straights."""
    deck = list(range(52 - ranks_from, 52))
    random.shuffle(deck)
    board, hands = deck[:5], [(deck[5], deck[6]), (deck[7], deck[8]), (deck[0], deck[9])]
    group_of = np.random.default_rng(deck[0]).integers(0, GROUPS, (13, 13)).astype(np.uint8)
    counts, opponents = dealt_counts(
        np.array([board, board], np.int8), np.array([hands, hands[::-1]], np.int8), group_of, GROUPS
    )
    for p, hand in enumerate(hands[:2]):
        assert (counts[0, p].tolist(), opponents[0, p].tolist()) == plain_counts(board, hand, group_of)
    assert counts[0, 2].tolist() == [-1] * GROUPS, "its first card lies on the board"
    assert np.array_equal(counts[1], counts[0, ::-1])


BOARDS = ("2c5c9cJdKh", "2c5c9cJcKh", "2c5c9cJcKc", "4c5c6c7c8c", "4d5d6d7d2h", "AcKcQcJcTc")
HANDS = ("3c4c", "Ac3d", "9d9h", "8h7s", "9c8d")
DISJOINT = [(board, hand) for board in BOARDS for hand in HANDS if not {*parse_cards(board)} & {*parse_cards(hand)}]


@pytest.mark.parametrize(("board", "hand"), DISJOINT)
def test_boards_on_which_opponents_make_flushes(board: str, hand: str) -> None:
    cards, (first, second) = list(parse_cards(board)), parse_cards(hand)
    group_of = np.arange(169).reshape(13, 13).astype(np.uint8) % GROUPS
    counts, opponents = dealt_counts(
        np.array([cards], np.int8), np.array([[(first, second)]], np.int8), group_of, GROUPS
    )
    assert (counts[0, 0].tolist(), opponents[0, 0].tolist()) == plain_counts(cards, (first, second), group_of)


def test_a_turn_is_counted_on_every_river() -> None:
    board, hands = [0, 5, 10, 50], [(20, 31), (51, 4)]
    found = dealt_turn_counts(np.array([board], np.int8), np.array([hands], np.int8))[0]
    rivers = [card for card in range(52) if card not in board]
    assert found.shape == (48, 2)
    group_of = np.zeros((13, 13), np.uint8)
    for river, counts in zip(rivers, found.tolist(), strict=True):
        for hand, count in zip(hands, counts, strict=True):
            assert count == (-1 if river in hand else plain_counts([*board, river], hand, group_of)[0][0])
