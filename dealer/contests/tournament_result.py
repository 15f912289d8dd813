"""The results of a tournament as data, ``results.json``, and the ranking of its bots: total bankroll, run-off, series.

Tables play the same deals, so their results are not independent. The sample is a deal with all hands played on it: an
interval over several tables adds each deal's deviations before they are squared (a cluster-robust variance, Liang and
Zeger 1986). With as many deals at every table it is Student's interval of the deals' means.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import inf, sqrt
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.common.statistics import Estimate, Interval, t_quantile
from limpet.dealer.contests.tournament import TableRecord
from limpet.dealer.contests.tournament_config import Tournament
from limpet.dealer.matches.faults import Fault
from limpet.dealer.matches.matchconfig import Design, player_text
from limpet.dealer.matches.results import Result, ResultRow, half_text, interval_around

SAME = 1e-9
"""mbb/g within which two rates are the same: sums in another order differ by less."""


class Rate(msgspec.Struct, frozen=True):
    """A win rate with half of its 95 % interval, null where there is only one set, and the chips and hands behind it."""

    mbb_per_game: float
    half_width: float | None
    chips: float
    hands: int

    @property
    def interval(self) -> Interval:
        return interval_around(self.mbb_per_game, self.half_width)

    @property
    def text(self) -> str:
        """The rate with half of its interval."""
        return f"{self.mbb_per_game:+,.1f} ± {half_text(self.half_width)}"


class Standing(msgspec.Struct, frozen=True):
    """One bot's places. They are null for a bot that is disqualified.

    Attributes:
        result: win rate over all its scored tables.
        series_points: opponents beaten minus opponents lost to; null at tables of more than two.
        series_place: place in the instant run-off by points.
        disqualified: true if a match failed by the bot's fault: its tables are not scored.
    """

    name: str
    bot: str
    result: Rate | None
    bankroll_place: int | None
    run_off_place: int | None
    series_points: float | None
    series_place: int | None
    disqualified: bool


class RunOffRound(msgspec.Struct, frozen=True):
    """A round of an instant run-off: win rates at tables of the bots still in, the best first, and who drops out then."""

    mbb_per_game: dict[str, float]
    dropped: tuple[str, ...]


class TableResult(msgspec.Struct, frozen=True):
    """One table: the matches and duplicate sets that are scored, and the win rate of each player, none without a match.

    The verdict of the sequential test, win, loss or even, is the first player's; it was certain after `verdict_sets`.
    """

    players: tuple[str, ...]
    results: tuple[Rate, ...]
    matches: int
    sets: int
    verdict: str | None
    verdict_sets: int | None
    folder: str
    failure: str | None
    fault: Fault | None


class TournamentResult(Result, frozen=True):
    """``results.json``. The same for the same seeds, however it was played and how often it was resumed.

    Attributes:
        hands: duplicate sets of a match.
        matches: most matches of a table.
        complete: true if every table was played to its end, or decided.
        standings: bots by total bankroll, the best first, then those that are disqualified.
        crosstable: win rate of each bot against each other, over the tables where both sat.
    """

    FILE = "results.json"

    tournament: str
    game: str
    big_blind: int
    table_size: int
    how: str
    seed: int
    hands: int
    matches: int
    seatings: int
    stop: dict[str, float] | None
    complete: bool
    standings: tuple[Standing, ...]
    run_off: tuple[RunOffRound, ...]
    crosstable: dict[str, dict[str, Rate]]
    tables: tuple[TableResult, ...]
    design: Design | None = None
    """Design of the seatings; null where the cards were played once, and in results of versions that had one design."""

    @property
    def rows(self) -> list[ResultRow]:
        """The bots that have played, in the order of their places, with their mbb/g and chips over all tables."""
        return [
            ResultRow(
                each.name, rate.mbb_per_game, rate.interval, "mbb/g", rate.chips, {"hands": rate.hands}, rate.text
            )
            for each in self.standings
            if (rate := each.result) is not None
        ]


class TableSets(NamedTuple):
    """The duplicate sets that were played at one table.

    Attributes:
        mbb: float64 ``[player, set]``: mbb/g that each player won.
        deals: int64 ``[set]``: deal numbers, which all tables share.
    """

    players: tuple[str, ...]
    mbb: NDArray[np.float64]
    deals: NDArray[np.int64]


def result(tournament: Tournament, records: Sequence[TableRecord]) -> TournamentResult:
    """Compute the results of the tables in `records`."""
    config, game = tournament.config, tournament.game
    mbb = 1000.0 / game.big_blind
    rate = partial(_rate, mbb, tournament.seatings)
    played = [
        TableSets(record.players, record.sets * mbb, tournament.deals(record.players, record.sets.shape[1]))
        for record in records
    ]
    blamed = {record.fault.player for record in records if record.fault is not None}
    fit = [name for name in tournament.players if name not in blamed]
    scored = [table for table in played if blamed.isdisjoint(table.players)]
    rounds = run_off(scored, fit, game.num_players)
    place, run_off_place = places(bankrolls(scored, fit)), run_off_places(rounds)
    heads_up = game.num_players == 2
    points = series(scored, fit) if heads_up else {}
    series_place = run_off_places(run_off(scored, fit, 2, series)) if heads_up else {}
    order = sorted(fit, key=lambda name: (place[name], run_off_place[name]))
    order += [name for name in tournament.players if name in blamed]
    return TournamentResult(
        tournament=config.name,
        game=str(game),
        big_blind=game.big_blind,
        table_size=game.num_players,
        how=config.how,
        seed=config.seed,
        hands=config.hands,
        matches=config.matches,
        seatings=tournament.seatings,
        design=tournament.design,
        stop=msgspec.to_builtins(config.stop) if config.stop is not None else None,
        complete=all(record.decision is not None or record.counted == config.matches for record in records),
        standings=tuple(
            Standing(
                name=name,
                bot=player_text(tournament.players[name]),
                result=rate(played if name in blamed else scored, name),
                bankroll_place=place.get(name),
                run_off_place=run_off_place.get(name),
                series_points=points.get(name),
                series_place=series_place.get(name),
                disqualified=name in blamed,
            )
            for name in order
        ),
        run_off=tuple(rounds),
        crosstable={
            row: {column: cell for column in order if column != row and (cell := rate(played, row, column))}
            for row in order
        },
        tables=tuple(
            TableResult(
                players=sets.players,
                results=tuple(won for name in sets.players if (won := rate([sets], name))),
                matches=record.counted,
                sets=sets.mbb.shape[1],
                verdict=record.decision and record.decision.verdict,
                verdict_sets=record.decision and record.decision.sets,
                folder=tournament.folder_name(record.players),
                failure=record.failure,
                fault=record.fault,
            )
            for record, sets in zip(records, played, strict=True)
        ),
    )


def _rate(mbb: float, seatings: int, tables: Sequence[TableSets], player: str, *others: str) -> Rate | None:
    """Return a player's win rate over its tables with all `others`; None if there are no such tables. A chip is so many mbb."""
    inside = won_by_deal(tables, player, *others)
    if not inside:
        return None
    estimate = mean_over_tables(inside)
    chips = sum(float(won.sum()) for won, _ in inside) / mbb
    hands = sum(len(won) for won, _ in inside) * seatings
    half = estimate.half_width if np.isfinite(estimate.half_width) else None
    return Rate(estimate.mean, half, round(chips * seatings, 6), hands)


