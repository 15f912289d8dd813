"""Prize money of stacks by the independent chip model (Malmuth and Harville), and what all-ins risk and win of it.

Few players' equities come from a program over sets (`equities_by_sets`), many players' from numerical integration.

Let each player's clock ring at an exponential time with the player's share of the chips as its rate. The first to ring is
player p with probability s[p], and the others' clocks start anew, so that the order of ringing is the model's order of
places. Player p rings at t and takes place d + 1 if exactly d other clocks have rung by then:

    equity[p] = integral over t > 0 of  s[p] exp(-s[p] t) * sum over d of payout[d] * P(d of the others rang before t)

With t = exp(y) the integrand is smooth and vanishes at both ends, and the trapezoid rule converges exponentially.
"""

from collections.abc import Sequence
from functools import cache
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.common.jit import njit

# --- The independent chip model as a dynamic program over sets of players, for many stack vectors at once.

Array = NDArray[np.float64]

LANES = 64
"""Most stack vectors that are worked on side by side: the working memory of ten players then fits the second cache."""


@njit(cache=True, nogil=True)
def equities_by_sets(stacks: Array, payouts: Array, sets: NDArray[np.int64], set_size: NDArray[np.int64]) -> Array:
    """Return float64 ``[batch, player]``: the equities of stacks ``[batch, player]``, each row scaled to a sum of 1.

    payouts: float64 ``[place]``, from the first place down.
    sets: int64 ``[set]``: the players of each set of fewer players than payouts, as bits, sets of fewer players first.
    set_size: int64 ``[set]``: number of players in each set.

    A stack of 0 gets nothing. A row's equities do not depend on the other rows.
    """
    batch, players = stacks.shape
    result = np.empty((batch, players))
    lanes = min(LANES, batch)
    share = np.empty((1 << players, lanes))  # P(A) / (sum of the stacks outside A) of each set and lane
    columns, equity = np.zeros((players, lanes)), np.empty((players, lanes))
    reach, rest = np.empty(lanes), np.empty(lanes)
    for start in range(0, batch, lanes):
        rows = min(lanes, batch - start)  # the lanes of rows that are missing at the end work in vain
        for player in range(players):
            for lane in range(rows):
                columns[player, lane] = stacks[start + lane, player]
        equity[:] = 0.0
        for number in range(sets.shape[0]):
            player_set = sets[number]
            payout = payouts[set_size[number]]
            reach[:] = 0.0 if player_set else 1.0
            rest[:] = 0.0
            for player in range(players):
                if player_set >> player & 1:
                    smaller = player_set ^ 1 << player
                    for lane in range(lanes):
                        reach[lane] += share[smaller, lane] * columns[player, lane]
                else:
                    for lane in range(lanes):
                        rest[lane] += columns[player, lane]
            for lane in range(lanes):
                # Where all players outside the set are out of chips, the places below are not played for.
                share[player_set, lane] = reach[lane] / rest[lane] if rest[lane] > 0 else 0.0
            for player in range(players):
                if not player_set >> player & 1:
                    for lane in range(lanes):
                        equity[player, lane] += share[player_set, lane] * payout
        for lane in range(rows):
            for player in range(players):
                result[start + lane, player] = equity[player, lane] * columns[player, lane]
    return result


Numbers = Sequence[float] | Sequence[Sequence[float]] | NDArray[np.floating] | NDArray[np.integer]

MOST_BY_SETS = 14
"""Most players whose equities come from the program over sets; for more, integration takes less time."""
STEP = 1 / 16
"""Distance of two nodes in y = log t."""
EARLIEST = -40.0
"""First node in y: before exp(-40) a clock has rung with a probability below 1e-17 times its rate."""
LATEST = 50.0
"""The last node is where the slowest clock is still silent with a probability below exp(-50)."""
LARGEST = 1e15
"""Largest stack or prize, and largest ratio of two stacks: beyond it products of such numbers lose their digits."""
MOST_NUMBERS = 2**21
"""Most numbers held at once, [player, place, node], as long as one node's fit: 16 MiB."""


