"""Means and intervals against the standard library, published quantiles of Student's t, and what they promise."""

import statistics
from math import inf, sqrt

import numpy as np
import pytest
from scipy.special import stdtrit

from limpet.common.statistics import estimate, estimate_from_sums, per_game, t_quantile


def test_estimate_agrees_with_the_standard_library() -> None:
    values = [3.0, -1.0, 4.0, 1.0, -5.0, 9.0]
    found = estimate(values)
    assert found.mean == pytest.approx(statistics.mean(values))
    assert found.sd == pytest.approx(statistics.stdev(values))
    assert found.half_width == pytest.approx(2.570582 * statistics.stdev(values) / sqrt(6), rel=1e-6)
    assert found.interval == pytest.approx((found.mean - found.half_width, found.mean + found.half_width))
    assert estimate([2.0]) == (2.0, inf, 1, 0.0) and estimate([2.0]).interval == (None, None)
    with pytest.raises(ValueError):
        estimate([])


def test_a_duplicate_set_is_one_sample() -> None:
    # 10 chips a big blind; the same luck on both sides cancels and leaves what is skill: 1 chip a hand.
    luck = np.array([50.0, -30.0, 20.0, 7.0])
    samples = per_game([luck + 1, -luck + 1], big_blind=10)
    np.testing.assert_allclose(samples, [100.0] * 4)
    assert estimate(samples).half_width == pytest.approx(0, abs=1e-9)
    # A deal counts once every seating has played it.
    assert len(per_game([luck, luck[:2]], big_blind=10)) == 2


@pytest.mark.parametrize(
    ("freedom", "published"),  # the usual table, two-sided 95 %
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (10, 2.228), (30, 2.042), (60, 2.000), (100, 1.984)],
)
def test_t_quantiles_are_the_published_ones(freedom: int, published: float) -> None:
    assert t_quantile(freedom) == pytest.approx(published, abs=5e-4)


def test_t_quantiles_are_those_of_a_library() -> None:
    for freedom in range(1, 101):
        assert t_quantile(freedom) == pytest.approx(stdtrit(freedom, 0.975), rel=1e-13)


def test_matches_of_different_length_add_up_by_their_hands() -> None:
    """Table 4 of Tarasiewicz 2018: ten players' results against the bot, in big blinds a hundred hands."""
    hands = (25549, 1155, 1016, 1004, 1000, 1000, 658, 451, 320, 250)
    rates = (-18, -28, -15, -88, -92, -6, 40, -154, 15, -55)
    lost = -sum(count * rate / 100 for count, rate in zip(hands, rates, strict=True))
    assert sum(hands) == 32_403
    assert estimate_from_sums(sum(hands), lost, 0.0).scaled(100).mean == pytest.approx(23.019, abs=5e-4)


def test_above_a_hundred_it_is_the_normal_distribution() -> None:
    assert t_quantile(101) == pytest.approx(statistics.NormalDist().inv_cdf(0.975), abs=1e-6)
    assert t_quantile(101) < t_quantile(100)
    with pytest.raises(ValueError):
        t_quantile(0)


@pytest.mark.parametrize("samples", [2, 5, 16])
def test_intervals_of_few_samples_cover_the_truth_as_often_as_they_say(samples: int) -> None:
    drawn = np.random.default_rng(1).normal(3, 10, (4000, samples))
    covered = np.mean([abs(e.mean - 3) <= e.half_width for e in map(estimate, drawn)])
    assert covered == pytest.approx(0.95, abs=5 * sqrt(0.95 * 0.05 / 4000))


def test_sums_are_estimated_as_the_samples_are() -> None:
    values = np.array([3.0, -1.0, 4.0, 1.0, -5.0])
    assert estimate_from_sums(5, values.sum(), (values**2).sum()) == pytest.approx(estimate(values))
