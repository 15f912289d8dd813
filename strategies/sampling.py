"""Counter-based randomness: a hash of the decision's counters, never a running stream.

A decision therefore draws the same number over TCP, in one process, in compiled simulation, and after a resume.
"""

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.strategy import HandKey

_MASK = (1 << 64) - 1


def mix(*counters: int) -> int:
    """Return 64 random bits fixed by `counters`: SplitMix64's finaliser (Steele et al. 2014) chained over them."""
    x = 0
    for counter in counters:
        x = (x + (counter & _MASK) + 0x9E3779B97F4A7C15) & _MASK
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
        x ^= x >> 31
    return x


def uniform(key: HandKey, *counters: int) -> float:
    """Return a number in [0, 1) with 53 random bits, fixed by the hand's key and the counters."""
    return (mix(*key, *counters) >> 11) * 2.0**-53


def pick(probabilities: NDArray[np.float32], u: float) -> int:
    """Return the first index whose cumulative probability, summed in float64, exceeds `u` in [0, 1).

    If rounding leaves the total below `u`, it is the last index with a positive probability.
    """
    total, last = 0.0, 0
    for index, probability in enumerate(probabilities.tolist()):
        if probability > 0.0:
            total += probability
            last = index
            if u < total:
                return index
    return last
