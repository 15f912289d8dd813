"""What a match's results say: means, spreads and 95 % intervals in mbb/g.

The independent sample is one deal: with duplicate seatings the mean over all of them, without them a single hand.
"""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.statistics.student import t_quantile

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
