"""Compiled hand groups: hashes of the values of hands on rivers, and the numbering of hands whose values are equal.

A *hash* here is two independent 64-bit lanes, uint64[2]. A value is hashed by a mixing function, and a multiset of values
(a histogram) by the sum of its members' hashes, wrapping around. The sum does not depend on order, a histogram of
histograms needs only one more mixing, and a blocked hand adds zero. Equal multisets have equal sums; different ones
collide with a chance of 2**-128.
"""

import numpy as np
import numpy.typing as npt

from limpet.protocol.jit import njit
from limpet.protocol.ranking_kernels import card_mask, hold_em_strengths
from limpet.strategies.cards.card_removal_kernels import without
from limpet.strategies.cards.strength_kernels import add_river_counts
from limpet.strategies.sampling_kernels import mixed

RANK, STRENGTH, OPPONENTS = 0, 1, 2
"""Kinds of values of a hand on a river, see `river_hashes`."""
LANES = 2
SLOTS = 4096
"""Size of the hash table in `number_groups`."""

_SALT = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True, error_model="numpy")
def mix(value: np.uint64, lane: int) -> np.uint64:
    """Mix a 64-bit number by a bijection that leaves no pattern, another for each lane."""
    return mixed(value, _SALT * np.uint64(lane))


@njit(cache=True, nogil=True, error_model="numpy")
def add_mixed(hashes: npt.NDArray[np.uint64], totals: npt.NDArray[np.uint64]) -> None:
    """Add the mixed hashes[H, 2] to totals[H, 2], one more histogram in each multiset; zeros (blocked hands) add nothing."""
    for h in range(hashes.shape[0]):
        if hashes[h, 0] or hashes[h, 1]:
            for lane in range(LANES):
                totals[h, lane] += mix(hashes[h, lane], lane)


@njit(cache=True, nogil=True, error_model="numpy")
def river_hashes(
    kind: int,
    board: int,
    holes: npt.NDArray[np.int8],
    scratch: npt.NDArray[np.int32],
    values: npt.NDArray[np.int32],
    held: npt.NDArray[np.uint64],
    hashes: npt.NDArray[np.uint64],
) -> None:
    """Write the hash of every hand's value on one river into hashes[1326, 2]; zero where blocked.

    board: mask of five cards; holes: int8[1326, 2]; scratch: int32[4, 1326]; values: int32[1326] and held:
    uint64[53, 2], both scratch. The value is, by kind:

    RANK       the seven-card rank
    STRENGTH   twice the wins plus the ties against the 990 opposing hands
    OPPONENTS  that, and the multiset of the same count of each of the 990 opponents, all their hands possible

    The opponents of a hand are summed by `card_removal_kernels`: three sums instead of 990 terms.
    """
    hold_em_strengths(board, holes, scratch[3, :169], scratch[0])
    for h in range(holes.shape[0]):
        values[h] = 0 if scratch[0, h] >= 0 else -1
    if kind == RANK:
        for h in range(holes.shape[0]):
            values[h] = scratch[0, h]
    else:
        add_river_counts(board, holes, scratch, values)
    if kind != OPPONENTS:
        for h in range(holes.shape[0]):
            for lane in range(LANES):
                hashes[h, lane] = mix(np.uint64(values[h]), lane) if values[h] >= 0 else np.uint64(0)
        return
    held[:] = 0  # by card the sum over the live hands that hold it, and in row 52 over all
    for h in range(holes.shape[0]):
        if values[h] >= 0:
            for lane in range(LANES):
                one = mix(np.uint64(values[h]), lane)
                held[holes[h, 0], lane] += one
                held[holes[h, 1], lane] += one
                held[52, lane] += one
    for h in range(holes.shape[0]):
        for lane in range(LANES):
            hashes[h, lane] = 0
            if values[h] >= 0:
                one = mix(np.uint64(values[h]), lane)
                opponents = without(held[52, lane], held[holes[h, 0], lane], held[holes[h, 1], lane]) + one
                hashes[h, lane] = mix(mix(opponents, lane) + one, lane)


@njit(cache=True, nogil=True, error_model="numpy")
def leaf_hashes(kind: int, flop: npt.NDArray[np.int8], holes: npt.NDArray[np.int8]) -> npt.NDArray[np.uint64]:
    """Return uint64[1326, 1326, 2]: `river_hashes` of every turn and river after a flop.

    The first axis is the colex index of {turn, river}, the second the hand; zero where a card would be dealt twice.
    """
    hashes = np.zeros((holes.shape[0], holes.shape[0], LANES), dtype=np.uint64)
    scratch = np.empty((4, 1326), dtype=np.int32)
    values = np.empty(holes.shape[0], dtype=np.int32)
    held = np.empty((53, LANES), dtype=np.uint64)
    common = card_mask(flop, 3)
    for pair in range(holes.shape[0]):
        later = card_mask(holes[pair], 2)
        if not later & common:
            river_hashes(kind, common | later, holes, scratch, values, held, hashes[pair])
    return hashes


@njit(cache=True, nogil=True, error_model="numpy")
def number_groups(keys: npt.NDArray[np.uint64], leaves: npt.NDArray[np.uint64]) -> npt.NDArray[np.int16]:
    """Return int16[H]: the groups of hands that are equal, numbered from 0 by first appearance; -1 where the key is zero.

    A hand joins the first group whose first hand has the same key, keys[H, 2], and the same hash on every leaf where
    neither is zero, leaves[any, H, 2] (none: keys decide alone).
    """
    heads = np.full(SLOTS, -1, np.int16)
    chain, firsts, groups = np.empty((3, keys.shape[0]), np.int16)
    count = 0
    for h in range(keys.shape[0]):
        groups[h] = -1
        if not (keys[h, 0] or keys[h, 1]):
            continue
        slot = int(keys[h, 0]) & (SLOTS - 1)
        group = heads[slot]
        last = -1
        while group >= 0:
            first = firsts[group]
            if keys[first, 0] == keys[h, 0] and keys[first, 1] == keys[h, 1] and _agree(leaves, first, h):
                break
            last = group
            group = chain[group]
        if group < 0:
            group = count
            firsts[group] = h
            chain[group] = -1
            if last < 0:
                heads[slot] = group
            else:
                chain[last] = group
            count += 1
        groups[h] = group
    return groups


@njit(cache=True, nogil=True, error_model="numpy")
def _agree(leaves: npt.NDArray[np.uint64], one: int, other: int) -> bool:
    for leaf in range(leaves.shape[0]):
        a = leaves[leaf, one, 0]
        b = leaves[leaf, other, 0]
        if (a != b or leaves[leaf, one, 1] != leaves[leaf, other, 1]) and a and b:
            return False
    return True
