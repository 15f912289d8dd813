"""The kernel against the plain sum of the hand space."""

import numpy as np
import pytest

from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.simulation.meeting_kernels import reach_met


def test_the_reach_that_each_hand_meets() -> None:
    reach = np.random.default_rng(0).random(1326)
    met = np.empty(1326)
    reach_met(hand_space().holes, reach, met)
    assert met == pytest.approx(hand_space().apart(reach))
