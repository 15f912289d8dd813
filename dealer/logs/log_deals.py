"""Find the hands of several logs that are the same deal, so that intervals of duplicate matches are right.

Hands are kept as columns of numbers, some 50 bytes each, without their text.
"""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.messages import Hole

CERTAIN = 10
"""Number of hands that must agree where no seed is known. Fewer may agree by chance in games with few cards."""
MOST_COMPARED = 64
"""Number of the latest groups of runs that a new run is compared with, so that odd files do not take for ever."""


@dataclass
class Run:
    """Hands that a dealer wrote in one go, with increasing numbers."""

    seed: int | None
    start: int
    """Index of the first hand in the caller's columns; the others follow."""
    hands: "array[int]" = field(default_factory=lambda: array("q"))
    """Numbers of the hands."""
    deals: "array[int]" = field(default_factory=lambda: array("q"))
    """For each hand a hash of the hole cards by position."""

    def follows(self, hand: int) -> bool:
        """Return whether the hand numbered `hand` may follow the others."""
        return not self.hands or hand > self.hands[-1]

    def add(self, hand: int, holes: Sequence[Hole]) -> None:
        self.hands.append(hand)
        self.deals.append(hash(tuple(holes)))


@dataclass(frozen=True)
class Columns:
    """A run, or half of one, as arrays of equal length."""

    seed: int | None
    start: int
    hands: NDArray[np.int64]
    deals: NDArray[np.int64]
    orders: NDArray[np.int32]
    """For each hand a number for the order of the players by position."""

    @staticmethod
    def of(run: Run, orders: NDArray[np.int32]) -> "Columns":
        """Return the columns of a run. `orders` are those of all hands of the caller."""
        hands, deals = (np.frombuffer(column, np.int64) for column in (run.hands, run.deals))
        return Columns(run.seed, run.start, hands, deals, orders[run.start : run.start + len(hands)])

    def halves(self) -> "list[Columns]":
        """Split a run whose second half has the deals of the first with the players in another order.

        Some matches continue the hand numbers in their second half. Other runs are returned whole.
        """
        half = len(self.hands) // 2
        if (
            len(self.hands) % 2
            or half < CERTAIN
            or not np.array_equal(self.deals[:half], self.deals[half:])
            or np.array_equal(self.orders[:half], self.orders[half:])
        ):
            return [self]
        hands = self.hands[:half]
        return [
            Columns(self.seed, self.start, hands, self.deals[:half], self.orders[:half]),
            Columns(self.seed, self.start + half, hands, self.deals[half:], self.orders[half:]),
        ]

    def same_deals(self, other: "Columns") -> bool:
        """Return whether all hands with equal numbers have the same hole cards."""
        _, here, there = np.intersect1d(self.hands, other.hands, assume_unique=True, return_indices=True)
        if not len(here) or not np.array_equal(self.deals[here], other.deals[there]):
            return False
        return len(here) >= CERTAIN or (self.seed is not None and self.seed == other.seed)


def number_deals(runs: Iterable[Run], orders: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the number of each hand's deal, int64 ``[hand]``, counted from 0 without gaps.

    `orders` holds, for each hand, a number for the order of the players by position.
    """
    groups: dict[int | None, list[list[Columns]]] = {}
    for run in runs:
        for columns in Columns.of(run, orders).halves():
            known = groups.setdefault(columns.seed, [])
            for group in reversed(known[-MOST_COMPARED:]):
                if group[0].same_deals(columns):
                    group.append(columns)
                    break
            else:
                known.append([columns])
    numbers = np.zeros(len(orders), np.int64)
    used = 0
    for known in groups.values():
        for group in known:
            different, numbered = np.unique(np.concatenate([part.hands for part in group]), return_inverse=True)
            for part in group:
                count = len(part.hands)
                numbers[part.start : part.start + count] = used + numbered[:count]
                numbered = numbered[count:]
            used += len(different)
    return numbers


def played_unevenly(deals: NDArray[np.int64]) -> str:
    """Return a line about deals that were played in fewer seatings than others; empty where there are none."""
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
