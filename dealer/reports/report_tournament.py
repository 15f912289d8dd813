"""Reports of tournaments: places and crosstable with the matches of every table, and prizes of sit-and-goes."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from limpet.common.statistics import Values
from limpet.configs.loading import ConfigError
from limpet.dealer.contests.sit_and_go import TournamentJournal
from limpet.dealer.contests.sng_rules import Structure
from limpet.dealer.contests.sng_run import TERMS_FILE, SngResult, percent
from limpet.dealer.contests.tournament_match import SETS_FILE, read_sets
from limpet.dealer.contests.tournament_result import Rate, TableResult, TournamentResult
from limpet.dealer.matches.matchconfig import design_text
from limpet.dealer.matches.results import half_text, interval_text
from limpet.dealer.reports import report_pages
from limpet.dealer.reports.report_document import BarChart, Block, Heading, Paragraph, Sheet, verbatim
from limpet.dealer.reports.report_match import Look, MatchFolder, details
from limpet.dealer.table.files import read_json

Unit = Literal["mbb/g", "chips"]


def table_matches(folder: Path, result: TournamentResult, table: TableResult) -> list[MatchFolder]:
    """Return the scored matches of a table; none where it was played by full ranges, which leave no match."""
    if result.how == "full-ranges":
        return []
    return [MatchFolder(folder / table.folder / f"match-{number}") for number in range(1, table.matches + 1)]


def tournament_document(folder: Path, result: TournamentResult, largest: int, look: Look) -> Iterator[Block]:
    """Yield the whole report. Raises `ConfigError` and `ProtocolError` for files that cannot be read."""
    yield from results_document(result, "mbb/g")
    for number, table in enumerate(result.tables, 1):
        yield Heading(2, ", ".join(table.players), f"table-{number}")
        if not table.results:
            yield Paragraph("Nothing was played to its end at this table.")
            continue
        rows = (
            (name, f"{rate.chips:+,.0f}", f"{rate.mbb_per_game:+,.1f}", half_text(rate.half_width), f"{rate.hands:,}")
            for name, rate in zip(table.players, table.results, strict=True)
        )
        yield Sheet(("player", "chips", "mbb/g", "± 95 %", "hands"), tuple(rows))
        if matches := table_matches(folder, result, table):
            yield from details(matches, _samples(matches), 3, f"table-{number}-", largest, look)
        else:
            yield Paragraph("It was played by full ranges, without dealing hands: there are no logs to look into.")
    yield Heading(2, "Game", "game")
    yield verbatim(result.game)


def results_markdown(result: TournamentResult, unit: Unit = "mbb/g") -> str:
    """Return the results as Markdown, without the reports of the matches."""
    blocks = [*results_document(result, unit), Heading(2, "Game"), verbatim(result.game)]
    return report_pages.markdown(
        [block._replace(anchor="") if isinstance(block, Heading) else block for block in blocks]
    )


def results_document(result: TournamentResult, unit: Unit) -> Iterator[Block]:
    """Yield standings, crosstable, run-off and, where there is something to say about them, tables, then remarks."""
    yield Heading(1, result.tournament)
    yield Paragraph(_summary(result))
    yield Heading(2, "Places", "places")
    yield _standings(result, unit)
    if bars := tuple(result.rows):
        yield BarChart("places-chart", "mbb/g over all tables with its 95 % interval", bars)
    heads_up = result.table_size == 2
    if heads_up or len(result.tables) > 1:
        names = [standing.name for standing in result.standings]
        rows = tuple(
            (bot, *("" if name == bot else _rate_text(rates.get(name), unit, result) for name in names))
            for bot, rates in ((name, result.crosstable[name]) for name in names)
        )
        where = "" if heads_up else ", at the tables of both"
        yield Heading(2, f"{unit} of the row's bot against the column's, ± 95 %{where}", "crosstable")
        yield Sheet(("", *names), rows)
    if len(result.run_off) > 1:
        yield Heading(2, "Instant run-off: mbb/g among those still in; the last one drops out", "run-off")
        rounds = [each.mbb_per_game for each in result.run_off]
        names = sorted(rounds[0], key=lambda name: -sum(name in rates for rates in rounds))
        rows = tuple((name, *(f"{rates[name]:+.1f}" if name in rates else "" for rates in rounds)) for name in names)
        yield Sheet(("", *(f"round {number}" for number in range(1, len(rounds) + 1))), rows)
    if not heads_up and len(result.tables) > 1:
        yield Heading(2, f"{unit} at each table, ± 95 %", "tables")
        rows = tuple(
            (", ".join(table.players), *(_rate_text(rate, unit, result) for rate in table.results), f"{table.sets:,}")
            for table in result.tables
            if table.results
        )
        yield Sheet(("table", *(f"{number}. player" for number in range(1, result.table_size + 1)), "sets"), rows)
    if result.stop is not None:
        margin, error = result.stop["margin"], max(result.stop["alpha"], result.stop["beta"])
        test = f"who wins by {margin:g} mbb/g is declared the loser with probability {error:g} at most"
        yield Heading(2, f"Sequential test: {test}", "test")
        verdicts = ((" - ".join(table.players), _verdict(table), f"{table.sets:,}") for table in result.tables)
        yield Sheet(("table", "verdict", "sets played"), tuple(verdicts))
    if lines := list(_remarks(result)):
        yield Heading(2, "Remarks", "remarks")
        yield from map(Paragraph, lines)


def _standings(result: TournamentResult, unit: Unit) -> Sheet:
    rows = []
    for standing in result.standings:
        rate, points = standing.result, standing.series_points
        series = "-" if points is None else f"{standing.series_place} ({points:+g})"
        places = (f"{standing.bankroll_place}", f"{standing.run_off_place}", series)
        won = (_rate_text(rate, unit, result), f"{rate.hands:,}" if rate else "-")
        rows.append((standing.name, *won, *(("disqualified", "", "") if standing.disqualified else places)))
    headings = ("bot", f"{unit} ± 95 %", "hands", "total bankroll", "instant run-off", "series run-off (points)")
    return Sheet(headings, tuple(rows))


def _verdict(table: TableResult) -> str:
    if table.verdict is None:
        return "open"
    if table.verdict == "even":
        return f"even, after {table.verdict_sets:,} sets"
    winner = table.players[0 if table.verdict == "win" else 1]
    return f"{winner}, after {table.verdict_sets:,} sets"


def _rate_text(rate: Rate | None, unit: Unit, result: TournamentResult) -> str:
    if rate is None:
        return "-"
    if unit == "mbb/g":
        return rate.text
    half = None if rate.half_width is None else rate.half_width * result.big_blind / 1000 * rate.hands
    return f"{rate.chips:+,.0f} ± {half_text(half, ',.0f')}"


def _summary(result: TournamentResult) -> str:
    """Return what was played in one line."""
    tables = f"{len(result.tables)} table{'s' if len(result.tables) > 1 else ''}"
    matches = f"{result.matches} x " if result.matches > 1 else ""
    fewer = result.stop or len({table.sets for table in result.tables if table.sets}) > 1
    sets = f"{'up to ' if fewer else ''}{matches}{result.hands:,} {'duplicate sets' if result.seatings > 1 else 'hands'} each"
    seatings = f" in {design_text(result.seatings, result.design)}" if result.seatings > 1 else ""
    return f"{result.tournament}: {tables}, {sets}{seatings}, seed {result.seed}, {result.how}"


def _remarks(result: TournamentResult) -> Iterator[str]:
    """Yield sentences on what the numbers are not."""
    for table in result.tables:
        if table.failure is not None:
            yield f"{', '.join(table.players)}: {table.failure.splitlines()[0]}"
    if out := [standing.name for standing in result.standings if standing.disqualified]:
        yield f"Disqualified: {', '.join(out)}. Their tables stand in the crosstable and count for nobody's place."
    if not result.complete:
        yield "Not all tables have been played to their end: places are provisional. --resume goes on."
    if result.stop is not None:
        yield "Tables that the test ended early: the verdict keeps its error; the intervals are too narrow for them."


def _samples(matches: list[MatchFolder]) -> Values | None:
    """Return mbb/g of all matches, ``[player, deal]``; None if a match has kept no results by deal.

    Raises `ConfigError` for results by deal that are not those of the match.
    """
    samples: list[Values] = []
    for match in matches:
        chips = read_sets(match.folder)
        if chips is None:
            return None
        values = chips * (1000.0 / match.result.big_blind)
        if not np.allclose(values.mean(axis=1), [player.mbb_per_game for player in match.result.players]):
            raise ConfigError(
                f"{match.folder / SETS_FILE}: not the results by deal of the match beside it; remove it, and `limpet "
                "tournament` with --resume writes it again"
            )
        samples.append(values)
    return np.concatenate(samples, axis=1) if samples else None


# --- The report of sit-and-go tournaments: prizes, returns and places, how long they last, and the structure.


def sng_document(folder: Path) -> Iterator[Block]:
    """Yield the whole report of the tournaments in a folder. Raises `ConfigError` where they are not finished."""
    result = SngResult.read(folder)
    terms = read_json(folder / TERMS_FILE)
    structure = msgspec.convert(terms["structure"], Structure)
    yield Heading(1, f"{result.structure}: {', '.join(player.name for player in result.players)}")
    yield Paragraph(f"{result.sampled}, {result.hands:,} hands, seed {result.seed}, {result.how}.")
    yield Heading(2, "Prizes and returns", "prizes")
    yield Paragraph(
        f"The buy-in is {result.buy_in:g}, of which {100 * result.rake:g} % are rake. The return on investment (ROI) is "
        f"the mean prize less the buy-in, in % of the buy-in. Intervals hold 95 %, over {result.sample}s."
    )
    if result.players[0].roi_luck_adjusted is not None:
        yield Paragraph(
            "*Without luck* is the return less what the boards won after the last decisions of hands, beyond the mean over all "
            "boards that might have come, in prize money by the independent chip model. It has the mean of the return."
        )
    yield returns(result)
    yield BarChart("returns", "ROI % with its 95 % interval", tuple(result.rows))
    yield Heading(2, "Places", "places")
    yield Paragraph("Number of tournaments that ended in each place. Players who share places count in equal parts.")
    yield placed(result)
    yield from _lengths(folder, bool(terms["logged"]), len(result.players))
    yield Heading(2, "Structure", "structure")
    prizes = ", ".join(f"{prize:,.2f}" for prize in result.prizes if prize)
    yield Paragraph(f"Everybody begins with {structure.start_stack:,} chips. Prizes: {prizes}.")
    rows = ((level.hands, level.small_blind, level.big_blind, level.ante) for level in structure.levels)
    numbered = tuple((str(number), *map(str, row)) for number, row in enumerate(rows, 1))
    yield Sheet(("level", "hands", "small blind", "big blind", "ante"), numbered)
    yield Paragraph("After the last level blinds and antes double every so many hands.")


def returns(result: SngResult) -> Sheet:
    """Return the table of mean prizes and returns, with the luck taken out where that was asked for."""
    headings = ["player", "prize", "95 % interval", "ROI %", "95 % interval"]
    if result.players[0].roi_luck_adjusted is not None:
        headings += ["ROI % without luck", "95 % interval"]
    rows = []
    for player, row in zip(result.players, result.rows, strict=True):
        cells = [player.name, f"{player.prize_mean:,.3f}", interval_text(player.prize_interval_95, ",.3f")]
        cells += [f"{row.value:+,.1f}", interval_text(row.interval, ",.1f")]
        if player.roi_luck_adjusted is not None and (interval := player.roi_luck_adjusted_interval_95) is not None:
            cells += [f"{100 * player.roi_luck_adjusted:+,.1f}", interval_text(percent(interval), ",.1f")]
        rows.append(tuple(cells))
    return Sheet(tuple(headings), tuple(rows))


def placed(result: SngResult) -> Sheet:
    """Return the table of places."""
    numbers = (str(place) for place in range(1, len(result.players) + 1))
    rows = tuple((player.name, *(f"{count:,.1f}" for count in player.places)) for player in result.players)
    return Sheet(("player, place", *numbers), rows)


def _lengths(folder: Path, logged: bool, players: int) -> Iterator[Block]:
    """Yield how many hands tournaments last, and in which level they end."""
    journal = TournamentJournal(folder, logged)
    journal.close()
    hands = sorted(line.hand + 1 for line in journal.last.values())
    levels = Counter(line.level for line in journal.last.values())
    shared = sum(len(group) > 1 for line in journal.last.values() for group in line.out)
    yield Heading(2, "How long they last", "lengths")
    yield Paragraph(
        f"{sum(hands) / len(hands):,.1f} hands in the mean, {hands[len(hands) // 2]} in the median, {hands[-1]} at most. "
        f"Of {len(hands) * (players - 1):,} exits {shared:,} were shared, by players of equal stacks in one hand."
    )
    rows = tuple((str(level + 1), f"{count:,}", f"{count / len(hands):.1%}") for level, count in sorted(levels.items()))
    yield Sheet(("last level", "tournaments", "share"), rows)
