"""The known equilibria of three-player Kuhn poker, and the distance of a strategy from them.

Szafron, Gibson & Sturtevant, "A Parameterized Family of Equilibrium Profiles for Three-Player Kuhn Poker" (2013). Names
are theirs: a, b, c are positions 0, 1, 2; the first index is the card (1 the jack, 4 the ace), the second the situation
(`SITUATIONS`); the number is the probability of the aggressive action, a bet or a call. Position 0 never bets. What it
gives beyond 1/48 of a chip is decided by position 1, which always loses 1/48 itself, and goes to position 2.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction.betting import KINDS, BettingTree

SITUATIONS = (("", "ccr", "crf", "crc"), ("c", "r", "ccrf", "ccrc"), ("cc", "cr", "rf", "rc"))
"""The betting before each decision, by position."""

Bets = NDArray[np.float64]
"""float64 ``[position, card, situation]`` = ``[3, 4, 4]``: probability of betting, or of calling."""


class Member(NamedTuple):
    """An equilibrium of the family. `c11` determines the sub-family: the first has 0, the second 1/2, the third the rest."""

    c11: float
    b11: float
    b21: float
    b23: float
    b32: float
    c33: float
    c34: float

    @property
    def sub_family(self) -> int:
        """1 with c11 = 0, 2 with c11 = 1/2, 3 in between, as numbered in the paper."""
        return 1 if self.c11 == 0 else 2 if self.c11 == 0.5 else 3

    @property
    def values(self) -> tuple[float, float, float]:
        """Net chips of each position: −(1/2 + β) / 24, −1/48, (1 + β) / 24 with β = max(b11, b21)."""
        beta = max(self.b11, self.b21)
        return -(0.5 + beta) / 24, -1 / 48, (1 + beta) / 24

    def bets(self) -> Bets:
        """All 48 probabilities."""
        b41 = 2 * (self.b11 + self.b21)
        if self.sub_family == 1:
            b33 = (1 + self.b11 + 2 * self.b21) / 2
        else:
            b33 = (1 + 2 * self.b11 + self.b21) / 2 - self.b23 * (1 - self.b21)
        return np.array([
            [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0.5, 0], [0, 1, 1, 1]],
            [[self.b11, 0, 0, 0], [self.b21, 0, self.b23, 0], [0, self.b32, b33, 0], [b41, 1, 1, 1]],
            [[self.c11, 0, 0, 0], [0.5 - self.c11, 0, 0, 0], [0, 0, self.c33, self.c34], [1, 1, 1, 1]],
        ])  # fmt: skip


class Fit(NamedTuple):
    """The member that fits a strategy, and the strategy's distance from it."""

    member: Member  # the member that fits
    distance: float  # largest difference of a probability
    where: str  # name of the probability that differs most, such as b33


def fit(bets: Bets) -> Fit:
    """Return the member whose parameters are those of `bets`, moved into their ranges: the best of three sub-families.

    A member is found exactly. For other strategies it need not be the very nearest one.
    """
    return min((_difference(bets, member) for member in _candidates(bets)), key=lambda candidate: candidate.distance)


def read_bets(tree: BettingTree, table: NDArray[np.floating]) -> Bets:
    """Return the bets of a strategy table (`BettingTree.row_offset`) of three-player Kuhn poker with lossless cards."""
    bets = np.empty((3, 4, 4))
    for position, situation, start in situation_rows(tree):
        bets[position, :, situation] = table[start : start + 8].reshape(4, 2)[:, 1]
    return bets


def situation_rows(tree: BettingTree) -> Iterator[tuple[int, int, int]]:
    """Yield each position, its situations, and the start of their eight entries in a table."""
    offset = tree.row_offset([4])
    for position, lines in enumerate(SITUATIONS):
        for situation, line in enumerate(lines):
            node = 0
            for letter in line:
                kinds = [KINDS[kind] for kind in tree.edge_kind[tree.first_edge[node] : tree.first_edge[node + 1]]]
                node = tree.child(node, kinds.index(letter))
            yield position, situation, int(offset[node])


def _candidates(bets: Bets) -> Iterator[Member]:
    """Yield one member of each sub-family."""
    (b11, _, _, _), (b21, _, b23, _), (_, b32, _, _) = bets[1, :3].tolist()
    c11, c21 = bets[2, :2, 0].tolist()
    high = min(b21, 0.25)
    low = min(b11, high)
    yield _member(bets, 0.0, low, high, 0.0, b32, 3 * low + 4 * high)
    high = min(b11, 0.25)
    low = min(b21, high, 0.5 - 2 * high)
    most = (high - low) / (2 * (1 - low))
    yield _member(bets, 0.5, high, low, min(b23, most), b32, 4 * high + 3 * low)
    both = min((b11 + b21) / 2, 0.25)
    between = min(max((c11 + 0.5 - c21) / 2, 0.0), 0.5, (2 - both) / (3 + 4 * both))
    yield _member(bets, between, both, both, 0.0, b32, 7 * both)


def _member(bets: Bets, c11: float, b11: float, b21: float, b23: float, b32: float, room: float) -> Member:
    b32 = min(b32, (2 + room) / 4)
    c33 = min(max(float(bets[2, 2, 2]), 0.5 - b32), 0.5 - b32 + room / 4, 1.0)
    return Member(c11, b11, b21, b23, b32, max(c33, 0.0), float(bets[2, 2, 3]))


def _difference(bets: Bets, member: Member) -> Fit:
    apart = np.abs(bets - member.bets())
    most = int(apart.argmax())
    position, card, situation = list(product(range(3), range(4), range(4)))[most]
    return Fit(member, float(apart.reshape(-1)[most]), f"{'abc'[position]}{card + 1}{situation + 1}")
