"""The report of a tournament: places and crosstable, then the matches of every table; or the former alone."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from limpet.configs.loading import ConfigError
from limpet.dealer.reports import report_markdown
from limpet.dealer.reports.report_document import Block, Heading, Paragraph, Sheet, verbatim
from limpet.dealer.reports.report_match import LARGEST, Look, MatchFolder, details, read_match, read_result
from limpet.dealer.tournaments.tournament_grids import Unit, grids, heading, remarks
from limpet.dealer.tournaments.tournament_match import SETS_FILE, read_sets
from limpet.dealer.tournaments.tournament_result import TableResult, TournamentResult
from limpet.strategies.statistics.estimate import Values

RESULTS_FILE = "results.json"


def read_tournament(folder: Path) -> TournamentResult:
    """Read the results in a tournament's folder. Raises `ConfigError`."""
    return read_result(folder / RESULTS_FILE, TournamentResult)


def table_matches(folder: Path, table: TableResult) -> list[MatchFolder]:
    """Read the scored matches of a table. Raises `ConfigError`."""
    return [read_match(folder / table.folder / f"match-{number}") for number in range(1, table.matches + 1)]


def tournament_document(
    folder: Path, result: TournamentResult, largest: int = LARGEST, look: Look = lambda stream: None
) -> Iterator[Block]:
    """Yield the whole report. Raises `ConfigError` and `ProtocolError` for files that cannot be read."""
    yield from _results(result, "mbb/g")
    for number, table in enumerate(result.tables, 1):
        yield Heading(2, ", ".join(table.players), f"table-{number}")
        if not table.results:
            yield Paragraph("Nothing was played to its end at this table.")
            continue
        rows = (
            (name, f"{rate.chips:+,.0f}", f"{rate.mbb_per_game:+,.1f}", _half(rate.half_width), f"{rate.hands:,}")
            for name, rate in zip(table.players, table.results, strict=True)
        )
        yield Sheet(("player", "chips", "mbb/g", "± 95 %", "hands"), tuple(rows))
        matches = table_matches(folder, table)
        yield from details(matches, _samples(matches), 3, f"table-{number}-", largest, look)
    yield Heading(2, "Game", "game")
    yield verbatim(result.game)


def results_markdown(result: TournamentResult, unit: Unit = "mbb/g") -> str:
    """Return the results as Markdown, without the reports of the matches."""
    blocks = [*_results(result, unit), Heading(2, "Game"), verbatim(result.game)]
    return report_markdown.markdown(
        [block._replace(anchor="") if isinstance(block, Heading) else block for block in blocks]
    )


def _results(result: TournamentResult, unit: Unit) -> Iterator[Block]:
    yield Heading(1, result.tournament)
    yield Paragraph(heading(result) + ".")
    for number, grid in enumerate(grids(result, unit), 1):
        yield Heading(2, grid.title, f"all-{number}")
        yield Sheet(grid.headings, grid.rows)
    if lines := list(remarks(result)):
        yield Heading(2, "Remarks", "remarks")
        for remark in lines:
            yield Paragraph(remark.splitlines()[0])


def _samples(matches: list[MatchFolder]) -> Values | None:
    """Return mbb/g of all matches, ``[player, deal]``; None if a match has kept no results by deal.

    Raises `ConfigError` for results by deal that are not those of the match.
    """
    known: list[Values] = []
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
        known.append(values)
    return np.concatenate(known, axis=1) if known else None


def _half(half: float | None) -> str:
    return "?" if half is None else f"{half:,.1f}"
