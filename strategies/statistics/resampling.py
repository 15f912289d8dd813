"""Intervals of means by drawing samples again, and how many deals a claim needs. The independent sample is a deal."""

from collections.abc import Sequence
from math import ceil, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

BLOCK = 64
"""Number of resamples drawn at a time."""
MOST_CLUSTERS = 1 << 14
"""Beyond this number of deals, neighbouring deals are drawn as one: as good, and 10 million deals take no longer than 16,384."""
RESAMPLES = 2000
POWER, LEVEL = 0.8, 0.95
"""A test with this power and level shows a true difference four times in five, and a false one once in twenty."""


def bootstrap_interval(
    samples: NDArray[np.float64] | Sequence[float], seed: int, resamples: int = RESAMPLES, level: float = LEVEL
) -> tuple[float, float]:
    """Return the percentile interval of the mean, drawing deals with replacement (Efron 1979), fixed by the seed.

    All seatings of a deal are one sample and stay together. Raises `ValueError` for no samples.
    """
    values = np.asarray(samples, np.float64)
    sums, sizes = _resampled_sums(np.stack([values, np.ones(len(values))]), seed, resamples)
    return _percentiles(sums / sizes, level)


def bootstrap_sd_ratio(samples: NDArray[np.float64], reference: NDArray[np.float64], seed: int) -> tuple[float, float]:
    """Return the percentile interval of the standard deviation of `samples` as a share of that of `reference`.

    Both hold one value for each of one or more deals, and the same deals are drawn for both.
    """
    columns = []
    for values in (samples, reference):
        centred = np.asarray(values, np.float64) - np.mean(values)
        columns += [centred, centred * centred]
    *sums, sizes = _resampled_sums(np.stack([*columns, np.ones(len(samples))]), seed, RESAMPLES)
    variances = [squares / sizes - (total / sizes) ** 2 for total, squares in (sums[:2], sums[2:])]
    ratios = np.divide(variances[0], variances[1], out=np.ones(RESAMPLES), where=variances[1] > 0)
    return _percentiles(np.sqrt(np.maximum(ratios, 0)), LEVEL)


def _resampled_sums(columns: NDArray[np.float64], seed: int, resamples: int) -> NDArray[np.float64]:
    """Return float64 ``[column, resample]``: sums over deals drawn with replacement, of columns ``[column, deal]``."""
    deals = columns.shape[1]
    if deals == 0:
        raise ValueError("no deals to draw from")
    count = min(deals, MOST_CLUSTERS)
    clusters = np.add.reduceat(columns, np.arange(count) * deals // count, axis=1)
    random = np.random.Generator(np.random.Philox(key=seed))
    sums = np.empty((len(columns), resamples))
    for start in range(0, resamples, BLOCK):
        drawn = random.integers(count, size=(min(BLOCK, resamples - start), count))
        for column, out in zip(clusters, sums, strict=True):
            out[start : start + len(drawn)] = column[drawn].sum(axis=1)
    return sums


def _percentiles(values: NDArray[np.float64], level: float) -> tuple[float, float]:
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def deals_needed(sd: float, effect: float, power: float = POWER, level: float = LEVEL) -> int:
    """Return how many deals show a true difference of `effect` with probability `power`, in a two-sided test.

    sd, effect: standard deviation and difference of a deal, in one unit: n = ((z_level + z_power) sd / effect)².
    Raises `ValueError` for an effect of 0, or a power or level outside 0 to 1.
    """
    if effect == 0 or not 0 < power < 1 or not 0 < level < 1:
        raise ValueError(f"no number of deals shows an effect of {effect} with power {power} at level {level}")
    return max(2, ceil((_standard_errors(power, level) * sd / effect) ** 2))


def effect_shown(sd: float, deals: int) -> float:
    """Return the true difference that so many deals show with probability `POWER`: the inverse of `deals_needed`.

    >>> round(effect_shown(21_000, 678_000))
    71
    """
    return _standard_errors(POWER, LEVEL) * sd / sqrt(deals)


def _standard_errors(power: float, level: float) -> float:
    """Return how many standard errors from 0 a difference lies that is shown with probability `power`."""
    normal = NormalDist()
    return normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(power)


def deals_for_width(sd: float, half_width: float) -> int:
    """Return how many deals bring half the interval down to `half_width`, in the unit of `sd`.

    >>> deals_for_width(21_000, 50)  # 21 bb a hand, to within 50 mbb/g
    677634
    """
    if half_width <= 0:
        raise ValueError(f"half an interval is above 0, not {half_width}")
    return max(2, ceil((NormalDist().inv_cdf((1 + LEVEL) / 2) * sd / half_width) ** 2))
