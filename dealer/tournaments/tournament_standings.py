"""The ranking of bots by the results of all tables: total bankroll, instant run-off, series, and every pair's result.

Tables play the same deals, so their results are not independent. The sample is a deal with all hands played on it: an
interval over several tables adds each deal's deviations before they are squared (a cluster-robust variance, Liang and
Zeger 1986). With as many deals at every table it is Student's interval of the deals' means.
"""

from collections.abc import Callable, Mapping, Sequence
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.statistics.estimate import Estimate, t_quantile

SAME = 1e-9
"""mbb/g within which two rates are the same: sums in another order differ by less."""


class TableSets(NamedTuple):
    """The duplicate sets that were played at one table."""

    players: tuple[int, ...]
    """Player numbers."""
    mbb: NDArray[np.float64]
    """float64 ``[player, set]``: mbb/g that each player won."""
    deals: NDArray[np.int64]
    """int64 ``[set]``: deal numbers, which all tables share."""


Samples = tuple[NDArray[np.float64], NDArray[np.int64]]
"""float64 ``[deal]`` won, and int64 ``[deal]`` numbers of the deals, each once."""


class Round(NamedTuple):
    """One round of a run-off: the rates of the players still in, and the players who drop out."""

    rates: dict[int, float]
    dropped: tuple[int, ...]


def mean_over_tables(tables: Sequence[Samples]) -> Estimate:
    """Return the mean of the tables' means with its interval.

    `sd` is that of one deal if all tables played the same ones. Raises `ValueError` for no samples.
    """
    if not tables or not all(len(values) for values, _ in tables):
        raise ValueError("no hands to estimate from")
    numbers, place = np.unique(np.concatenate([deals for _, deals in tables]), return_inverse=True)
    deals, fewest = len(numbers), min(len(values) for values, _ in tables)
    deviations = np.concatenate([(values - values.mean()) / (len(values) * len(tables)) for values, _ in tables])
    mean = float(np.mean([values.mean() for values, _ in tables]))
    if fewest == 1:
        return Estimate(mean, inf, fewest)
    of_deal = np.bincount(place, deviations, deals)
    error = sqrt(deals / (deals - 1) * float(np.sum(of_deal**2)))
    return Estimate(mean, t_quantile(fewest - 1) * error, fewest, error * sqrt(deals))


def tables_of(tables: Sequence[TableSets], *players: int) -> list[TableSets]:
    """Return the tables where something was played by all `players`, among others."""
    return [table for table in tables if set(players) <= set(table.players) and table.mbb.shape[1]]


def total(tables: Sequence[TableSets], player: int, *others: int) -> Estimate | None:
    """Return a player's mbb/g over its tables with all `others`, of equal weight; None if there are no such tables."""
    found = tables_of(tables, player, *others)
    return (
        mean_over_tables([(table.mbb[table.players.index(player)], table.deals) for table in found]) if found else None
    )


def bankrolls(tables: Sequence[TableSets], players: Sequence[int]) -> dict[int, float]:
    """Return mbb/g of each of `players` over the tables where only they sit, 0 for a player without such a table."""
    among = set(players)
    inside = [table for table in tables if among.issuperset(table.players)]
    found = {player: total(inside, player) for player in players}
    return {player: estimate.mean if estimate else 0.0 for player, estimate in found.items()}


def series(tables: Sequence[TableSets], players: Sequence[int]) -> dict[int, float]:
    """Return the points of each of `players` at tables of two of them: 1 for a series won, -1 for one lost."""
    among = set(players)
    points = {player: 0.0 for player in players}
    for table in tables:
        if among.issuperset(table.players) and table.mbb.shape[1]:
            means = table.mbb.mean(axis=1)
            for player, mean in zip(table.players, means.tolist(), strict=True):
                points[player] += 0.0 if abs(mean) < SAME else 1.0 if mean > 0 else -1.0
    return points


def run_off(
    tables: Sequence[TableSets],
    players: Sequence[int],
    size: int,
    rate: Callable[[Sequence[TableSets], Sequence[int]], dict[int, float]] = bankrolls,
) -> list[Round]:
    """Return the rounds of an instant run-off: the player with the lowest rate drops out, and rates are computed anew.

    The last round has `size` players, one table, and ranks them by their rates. Players who share the last place drop out
    together, unless too few for a table would be left: then that round ranks all.
    """
    left = list(players)
    rounds: list[Round] = []
    while left:
        rates = rate(tables, left)
        least = min(rates.values())
        last = tuple(player for player in left if rates[player] - least < SAME)
        if len(left) - len(last) < size:
            rounds.append(Round(rates, ()))
            break
        rounds.append(Round(rates, last))
        left = [player for player in left if player not in last]
    return rounds


def places(rates: Mapping[int, float]) -> dict[int, int]:
    """Return places from 1, the highest rate first. Equal rates share the better place."""
    return {player: 1 + sum(other - rate >= SAME for other in rates.values()) for player, rate in rates.items()}


def run_off_places(rounds: Sequence[Round]) -> dict[int, int]:
    """Return places from 1: those of the last round, then the players who dropped out, the latest first."""
    found: dict[int, int] = {}
    for rates, dropped in reversed(rounds):
        if not dropped:
            found |= places(rates)
        else:
            found |= dict.fromkeys(dropped, len(rates) - len(dropped) + 1)
    return found
