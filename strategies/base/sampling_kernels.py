"""Compiled twin of `sampling`: the same numbers for the same counters, bit for bit."""

import numpy as np

from limpet.common.jit import njit

U64 = np.uint64


@njit(cache=True, nogil=True, error_model="numpy")
def mixed(state: np.uint64, counter: np.uint64) -> np.uint64:
    """Return the hash `state` with one more counter mixed in, as `sampling.mix` does; begin with a state of 0."""
    x = state + counter + U64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> U64(30))) * U64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> U64(27))) * U64(0x94D049BB133111EB)
    return x ^ (x >> U64(31))


@njit(cache=True, nogil=True, error_model="numpy")
def unit(bits: np.uint64) -> float:
    """Return the number in [0, 1) that `sampling.uniform` makes of 64 bits."""
    return np.float64(bits >> U64(11)) * 2.0**-53
