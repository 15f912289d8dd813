"""Numbers without gaps for all pairs of a hold'em hand and a flop that differ by more than the names of suits.

A suit that holds h cards of the hand and f of the flop is of *kind* h + 3 f. Within its kind it has the number

    colex rank of which of its cards, from the lowest, are the flop's * C(13, h + f) + colex rank of its ranks

and the four suits sorted by (kind, number) are the pair up to suits. Four sorted kinds are one block of numbers. Suits of
different kinds are independent digits in it; k suits of one kind with numbers a1 <= a2 <= ... are a multiset, numbered
C(a1, 1) + C(a2 + 1, 2) + ... The idea is Waugh's (A fast and optimal hand isomorphism algorithm, 2013); the order is ours.
"""

from functools import cache
from itertools import combinations_with_replacement
from math import comb

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.cards.handspace import hand_space

FLOP_HANDS = 1_286_792
"""Number of pairs of a hand and a flop that differ by more than the names of suits."""

_KINDS = 12
_KIND_BITS = 20  # a suit's sort key is kind << 20 | number


def flop_numbers(
    flop: tuple[int, ...], hands: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (hands, number of each with the flop), each int64 of equal length; numbers are below FLOP_HANDS.

    hands: some hands that miss the flop; None takes all 1,176 of them.
    """
    live = np.flatnonzero(~hand_space().blocked(flop)) if hands is None else hands
    held, dealt = _held()[:, live], np.zeros((4, 1), np.int64)
    for card in flop:
        dealt[card & 3] |= 1 << (card >> 2)
    ranks, pattern = held | dealt, np.zeros_like(held)
    for card in flop:
        below = ranks[card & 3] & ((1 << (card >> 2)) - 1)
        pattern[card & 3] |= 1 << np.bitwise_count(below).astype(np.int64)
    colex, set_counts = _colex()
    number = colex[pattern] * set_counts[np.bitwise_count(ranks)] + colex[ranks]
    kind = (np.bitwise_count(held) + 3 * np.bitwise_count(dealt)).astype(np.int64)
    suits = np.sort(kind << _KIND_BITS | number, axis=0)
    kinds, numbers = suits >> _KIND_BITS, suits & ((1 << _KIND_BITS) - 1)
    codes, first, steps, alike = _blocks()
    block = np.searchsorted(codes, _KINDS ** np.arange(3, -1, -1) @ kinds)
    pairs = numbers * (numbers + 1) // 2
    digits = np.choose(alike[:, block] - 1, [numbers, pairs, pairs * (numbers + 2) // 3])
    return live, first[block] + (steps[:, block] * digits).sum(axis=0)


@cache
def _held() -> NDArray[np.int64]:
    """Return int64[4, 1326]: the ranks that every hand holds of each suit, as a set with a bit for each."""
    held = np.zeros((4, hand_space().size), np.int64)
    for card in hand_space().holes.T.astype(np.int64):
        held[card & 3, np.arange(hand_space().size)] |= 1 << (card >> 2)
    return held


@cache
def _colex() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (colex rank of each rank set among those of its size, int64[8192]; number of sets of each size)."""
    sizes = np.bitwise_count(np.arange(1 << 13))
    ranks = np.empty(1 << 13, np.int64)
    for size in range(14):
        ranks[sizes == size] = np.arange(comb(13, size))  # colex order is numerical order
    return ranks, np.bincount(sizes)


@cache
def _blocks() -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return (kinds, first number, steps [4, B], multiplicities [4, B]) of the B blocks, in ascending order.

    kinds: the four kinds as digits of one number. steps: what a step of each suit's digit adds to the number.
    multiplicities: 1 for the first suit of a kind, 2 for the second, 3 for the third.
    """
    rows = []
    first = 0
    for block in combinations_with_replacement(range(_KINDS), 4):
        if sum(kind % 3 for kind in block) != 2 or sum(kind // 3 for kind in block) != 3:
            continue
        steps, size = [0] * 4, 1
        for kind in sorted(set(block)):
            held, dealt = kind % 3, kind // 3
            suits = comb(held + dealt, held) * comb(13, held + dealt)
            positions = [position for position, other in enumerate(block) if other == kind]
            for position in positions:
                steps[position] = size
            size *= comb(suits + len(positions) - 1, len(positions))
        alike = [block[: position + 1].count(kind) for position, kind in enumerate(block)]
        rows.append(
            [int(sum(kind * _KINDS ** (3 - position) for position, kind in enumerate(block))), first, *steps, *alike]
        )
        first += size
    assert first == FLOP_HANDS
    table = np.array(rows).T
    return table[0], table[1], table[2:6], table[6:]
