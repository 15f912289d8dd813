"""Intervals without a formula, and how many deals a claim needs. The independent sample is a deal, as in `statistics`."""

from collections.abc import Sequence
from math import ceil
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

BLOCK = 64
"""Resamples drawn at a time."""


def bootstrap_interval(
    samples: NDArray[np.float64] | Sequence[float], seed: int, resamples: int = 2000, level: float = 0.95
) -> tuple[float, float]:
    """Percentile interval of the mean, drawing deals with replacement (Efron 1979), fixed by the seed.

    All seatings of a deal are one sample and stay together. Raises `ValueError` for no samples.
    """
    values = np.asarray(samples, np.float64)
    count = len(values)
    if count == 0:
        raise ValueError("no deals to draw from")
    random = np.random.Generator(np.random.Philox(key=seed))
    means = np.concatenate(
        [
            values[random.integers(count, size=(min(BLOCK, resamples - start), count))].mean(axis=1)
            for start in range(0, resamples, BLOCK)
        ]
    )
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def deals_needed(sd: float, effect: float, power: float = 0.8, level: float = 0.95) -> int:
    """How many deals show a true difference of `effect` with probability `power`, in a two-sided test at 1 - `level`.

    sd, effect: of a deal, in one unit: n = ((z_level + z_power) sd / effect)². Raises `ValueError` for an effect of 0,
    or a power or level outside 0 to 1.
    """
    if effect == 0 or not 0 < power < 1 or not 0 < level < 1:
        raise ValueError(f"no number of deals shows an effect of {effect} with power {power} at level {level}")
    normal = NormalDist()
    both = normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(power)
    return max(2, ceil((both * sd / effect) ** 2))


def deals_for_width(sd: float, half_width: float, level: float = 0.95) -> int:
    """How many deals bring half the interval down to `half_width`, in the unit of `sd`.

    >>> deals_for_width(21_000, 50)  # 21 bb a hand, to within 50 mbb/g
    677634
    """
    if half_width <= 0:
        raise ValueError(f"half an interval is above 0, not {half_width}")
    return max(2, ceil((NormalDist().inv_cdf((1 + level) / 2) * sd / half_width) ** 2))
