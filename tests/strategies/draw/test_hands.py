"""Canonical five-card hands, their strengths and kept sets, by §4.1 and §4.2 of Tarasiewicz 2018."""

import numpy as np

from limpet.protocol.cards import parse_cards
from limpet.strategies.cards.ranking_kernels import rank_batch
from limpet.strategies.draw.hands import CLASSES, COMBOS, STRENGTHS, all_hands
from tests.oracles.canonical_hands import canonical_text, class_number, classes_of


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
