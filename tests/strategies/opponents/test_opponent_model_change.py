"""A change of the opponent's play is noticed soon, and false alarms are as rare as is told."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.strategies.opponents.opponent_model import Candidate, ChangeTest, Frequencies, joint
from tests.strategies.opponents.test_opponent_model_candidate import ANY

MODEL, OTHER = np.array([0.1, 0.6, 0.3]), np.array([0.4, 0.3, 0.3])


def hands_to_alarm(actions: np.random.Generator, played: NDArray[np.float64], hands: float, most: int = 5000) -> int:
    test = ChangeTest(Candidate(ANY, Frequencies(5)), hands)
    odds = np.log(OTHER / MODEL)
    return next((number for number in range(1, most) if test.enter(float(odds[actions.choice(3, p=played)]))), most)


@pytest.mark.parametrize("hands", [20, 60])
def test_an_opponent_that_does_not_change_sets_it_off_as_rarely_as_told(hands: int) -> None:
    random = np.random.default_rng(4)
    assert np.mean([hands_to_alarm(random, MODEL, hands) for _ in range(40)]) >= hands


def test_a_changed_opponent_is_noticed_soon() -> None:
    random = np.random.default_rng(5)
    assert np.mean([hands_to_alarm(random, OTHER, 1000) for _ in range(20)]) < 40  # log(1000) / 0.35 a hand is 20


def test_what_candidates_predict_together_is_their_weighted_mean() -> None:
    weights = [-1000.0, -1000.0 + math.log(3)]
    assert joint(weights, [math.log(0.5), math.log(0.1)]) == pytest.approx(math.log(0.2))


def test_faded_counts_weigh_less_and_keep_their_frequencies() -> None:
    frequencies = Frequencies(5)
    frequencies.tallies["group"] += 4.0
    frequencies.fade(0.5)
    assert (frequencies.tallies["group"] == 2.0).all()
