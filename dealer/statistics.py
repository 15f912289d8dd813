"""What a match's results say: means, spreads and 95 % intervals in mbb/g.

The independent sample is one deal: with duplicate seatings the mean over all of them, without them a single hand.
"""

from collections.abc import Sequence
from functools import cache
from math import atan, cos, pi, sin, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


class Estimate(NamedTuple):
    """A mean with its spread, all in the unit of the values it was made from."""

    mean: float
    sd: float
    """Standard deviation of one sample (with n - 1); 0 for a single one."""
    half_width: float
    """Half the 95 % confidence interval of the mean; infinite for a single sample."""
    samples: int

    @property
    def interval(self) -> tuple[float, float]:
        return (self.mean - self.half_width, self.mean + self.half_width)

    def __str__(self) -> str:
        return f"{self.mean:+.1f} ± {self.half_width:.1f}"


def estimate(samples: Values | Sequence[float]) -> Estimate:
    """Mean, standard deviation and Student's 95 % interval of independent samples. Raises ValueError for none."""
    values = np.asarray(samples, np.float64)
    count = len(values)
    if count == 0:
        raise ValueError("no hands to estimate from")
    mean = float(values.mean())
    if count == 1:
        return Estimate(mean, 0.0, float("inf"), 1)
    sd = float(values.std(ddof=1))
    return Estimate(mean, sd, t_quantile(count - 1) * sd / sqrt(count), count)


def per_game(chips: Sequence[Values], big_blind: int) -> Values:
    """Samples in mbb/g from one bot's chips per hand, an array per seating of the same deals.

    Deals that not all seatings have played yet are left out.
    """
    hands = min(len(seating) for seating in chips)
    return np.asarray(sum(seating[:hands] for seating in chips) * (1000.0 / (big_blind * len(chips))))


@cache
def t_quantile(freedom: int) -> float:
    """The t with P(|T| < t) = 0.95; the normal distribution's 1.96 above 100 degrees of freedom."""
    if freedom < 1:
        raise ValueError(f"degrees of freedom start at 1, not {freedom}")
    if freedom > 100:
        return 1.959964
    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if t_within(middle, freedom) < 0.95 else (low, middle)
    return low


def t_within(t: float, freedom: int) -> float:
    """P(|T| < t) for whole degrees of freedom: the finite series of Abramowitz and Stegun, 26.7.3 and 26.7.4."""
    angle = atan(t / sqrt(freedom))
    square = cos(angle) ** 2
    if freedom % 2 == 0:
        term = total = 1.0
        for k in range(2, freedom, 2):
            term *= square * (k - 1) / k
            total += term
        return sin(angle) * total
    term = total = cos(angle) if freedom > 1 else 0.0
    for k in range(3, freedom, 2):
        term *= square * (k - 1) / k
        total += term
    return 2 / pi * (angle + sin(angle) * total)
