"""The strength of hold'em hands when all cards are dealt, its square, and buckets with equally many hands.

HS is the share of opposing hands that a hand beats on a full board, ties counted half. E[HS] and E[HS²] are its mean and
the mean of its square over all run-outs; the square rewards hands that may become very strong (Kebrle 2016, section 7.3).
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction.clusters.features import strength_moments
from limpet.strategies.cards.handspace import board_cards, hand_space, read_only
from limpet.strategies.cards.isomorphism import canonical_boards, hand_permutation

RIVER_COUNT = 1980
"""Twice the number of opposing hands on a river: the count of a hand that beats all of them."""
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


def _moments(board: tuple[int, ...]) -> ExpectedStrength:
    sums = strength_moments(board) / RUNOUTS[len(board)]
    return ExpectedStrength(read_only(sums[:, 0] / RIVER_COUNT), read_only(sums[:, 1] / RIVER_COUNT**2))


@lru_cache(maxsize=1755)
def _of_flop(number: int) -> ExpectedStrength:
    return _moments(tuple(int(card) for card in canonical_boards(3).boards[number]))


@lru_cache(maxsize=512)
def _of_board(board: tuple[int, ...]) -> ExpectedStrength:
    return _moments(board)
