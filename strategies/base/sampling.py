"""Counter-based randomness: a hash of the decision's counters, never a running stream.

A decision therefore draws the same number over TCP, in one process, in compiled simulation, and after a resume.
"""

from math import prod

import numpy as np
from numpy.typing import NDArray

from limpet.common.jit import njit
from limpet.strategies.base.strategy import HandKey

LEAST_SHARE = 0.001
"""Probability of an outcome of a hand's coins below which it is not looked at by itself."""
_MASK = (1 << 64) - 1
U64 = np.uint64


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


class OpenKey(HandKey):
    """A key by which every outcome of a hand's coins can be asked about, each with its probability.

    A coin that both sides of an outcome may show takes the first one, and the other side is kept for `others`. Questions
    must come in the same order for each outcome. Outcomes below `LEAST_SHARE` are drawn by the seed, unbiased, so that
    their number stays bounded.
    """

    ranges: dict[tuple[int, ...], tuple[float, float]]
    """The range in [0, 1) of each random number, by its counters, that the coins thrown so far leave."""
    _others: "list[OpenKey]"

    __eq__, __hash__ = object.__eq__, object.__hash__  # outcomes of one hand are different keys to every cache

    @staticmethod
    def begin(seed: int, hand: int, position: int) -> "OpenKey":
        """Return the key of a hand of which no coin was thrown."""
        return OpenKey(seed, hand, position)._known({})

    def _known(self, ranges: dict[tuple[int, ...], tuple[float, float]]) -> "OpenKey":
        key = OpenKey(*self)
        key.ranges, key._others = ranges, []
        return key

    @property
    def share(self) -> float:
        """Probability of the outcome."""
        return prod(high - low for low, high in self.ranges.values())

    def others(self) -> "list[OpenKey]":
        """Return the keys of the outcomes that were left aside since the last call."""
        found, self._others = self._others, []
        return found

    def is_below(self, share: float, counters: tuple[int, ...]) -> bool:
        """Return `is_below` for this outcome."""
        low, high = self.ranges.get(counters, (0.0, 1.0))
        if not low < share < high:
            return share >= high
        if self.share * min(share - low, high - share) / (high - low) < LEAST_SHARE:
            return low + (high - low) * uniform(HandKey(*self), *counters) < share
        self._others.append(self._known(self.ranges | {counters: (share, high)}))
        self.ranges[counters] = low, share
        return True


def is_below(key: HandKey, share: float, *counters: int) -> bool:
    """Throw a coin: return whether the random number of the counters is below `share`, the probability of that."""
    return key.is_below(share, counters) if isinstance(key, OpenKey) else uniform(key, *counters) < share


def pick(probabilities: NDArray[np.float32], u: float) -> int:
    """Return the first index whose cumulative probability in float64 exceeds `u`, else the last one above 0."""
    total, last = 0.0, 0
    for index, probability in enumerate(probabilities.tolist()):
        if probability > 0.0:
            total += probability
            last = index
            if u < total:
                return index
    return last


# --- Compiled twins: the same numbers for the same counters, bit for bit.


@njit(cache=True, nogil=True, error_model="numpy")
def mixed(state: np.uint64, counter: np.uint64) -> np.uint64:
    """Return the hash `state` with one more counter mixed in, as `mix` does; begin with a state of 0."""
    x = state + counter + U64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> U64(30))) * U64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> U64(27))) * U64(0x94D049BB133111EB)
    return x ^ (x >> U64(31))


@njit(cache=True, nogil=True, error_model="numpy")
def unit(bits: np.uint64) -> float:
    """Return the number in [0, 1) that `uniform` makes of 64 bits."""
    return np.float64(bits >> U64(11)) * 2.0**-53
