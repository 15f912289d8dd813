"""Numbers of hands with flops: one for each pair up to suits, and in the order in which strategy files hold tables."""

from hashlib import sha256
from itertools import permutations
from math import comb

import numpy as np
import pytest

from limpet.strategies.cards.isomorphism import (
    FLOP_HANDS,
    canonical_boards,
    flop_numbers,
    hand_permutation,
    permute_cards,
)


def test_every_number_is_taken_and_files_keep_their_order() -> None:
    boards = canonical_boards(3)
    numbers = np.stack([flop_numbers(tuple(board))[1] for board in boards.boards.tolist()])
    assert np.array_equal(np.unique(numbers), np.arange(FLOP_HANDS))  # as many as Burnside's lemma counts: published
    deals = np.bincount(numbers.ravel(), np.repeat(boards.orbit, 1176))
    assert deals.sum() == comb(52, 2) * comb(50, 3) and deals.max() == 24
    digest = sha256(numbers.astype("<i8").tobytes()).hexdigest()
    assert digest == "804b463d0e98a8c85559e4e022bcea1f96e3bf175d3e0eab856db848694407ce"


@pytest.mark.parametrize("flop", [(0, 5, 10), (51, 50, 3), (8, 12, 16), (40, 41, 42)])
def test_order_and_suits_do_not_matter(flop: tuple[int, ...]) -> None:
    live, numbers = flop_numbers(flop)
    of_hand = dict(zip(live.tolist(), numbers.tolist(), strict=True))
    for suits in permutations(range(4)):
        moved, others = flop_numbers(permute_cards(flop[::-1], suits))
        moved_hands = dict(zip(moved.tolist(), others.tolist(), strict=True))
        assert all(
            moved_hands[hand] == of_hand[back] for back, hand in enumerate(hand_permutation(suits)) if back in of_hand
        )