def equities(stacks: Numbers, payouts: Numbers) -> Array:
    """Return float64 ``[player]``: the mean prize of each stack, in the players' order and the payouts' unit.

    stacks: chips of each player, in any unit. A player with 0 chips has busted: the equity is 0, and the live players get
        the first payouts, one each. Payouts beyond the number of live players went to players who busted before.
    payouts: prizes from the first place down, at most one for each player; places without one pay nothing.

    The result is exact up to rounding for up to `MOST_BY_SETS` players, and within 1e-12 of the prizes for more.
    Raises `ValueError` for negative or infinite numbers, for stacks without chips, and for more payouts than players.
    """
    return np.asarray(equities_of_many(np.asarray(stacks, np.float64)[None], payouts)[0])


def equities_of_many(stacks: Numbers, payouts: Numbers, before: Numbers | None = None) -> Array:
    """Return float64 ``[batch, player]``: the equities of each row of stacks ``[batch, player]``, as `equities` has them.

    before: stacks at the start of the hand, ``[player]`` or ``[batch, player]``. With them, a player who has 0 chips now
        and had some before busts in this hand and gets the payout of the place below all live players. Of several, the
        larger stack before takes the better place, and equal ones share the payouts of their places.
    """
    chips, prizes = np.asarray(stacks, np.float64), np.asarray(payouts, np.float64)
    _check(chips, prizes)
    players = chips.shape[1]
    scaled = chips / chips.max(axis=1, keepdims=True)  # first, so that the sum of huge stacks is finite
    scaled /= scaled.sum(axis=1, keepdims=True)
    if players <= MOST_BY_SETS:
        result = equities_by_sets(scaled, prizes, *_sets(players, len(prizes)))
    else:
        result = np.zeros(chips.shape)
        for row, live in enumerate(scaled > 0):
            result[row, live] = equities_by_clocks(scaled[row, live], prizes[: live.sum()])
    if before is not None:
        result += _prizes_of_busted(chips, prizes, np.asarray(before, np.float64))
    return result


def check_scale(stacks: Sequence[float], payouts: Sequence[float]) -> None:
    """Raise `ValueError` for numbers so large, or stacks so far apart, that rounding would take their digits.

    Prizes of which none is above 0 are refused too.
    """
    for what, numbers in (("stack", stacks), ("payout", payouts)):
        if not len(numbers):
            raise ValueError(f"there is no {what}; give at least one")
        if max(numbers) > LARGEST:
            raise ValueError(
                f"a {what} of {max(numbers):g} is more than {LARGEST:g}, the largest number taken; use a larger unit"
            )
    if not max(payouts) > 0:
        raise ValueError("payouts: give finite prizes of 0 or more, with one above 0")
    smallest = min((stack for stack in stacks if stack > 0), default=1.0)
    if max(stacks) > LARGEST * smallest:
        raise ValueError(f"stacks of {max(stacks):g} and {smallest:g} are too far apart; give chips that a table has")


def _check(stacks: Array, payouts: Array) -> None:
    if stacks.ndim != 2 or payouts.ndim != 1 or not len(payouts):
        raise ValueError("stacks must be [batch, player] and payouts a list of at least one prize")
    for what, numbers in (("stack", stacks), ("payout", payouts)):
        wrong = numbers[~np.isfinite(numbers) | (numbers < 0)]
        if len(wrong):
            raise ValueError(f"a {what} of {wrong[0]:g} does not fit; give finite numbers of 0 or more")
    if len(payouts) > stacks.shape[1]:
        raise ValueError(
            f"{len(payouts)} payouts are more than the {stacks.shape[1]} players; give one prize a player at most"
        )
    if not (stacks > 0).any(axis=1).all():
        raise ValueError("no player has chips; at least one stack must be more than 0")