WonByDeal = tuple[NDArray[np.float64], NDArray[np.int64]]
"""What a player won at a table on each deal, float64 ``[deal]``, and the numbers of the deals, int64 ``[deal]``, each once."""


def mean_over_tables(tables: Sequence[WonByDeal]) -> Estimate:
    """Return the mean of the tables' means with its interval. Raises `ValueError` for no samples.

    `sd` is that of one deal if all tables played the same ones.
    """
    if not tables or not all(len(values) for values, _ in tables):
        raise ValueError("no hands to estimate from")
    numbers, index = np.unique(np.concatenate([deals for _, deals in tables]), return_inverse=True)
    deals, fewest = len(numbers), min(len(values) for values, _ in tables)
    deviations = np.concatenate([(values - values.mean()) / (len(values) * len(tables)) for values, _ in tables])
    mean = float(np.mean([values.mean() for values, _ in tables]))
    if fewest == 1:
        return Estimate(mean, inf, fewest)
    of_deal = np.bincount(index, deviations, deals)
    error = sqrt(deals / (deals - 1) * float(np.sum(of_deal**2)))
    return Estimate(mean, t_quantile(fewest - 1) * error, fewest, error * sqrt(deals))


def won_by_deal(tables: Sequence[TableSets], player: str, *others: str) -> list[WonByDeal]:
    """Return what a player won at each table where it has played with all `others`."""
    inside = [table for table in tables if {player, *others} <= set(table.players) and table.mbb.shape[1]]
    return [(table.mbb[table.players.index(player)], table.deals) for table in inside]


def total(tables: Sequence[TableSets], player: str, *others: str) -> Estimate | None:
    """Return a player's mbb/g over its tables with all `others`, of equal weight; None if there are no such tables."""
    common = won_by_deal(tables, player, *others)
    return mean_over_tables(common) if common else None


def bankrolls(tables: Sequence[TableSets], players: Sequence[str]) -> dict[str, float]:
    """Return mbb/g of each of `players` over the tables where only they sit, 0 for a player without such a table."""
    among = set(players)
    inside = [table for table in tables if among.issuperset(table.players)]
    return {player: estimate.mean if (estimate := total(inside, player)) else 0.0 for player in players}


def series(tables: Sequence[TableSets], players: Sequence[str]) -> dict[str, float]:
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
    players: Sequence[str],
    size: int,
    rate: Callable[[Sequence[TableSets], Sequence[str]], dict[str, float]] = bankrolls,
) -> list[RunOffRound]:
    """Return the rounds of an instant run-off: the player with the lowest rate drops out, and rates are computed anew.

    The last round has `size` players, one table, and ranks them by their rates. Players who share the last place drop out
    together, unless too few for a table would be left: then that round ranks all.
    """
    left = list(players)
    rounds: list[RunOffRound] = []
    while left:
        rates = rate(tables, left)
        least = min(rates.values())
        last = tuple(player for player in left if rates[player] - least < SAME)
        dropped = last if len(left) - len(last) >= size else ()
        rounds.append(RunOffRound(dict(sorted(rates.items(), key=lambda item: -item[1])), dropped))
        left = [player for player in left if player not in last] if dropped else []
    return rounds


def places(rates: Mapping[str, float]) -> dict[str, int]:
    """Return places from 1, the highest rate first. Equal rates share the better place."""
    return {player: 1 + sum(other - rate >= SAME for other in rates.values()) for player, rate in rates.items()}


def run_off_places(rounds: Sequence[RunOffRound]) -> dict[str, int]:
    """Return places from 1: those of the last round, then the players who dropped out, the latest first."""
    place_of: dict[str, int] = {}
    for each in reversed(rounds):
        following = len(each.mbb_per_game) - len(each.dropped) + 1
        place_of |= dict.fromkeys(each.dropped, following) if each.dropped else places(each.mbb_per_game)
    return place_of
