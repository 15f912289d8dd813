"""Distinct discards, and chances of draws checked by enumeration."""

from math import comb

import numpy as np
import pytest

from limpet.protocol.cards import parse_cards
from limpet.strategies.draw.draws import (
    DISCARDS,
    OUTCOMES,
    STAND_PAT,
    distinct_masks,
    draw_chances,
    drawn_hands,
    mask_text,
)
from limpet.strategies.draw.exponential_buckets import exponential_buckets
from limpet.strategies.draw.hands import CLASSES, COMBOS, all_hands


def number(text: str) -> int:
    return all_hands().class_number(parse_cards(text))


def test_section_2_3_all_discards_of_a_hand_without_symmetry() -> None:
    assert len(set(distinct_masks(number("AsKsQsTh9h")).tolist())) == 32


def test_discards_that_suits_exchange_are_one() -> None:
    # Of two kings whose suits hold nothing else, keeping the one is keeping the other: 4 choices become 3.
    assert len(set(distinct_masks(number("KdKcAs9s5s")).tolist())) == 3 * 8
    quads = distinct_masks(number("AsAhAdAcKs"))  # the ace of the king's suit differs from the other three
    assert len(set(quads.tolist())) == 2 * 2 * 4
    assert quads[STAND_PAT] == STAND_PAT


def test_masks_of_one_play_discard_the_same_ranks() -> None:
    rng = np.random.default_rng(1)
    for hand in rng.integers(CLASSES, size=50).tolist():
        for mask, first in enumerate(distinct_masks(hand).tolist()):
            assert mask_text(hand, mask)[::2] == mask_text(hand, first)[::2]


def test_there_are_as_many_draws_as_ways_to_replace_the_discards() -> None:
    hand = number("AsKsQsTh9h")
    for mask in (31, 15, 7, 3, 17):
        drawn = drawn_hands(hand, mask)
        assert len(drawn) == comb(47, int(DISCARDS[mask])) == OUTCOMES[mask]
    assert drawn_hands(hand, STAND_PAT).tolist() == [hand]


@pytest.mark.parametrize("text", ["AsKsQsJs2h", "7s7h2d3c4c", "9s8s7s6s5s"])
def test_inclusion_and_exclusion_is_enumeration(text: str) -> None:
    hand, buckets = number(text), exponential_buckets(40)
    chances = draw_chances(buckets)
    values = np.random.default_rng(2).random(40)
    expected = chances.expected(values)[hand]
    for mask in (31, 30, 15, 29, 7, 28, 3, 24):
        drawn = buckets.of_class[drawn_hands(hand, mask)]
        assert expected[mask] == pytest.approx(values[drawn].mean(), abs=1e-4)
        reach = np.zeros((CLASSES, 32), np.float32)
        reach[hand, mask] = 0.7
        seen = np.bincount(drawn, minlength=40) / len(drawn) * 0.7
        np.testing.assert_allclose(chances.reached(reach), seen, atol=1e-5)


def test_ranges_and_values_of_draws_are_transposes() -> None:
    chances = draw_chances(exponential_buckets(30, snap=True))
    rng = np.random.default_rng(5)
    reach = rng.random((CLASSES, 32)) * all_hands().weights[:, None]
    values = rng.random(chances.buckets.count)
    assert (reach * chances.expected(values)).sum() == pytest.approx(chances.reached(reach) @ values, rel=1e-4)


def test_every_hand_holds_the_empty_set() -> None:
    chances = draw_chances(exponential_buckets(10))
    assert chances.holders[0].sum() == COMBOS
    assert chances.holders[1].sum() == comb(51, 4)
