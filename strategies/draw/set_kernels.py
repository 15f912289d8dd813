"""Compiled sums over the sets of cards in five-card hands: inclusion and exclusion for card removal and for draws.

A hand's *kept* row names the canonical set of each choice of its cards, bit i of the mask for card i. Sets stand for all
sets that a permutation of suits makes of them, so that weights must not depend on suits either.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.strategies.solving.lanes_kernels import WIDTH, interleave, load, spread, store

if TYPE_CHECKING:
    from limpet.strategies.solving.lanes_kernels import Lanes

F0 = np.float32(0)


@njit(cache=True, nogil=True, error_model="numpy")
def apart_sums(
    signed: NDArray[np.int32], share: NDArray[np.float32], run_end: NDArray[np.int64], reach: NDArray[np.float32],
    sums: NDArray[np.float32], net: NDArray[np.float32], apart: NDArray[np.float32], shown: bool,
) -> None:  # fmt: skip
    """Write, for eight reach rows at once, the reach of hands without a common card, and wins minus losses among them.

    signed: ``[hand, 31]``: entry of the table of sums for each set of 0 to 4 of a hand's cards, even sizes first (16),
        then odd ones (15).
    share: ``[hand, 31]``: weight with which the hand's reach enters each of these sums.
    reach, net, apart: ``[hand, 8]`` flat. sums: the table, ``[sets, 8]`` flat. shown: whether `net` is wanted.

    The hands that share no card with a hand are all hands, less those with each of its cards, plus those with each two of
    them, and so on; the set of all five is the hand itself. Going through the hands by strength, the same sums say how
    much reach was passed before a run of ties and after it.
    """
    zero = spread(F0)
    for x in range(0, len(sums), WIDTH):
        store(sums, x, zero)
    begin = 0
    for end in run_end:
        if shown:
            for h in range(begin, end):
                store(net, h * WIDTH, _passed(signed, sums, h))
        for h in range(begin, end):
            own = load(reach, h * WIDTH)
            for s in range(31):
                at = signed[h, s] * WIDTH
                store(sums, at, load(sums, at) + own * spread(share[h, s]))
        if shown:
            for h in range(begin, end):
                passed = _passed(signed, sums, h) - load(reach, h * WIDTH)
                store(net, h * WIDTH, load(net, h * WIDTH) + passed)
        begin = end
    for h in range(begin):
        everything = _passed(signed, sums, h) - load(reach, h * WIDTH)
        store(apart, h * WIDTH, everything)
        if shown:
            store(net, h * WIDTH, load(net, h * WIDTH) - everything)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _passed(signed: NDArray[np.int32], sums: NDArray[np.float32], h: int) -> "Lanes":
    total = spread(F0)
    for s in range(16):
        total = total + load(sums, signed[h, s] * WIDTH)
    for s in range(16, 31):
        total = total - load(sums, signed[h, s] * WIDTH)
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def to_lanes(
    rows: NDArray[np.float32], starts: NDArray[np.int64], scale: NDArray[np.float32], hands: int,
    target: NDArray[np.float32],
) -> None:  # fmt: skip
    """Write eight rows of one flat array hand by hand, ``target[hand, 8]`` flat, each hand times its scale."""
    whole = hands // WIDTH * WIDTH
    for h in range(0, whole, WIDTH):
        interleave(
            rows, starts[0] + h, starts[1] + h, starts[2] + h, starts[3] + h, starts[4] + h, starts[5] + h,
            starts[6] + h, starts[7] + h, target, h * WIDTH,
        )  # fmt: skip
    for h in range(whole, hands):
        for lane in range(WIDTH):
            target[h * WIDTH + lane] = rows[starts[lane] + h]
    for h in range(hands):
        store(target, h * WIDTH, load(target, h * WIDTH) * spread(scale[h]))


@njit(cache=True, nogil=True, error_model="numpy")
def from_lanes(lanes: NDArray[np.float32], lane: int, hands: int, target: NDArray[np.float32], start: int) -> None:
    """Write one lane of ``lanes[hand, 8]`` into a row of `target`."""
    for h in range(hands):
        target[start + h] = lanes[h * WIDTH + lane]


@njit(cache=True, nogil=True, error_model="numpy")
def drawn_from_sets(kept: NDArray[np.int32], set_values: NDArray[np.float32], result: NDArray[np.float32]) -> None:
    """Write the sums of what each hand may draw to, ``result[hand, 32]``, from the sums of all hands that hold a set.

    set_values: ``[sets]``: sum of values over all hands that hold the set's cards. By inclusion and exclusion over the
    discarded cards, the sum over hands with the kept cards and none of the others is a Möbius transform of 32 numbers.
    """
    for h in range(kept.shape[0]):
        for mask in range(32):
            result[h, mask] = set_values[kept[h, mask]]
        for i in range(5):
            bit = 1 << i
            for mask in range(32):
                if not mask & bit:
                    result[h, mask] -= result[h, mask | bit]


@njit(cache=True, nogil=True, error_model="numpy")
def drawn_to_sets(kept: NDArray[np.int32], share: NDArray[np.float32], result: NDArray[np.float64]) -> None:
    """Add, to ``result[sets]``, the weights of sets that stand for the draws of each hand: the transpose of the above.

    share: ``[hand, 32]``: reach of keeping each mask's cards, divided by the number of draws.
    """
    row = np.empty(32, np.float64)
    for h in range(kept.shape[0]):
        for mask in range(32):
            row[mask] = share[h, mask]
        for i in range(5):
            bit = 1 << i
            for mask in range(32):
                if not mask & bit:
                    row[mask | bit] -= row[mask]
        for mask in range(32):
            result[kept[h, mask]] += row[mask]


@njit(cache=True, nogil=True, error_model="numpy")
def holders(
    kept: NDArray[np.int32], combos: NDArray[np.int32], copies: NDArray[np.int32], of_class: NDArray[np.int32],
    result: NDArray[np.float32],
) -> None:  # fmt: skip
    """Add, to ``result[sets, buckets]``, the number of hands of each bucket that hold a set of 0 to 4 cards."""
    for h in range(kept.shape[0]):
        for mask in range(31):
            s = kept[h, mask]
            result[s, of_class[h]] += np.float32(combos[h]) / np.float32(copies[s])
