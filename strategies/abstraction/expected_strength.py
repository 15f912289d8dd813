"""The strength of hold'em hands when all cards are dealt, its square, and buckets with equally many hands.

HS is the share of opposing hands that a hand beats on a full board, ties counted half. E[HS] and E[HS²] are its mean and
the mean of its square over all run-outs; the square rewards hands that may become very strong (Kebrle 2016, section 7.3).
"""

from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction import card_table_kernels as kernels
from limpet.strategies.abstraction.clusters.clustering import strength_moments
from limpet.strategies.cards.equity import FULL_COUNT
from limpet.strategies.cards.handspace import board_cards, hand_space, read_only
from limpet.strategies.cards.isomorphism import canonical_boards, hand_permutation

KNOWN_SWEEPS = 4
"""Number of flops whose orders of hands are remembered, 2.5 MB each."""


def expected_squares(board: tuple[int, ...]) -> NDArray[np.float64]:
    """Return float64 ``[1326]``: the exact E[HS²] of each hand on 3, 4 or 5 board cards, 0 where blocked; read-only.

    A flop takes some 25 ms the first time, and flops that differ in the names of suits only share the work. Raises
    `ValueError` for other boards.
    """
    cards = tuple(sorted(board_cards(board, 3, 4, 5)))
    if len(cards) > 3:
        return _of_board(cards)
    number, permutation = canonical_boards(3).find(cards)
    return read_only(_of_flop(number)[hand_permutation(permutation)])


def equal_count_buckets(values: NDArray[np.floating], live: NDArray[np.bool_], count: int) -> NDArray[np.int8]:
    """Return int8 ``[hand]``: the bucket of each hand, 0 for the largest values; -1 for hands that are not live.

    A hand with the rank r of n (0 for the largest value) is in bucket floor(count * r / n). Hands of equal value share
    the bucket of their middle rank, so that a tie is never split.
    """
    held = -values[live]
    ordered = np.sort(held)
    first, after = np.searchsorted(ordered, held), np.searchsorted(ordered, held, side="right")
    buckets = np.full(len(values), -1, np.int8)
    buckets[live] = count * (first + after - 1) // (2 * len(held)) if len(held) else 0
    return buckets


@lru_cache(maxsize=1024)
def strength_buckets(board: tuple[int, ...], count: int) -> NDArray[np.int8]:
    """Return int8 ``[1326]``: equal-count buckets by E[HS²], 0 for the strongest; -1 where blocked; read-only."""
    live = ~hand_space().blocked(board)
    return read_only(equal_count_buckets(expected_squares(board), live, count))


def flop_equity(flop: tuple[int, ...], share: float) -> NDArray[np.float64]:
    """Return float64 ``[1326]``: the equity of each hand on a flop against the strongest `share` of all hands by E[HS²].

    It is 0 for hands that the flop blocks. A flop whose strengths were asked for lately takes some 10 ms the first time.
    """
    number, permutation = canonical_boards(3).find(tuple(sorted(flop)))
    return _flop_equity(number, share)[hand_permutation(permutation)]


def strongest(board: tuple[int, ...], share: float) -> NDArray[np.bool_]:
    """Return bool ``[1326]``: whether a hand is one of the strongest `share` of all hands by its E[HS²], ties included."""
    live, square = ~hand_space().blocked(board), expected_squares(board)
    return np.asarray(live & (square >= np.quantile(square[live], 1 - share)))


@lru_cache(maxsize=256)
def _flop_equity(number: int, share: float) -> NDArray[np.float64]:
    space = hand_space()
    inside = strongest(_flop(number), share)
    counts = kernels.count_range(_sweep(number)[1], space.holes, inside.astype(np.int32))
    opposing = space.compatible(inside.astype(np.float64)) * comb(45, 2)
    return read_only(np.divide(counts / 2, opposing, out=np.zeros(space.size), where=(counts > 0) & (opposing > 0)))


@lru_cache(maxsize=KNOWN_SWEEPS)
def _sweep(number: int) -> tuple[NDArray[np.int64], NDArray[np.int16]]:
    """Return the sums of squares of all hands on a canonical flop, and their orders on all rivers (`sweep_flop`)."""
    squares, orders = kernels.sweep_flop(np.array(_flop(number), np.int8), hand_space().holes)
    return squares, orders


def _flop(number: int) -> tuple[int, ...]:
    return tuple(int(card) for card in canonical_boards(3).boards[number])


@lru_cache(maxsize=1755)
def _of_flop(number: int) -> NDArray[np.float64]:
    return _mean_square(_sweep(number)[0], 3)


@lru_cache(maxsize=512)
def _of_board(board: tuple[int, ...]) -> NDArray[np.float64]:
    return _mean_square(strength_moments(board)[:, 1], len(board))


def _mean_square(squares: NDArray[np.int64], board_cards: int) -> NDArray[np.float64]:
    runouts = FULL_COUNT[board_cards] // FULL_COUNT[5]
    return read_only(squares / runouts / FULL_COUNT[5] ** 2)
