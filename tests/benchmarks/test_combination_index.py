"""Kujath's index against his double sum and against the lexicographic order, and the misprint that made it collide."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from combination_index import combination, combination_index, combination_indices


def double_sum(cards: tuple[int, ...], m: int, last: int) -> int:
    """The thesis's X for ascending cards counted from 0; last is 1 for the upper limit k(i) - 1, 0 for the printed k(i)."""
    n = len(cards)
    k = (0, *(card + 1 for card in cards))
    return sum(comb(m - a, n - i) for i in range(1, n + 1) for a in range(k[i - 1] + 1, k[i] - last + 1))


@pytest.mark.parametrize("m", range(1, 11))
def test_all_small_combinations(m: int) -> None:
    for n in range(m + 1):
        hands = list(combinations(range(m), n))
        assert [combination_index(hand, m) for hand in hands] == list(range(len(hands)))
        assert [double_sum(hand, m, last=1) for hand in hands] == list(range(len(hands)))
        assert [combination(i, n, m) for i in range(len(hands))] == hands
        if n:
            assert np.array_equal(combination_indices(np.array(hands, dtype=np.int8), m), np.arange(len(hands)))


def test_the_printed_formula_collides() -> None:
    hands = list(combinations(range(8), 3))
    assert (len(hands), len({double_sum(hand, 8, last=0) for hand in hands})) == (56, 32)


def test_seven_cards_in_any_order() -> None:
    hands = np.argsort(np.random.default_rng(1).random((20_000, 52)), axis=1)[:, :7].astype(np.int8)
    hands[0], hands[1] = range(7), range(51, 44, -1)
    indices = combination_indices(hands)
    assert (indices[0], indices[1]) == (0, comb(52, 7) - 1)
    for hand, index in zip(hands[:2000].tolist(), indices[:2000].tolist(), strict=True):
        assert combination_index(hand) == index == double_sum(tuple(sorted(hand)), 52, last=1)
        assert combination(index, 7) == tuple(sorted(hand))
    # In lexicographic order of the hands the indices ascend; two equal hands are possible.
    in_order = np.sort(hands, axis=1)[np.argsort(indices)]
    assert np.array_equal(np.lexsort(in_order.T[::-1]), np.arange(len(hands)))


def test_the_widest_decks() -> None:
    hand = tuple(range(40, 63))
    assert combination_indices(np.array([hand], dtype=np.int8), 63)[0] == comb(63, 23) - 1
    assert combination(comb(200, 5) - 1, 5, 200) == (195, 196, 197, 198, 199)


@pytest.mark.parametrize("cards", [[1, 1], [-1, 3], [3, 52]])
def test_bad_cards(cards: list[int]) -> None:
    with pytest.raises(ValueError, match=r"distinct cards of 0\.\.51"):
        combination_index(cards)


@pytest.mark.parametrize("index", [-1, 56])
def test_no_such_index(index: int) -> None:
    with pytest.raises(IndexError, match=r"0\.\.55"):
        combination(index, 3, 8)


def test_bad_arrays() -> None:
    for shape, m in (((7,), 52), ((2, 0), 52), ((1, 3), 2), ((1, 3), 64)):
        with pytest.raises(ValueError, match="1 <= n <= m"):
            combination_indices(np.zeros(shape, dtype=np.int8), m)
    with pytest.raises(ValueError, match=r"0\.\.7"):
        combination_indices(np.array([[0, 8]], dtype=np.int8), 8)
