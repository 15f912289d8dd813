"""Chances of draws, checked by enumeration."""

from math import comb

import numpy as np
import pytest

from limpet.strategies.draw.hands import (
    CLASSES,
    COMBOS,
    DISCARDS,
    OUTCOMES,
    CanonicalDraws,
    DrawChances,
    all_hands,
    draw_chances,
    exponential_buckets,
)
from tests.oracles.canonical_hands import class_number, drawn_hands


def expected_values(chances: DrawChances, values: np.ndarray) -> np.ndarray:
    """Return ``[class, mask]``: mean of ``values[discards, bucket]`` after each draw."""
    result = np.empty((CLASSES, 32), np.float32)
    CanonicalDraws(chances).values(values, result)
    return result


def test_there_are_as_many_draws_as_ways_to_replace_the_discards() -> None:
    hand = class_number("AsKsQsTh9h")
    for mask in (31, 15, 7, 3, 17):
        drawn = drawn_hands(hand, mask)
        assert len(drawn) == comb(47, int(DISCARDS[mask])) == OUTCOMES[mask]
    assert drawn_hands(hand, 31).tolist() == [hand]


@pytest.mark.parametrize("text", ["AsKsQsJs2h", "7s7h2d3c4c", "9s8s7s6s5s"])
def test_inclusion_and_exclusion_is_enumeration(text: str) -> None:
    hand, buckets = class_number(text), exponential_buckets(40)
    chances = draw_chances(buckets)
    values = np.random.default_rng(2).random((6, 40)).astype(np.float32)
    expected = expected_values(chances, values)[hand]
    for mask in (31, 30, 15, 29, 7, 28, 3, 24):
        drawn = buckets.of_class[drawn_hands(hand, mask)]
        assert expected[mask] == pytest.approx(values[DISCARDS[mask], drawn].mean(), abs=1e-4)
        reach = np.zeros((CLASSES, 32), np.float32)
        reach[hand, mask] = 0.7
        seen = np.bincount(drawn, minlength=40) / len(drawn) * 0.7
        np.testing.assert_allclose(chances.reached(reach), seen, atol=1e-5)


def test_ranges_and_values_of_draws_are_transposes() -> None:
    chances = draw_chances(exponential_buckets(30, snap=True))
    rng = np.random.default_rng(5)
    reach = rng.random((CLASSES, 32)) * all_hands().weights[:, None]
    values = rng.random(chances.buckets.count)
    assert (reach * expected_values(chances, np.tile(values, (6, 1)))).sum() == pytest.approx(
        chances.reached(reach) @ values, rel=1e-4
    )


def test_every_hand_holds_the_empty_set() -> None:
    chances = draw_chances(exponential_buckets(10))
    assert chances.holders[0].sum() == COMBOS
    assert chances.holders[1].sum() == comb(51, 4)
