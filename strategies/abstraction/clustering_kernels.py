"""Compiled clustering of whole-number vectors: nearest centres, k-means++ weights, means and medians.

Two metrics: L1 (`squared` false), and L2 by its square. Centres are sorted by the sum of their entries. The sums of two
vectors differ by no more than their L1 distance, and by no more than sqrt(dims) times their L2 distance (both the
triangle inequality, by way of the projection on the diagonal), so the search for the nearest centre starts at the own
sum and goes outwards until no centre further out can be nearer: the annular bound of Drake (Faster k-means clustering,
2013) with the sum in place of the norm. Everything is exact; ties go to the lowest number; nothing depends on order.
"""

import numpy as np
import numpy.typing as npt

from limpet.common.jit import Bytes, Ints, Longs, UBytes, UShorts, njit
from limpet.strategies.cards.strength_kernels import without

Vectors = npt.NDArray[np.integer]

_NEAR = 4  # centres below the own sum that are tried first
_FAR = 1 << 50  # larger than any distance; its product with the number of entries still fits


# numba widens every sum. Explicit 32-bit sums let the compiler vectorise the loops. So do two functions for the two
# metrics: with a flag inside, the loops are scalar and eight times slower.


@njit(cache=True, nogil=True, error_model="numpy")
def city_distance(ones: Vectors, i: int, others: Vectors, c: int) -> int:
    """Return the L1 distance of ones[i] and others[c]; below 2**31."""
    total = np.int32(0)
    for j in range(ones.shape[1]):
        difference = np.int32(np.int32(ones[i, j]) - np.int32(others[c, j]))
        total = np.int32(total + np.int32(abs(difference)))
    return int(total)


@njit(cache=True, nogil=True, error_model="numpy")
def squared_distance(ones: Vectors, i: int, others: Vectors, c: int) -> int:
    """Return the square of the L2 distance of ones[i] and others[c]; below 2**31."""
    total = np.int32(0)
    for j in range(ones.shape[1]):
        difference = np.int32(np.int32(ones[i, j]) - np.int32(others[c, j]))
        total = np.int32(total + np.int32(difference * difference))
    return int(total)


@njit(cache=True, nogil=True, error_model="numpy")
def distance(ones: Vectors, i: int, others: Vectors, c: int, squared: bool) -> int:
    """Return the squared L2 distance of ones[i] and others[c] if `squared`, else the L1 distance."""
    return squared_distance(ones, i, others, c) if squared else city_distance(ones, i, others, c)


@njit(cache=True, nogil=True, error_model="numpy")
def _sum(vectors: Vectors, i: int) -> int:
    """Return the sum of the entries of vectors[i]."""
    total = np.int32(0)
    for j in range(vectors.shape[1]):
        total = np.int32(total + np.int32(vectors[i, j]))
    return int(total)


