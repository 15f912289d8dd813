"""Sums without the hands that share a card, for numbers of several kinds."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.strength_kernels import without, without_both


@pytest.mark.parametrize("kernel", [without, without_both])
@pytest.mark.parametrize("dtype", [np.int64, np.float64, np.uint64])
def test_a_hand_leaves_the_hands_without_its_cards(kernel: object, dtype: type) -> None:
    assert callable(kernel)
    space = hand_space()
    weights: NDArray[Any] = np.random.default_rng(1).integers(0, 100, 1326).astype(dtype)
    by_card = weights[space.card_hands].sum(axis=1)
    for hand in (0, 700, 1325):
        a, b = space.cards(hand)
        left = kernel(weights.sum(), by_card[a], by_card[b]) + weights[hand]
        assert left == weights[~space.blocked((a, b))].sum()
