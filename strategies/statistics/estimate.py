"""Means of independent samples, with their 95 % confidence intervals."""

from collections.abc import Sequence
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.statistics.student import t_quantile


class Estimate(NamedTuple):
    """A mean with Student's 95 % confidence interval, mean ± half_width."""

    mean: float
    half_width: float
    """Infinite for fewer than two samples."""
    samples: int

    def covers(self, value: float) -> bool:
        return abs(value - self.mean) <= self.half_width

    def scaled(self, unit: float) -> "Estimate":
        """Return the same estimate in another unit, of which `unit` make up one of this."""
        return Estimate(self.mean * unit, self.half_width * unit, self.samples)

    def __str__(self) -> str:
        return f"{self.mean:+.6g} ± {self.half_width:.2g}"


def estimate(samples: int, total: float, squares: float) -> Estimate:
    """From the number of independent samples, their sum and the sum of their squares; a mean of NaN for none."""
    if samples == 0:
        return Estimate(float("nan"), inf, 0)
    mean = float(total) / samples
    if samples == 1:
        return Estimate(mean, inf, 1)
    variance = max(float(squares) - samples * mean * mean, 0.0) / (samples - 1)
    return Estimate(mean, t_quantile(samples - 1) * sqrt(variance / samples), samples)


def mean_of(samples: Sequence[float] | NDArray[np.floating]) -> Estimate:
    """The mean of independent samples."""
    wide = np.asarray(samples, np.float64)
    return estimate(len(wide), float(wide.sum()), float((wide**2).sum()))
