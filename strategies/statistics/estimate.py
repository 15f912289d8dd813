"""Means of independent samples with Student's 95 % confidence interval: the only place where one is computed.

In a match the independent sample is a deal. With duplicate seatings its value is the mean over all of them.
"""

from collections.abc import Sequence
from functools import cache
from math import atan, cos, inf, nan, pi, sin, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Interval = tuple[float | None, float | None]
"""Lower and upper end of an interval; None where one sample or none leaves it open."""

NORMAL = 1.959964
"""Number of standard deviations around its mean that hold 95 % of the normal distribution."""


class Estimate(NamedTuple):
    """A mean with its 95 % confidence interval, mean ± half_width, in the unit of the samples."""

    mean: float
    half_width: float  # half the 95 % interval: infinite for fewer than two samples, 0 where the mean is exact
    samples: int
    sd: float = 0.0  # standard deviation of one sample, with n - 1; 0 for fewer than two, and where the mean is exact

    @property
    def interval(self) -> Interval:
        if self.half_width == inf:
            return None, None
        return self.mean - self.half_width, self.mean + self.half_width

    def scaled(self, unit: float) -> "Estimate":
        """Return the same estimate in another unit, of which `unit` make up one of this."""
        return Estimate(self.mean * unit, self.half_width * unit, self.samples, self.sd * unit)

    def __str__(self) -> str:
        return f"{self.mean:+.1f} ± {self.half_width:.1f}"


def estimate(samples: Values | Sequence[float]) -> Estimate:
    """Estimate the mean of independent samples. Raises `ValueError` for none."""
    values = np.asarray(samples, np.float64)
    if len(values) == 0:
        raise ValueError("no hands to estimate from")
    return _estimate(len(values), float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else 0.0)


def estimate_from_sums(samples: int, total: float, squares: float) -> Estimate:
    """Estimate a mean from the number of samples, their sum and the sum of their squares. The mean of none is NaN."""
    mean = total / samples if samples else nan
    variance = max(squares - samples * mean * mean, 0.0) / (samples - 1) if samples > 1 else 0.0
    return _estimate(samples, mean, sqrt(variance))


def _estimate(samples: int, mean: float, sd: float) -> Estimate:
    return Estimate(mean, t_quantile(samples - 1) * sd / sqrt(samples) if samples > 1 else inf, samples, sd)


def per_game(chips: Sequence[Values], big_blind: int) -> Values:
    """Return samples in mbb/g from one bot's chips per hand, given as an array for each seating of the same deals.

    Deals that not all seatings have played yet are left out.
    """
    hands = min(len(seating) for seating in chips)
    return np.asarray(sum(seating[:hands] for seating in chips) * (1000.0 / (big_blind * len(chips))))


@cache
def t_quantile(freedom: int) -> float:
    """Return the t with P(|T| < t) = 0.95 of Student's distribution; that of the normal one above 100 degrees of freedom.

    Raises `ValueError` below one degree of freedom.
    """
    if freedom < 1:
        raise ValueError(f"degrees of freedom start at 1, not {freedom}")
    if freedom > 100:
        return NORMAL
    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if t_within(middle, freedom) < 0.95 else (low, middle)
    return low


def t_within(t: float, freedom: int) -> float:
    """Return P(|T| < t) for whole degrees of freedom: the finite series of Abramowitz and Stegun, 26.7.3 and 26.7.4."""
    angle = atan(t / sqrt(freedom))
    odd = freedom % 2
    term = total = float(freedom > 1) * cos(angle) if odd else 1.0
    for k in range(2 + odd, freedom, 2):
        term *= cos(angle) ** 2 * (k - 1) / k
        total += term
    return 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total
