"""How a result came about: mean and 95 % interval after each number of deals."""

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.statistics.intervals import Values
from limpet.strategies.statistics.student import t_quantile

MOST_POINTS = 200
"""Of a curve: more than a picture of its width can show."""


class Curve(NamedTuple):
    """Arrays of equal length, one number for each point."""

    samples: NDArray[np.int64]
    """How many were played, rising; the last is all of them."""
    mean: Values
    half_width: Values
    """Half the 95 % interval (Student's); infinite after a single sample."""


def cumulative(samples: Values, points: int = MOST_POINTS) -> Curve:
    """The mean over the first 1, …, n samples, at `points` evenly spread places or at all of them.

    The last point is what `statistics.estimate` says of all. Raises ValueError for no samples.
    """
    count = len(samples)
    if count == 0:
        raise ValueError("no hands to draw a curve of")
    at = np.unique(np.linspace(1, count, min(points, count)).round().astype(np.int64))
    centre = samples.mean()  # squares are taken about it, so that large means cost no digits
    sums, squares = np.cumsum(samples - centre)[at - 1], np.cumsum((samples - centre) ** 2)[at - 1]
    offset = sums / at
    half = np.full(len(at), np.inf)
    for point, played in enumerate(at.tolist()):
        if played > 1:
            variance = max(0.0, float(squares[point] - played * offset[point] ** 2)) / (played - 1)
            half[point] = t_quantile(played - 1) * sqrt(variance / played)
    return Curve(at, offset + centre, half)
