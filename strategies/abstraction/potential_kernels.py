"""Compiled clustering of flop hands by the turn buckets that they may meet, under a quick earth mover's distance.

A hand is its ATOMS = 47 turn buckets, one for each turn card. A centre is a histogram over turn buckets: a *support* of
S of them and their weights, UNIT for each atom of a hand, ATOMS * UNIT in all, zeros at the end. The ground distance of
two turn buckets is that of their centres. Moving earth optimally is a linear program; instead every atom takes the
nearest bucket of the support that has room left, then those left over the next nearest, and so on (Ganzfried &
Sandholm, Potential-aware imperfect-recall abstraction with earth mover's distance, 2014).

The mean of the turn centres that a hand meets is about its own river distribution, and since the ground distance is a
norm, the L1 distance of two means is never more than the earth mover's distance: nearly all centres are ruled out by
it (up to the rounding of the centres' means), most even by its sum, as in `clustering_kernels`.
"""

from typing import NamedTuple

import numpy as np

from limpet.common.jit import Ints, Longs, Shorts, UBytes, UShorts, njit
from limpet.strategies.abstraction.clustering_kernels import city_distance

ATOMS = 47
"""Number of turn cards that a flop hand may see, and so of its turn buckets."""
UNIT = 16
"""Weight of one atom."""

_OUTSIDE = 1 << 30
_FAR = 1 << 50


class Centre(NamedTuple):
    """A histogram over at most S of K turn buckets, with turn centres of D entries.

    Attributes:
        support: uint16[S]: its turn buckets.
        nearest: uint8[K, S]: for each turn bucket the positions in the support, nearest first.
        mean: int16[D]: the sum of the turn centres by weight, in units of a hand's sums.
    """

    support: UShorts
    weights: Ints
    """int32[S]: the weight of each, UNIT for an atom, ATOMS * UNIT in all; zeros at the end."""
    nearest: UBytes
    mean: Shorts


class Centres(NamedTuple):
    """Several centres, in ascending order of the sum of their means: from weak to strong.

    Attributes:
        supports: uint16[k, S], see `Centre.support`.
        weights: int32[k, S], see `Centre.weights`.
        nearest: uint8[k, K, S], see `Centre.nearest`.
        means: int16[k, D], see `Centre.mean`.
        totals: int64[k]: sum of each mean, ascending.
    """

    supports: UShorts
    weights: Ints
    nearest: UBytes
    means: Shorts
    totals: Longs

    def centre(self, number: int) -> Centre:
        """Return one of the centres."""
        return Centre(self.supports[number], self.weights[number], self.nearest[number], self.means[number])


@njit(cache=True, nogil=True, error_model="numpy")
def sum_atoms(atoms: UShorts, centres: UBytes, first: int, last: int, sums: Shorts) -> None:
    """Write sums[i] = the sum of the turn centres [K, D] of atoms[i], for hands first .. last - 1; int16[N, D]."""
    for i in range(first, last):
        sums[i] = 0
        for a in range(atoms.shape[1]):
            for j in range(sums.shape[1]):
                sums[i, j] = np.int16(sums[i, j] + np.int16(centres[atoms[i, a], j]))


@njit(cache=True, nogil=True, error_model="numpy")
def earth_moved(
    atoms: UShorts, support: UShorts, weights: Ints, nearest: UBytes, ground: UShorts, enough: int, room: Ints,
    left: Ints,
) -> int:  # fmt: skip
    """Return the greedy cost of moving a hand's atoms[47], ascending, to the centre (support, weights, nearest).

    Once the cost is `enough` or more, the sum so far is returned. ground: uint16[K, K]. Scratch: room int32[S], left
    int32[2, 47].
    """
    for s in range(len(room)):
        room[s] = weights[s]
    moving = 0
    for a in range(atoms.shape[0]):  # equal atoms, which are neighbours, move as one
        if moving and left[0, moving - 1] == atoms[a]:
            left[1, moving - 1] += UNIT
        else:
            left[0, moving] = atoms[a]
            left[1, moving] = UNIT
            moving += 1
    cost = 0
    turn = 0
    while moving:
        still = 0
        for at in range(moving):
            bucket = left[0, at]
            earth = left[1, at]
            slot = nearest[bucket, turn]
            moved = min(earth, room[slot])
            if moved:
                room[slot] -= moved
                cost += moved * int(ground[bucket, support[slot]])
                earth -= moved
            if earth:
                left[0, still] = left[0, at]
                left[1, still] = earth
                still += 1
        if cost >= enough:
            return cost
        moving = still
        turn += 1
    return cost


@njit(cache=True, nogil=True, error_model="numpy")
def assign(
    atoms: UShorts, sums: Shorts, centres: Centres, ground: UShorts, labels: Ints, costs: Longs, first: int, last: int
) -> None:
    """Write the nearest centre and its cost for hands first .. last - 1; of equals the first that the search comes to.

    atoms: uint16[N, 47]; sums: int16[N, D].
    """
    supports, weights, nearest, means, totals = centres
    k = supports.shape[0]
    room = np.empty(supports.shape[1], np.int32)
    left = np.empty((2, ATOMS), np.int32)
    at = 0
    for i in range(first, last):
        own = 0
        for j in range(sums.shape[1]):
            own += int(sums[i, j])
        while at < k and totals[at] < own:
            at += 1
        while at > 0 and totals[at - 1] >= own:
            at -= 1
        up = at
        down = at - 1
        best = _FAR
        label = 0
        while True:
            above = totals[up] - own if up < k else _OUTSIDE
            below = own - totals[down] if down >= 0 else _OUTSIDE
            gap = min(above, below)
            if gap == _OUTSIDE or UNIT * gap >= best:
                break
            if above <= below:
                c = up
                up += 1
            else:
                c = down
                down -= 1
            if UNIT * city_distance(sums, i, means, c) >= best:
                continue
            cost = earth_moved(atoms[i], supports[c], weights[c], nearest[c], ground, best, room, left)
            if cost < best:
                best = cost
                label = c
        labels[i] = label
        costs[i] = best


@njit(cache=True, nogil=True, error_model="numpy")
def draw_nearer(
    atoms: UShorts, sums: Shorts, centre: Centre, ground: UShorts, costs: Longs, first: int, last: int
) -> None:
    """Lower the costs of hands first .. last - 1 to those of a new centre (k-means++)."""
    support, weights, nearest, mean = centre
    means = mean.reshape((1, mean.shape[0]))
    room = np.empty(support.shape[0], np.int32)
    left = np.empty((2, ATOMS), np.int32)
    for i in range(first, last):
        if UNIT * city_distance(sums, i, means, 0) < costs[i]:
            cost = earth_moved(atoms[i], support, weights, nearest, ground, int(costs[i]), room, left)
            costs[i] = min(int(costs[i]), cost)


@njit(cache=True, nogil=True, error_model="numpy")
def total_cost(atoms: UShorts, hands: Longs, hand_weights: Longs, centre: Centre, ground: UShorts, enough: int) -> int:
    """Return the sum of hand_weights[N] * cost of moving some hands to a centre, or what it is once it is `enough`."""
    support, weights, nearest, _ = centre
    room = np.empty(support.shape[0], np.int32)
    left = np.empty((2, ATOMS), np.int32)
    total = 0
    for hand in hands:
        cost = earth_moved(atoms[hand], support, weights, nearest, ground, _FAR, room, left)
        total += int(hand_weights[hand]) * cost
        if total >= enough:
            break
    return total
