"""The report of sit-and-go tournaments: prizes, returns and places, how long they last, and the structure."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from limpet.dealer.matches.match_result import interval_text
from limpet.dealer.reports.report_document import BarChart, Block, Heading, Paragraph, Sheet, rate_bar
from limpet.dealer.reports.report_match import read_result
from limpet.dealer.sit_and_go.journal import Journal
from limpet.dealer.sit_and_go.sng_run import RESULT_FILE, TERMS_FILE, SngResult
from limpet.dealer.sit_and_go.structure import Structure
from limpet.dealer.table.files import read_terms
from limpet.strategies.statistics.estimate import Interval


def sng_document(folder: Path) -> Iterator[Block]:
    """Yield the whole report of the tournaments in a folder. Raises `ConfigError` where they are not finished."""
    result = read_result(folder / RESULT_FILE, SngResult)
    terms = read_terms(folder / TERMS_FILE)
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
    bars = tuple(rate_bar(p.name, 100 * p.roi, _percent(p.roi_interval_95)) for p in result.players)
    yield BarChart("returns", "ROI % with its 95 % interval", bars)
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
    for player in result.players:
        cells = [player.name, f"{player.prize_mean:,.3f}", interval_text(player.prize_interval_95, ",.3f")]
        cells += [f"{100 * player.roi:+,.1f}", interval_text(_percent(player.roi_interval_95), ",.1f")]
        if player.roi_luck_adjusted is not None and (interval := player.roi_luck_adjusted_interval_95) is not None:
            cells += [f"{100 * player.roi_luck_adjusted:+,.1f}", interval_text(_percent(interval), ",.1f")]
        rows.append(tuple(cells))
    return Sheet(tuple(headings), tuple(rows))


def placed(result: SngResult) -> Sheet:
    """Return the table of places."""
    numbers = (str(place) for place in range(1, len(result.players) + 1))
    rows = tuple((player.name, *(f"{count:,.1f}" for count in player.places)) for player in result.players)
    return Sheet(("player, place", *numbers), rows)


def _lengths(folder: Path, logged: bool, players: int) -> Iterator[Block]:
    """Yield how many hands tournaments last, and in which level they end."""
    journal = Journal(folder, logged)
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


def _percent(interval: Interval) -> Interval:
    low, high = interval
    return (None, None) if low is None or high is None else (100 * low, 100 * high)
