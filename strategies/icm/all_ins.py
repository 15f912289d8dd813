"""Prize money that an all-in between two players risks and wins, and its bubble factors, as arrays and as data for JSON."""

from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.icm.equities import Numbers, check_scale, equities, equities_of_many

Array = NDArray[np.float64]

MOST_IN_PAIRS = 30
"""Most players for whom every pair's all-in is worked out: 870 stack vectors then take seconds to integrate."""


class AllIns(NamedTuple):
    """Prize money before and after an all-in of each pair of players, for the smaller of the two stacks.

    Arrays are float64 ``[player, opponent]`` in the payouts' unit, NaN for a player with itself or without chips.

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
        cost, gain = self._stakes()
        with np.errstate(divide="ignore", invalid="ignore"):
            return cost / gain

    @property
    def break_even(self) -> Array:
        """The share of such all-ins that the player must win to lose no equity, blinds aside, ``[player, opponent]``.

        It is NaN where nothing is at stake.
        """
        cost, gain = self._stakes()
        with np.errstate(invalid="ignore"):
            return cost / (cost + gain)

    def _stakes(self) -> tuple[Array, Array]:
        """Return the equities that losing costs and that winning gains, ``[player, opponent]`` each."""
        before = self.equity[:, None]
        return np.maximum(before - self.loses, 0), np.maximum(self.wins - before, 0)


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
    equity = equities_of_many(after, payouts, chips)
    wins, loses = (np.full((len(chips), len(chips)), np.nan) for _ in range(2))
    for number, (winner, loser) in enumerate(pairs, 1):
        wins[winner, loser] = equity[number, winner]
        loses[loser, winner] = equity[number, loser]
    return AllIns(equity[0], wins, loses)


class Icm(NamedTuple):
    """What stacks are worth in prize money.

    Attributes:
        equity: float64 ``[player]``: mean prize, in the unit of the payouts.
        all_ins: what an all-in between two players changes; None for more than `MOST_IN_PAIRS` players.
    """

    equity: Array
    all_ins: AllIns | None


def icm(stacks: Sequence[float], payouts: Sequence[float]) -> Icm:
    """Return what stacks are worth by the independent chip model (Malmuth and Harville), payouts from the first place down.

    Raises `ValueError` for numbers that are no stacks or prizes.
    """
    check_scale(stacks, payouts)
    result = all_ins(stacks, payouts) if len(stacks) <= MOST_IN_PAIRS else None
    return Icm(equities(stacks, payouts) if result is None else result.equity, result)


def icm_data(
    stacks: Sequence[float], payouts: Sequence[float], equity: list[float], result: AllIns | None
) -> dict[str, Any]:
    """Return the answer as JSON has it: lists ``[player]`` and ``[player][opponent]``, null where there is no number."""
    data: dict[str, Any] = {
        "stacks": list(stacks),
        "payouts": list(payouts),
        "share": [stack / sum(stacks) for stack in stacks],
        "equity": equity,
    }
    if result is not None:
        names = ("equity_if_won", "equity_if_lost", "bubble_factor", "break_even")
        columns = (result.wins, result.loses, result.bubble_factors, result.break_even)
        for name, values in zip(names, columns, strict=True):
            data[name] = [[number if isfinite(number) else None for number in row] for row in values.tolist()]
    return data
