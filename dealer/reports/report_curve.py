"""The course of a result: mean and 95 % interval after each number of deals."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.statistics.estimate import Values, estimate_from_sums

MOST_POINTS = 200
"""Most points of a curve, more than a picture of its width can show."""


class Curve(NamedTuple):
    """Arrays of equal length, one number for each point."""

    samples: NDArray[np.int64]
    """int64, increasing: number of samples up to each point; the last is all of them."""
    mean: Values
    half_width: Values
    """Half the 95 % interval (Student's); infinite after a single sample."""


def cumulative(samples: Values, points: int = MOST_POINTS) -> Curve:
    """The mean over the first 1, …, n samples, at `points` evenly spread places or at all of them.

    The last point is what `estimate.estimate` says of all. Raises ValueError for no samples.
    """
    count = len(samples)
    if count == 0:
        raise ValueError("no hands to draw a curve of")
    at = np.unique(np.linspace(1, count, min(points, count)).round().astype(np.int64))
    centre = samples.mean()  # squares are taken about it, so that large means cost no digits
    sums, squares = np.cumsum(samples - centre)[at - 1], np.cumsum((samples - centre) ** 2)[at - 1]
    half = [estimate_from_sums(*point).half_width for point in zip(at.tolist(), sums, squares, strict=True)]
    return Curve(at, sums / at + centre, np.array(half))
