"""Student's t distribution: how wide a 95 % interval of a mean is whose spread comes from the same few samples."""

from functools import cache
from math import atan, cos, pi, sin, sqrt

NORMAL = 1.959964
"""95 % of the normal distribution lie within so many standard deviations."""


@cache
def t_quantile(freedom: int) -> float:
    """The t with P(|T| < t) = 0.95; the normal distribution's above 100 degrees of freedom.

    Raises `ValueError` below one.
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