@njit(cache=True, nogil=True, error_model="numpy")
def assign(vectors: Vectors, weights: Longs, centres: Vectors, sums: Longs, squared: bool, labels: UShorts) -> int:
    """Write the number of the nearest of centres[K, D] to each of vectors[N, D] of a weight above 0 into labels[N].

    Returns the weighted sum of the distances, squares for L2. sums: int64[K], of the centres, ascending.
    """
    k = centres.shape[0]
    reach = centres.shape[1] if squared else 1
    total = 0
    at = 0
    for i in range(vectors.shape[0]):
        if not weights[i]:
            continue
        own = _sum(vectors, i)
        while at < k and sums[at] < own:  # neighbours in a list of hands are often neighbours in strength
            at += 1
        while at > 0 and sums[at - 1] >= own:
            at -= 1
        best = _FAR
        label = 0
        first = max(at - _NEAR, 0)  # a few from below, so that the way up does not go far in vain
        for c in range(first, k):
            gap = max(sums[c] - own, 0)
            if (gap * gap if squared else gap) > reach * best:
                break
            centre_distance = distance(vectors, i, centres, c, squared)
            if centre_distance < best:
                best = centre_distance
                label = c
        for c in range(first - 1, -1, -1):
            gap = own - sums[c]
            if (gap * gap if squared else gap) > reach * best:
                break
            centre_distance = distance(vectors, i, centres, c, squared)
            if centre_distance <= best:
                best = centre_distance
                label = c
        labels[i] = label
        total += weights[i] * best
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def draw_nearer(vectors: Vectors, sums: Longs, centre: Vectors, squared: bool, weights: Longs, nearest: Longs) -> int:
    """Lower nearest[N] to the distance from a new centre [1, D], and return the sum of weights * nearest (k-means++).

    sums: int64[N] of the vectors. A vector whose sum is too far from the centre's is not even read.
    """
    own = _sum(centre, 0)
    dims = vectors.shape[1]
    total = 0
    for i in range(vectors.shape[0]):
        gap = abs(sums[i] - own)
        if gap * gap < dims * nearest[i] if squared else gap < nearest[i]:
            centre_distance = distance(vectors, i, centre, 0, squared)
            nearest[i] = min(nearest[i], centre_distance)
        total += weights[i] * nearest[i]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def means(
    vectors: Vectors, weights: Longs, members: Longs, starts: Longs, first: int, last: int, centres: Vectors
) -> None:
    """Write the rounded weighted means of clusters first .. last - 1 into centres; leave those without members alone.

    members[starts[c] : starts[c + 1]] are the vectors of cluster c.
    """
    totals = np.empty(vectors.shape[1], np.int64)
    for c in range(first, last):
        if starts[c] == starts[c + 1]:
            continue
        totals[:] = 0
        weight = 0
        for at in range(starts[c], starts[c + 1]):
            i = members[at]
            weight += weights[i]
            for j in range(totals.shape[0]):
                totals[j] += weights[i] * int(vectors[i, j])
        for j in range(totals.shape[0]):
            centres[c, j] = (2 * totals[j] + weight) // (2 * weight)


@njit(cache=True, nogil=True, error_model="numpy")
def medians(
    vectors: Vectors, weights: Longs, members: Longs, starts: Longs, first: int, last: int, centres: Vectors
) -> None:
    """Write the lower weighted median of each entry, which minimises L1, as `means` does the means; entries are bytes."""
    bins = np.empty((vectors.shape[1], 256), np.int64)
    for c in range(first, last):
        if starts[c] == starts[c + 1]:
            continue
        bins[:] = 0
        weight = 0
        for at in range(starts[c], starts[c + 1]):
            i = members[at]
            weight += weights[i]
            for j in range(bins.shape[0]):
                bins[j, vectors[i, j]] += weights[i]
        for j in range(bins.shape[0]):
            below = 0
            value = 0
            while 2 * (below + bins[j, value]) < weight:
                below += bins[j, value]
                value += 1
            centres[c, j] = value


# --- Compiled features of hands on a board, by which they are clustered; whole numbers, the same on every machine.

GROUPS = 8
"""Number of groups of starting hands."""
EQUITY = 1000
"""An equity of 1 in `clustering.group_equities`."""


@njit(cache=True, nogil=True, error_model="numpy")
def group_counts(
    strengths: Ints, order: npt.NDArray[np.intp], holes: Bytes, group_of: UBytes, counts: Ints, held: Ints
) -> None:
    """Add to counts int32[1326, GROUPS] twice the hands of each group that a hand beats on a river, plus those it ties.

    The hand itself counts as -1 in its own group. strengths: int32[1326], ranks on the river. order: the hands that miss
    the board, weakest first. group_of: uint8[1326]. held: int32[53, GROUPS], zeros at first; then the hands of each group
    that hold each card, and in row 52 all of them.

    One sweep from weak to strong as in `strength_kernels.add_counts`, every counter kept once for each group.
    """
    start = 0
    for end in range(order.shape[0] + 1):
        if end < order.shape[0] and strengths[order[end]] == strengths[order[start]]:
            continue
        for passing in range(3):  # before, while and after the hands of one strength join those passed
            for i in range(start, end):
                h = order[i]
                x, y = holes[h, 0], holes[h, 1]
                if passing == 1:
                    g = group_of[h]
                    held[x, g] += 1
                    held[y, g] += 1
                    held[52, g] += 1
                else:
                    for g in range(GROUPS):
                        counts[h, g] += without(held[52, g], held[x, g], held[y, g])
        start = end
