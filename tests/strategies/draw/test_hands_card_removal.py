"""Card removal between five-card hands, checked by looking at every pair of hands."""

import numpy as np
import pytest

from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.draw.hands import CLASSES, all_hands, exponential_buckets, removal_between
from limpet.strategies.solvers.round_solver import RoundSolver
from limpet.strategies.solvers.round_tree import round_tree
from tests.oracles.canonical_hands import ExactShowdown


def every_hand() -> np.ndarray:
    """The cards of all 2,598,960 hands as masks of 52 bits, in colex order."""
    return np.asarray((np.int64(1) << hand_space(k=5).holes.astype(np.int64)).sum(axis=1))


def test_section_4_8_card_removal_as_by_looking_at_every_pair() -> None:
    hands = all_hands()
    rng = np.random.default_rng(3)
    reach = (rng.random((10, CLASSES)) * hands.weights).astype(np.float32)
    outcome = np.zeros((16, CLASSES), np.float32)
    ExactShowdown().outcomes(reach, np.arange(9, 0, -1), 7, 1, outcome)
    masks = every_hand()
    for row in (2, 6, 8):
        weight = (reach[9 - row] / hands.combos)[hands.class_of]
        for hand in rng.integers(CLASSES, size=3).tolist():
            cards = (np.int64(1) << hands.cards[hand].astype(np.int64)).sum()
            apart = weight * ((masks & cards) == 0)
            assert outcome[7 + row, hand] == pytest.approx(apart.sum(), abs=1e-5)
            if row < 7:
                won = np.sign(hands.strength[hand] - hands.strength[hands.class_of])
                assert outcome[row, hand] == pytest.approx((apart * won).sum(), abs=1e-5)


def test_removal_between_buckets_adds_up_that_between_hands() -> None:
    buckets = exponential_buckets(12, snap=True)
    between = removal_between(buckets)
    assert buckets.weights @ between._compatible @ buckets.weights == pytest.approx(1, rel=1e-6)
    # Each bucket shares no card with as many hands: of the 2,598,960, with the 1,533,939 of the other 47 cards.
    np.testing.assert_allclose(between._compatible @ buckets.weights, 1, rtol=1e-4)
    np.testing.assert_allclose(between._compatible, between._compatible.T, atol=3e-4)
    np.testing.assert_allclose(between._gain, -between._gain.T, atol=3e-4)


def test_the_exact_round_is_zero_sum_and_measures_a_coarser_answer() -> None:
    hands, buckets = all_hands(), exponential_buckets(30, snap=True)
    even = np.stack([hands.weights] * 2)
    coarse = RoundSolver(round_tree(), removal_between(buckets), buckets.range_of(even))
    coarse.run(300)
    exact = RoundSolver(round_tree(), ExactShowdown(), even)
    rows = np.concatenate([coarse.strategy(int(node)) for node in coarse.tree.decisions])
    exact.answer_with(rows[:, buckets.of_class])
    assert exact.game_values().sum() == pytest.approx(0, abs=1e-3)  # sums of 134,459 numbers in float32
    assert exact.game_values()[0] == pytest.approx(coarse.game_values()[0], abs=2e-2)
    assert coarse.exploitability() < exact.exploitability() < 5
