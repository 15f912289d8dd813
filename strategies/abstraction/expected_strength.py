"""The strength of hold'em hands when all cards are dealt, its square, and buckets with equally many hands.

HS is the share of opposing hands that a hand beats on a full board, ties counted half. E[HS] and E[HS²] are its mean and
the mean of its square over all run-outs; the square rewards hands that may become very strong (Kebrle 2016, section 7.3).
"""

from functools import lru_cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction import flop_sweep_kernels as kernels
from limpet.strategies.abstraction.clusters.features import strength_moments
from limpet.strategies.cards.handspace import board_cards, hand_space, read_only
from limpet.strategies.cards.isomorphism import canonical_boards, hand_permutation

RIVER_COUNT = 1980
"""Twice the number of opposing hands on a river: the count of a hand that beats all of them."""
KNOWN_SWEEPS = 4
"""Number of flops whose orders of hands are remembered, 2.5 MB each."""
RUNOUTS = {3: 1081, 4: 46, 5: 1}
"""Number of run-outs that miss a hand, by the number of board cards."""


class ExpectedStrength(NamedTuple):
    """Expected strengths of all hands on a board; hands that the board blocks have 0. The arrays are read-only."""

    mean: NDArray[np.float64]
    """``[1326]``: E[HS], from 0 to 1."""
    square: NDArray[np.float64]
    """``[1326]``: E[HS²], from 0 to 1."""


def expected_strength(board: tuple[int, ...]) -> ExpectedStrength:
    """Return the exact E[HS] and E[HS²] of all 1,326 hands on 3, 4 or 5 board cards. Raises `ValueError` for other boards.

    A flop takes some 25 ms the first time, and flops that differ in the names of suits only share the work.
    """
    cards = tuple(sorted(board_cards(board, 3, 4, 5)))
    if len(cards) > 3:
        return _of_board(cards)
    number, permutation = canonical_boards(3).find(cards)
    move = hand_permutation(permutation)
    mean, square = _of_flop(number)
    return ExpectedStrength(read_only(mean[move]), read_only(square[move]))


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
    return read_only(equal_count_buckets(expected_strength(board).square, live, count))


def flop_equity(flop: tuple[int, ...], share: float) -> NDArray[np.float64]:
    """Return float64 ``[1326]``: the equity of each hand on a flop against the strongest `share` of all hands by E[HS²].

    It is 0 for hands that the flop blocks. A flop whose strengths were asked for lately takes some 10 ms the first time.
    """
    number, permutation = canonical_boards(3).find(tuple(sorted(flop)))
    return _flop_equity(number, share)[hand_permutation(permutation)]


def strongest(board: tuple[int, ...], square: NDArray[np.float64], share: float) -> NDArray[np.bool_]:
    """Return bool ``[1326]``: whether a hand is one of the strongest `share` of all hands by its E[HS²], ties included."""
    live = ~hand_space().blocked(board)
    return np.asarray(live & (square >= np.quantile(square[live], 1 - share)))


@lru_cache(maxsize=256)
def _flop_equity(number: int, share: float) -> NDArray[np.float64]:
    space, flop = hand_space(), _flop(number)
    inside = strongest(flop, _of_flop(number).square, share)
    counts, holding = np.empty(space.size, np.int64), np.empty(52, np.int32)
    kernels.count_range(_sweep(number)[1], space.holes, inside.astype(np.int32), holding, counts)
    met = space.apart(inside.astype(np.float64)) * comb(45, 2)
    return read_only(np.divide(counts / 2, met, out=np.zeros(space.size), where=(counts > 0) & (met > 0)))


@lru_cache(maxsize=KNOWN_SWEEPS)
def _sweep(number: int) -> tuple[NDArray[np.int64], NDArray[np.int16]]:
    """Return the moments of all hands on a canonical flop, and their orders on all rivers (`sweep_flop`)."""
    holes = hand_space().holes
    moments, orders = np.empty((len(holes), 2), np.int64), np.empty((kernels.RUNOUTS, kernels.LIVE), np.int16)
    kernels.sweep_flop(np.array(_flop(number), np.int8), holes, np.empty((5, len(holes)), np.int32), moments, orders)
    return moments, orders


def _flop(number: int) -> tuple[int, ...]:
    return tuple(int(card) for card in canonical_boards(3).boards[number])


def _strength(moments: NDArray[np.int64], board_cards: int) -> ExpectedStrength:
    sums = moments / RUNOUTS[board_cards]
    return ExpectedStrength(read_only(sums[:, 0] / RIVER_COUNT), read_only(sums[:, 1] / RIVER_COUNT**2))


@lru_cache(maxsize=1755)
def _of_flop(number: int) -> ExpectedStrength:
    return _strength(_sweep(number)[0], 3)


@lru_cache(maxsize=512)
def _of_board(board: tuple[int, ...]) -> ExpectedStrength:
    return _strength(strength_moments(board), len(board))
