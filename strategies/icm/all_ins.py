"""Prize money that an all-in between two players risks and wins, and its bubble factors, for each pair of players."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.icm.equities import Numbers, equities_of_many

Array = NDArray[np.float64]


class AllIns(NamedTuple):
    """Prize money before and after an all-in of each pair of players, for the smaller of the two stacks.

    Arrays are float64 ``[player, opponent]`` in the payouts' unit. Entries of a player with itself or with a player who
    has no chips are NaN.

    Attributes:
        equity: float64 ``[player]``: equity before the hand.
        wins: the player's equity after winning the all-in against the opponent.
        loses: the player's equity after losing it; the prize of the last live place where the player busts.
    """

    equity: Array
    wins: Array
    loses: Array

    @property
    def bubble_factors(self) -> Array:
        """The equity that losing costs ÷ the equity that winning gains, ``[player, opponent]``.

        It is 1 where chips are money, more where survival pays, infinite where winning gains nothing, and NaN where
        nothing is at stake.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            return self._cost / self._gain

    @property
    def break_even(self) -> Array:
        """The share of such all-ins that the player must win to lose no equity, blinds aside, ``[player, opponent]``.

        It is NaN where nothing is at stake.
        """
        with np.errstate(invalid="ignore"):
            return self._cost / (self._cost + self._gain)

    @property
    def _cost(self) -> Array:
        return np.maximum(self.equity[:, None] - self.loses, 0)

    @property
    def _gain(self) -> Array:
        return np.maximum(self.wins - self.equity[:, None], 0)


def all_ins(stacks: Numbers, payouts: Numbers) -> AllIns:
    """Return the equities before and after an all-in of each pair of players. Raises `ValueError` as `equities` does."""
    chips = np.asarray(stacks, np.float64)
    live = np.flatnonzero(chips > 0).tolist()
    pairs = [(winner, loser) for winner in live for loser in live if winner != loser]
    after = np.tile(chips, (len(pairs) + 1, 1))
    for row, (winner, loser) in zip(after[1:], pairs, strict=True):
        staked = min(chips[winner], chips[loser])
        row[winner] += staked
        row[loser] -= staked
    worth = equities_of_many(after, payouts, chips)
    wins, loses = (np.full((len(chips), len(chips)), np.nan) for _ in range(2))
    for number, (winner, loser) in enumerate(pairs, 1):
        wins[winner, loser] = worth[number, winner]
        loses[loser, winner] = worth[number, loser]
    return AllIns(worth[0], wins, loses)
