"""Student's t against published quantiles, and the intervals of means against what they promise."""

import statistics
from math import pi, sqrt

import numpy as np
import pytest

from limpet.strategies.statistics.estimate import mean_of
from limpet.strategies.statistics.student import t_quantile, t_within


@pytest.mark.parametrize(
    ("freedom", "published"),  # the usual table, two-sided 95 %
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (10, 2.228), (30, 2.042), (60, 2.000), (100, 1.984)],
)
def test_t_quantiles_are_the_published_ones(freedom: int, published: float) -> None:
    assert t_quantile(freedom) == pytest.approx(published, abs=5e-4)


def test_t_within_is_exact_where_it_has_a_closed_form() -> None:
    for t in (0.1, 1.0, 2.5, 12.706):
        assert t_within(t, 1) == pytest.approx(2 / pi * np.arctan(t))
        assert t_within(t, 2) == pytest.approx(t / sqrt(2 + t * t))


def test_above_a_hundred_it_is_the_normal_distribution() -> None:
    assert t_quantile(101) == pytest.approx(statistics.NormalDist().inv_cdf(0.975), abs=1e-6)
    assert t_quantile(101) < t_quantile(100)
    with pytest.raises(ValueError):
        t_quantile(0)


@pytest.mark.parametrize("samples", [2, 5, 16])
def test_intervals_of_few_samples_cover_the_truth_as_often_as_they_say(samples: int) -> None:
    drawn = np.random.default_rng(1).normal(3, 10, (4000, samples))
    covered = np.mean([mean_of(each).covers(3) for each in drawn])
    assert covered == pytest.approx(0.95, abs=5 * sqrt(0.95 * 0.05 / 4000))
