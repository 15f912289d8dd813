"""A tournament's results for people, as tables of text."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from limpet.dealer.matches.seatings import design_text
from limpet.dealer.tournaments.tournament_result import Rate, TableResult, TournamentResult

Unit = Literal["mbb/g", "chips"]


class Grid(NamedTuple):
    """A table of text with a title. All columns but the first are numbers."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def grids(result: TournamentResult, unit: Unit = "mbb/g") -> Iterator[Grid]:
    """Standings, crosstable, run-off and, where there is something to say about them, tables."""
    yield _standings(result, unit)
    heads_up = result.table_size == 2
    if heads_up or len(result.tables) > 1:
        names = [standing.name for standing in result.standings]
        rows = tuple(
            (
                row,
                *("" if row == column else _told(result.crosstable[row].get(column), unit, result) for column in names),
            )
            for row in names
        )
        where = "" if heads_up else ", at the tables of both"
        yield Grid(f"{unit} of the row's bot against the column's, ± 95 %{where}", ("", *names), rows)
    if len(result.run_off) > 1:
        yield _run_off(result)
    if not heads_up and len(result.tables) > 1:
        yield _tables(result, unit)
    if result.stop is not None:
        yield _verdicts(result)


def _standings(result: TournamentResult, unit: Unit) -> Grid:
    rows = []
    for standing in result.standings:
        found = standing.result
        row = [standing.name, _told(found, unit, result), f"{found.hands:,}" if found else "-"]
        if standing.disqualified:
            row += ["disqualified", "", ""]
        else:
            points = "" if standing.series_points is None else f"{standing.series_points:+g}"
            series = f"{standing.series_place} ({points})" if points else "-"
            row += [f"{standing.bankroll_place}", f"{standing.run_off_place}", series]
        rows.append(tuple(row))
    headings = ("bot", f"{unit} ± 95 %", "hands", "total bankroll", "instant run-off", "series run-off (points)")
    return Grid("Places", headings, tuple(rows))


def _run_off(result: TournamentResult) -> Grid:
    names = list(result.run_off[0].mbb_per_game)
    names.sort(key=lambda name: -sum(name in round.mbb_per_game for round in result.run_off))
    rows = tuple(
        (name, *(f"{round.mbb_per_game[name]:+.1f}" if name in round.mbb_per_game else "" for round in result.run_off))
        for name in names
    )
    headings = ("", *(f"round {number}" for number in range(1, len(result.run_off) + 1)))
    return Grid("Instant run-off: mbb/g among those still in; the last one drops out", headings, rows)


def _tables(result: TournamentResult, unit: Unit) -> Grid:
    rows = tuple(
        (", ".join(table.players), *(_told(rate, unit, result) for rate in table.results), f"{table.sets:,}")
        for table in result.tables
        if table.results
    )
    headings = ("table", *(f"{number}. player" for number in range(1, result.table_size + 1)), "sets")
    return Grid(f"{unit} at each table, ± 95 %", headings, rows)


def _verdicts(result: TournamentResult) -> Grid:
    assert result.stop is not None
    title = (
        f"Sequential test: who wins by {result.stop['margin']:g} mbb/g is declared the loser with probability "
        f"{max(result.stop['alpha'], result.stop['beta']):g} at most"
    )
    rows = tuple((" - ".join(table.players), _verdict(table), f"{table.sets:,}") for table in result.tables)
    return Grid(title, ("table", "verdict", "sets played"), rows)


def _verdict(table: TableResult) -> str:
    if table.verdict is None:
        return "open"
    if table.verdict == "even":
        return f"even, after {table.verdict_sets:,} sets"
    winner = table.players[0 if table.verdict == "win" else 1]
    return f"{winner}, after {table.verdict_sets:,} sets"


def _told(rate: Rate | None, unit: Unit, result: TournamentResult) -> str:
    if rate is None:
        return "-"
    if unit == "mbb/g":
        value, half = rate.mbb_per_game, rate.half_width
        return f"{value:+,.1f} ± {'?' if half is None else f'{half:,.1f}'}"
    half = None if rate.half_width is None else rate.half_width * result.big_blind / 1000 * rate.hands
    return f"{rate.chips:+,.0f} ± {'?' if half is None else f'{half:,.0f}'}"


def heading(result: TournamentResult) -> str:
    """One line: what was played."""
    tables = f"{len(result.tables)} table{'s' if len(result.tables) > 1 else ''}"
    matches = f"{result.matches} x " if result.matches > 1 else ""
    fewer = result.stop or len({table.sets for table in result.tables if table.sets}) > 1
    sets = f"{'up to ' if fewer else ''}{matches}{result.hands:,} {'duplicate sets' if result.seatings > 1 else 'hands'} each"
    seatings = f" in {design_text(result.seatings, result.design)}" if result.seatings > 1 else ""
    return f"{result.tournament}: {tables}, {sets}{seatings}, seed {result.seed}, {result.how}"


def remarks(result: TournamentResult) -> Iterator[str]:
    """Sentences on what the numbers are not."""
    for table in result.tables:
        if table.failure is not None:
            yield f"{', '.join(table.players)}: {table.failure}"
    if out := [standing.name for standing in result.standings if standing.disqualified]:
        yield f"Disqualified: {', '.join(out)}. Their tables stand in the crosstable and count for nobody's place."
    if not result.complete:
        yield "Not all tables have been played to their end: places are provisional. --resume goes on."
    if result.stop is not None:
        yield "Tables that the test ended early: the verdict keeps its error; the intervals are too narrow for them."
