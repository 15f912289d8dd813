"""Means and intervals against the standard library and a simulation of their meaning."""

import statistics
from math import inf, sqrt

import numpy as np
import pytest

from limpet.strategies.statistics.intervals import estimate, per_game


def test_estimate_agrees_with_the_standard_library() -> None:
    values = [3.0, -1.0, 4.0, 1.0, -5.0, 9.0]
    found = estimate(values)
    assert found.mean == pytest.approx(statistics.mean(values))
    assert found.sd == pytest.approx(statistics.stdev(values))
    assert found.half_width == pytest.approx(2.570582 * statistics.stdev(values) / sqrt(6), rel=1e-6)
    assert found.interval == pytest.approx((found.mean - found.half_width, found.mean + found.half_width))
    assert estimate([2.0]) == (2.0, 0.0, inf, 1)
    with pytest.raises(ValueError):
        estimate([])


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    covered = sum(low <= 3.0 <= high for low, high in (estimate(rng.normal(3, 10, 8)).interval for _ in range(4000)))
    assert covered / 4000 == pytest.approx(0.95, abs=5 * sqrt(0.95 * 0.05 / 4000))


def test_a_duplicate_set_is_one_sample() -> None:
    # 10 chips a big blind; the same luck on both sides cancels and leaves what is skill: 1 chip a hand.
    luck = np.array([50.0, -30.0, 20.0, 7.0])
    samples = per_game([luck + 1, -luck + 1], big_blind=10)
    np.testing.assert_allclose(samples, [100.0] * 4)
    assert estimate(samples).half_width == pytest.approx(0, abs=1e-9)
    # A deal counts once every seating has played it.
    assert len(per_game([luck, luck[:2]], big_blind=10)) == 2
