"""Rankings of a tournament worked out by hand, and intervals over tables that share their deals."""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.common.statistics import Estimate, estimate
from limpet.dealer.contests.tournament import TableRecord
from limpet.dealer.contests.tournament_config import NamedBot, TournamentConfig, resolve_tournament
from limpet.dealer.contests.tournament_result import (
    TableSets,
    bankrolls,
    mean_over_tables,
    places,
    result,
    run_off,
    run_off_places,
    series,
    total,
)
from limpet.dealer.matches.faults import Fault


def heads_up(results: dict[str, float]) -> list[TableSets]:
    """Tables of two sets each, a mean for the first player; players are named by digits."""
    return [
        TableSets(tuple(pair), np.array([[v - 1, v + 1], [1 - v, -1 - v]]), np.arange(2)) for pair, v in results.items()
    ]


# Rock (0) beats everybody by a little, shark (1) takes most from the fish (3), solid (2) beats the shark.
TABLES = heads_up({"01": 10, "02": 10, "03": 20, "12": -40, "13": 900, "23": 50})


def test_total_bankroll_and_its_run_off_differ() -> None:
    rates = bankrolls(TABLES, "0123")
    assert rates == pytest.approx({"0": 40 / 3, "1": 850 / 3, "2": 80 / 3, "3": -970 / 3})
    assert places(rates) == {"1": 1, "2": 2, "0": 3, "3": 4}
    rounds = run_off(TABLES, "0123", 2)
    # Without the fish the shark has lost to both: it goes next, and rock has beaten solid.
    assert [round.dropped for round in rounds] == [("3",), ("1",), ()]
    assert rounds[1].mbb_per_game == pytest.approx({"0": 10, "1": -25, "2": 15})
    assert rounds[2].mbb_per_game == pytest.approx({"0": 10, "2": -10})
    assert run_off_places(rounds) == {"0": 1, "2": 2, "1": 3, "3": 4}


def test_series_count_wins_only() -> None:
    assert series(TABLES, "0123") == {"0": 3, "1": -1, "2": 1, "3": -3}
    rounds = run_off(TABLES, "0123", 2, series)
    assert run_off_places(rounds) == {"0": 1, "2": 2, "1": 3, "3": 4}
    assert series(heads_up({"01": 0.0}), "01") == {"0": 0, "1": 0}


def test_those_who_share_the_last_place_drop_out_together() -> None:
    tables = heads_up({"01": 10, "02": 5, "03": 5, "12": 9, "13": 9, "23": 0})
    rounds = run_off(tables, "0123", 2)
    assert [round.dropped for round in rounds] == [("2", "3"), ()]
    assert run_off_places(rounds) == {"0": 1, "1": 2, "2": 3, "3": 3}
    equals = heads_up(dict.fromkeys(map("".join, combinations("0123", 2)), 0.0))
    assert run_off_places(run_off(equals, "0123", 2)) == dict.fromkeys("0123", 1)


def test_three_to_a_table() -> None:
    def table(players: str, *means: float) -> TableSets:
        return TableSets(tuple(players), np.array([[mean, mean] for mean in means]), np.arange(2))

    tables = [
        table("012", 5, -1, -4),
        table("013", 1, 9, -10),
        table("023", 2, 18, -20),
        table("123", 3, 3, -6),
    ]
    assert bankrolls(tables, "0123") == pytest.approx({"0": 8 / 3, "1": 11 / 3, "2": 17 / 3, "3": -12})
    rounds = run_off(tables, "0123", 3)
    # Three are left, and only the table that they share counts among them.
    assert [round.dropped for round in rounds] == [("3",), ()]
    assert run_off_places(rounds) == {"0": 1, "1": 2, "2": 3, "3": 4}
    between = total(tables, "0", "1")
    assert between is not None and between.mean == pytest.approx(3)
    assert total(tables, "0", "9") is None


def in_order(tables: Sequence[NDArray[np.float64]]) -> Estimate:
    """Set s of every table was played on deal s."""
    return mean_over_tables([(values, np.arange(len(values))) for values in tables])


def test_tables_of_as_many_deals_are_estimated_as_the_deals_means() -> None:
    random = np.random.Generator(np.random.Philox(key=1))
    common = random.normal(0, 100, 300)
    tables = [common + random.normal(5, 50, 300) for _ in range(4)]
    found, plain = in_order(tables), estimate(np.mean(tables, axis=0))
    assert found == pytest.approx(plain)
    # Tables that share their deals tell less than they seem to.
    assert found.half_width > 1.5 * estimate(np.concatenate(tables)).half_width


def test_one_table_is_estimated_by_its_deals() -> None:
    values = np.array([3.0, -1.0, 4.0, 1.0, -5.0])
    assert in_order([values]) == pytest.approx(estimate(values))


def test_a_table_without_a_set_counts_for_nobody() -> None:
    empty = TableSets(("0", "4"), np.zeros((2, 0)), np.zeros(0, np.int64))
    assert total([empty], "4") is None
    assert bankrolls([empty], "04") == series([empty], "04") == {"0": 0.0, "4": 0.0}
    assert total([empty, *TABLES], "0") == total(TABLES, "0")


def test_intervals_cover_the_truth_when_tables_have_stopped_early() -> None:
    random = np.random.Generator(np.random.Philox(key=2))
    covered = 0
    for _ in range(600):
        common = random.normal(0, 100, 400)
        tables = [common[:n] + random.normal(0, 100, n) for n in (400, 250, 100)]
        found = in_order(tables)
        covered += abs(found.mean) <= found.half_width
    assert 0.93 < covered / 600 < 0.97
    with pytest.raises(ValueError, match="no hands"):
        in_order([common, np.zeros(0)])


def test_intervals_cover_the_truth_when_a_slow_bot_plays_shorter_matches() -> None:
    """Match after match, the slow one's table leaves out the second half of the deals."""
    random = np.random.Generator(np.random.Philox(key=3))
    deals = np.arange(10 * 20)
    shorter = deals[deals % 20 < 10]
    covered = 0
    for _ in range(600):
        common = random.normal(0, 100, len(deals))
        tables = [(common[played] + random.normal(0, 20, len(played)), played) for played in (deals, shorter)]
        found = mean_over_tables(tables)
        covered += abs(found.mean) <= found.half_width
    assert 0.93 < covered / 600 < 0.97


def test_tables_of_a_disqualified_bot_count_for_nobody() -> None:
    """The bot won a match before another one failed by its fault: its opponents' rates are those of the others' tables."""
    bots: list[str | NamedBot] = ["call", "random", "raise"]
    tournament = resolve_tournament(TournamentConfig("test", bots=bots, game="leduc.limit.2p", hands=2), Path())

    def record(players: tuple[str, str], chips: float, fault: Fault | None = None) -> TableRecord:
        return TableRecord(players, {0: np.array([[chips, chips], [-chips, -chips]])}, counted=1, fault=fault)

    fault = Fault("seating-1", "raise", 2, "died", "it ended", 1, None, 0, (), (), "")
    records = [
        record(("call", "random"), 1.0),
        record(("call", "raise"), -50.0, fault),
        record(("random", "raise"), -9.0),
    ]
    found = result(tournament, records)
    call, other, bad = found.standings
    assert (call.name, other.name, bad.name) == ("call", "random", "raise")
    assert call.result is not None and other.result is not None and bad.disqualified and bad.bankroll_place is None
    assert (call.result.mbb_per_game, other.result.mbb_per_game) == (1000.0, -1000.0)
    assert (call.bankroll_place, other.bankroll_place) == (1, 2)