@cache
def _sets(players: int, places: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the sets of fewer than `places` players as bits, smaller sets first, and their sizes."""
    sets = np.arange(1 << players)
    sizes = np.bitwise_count(sets).astype(np.int64)
    order = np.argsort(sizes, kind="stable")[: np.count_nonzero(sizes < places)]
    return sets[order], sizes[order]


def equities_by_clocks(stacks: Array, payouts: Array) -> Array:
    """Return float64 ``[player]``: the equities of positive stacks that sum to 1, which may be any number.

    Takes O(players * payouts * nodes) steps. No term is negative, so that nothing cancels.
    """
    count = int((np.log(LATEST / stacks.min()) - EARLIEST) / STEP) + 2
    times = np.exp(EARLIEST + STEP * np.arange(count))
    equities = np.zeros(len(stacks))
    chunk = max(1, MOST_NUMBERS // (len(stacks) * len(payouts)))
    for start in range(0, len(times), chunk):
        nodes = times[start : start + chunk]
        densities = stacks[:, None] * np.exp(-np.outer(stacks, nodes))
        equities += (densities * _prizes(stacks, payouts, nodes)) @ nodes * STEP
    return equities


def _prizes(stacks: Array, payouts: Array, times: Array) -> Array:
    """Return float64 ``[player, time]``: the mean prize of a player whose clock rings at that time.

    The number of clocks rung among the players before p is one vector over places. The mean prize of each number, once
    the players after p are added, is another. Their product is what p gets with its own clock left out.
    """
    players, places = len(stacks), len(payouts)
    rung = -np.expm1(-np.outer(stacks, times))
    silent = np.exp(-np.outer(stacks, times))
    means = np.empty((players, places, len(times)))
    means[-1] = payouts[:, None]
    for player in range(players - 1, 0, -1):
        means[player - 1] = means[player] * silent[player]
        means[player - 1, :-1] += means[player, 1:] * rung[player]
    counts = np.zeros((places, len(times)))
    counts[0] = 1
    prizes = np.empty((players, len(times)))
    for player in range(players):
        prizes[player] = (counts * means[player]).sum(axis=0)
        more = counts[:-1] * rung[player]
        counts *= silent[player]
        counts[1:] += more
    return prizes


def _prizes_of_busted(stacks: Array, payouts: Array, before: Array) -> Array:
    """Return float64 ``[batch, player]``: the prizes of players who bust in this hand, 0 for all others."""
    players = stacks.shape[1]
    busted = (stacks == 0) & (before > 0)
    rivals = np.broadcast_to(np.where(busted, before, 0.0), stacks.shape)[:, None, :]
    own = np.broadcast_to(before, stacks.shape)[:, :, None]
    first = np.count_nonzero(stacks, axis=1)[:, None] + (rivals > own).sum(axis=2)
    equal = (rivals == own).sum(axis=2)
    paid = np.zeros(2 * players)
    paid[: len(payouts)] = payouts
    upto = np.concatenate([[0.0], np.cumsum(paid)])
    return np.where(busted, (upto[first + equal] - upto[first]) / np.maximum(equal, 1), 0.0)


# --- Prize money that an all-in between two players risks and wins, and its bubble factors, as arrays and as data for
# JSON.

MOST_IN_PAIRS = 30
"""Most players for whom every pair's all-in is worked out: 870 stack vectors then take seconds to integrate."""


class AllIns(NamedTuple):
    """Prize money before and after an all-in of each pair of players, for the smaller of the two stacks.

    `equity` is float64 ``[player]`` before the hand. `wins` and `loses` are the player's after the all-in against the opponent,
    float64 ``[player, opponent]`` in the payouts' unit, NaN for a player with itself or without chips.
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
        """The share of all-ins to win to lose nothing, blinds aside, ``[player, opponent]``; NaN where nothing is at stake."""
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
    winner, loser = np.nonzero(np.outer(chips > 0, chips > 0) & ~np.eye(len(chips), dtype=np.bool_))
    row, staked = np.arange(len(winner)) + 1, np.minimum(chips[winner], chips[loser])
    after = np.tile(chips, (len(winner) + 1, 1))
    after[row, winner] += staked
    after[row, loser] -= staked
    equity = equities_of_many(after, payouts, chips)
    wins, loses = np.full((2, len(chips), len(chips)), np.nan)
    wins[winner, loser], loses[loser, winner] = equity[row, winner], equity[row, loser]
    return AllIns(equity[0], wins, loses)


class Icm(NamedTuple):
    """Prize money of stacks. `equity`: float64 ``[player]``, mean prizes. `all_ins`: None for more than `MOST_IN_PAIRS` players."""

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
    shares = [stack / sum(stacks) for stack in stacks]
    data: dict[str, Any] = {"stacks": list(stacks), "payouts": list(payouts), "share": shares, "equity": equity}
    if result is not None:
        names = ("equity_if_won", "equity_if_lost", "bubble_factor", "break_even")
        columns = (result.wins, result.loses, result.bubble_factors, result.break_even)
        for name, values in zip(names, columns, strict=True):
            data[name] = [[number if isfinite(number) else None for number in row] for row in values.tolist()]
    return data
