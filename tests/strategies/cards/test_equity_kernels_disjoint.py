"""The kernel against the plain sum of the hand space."""

import numpy as np
import pytest

from limpet.strategies.cards.equity_kernels import sum_disjoint
from limpet.strategies.cards.handspace import hand_space


def test_sums_are_over_the_hands_that_share_no_card() -> None:
    reach = np.random.default_rng(0).random(1326)
    sums = np.empty(1326)
    sum_disjoint(hand_space().holes, reach, sums)
    assert sums == pytest.approx(hand_space().compatible(reach))
