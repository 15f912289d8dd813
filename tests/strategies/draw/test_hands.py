"""Canonical five-card hands, their strengths and kept sets, by §4.1 and §4.2 of Tarasiewicz 2018."""

from pathlib import Path

import numpy as np
import pytest

from limpet.protocol.cards import parse_cards
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.ranking_kernels import rank_batch
from limpet.strategies.draw.draw_file import DrawStrategyFile
from limpet.strategies.draw.hands import (
    CLASSES,
    COMBOS,
    STRENGTHS,
    CanonicalDraws,
    all_hands,
    draw_chances,
    exponential_buckets,
    removal_between,
)
from limpet.strategies.solvers.round_solver import Ordered, RoundSolver
from limpet.strategies.solvers.round_tree import round_tree
from tests.oracles.canonical_hands import ExactShowdown, canonical_text, class_number, classes_of
from tests.oracles.draw_file_responses import FilePlay, best_responses, stored_rows
from tests.oracles.draw_values import game_value, second_rounds
from tests.strategies.players.draw_strategies import made_up_strategy


def random_hands(count: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.permuted(np.tile(np.arange(52, dtype=np.int8), (count, 1)), axis=1)[:, :5].copy()


def test_section_4_1_there_are_134_459_classes() -> None:
    hands = all_hands()
    assert len(hands.cards) == CLASSES == 134_459
    assert hands.combos.sum() == COMBOS
    assert set(hands.combos.tolist()) == {4, 12, 24}
    assert len(np.unique(hands.class_of)) == CLASSES


def test_section_4_1_vectors_of_f() -> None:
    assert canonical_text(parse_cards("7hQc2hTcAc")) == "AsQsTs7h2h"
    assert canonical_text(parse_cards("Th2dAh7dQh")) == "AsQsTs7h2h"
    same = {class_number(text) for text in ("7hQc2hTcAc", "Th2dAh7dQh", "AsQsTs7h2h")}
    assert len(same) == 1
    apart = {class_number(text) for text in ("AhQhTd7d2c", "2cQcTc7hAh")}
    assert len(apart) == 2


def test_section_4_9_suits_of_equal_size_are_ordered_by_their_ranks() -> None:
    assert canonical_text(parse_cards("2c3cAdKd7h")) == "AsKs3h2h7d"
    assert canonical_text(parse_cards("2h")) == "2s"


def test_section_4_2_weakest_and_strongest_hand() -> None:
    hands = all_hands()
    assert hands.strength[class_number("7s5s4h3h2d")] == 0
    assert class_number("AsKsQsJsTs") == CLASSES - 1


def test_a_class_is_the_hands_with_one_canonical_form() -> None:
    hands = all_hands()
    sample = random_hands(3000)
    forms: dict[str, int] = {}
    for cards, number in zip(sample.tolist(), classes_of(sample).tolist(), strict=True):
        assert forms.setdefault(canonical_text(cards), number) == number
        assert classes_of(hands.cards[number : number + 1])[0] == number
        assert canonical_text(hands.cards[number].tolist()) == canonical_text(cards)


def test_strengths_are_those_of_the_one_evaluator() -> None:
    hands = all_hands()
    ranks = rank_batch(hands.cards)
    assert len(np.unique(ranks)) == STRENGTHS
    np.testing.assert_array_equal(np.unique(ranks, return_inverse=True)[1], hands.strength)
    sample = random_hands(200_000)
    np.testing.assert_array_equal(
        np.searchsorted(np.unique(ranks), rank_batch(sample)), hands.strength[classes_of(sample)]
    )


def test_kept_sets_are_numbered_by_size_and_by_cards_up_to_suits() -> None:
    hands = all_hands()
    assert np.diff(hands.size_start).tolist() == [1, 13, 169, 1755, 16_432, CLASSES]
    forms: dict[str, int] = {}
    for hand in np.random.default_rng(2).integers(CLASSES, size=300).tolist():
        for mask in range(32):
            cards = [int(hands.cards[hand, i]) for i in range(5) if mask >> i & 1]
            number = int(hands.kept[hand, mask])
            assert hands.size_start[len(cards)] <= number < hands.size_start[len(cards) + 1]
            assert forms.setdefault(canonical_text(cards), number) == number
    assert len(set(forms.values())) == len(forms)
    assert hands.copies[: hands.size_start[1]].sum() == 1
    assert hands.copies[hands.size_start[2] : hands.size_start[3]].sum() == 1326


# --- Card removal between five-card hands, checked by looking at every pair of hands


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
    values = exact.game_values()
    assert values.sum() == pytest.approx(0, abs=1e-3)  # sums of 134,459 numbers in float32
    assert values[0] == pytest.approx(coarse.game_values()[0], abs=2e-2)
    assert coarse.exploitability() < exact.exploitability() < 5


# --- Best responses to a made-up strategy file


@pytest.mark.slow
def test_a_best_response_wins_more_than_the_strategy_from_itself(tmp_path: Path) -> None:
    made_up_strategy(tmp_path / "made-up")
    file = DrawStrategyFile.open(tmp_path / "made-up")
    showdown, play, rows = Ordered(file.manifest.buckets), FilePlay(file), stored_rows(file)
    assert rows.shape == (180, 86, file.manifest.buckets)
    np.testing.assert_allclose(play.draw_strategy(1, 2).sum(axis=1), 1, rtol=1e-5)
    rounds = second_rounds(file.trees.second, showdown, (rows, rows))
    value = game_value(file.trees.first, CanonicalDraws(draw_chances(file.buckets)), (play, play), rounds, 0)
    small, big = best_responses(file, showdown)
    assert small > value + 1 and big > -value + 1  # random bets and draws lose a blind and more
