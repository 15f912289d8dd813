"""Compiled index of combinations; the formula and the plain functions are in `combination_index`."""

import numpy as np
import numpy.typing as npt

from limpet.protocol.jit import njit
from limpet.protocol.ranking_kernels import set_size


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def index_of(cards: npt.NDArray[np.int8], terms: npt.NDArray[np.int64]) -> int:
    """Index of the n distinct cards int8[n], in any order; terms as `index_terms` makes them.

    A card's place among the sorted ones is the number of cards below it, so nothing is sorted.
    """
    n = terms.shape[1]
    held = 0
    for i in range(n):
        held |= 1 << int(cards[i])
    index = terms[0, 0] - 1
    for i in range(n):
        card = int(cards[i])
        index -= terms[1 + card, set_size(held & ((1 << card) - 1))]
    return int(index)


@njit(cache=True, nogil=True, error_model="numpy")
def index_all(hands: npt.NDArray[np.int8], terms: npt.NDArray[np.int64], indices: npt.NDArray[np.int64]) -> None:
    """Indices of hands int8[N, n] into indices[N]."""
    for h in range(hands.shape[0]):
        indices[h] = index_of(hands[h], terms)
