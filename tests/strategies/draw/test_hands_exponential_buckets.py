"""Exponential buckets, by formulas 14 to 16 of Tarasiewicz 2018."""

from itertools import pairwise

import numpy as np
import pytest

from limpet.protocol.ranking import FLUSH, PAIR, STRAIGHT, STRAIGHT_FLUSH, TRIPS, TWO_PAIR
from limpet.strategies.cards.ranking_kernels import rank_batch
from limpet.strategies.draw.hands import (
    COMBOS,
    STRENGTHS,
    all_hands,
    exponential_buckets,
    exponential_edges,
    strength_buckets,
)


def test_section_4_2_sizes_of_formula_14() -> None:
    sizes = np.diff(exponential_edges())
    assert sizes[:3].tolist() == [69_907, 68_181, 66_498]
    assert sizes[-1] == 5_884 - 48, "the sizes, rounded up, sum to 48 more than there are hands"
    assert exponential_edges()[-1] == COMBOS


def test_section_4_2_categories_in_the_buckets() -> None:
    buckets = exponential_buckets()
    ranks = rank_batch(all_hands().cards)
    edges = [0, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, STRAIGHT_FLUSH]
    spans = []
    for low, high in pairwise(edges):
        of = buckets.of_class[(ranks >= low) & (ranks < high)]
        spans.append((int(of.min()), int(of.max())))
    assert spans[:5] == [(0, 24), (24, 75), (75, 88), (88, 96), (96, 98)]
    assert spans[5] == (98, 99)


def test_buckets_rise_with_strength_and_have_about_the_sizes_of_the_formula() -> None:
    buckets = exponential_buckets()
    assert (np.diff(buckets.of_class) >= 0).all()
    assert buckets.count == 100
    np.testing.assert_allclose(buckets.weights * COMBOS, np.diff(exponential_edges()), atol=24)


def test_section_4_10_hands_that_tie_share_a_bucket_if_snapped() -> None:
    snapped = exponential_buckets(snap=True)
    strength = all_hands().strength
    pairs = np.unique(np.stack([strength, snapped.of_class]), axis=1)
    assert pairs.shape[1] == STRENGTHS
    cut = exponential_buckets()
    assert np.unique(np.stack([strength, cut.of_class]), axis=1).shape[1] > STRENGTHS
    assert snapped.weights.sum() == pytest.approx(1)


def test_section_4_2_a_range_over_buckets_adds_up_that_over_hands() -> None:
    buckets = exponential_buckets(20)
    weights = all_hands().weights
    both = buckets.range_of(np.stack([weights, weights[::-1]]))
    assert both.shape == (2, 20)
    np.testing.assert_allclose(both[0], buckets.weights)
    assert both[1].sum() == pytest.approx(1)
    assert strength_buckets().count == STRENGTHS
