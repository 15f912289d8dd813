"""Numbering of hands: full and truncated decks, one to three hole cards."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.strategies.cards.handspace import FULL_DECK, HandSpace, hand_space

KUHN = (39, 43, 47, 51)
LEDUC = (42, 43, 46, 47, 50, 51)


def test_hold_em_index() -> None:
    space = hand_space()
    assert space.size == 1326 and space.holes.shape == (1326, 2)
    for i, j in combinations(range(52), 2):
        assert space.index((i, j)) == space.index((j, i)) == i + j * (j - 1) // 2


@pytest.mark.parametrize(("deck", "k"), [(KUHN, 1), (LEDUC, 1), (LEDUC, 2), (LEDUC, 3), (FULL_DECK, 2), (FULL_DECK, 3)])
def test_round_trip(deck: tuple[int, ...], k: int) -> None:
    space = hand_space(deck, k)
    assert space.holes.dtype == np.int8 and len(space.holes) == space.size
    for index in range(0, space.size, max(1, space.size // 997)):
        hand = space.cards(index)
        assert hand == tuple(sorted(hand)) == tuple(space.holes[index])
        assert space.index(hand) == index


@given(st.sets(st.integers(0, 51), min_size=3, max_size=9), st.integers(1, 3))
def test_any_deck_is_numbered_in_colex_order(cards: set[int], k: int) -> None:
    deck = tuple(sorted(cards))
    space = HandSpace(deck, k)
    hands = sorted(combinations(deck, k), key=lambda hand: hand[::-1])
    assert [space.cards(i) for i in range(space.size)] == hands
    assert [space.index(hand) for hand in hands] == list(range(space.size))


@given(st.lists(st.sampled_from(LEDUC), max_size=3, unique=True), st.integers(1, 3))
def test_blocked(board: list[int], k: int) -> None:
    space = hand_space(LEDUC, k)
    assert space.blocked(board).tolist() == [bool(set(hand) & set(board)) for hand in space.holes.tolist()]


def test_card_hands() -> None:
    space = hand_space()
    assert space.card_hands.shape == (52, 51)
    for card in range(52):
        assert all(card in space.cards(int(hand)) for hand in space.card_hands[card])


def test_foreign_cards_block_nothing() -> None:
    assert not hand_space(KUHN, 1).blocked([0, 1]).any()


def test_spaces_are_kept_and_cannot_be_changed() -> None:
    assert hand_space(KUHN, 1) is hand_space(KUHN, 1)
    assert HandSpace(KUHN, 1) == hand_space(KUHN, 1)
    with pytest.raises(ValueError):
        hand_space(KUHN, 1).holes[0, 0] = 0


@pytest.mark.parametrize("hand", [(39,), (39, 39), (39, 43, 47), (0, 39)])
def test_bad_hands(hand: tuple[int, ...]) -> None:
    with pytest.raises(ValueError):
        hand_space(KUHN, 2).index(hand)


@pytest.mark.parametrize("index", [-1, 6])
def test_bad_index(index: int) -> None:
    with pytest.raises(IndexError):
        hand_space(KUHN, 2).cards(index)


@pytest.mark.parametrize(("deck", "k"), [((3, 2), 1), ((2, 2), 1), ((51, 52), 1), (KUHN, 0), (KUHN, 5)])
def test_bad_spaces(deck: tuple[int, ...], k: int) -> None:
    with pytest.raises(ValueError):
        HandSpace(deck, k)


@pytest.mark.parametrize(("deck", "k"), [(KUHN, 1), (LEDUC, 2), (tuple(range(40)), 2)])
def test_weight_apart_against_every_pair(deck: tuple[int, ...], k: int) -> None:
    space = hand_space(deck, k)
    weights = np.random.default_rng(1).random(space.size)
    held = [set(hand) for hand in space.holes.tolist()]
    expected = [
        sum(weights[other] for other in range(space.size) if not held[hand] & held[other]) for hand in range(space.size)
    ]
    np.testing.assert_allclose(space.compatible(weights), expected, atol=1e-12)


def test_weight_apart_is_for_one_and_two_cards() -> None:
    space = hand_space(LEDUC, 3)
    with pytest.raises(ValueError, match="hands of 3 cards cannot be summed over"):
        space.compatible(np.ones(space.size))
