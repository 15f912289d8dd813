"""Bootstrap intervals and numbers of deals, against what they promise."""

from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest

from limpet.common.statistics import (
    BLOCK,
    MOST_CLUSTERS,
    bootstrap_interval,
    bootstrap_sd_ratio,
    deals_for_width,
    deals_needed,
    effect_shown,
    estimate,
)


def test_bootstrap_is_that_of_the_mean() -> None:
    """Of 0 and 1 in equal numbers the bootstrap's distribution is binomial."""
    samples = np.tile([0.0, 1.0], 200)
    low, high = bootstrap_interval(samples, 1, resamples=20_000)
    half = NormalDist().inv_cdf(0.975) * 0.5 / sqrt(400)
    assert (low, high) == pytest.approx((0.5 - half, 0.5 + half), abs=0.003)
    assert bootstrap_interval(samples, 1) == bootstrap_interval(samples, 1)
    assert bootstrap_interval(samples, 1) != bootstrap_interval(samples, 2)
    narrow = bootstrap_interval(samples, 1, level=0.5)
    assert low < narrow[0] < narrow[1] < high
    with pytest.raises(ValueError):
        bootstrap_interval([], 1)


def test_every_mean_that_is_drawn_counts() -> None:
    """Deals that are all alike have one mean, also at the very ends of what was drawn, block after block."""
    assert bootstrap_interval(np.full(30, -7.0), 1, resamples=BLOCK + 3, level=0.999999) == (-7.0, -7.0)


def test_bootstrap_covers_as_often_as_it_says() -> None:
    """Of a skewed distribution, as chips are; 60 deals."""
    random = np.random.default_rng(3)
    intervals = [bootstrap_interval(random.exponential(5, 60) - 5, seed, 400) for seed in range(600)]
    covered = np.mean([low <= 0 <= high for low, high in intervals])
    assert 0.89 < covered < 0.97


def test_many_deals_are_drawn_in_clusters() -> None:
    """Of which some have a deal more than others; the interval is that of single deals, and quick."""
    samples = np.random.default_rng(2).exponential(3.0, 5 * MOST_CLUSTERS // 2)
    low, high = bootstrap_interval(samples, 4)
    found = estimate(samples)
    assert (low, high) == pytest.approx(found.interval, abs=0.06 * found.half_width)
    assert bootstrap_interval(-samples, 4) == pytest.approx((-high, -low))


def test_the_number_of_deals_has_the_power_it_promises() -> None:
    deals = deals_needed(sd=5.0, effect=1.0, power=0.8)
    assert deals == 197  # (1.96 + 0.8416)² · 25 = 196.2
    random = np.random.default_rng(1)
    found = [estimate(random.normal(1, 5, deals)) for _ in range(2000)]
    shown = np.mean([one.mean - one.half_width > 0 for one in found])
    assert shown == pytest.approx(0.8, abs=5 * sqrt(0.16 / 2000))
    assert deals_needed(5, -1) == deals
    assert deals_needed(5, 1, power=0.9) > deals
    assert [deals_needed(5, effect_shown(5, n) / 10) for n in (10, 1234, 3000)] == [1000, 123_400, 300_000]
    assert effect_shown(5, deals) < 1 < effect_shown(5, deals - 1)


@pytest.mark.parametrize(
    ("effect", "power", "level"), [(0, 0.8, 0.95), (1, 0, 0.95), (1, 1, 0.95), (1, 1.5, 0.95), (1, 0.8, 0), (1, 0.8, 1)]
)
def test_no_number_of_deals_is_made_up(effect: float, power: float, level: float) -> None:
    with pytest.raises(ValueError, match=f"shows an effect of {effect} with power {power} at level {level}"):
        deals_needed(5, effect, power, level)


@pytest.mark.parametrize(
    ("sd", "published"), [(21_000, 678_000), (17_000, 446_000), (13_000, 259_000), (4_000, 25_000)]
)
def test_published_numbers_of_deals(sd: float, published: int) -> None:
    """Hands for ±50 mbb/g at 95 %."""
    assert deals_for_width(sd, 50) == pytest.approx(published, rel=0.02)
    assert deals_for_width(sd / 100, 0.5) == deals_for_width(sd, 50)  # in any unit
    with pytest.raises(ValueError):
        deals_for_width(sd, 0)


def test_the_ratio_of_two_standard_deviations() -> None:
    """Where one is a fixed share of the other there is nothing to draw; else the interval holds the true ratio."""
    random = np.random.default_rng(3)
    whole = random.normal(5, 2, 1000)
    assert bootstrap_sd_ratio(whole / 4, whole, 1) == pytest.approx((0.25, 0.25))
    assert bootstrap_sd_ratio(whole, np.ones(1000), 1) == (1.0, 1.0), "no spread to take a share of"
    low, high = bootstrap_sd_ratio(random.normal(0, 1, 1000), whole, 1)
    assert low < 0.5 < high and high - low < 0.07
