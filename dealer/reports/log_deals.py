"""Find the hands of several logs that are the same deal, so that intervals of duplicate matches are right.

Hands are kept as columns of numbers, some 50 bytes each, without their text.
"""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.messages import Hole

CERTAIN = 10
"""Number of hands that must agree where no seed is known. Fewer may agree by chance in games with few cards."""
MOST_COMPARED = 64
"""A new run is compared with this many of the latest groups only, which bounds the time for files of many short runs."""


@dataclass
class ConsecutiveHands:
    """Consecutive hands of a log whose numbers increase. Each column has one entry for each hand."""

    seed: int | None
    hands: "array[int]" = field(default_factory=lambda: array("q"))  # numbers of the hands
    deals: "array[int]" = field(default_factory=lambda: array("q"))  # hashes of the hole cards by position
    orders: "array[int]" = field(default_factory=lambda: array("q"))  # hashes of the players' names by position

    def follows(self, hand: int) -> bool:
        """Return whether the hand numbered `hand` may follow the others."""
        return not self.hands or hand > self.hands[-1]

    def add(self, hand: int, holes: Sequence[Hole], names: Sequence[str]) -> None:
        self.hands.append(hand)
        self.deals.append(hash(tuple(holes)))
        self.orders.append(hash(tuple(names)))


class _Stretch(NamedTuple):
    """A run, or half of one, as arrays of equal length."""

    start: int  # index of the stretch's first hand among the hands of all runs
    hands: NDArray[np.int64]
    deals: NDArray[np.int64]


def number_deals(runs: Iterable[ConsecutiveHands]) -> NDArray[np.int64]:
    """Return the number of the deal of each hand, run after run: int64 ``[hand]``, counted from 0 without gaps."""
    groups: dict[int | None, list[list[_Stretch]]] = {}
    total = 0
    for run in runs:
        for stretch in _halves(run, total):
            same_seed = groups.setdefault(run.seed, [])
            for group in reversed(same_seed[-MOST_COMPARED:]):
                if _same_deals(group[0], stretch, run.seed):
                    group.append(stretch)
                    break
            else:
                same_seed.append([stretch])
        total += len(run.hands)
    numbers = np.zeros(total, np.int64)
    used = 0
    for same_seed in groups.values():
        for group in same_seed:
            different, numbered = np.unique(np.concatenate([part.hands for part in group]), return_inverse=True)
            for part in group:
                count = len(part.hands)
                numbers[part.start : part.start + count] = used + numbered[:count]
                numbered = numbered[count:]
            used += len(different)
    return numbers


def _halves(run: ConsecutiveHands, start: int) -> list[_Stretch]:
    """Split a run whose second half has the deals of the first with the players in another order.

    Some matches continue the hand numbers in their second half. Other runs are returned whole.
    """
    hands, deals, orders = (np.frombuffer(column, np.int64) for column in (run.hands, run.deals, run.orders))
    half = len(hands) // 2
    if (
        len(hands) % 2
        or half < CERTAIN
        or not np.array_equal(deals[:half], deals[half:])
        or np.array_equal(orders[:half], orders[half:])
    ):
        return [_Stretch(start, hands, deals)]
    return [_Stretch(start, hands[:half], deals[:half]), _Stretch(start + half, hands[:half], deals[half:])]


def _same_deals(one: _Stretch, other: _Stretch, seed: int | None) -> bool:
    """Return whether hands with equal numbers have equal hole cards. `seed` is the seed of both stretches, None if unknown."""
    _, own_index, other_index = np.intersect1d(one.hands, other.hands, assume_unique=True, return_indices=True)
    if not len(own_index) or not np.array_equal(one.deals[own_index], other.deals[other_index]):
        return False
    return len(own_index) >= CERTAIN or seed is not None


def played_unevenly(deals: NDArray[np.int64]) -> str:
    """Return a warning about deals that were played in fewer seatings than others, or an empty text."""
    counts = np.bincount(deals)
    most = counts.max(initial=0)
    fewer = int((counts < most).sum())
    if not fewer:
        return ""
    return (
        f"{fewer:,} of {len(counts):,} deals were not played in all {most} seatings: the cards of these are not evened "
        "out; see whether a log is missing or was cut off"
    )


def deal_means(deals: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of `values` (one a hand) over the hands of each deal: the independent samples."""
    counts = np.bincount(deals)
    sums = np.bincount(deals, weights=values)
    held = counts > 0
    return np.asarray(sums[held] / counts[held], np.float64)
