"""Which hands of several logs are the same deal: what makes an interval honest when a match was played in duplicate.

Hands are kept as columns of numbers, some 50 bytes each; their text is not kept.
"""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.messages import Hole

CERTAIN = 10
"""Without a seed to go by, as many hands must agree: fewer could by chance, in games with few cards."""
MOST_COMPARED = 64
"""Groups of runs that a new one is compared with, the latest first, so that odd files do not take for ever."""


@dataclass
class Run:
    """Hands that a dealer wrote in one go, in rising order of their numbers."""

    seed: int | None
    start: int
    """Where the first hand stands in the caller's columns; the others follow."""
    hands: "array[int]" = field(default_factory=lambda: array("q"))
    deals: "array[int]" = field(default_factory=lambda: array("q"))
    """A hash of the hole cards by position."""

    def follows(self, hand: int) -> bool:
        """Whether the hand numbered `hand` may stand behind the others."""
        return not self.hands or hand > self.hands[-1]

    def add(self, hand: int, holes: Sequence[Hole]) -> None:
        self.hands.append(hand)
        self.deals.append(hash(tuple(holes)))


@dataclass(frozen=True)
class Columns:
    """A run, or half of one, as arrays that are equally long."""

    seed: int | None
    start: int
    hands: NDArray[np.int64]
    deals: NDArray[np.int64]
    orders: NDArray[np.int32]
    """A number for the order of the players by position."""

    @staticmethod
    def of(run: Run, orders: NDArray[np.int32]) -> "Columns":
        """`orders` are of all hands of the caller."""
        hands, deals = (np.frombuffer(column, np.int64) for column in (run.hands, run.deals))
        return Columns(run.seed, run.start, hands, deals, orders[run.start : run.start + len(hands)])

    def halves(self) -> "list[Columns]":
        """Two runs, if the second half has the deals of the first with the players' order changed; else this one.

        Some matches number the hands of their second half on.
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
        """True when all hands that both hold, by number, have the same hole cards."""
        _, here, there = np.intersect1d(self.hands, other.hands, assume_unique=True, return_indices=True)
        if not len(here) or not np.array_equal(self.deals[here], other.deals[there]):
            return False
        return len(here) >= CERTAIN or (self.seed is not None and self.seed == other.seed)


def number_deals(runs: Iterable[Run], orders: NDArray[np.int32]) -> NDArray[np.int64]:
    """For each hand a number of its deal, int64[hands]: equal numbers are equal deals, counted from 0 without gaps.

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
    """A line about deals of which some were played in more seatings than others; empty where all were played alike."""
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
    """The mean of `values` (a number a hand) over the hands of each deal: the independent samples."""
    counts = np.bincount(deals)
    sums = np.bincount(deals, weights=values)
    held = counts > 0
    return np.asarray(sums[held] / counts[held], np.float64)
