"""Sums over the hands that share no card with a hand, from sums by card: inclusion and exclusion.

With T the sum over all hands and C(c) that over the hands that hold card c, the hands that share no card with {a, b} sum
to T - C(a) - C(b) + own: the hand's own number was taken away twice and counted once. A sum over weaker hands needs no
`own`, because the hand is not among them.

Both kernels take numbers of any kind: floats, counts, hashes or lanes. They differ in rounding alone, so that each caller
keeps the order in which it has always subtracted.
"""

from typing import Any

from limpet.protocol.jit import njit

Sum = Any
"""For type checkers: a number, or lanes of them."""


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def without(total: Sum, of_a: Sum, of_b: Sum) -> Sum:
    """Return T - C(a) - C(b), subtracted one after the other."""
    return total - of_a - of_b


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def without_both(total: Sum, of_a: Sum, of_b: Sum) -> Sum:
    """Return T - (C(a) + C(b)): a shorter chain of dependent operations, for lanes."""
    return total - (of_a + of_b)
