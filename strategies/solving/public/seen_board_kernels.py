"""Compiled part of `seen_boards`: the sums over weaker hands that each hand needs."""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.strategies.solving.lanes_kernels import WIDTH


@njit(cache=True, nogil=True, error_model="numpy")
def arrange(
    cards: NDArray[np.int64], run_end: NDArray[np.int32], order: NDArray[np.int64], count: int
) -> tuple[NDArray[np.uint16], NDArray[np.int64], NDArray[np.uint16], NDArray[np.uint16]]:
    """Return `weakest`, `card`, `holders` and `sums` of a `SeenBoard`.

    Args:
        cards, run_end: of the hands by strength, weakest first.
        order: ``[H]``: index by strength of the n-th hand of the `SeenBoard`.
        count: number of cards C.
    """
    hands = len(order)
    weakest, holders = np.empty(hands, np.uint16), np.empty(2 * hands, np.uint16)
    card, sums = np.zeros(count + 1, np.int64), np.empty((hands, 8), np.uint16)
    for n in range(hands):
        weakest[order[n]] = WIDTH * n
    for k in range(hands):
        card[cards[k, 0]] += 1
        card[cards[k, 1]] += 1
    end = 2 * hands
    for c in range(count, -1, -1):  # counts become starts, which then move on as hands are filled in
        end -= card[c]
        card[c] = end
    begin = 0
    while begin < hands:
        end = int(run_end[begin])
        for k in range(begin, end):
            row = sums[weakest[k] // WIDTH]
            row[0], row[1] = WIDTH * begin, WIDTH * end
            row[2], row[5] = WIDTH * (card[cards[k, 0]] + cards[k, 0]), WIDTH * (card[cards[k, 1]] + cards[k, 1])
        for k in range(begin, end):
            for side in range(2):
                c = cards[k, side]
                holders[card[c]] = weakest[k]
                card[c] += 1
        for k in range(begin, end):
            row = sums[weakest[k] // WIDTH]
            row[3], row[6] = WIDTH * (card[cards[k, 0]] + cards[k, 0]), WIDTH * (card[cards[k, 1]] + cards[k, 1])
        begin = end
    for k in range(hands):  # each card's entry is now behind its last hand
        row = sums[weakest[k] // WIDTH]
        row[4], row[7] = WIDTH * (card[cards[k, 0]] + cards[k, 0]), WIDTH * (card[cards[k, 1]] + cards[k, 1])
    for c in range(count, 0, -1):
        card[c] = card[c - 1]
    card[0] = 0
    return weakest, card, holders, sums
