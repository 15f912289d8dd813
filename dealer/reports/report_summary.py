"""The report of a summary of logs: what each player won, in which hands, and how it plays."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from limpet.dealer.matches.results import ResultRow, half_width, interval_text
from limpet.dealer.reports.log_results import LogSummary, PlayerSummary, ResultPart, WonChips
from limpet.dealer.reports.report_document import BarChart, Block, Heading, Paragraph, Sheet, verbatim

SHOWN_NAMES = 5
"""Most matches or files that a summary names."""
MOST_BARS = 12
"""Most bars of a chart of players and positions; the table above holds those of larger tables."""


def summary_document(summary: LogSummary, options: str) -> Iterator[Block]:
    """Yield the report of `limpet hands summary`, without its notes.

    `options` are the options, such as `` --game mine.game``, with which the files can be read again.
    """
    named = summary.matches or summary.files
    more = f" and {len(named) - SHOWN_NAMES} more" if len(named) > SHOWN_NAMES else ""
    sets = f", {summary.deals:,} duplicate sets" if summary.deals < summary.hands else ""
    yield Paragraph(
        f"{', '.join(named[:SHOWN_NAMES])}{more}: {summary.hands:,} hands{sets}, big blind {summary.big_blind}"
    )
    yield _results(summary.players)
    yield from play_blocks(summary, 2, "")
    pots = summary.pots
    yield Paragraph(
        f"Pots in bb: mean {pots.mean:,.1f}, median {pots.median:,.1f}, 90 % below {pots.percentile_90:,.1f}, "
        f"99 % below {pots.percentile_99:,.1f}, largest {pots.largest:,.1f}; {_percent(summary.showdown)} of "
        "the hands came to a showdown"
    )
    if summary.largest_pots:
        first = summary.largest_pots[0]
        yield Heading(2, "Largest pots")
        yield verbatim(
            "\n".join(f"{pot.pot:,.1f} bb  {pot.file}:{pot.line}  {pot.text}" for pot in summary.largest_pots)
        )
        yield Paragraph(f"See one: limpet hands replay {first.file} --line {first.line}{options}")


def play_blocks(summary: LogSummary, level: int, prefix: str) -> Iterator[Block]:
    """Yield the parts of the result by position, street and pot, and how the players play."""
    # The positions that somebody held, in the order of the first player who held most of them.
    positions = list(dict.fromkeys(name for player in summary.players for name in player.positions))
    yield Heading(level, "By position", f"{prefix}positions")
    yield Paragraph("mbb/g in each position, with half of its 95 % interval.")
    rows = (
        (player.name, *(_short(player.positions.get(position)) for position in positions)) for player in summary.players
    )
    yield Sheet(("player", *positions), tuple(rows))
    shown = summary.players[:1] if len(summary.players) == 2 else summary.players
    bars = tuple(
        ResultRow(f"{player.name}, {position}", result.mbb_per_game, result.interval_95)
        for player in shown
        for position, result in player.positions.items()
    )
    if len(bars) <= MOST_BARS:
        yield BarChart(f"{prefix}positions-chart", "mbb/g by position with its 95 % interval", bars)
    won = [f"{player.name} mbb/g" for player in shown]
    yield Heading(level, "By last street and pot", f"{prefix}streets")
    yield Paragraph("What these hands add to the result: the numbers of a column add up to the player's mbb/g.")
    streets = {name: round(share * summary.hands) for name, share in summary.streets.items()}
    yield Sheet(("last street", "hands", *won), _parts(streets, [player.streets for player in shown]))
    yield Sheet(("pot", "hands", *won), _parts(summary.pot_groups, [player.pots for player in shown]))
    yield Heading(level, "How they play", f"{prefix}actions")
    yield Paragraph("VPIP, PFR, showdowns and other statistics of trackers, with intervals: limpet hands stats LOG")
    yield _actions(summary.players)
    if (times := _times(summary.players)).rows:
        yield Heading(level, "Decision times", f"{prefix}times")
        yield times


def _results(players: Sequence[PlayerSummary]) -> Sheet:
    """Return the table of what each player won."""
    rows = tuple(
        (name, f"{won.hands:,}", f"{won.chips:+,.0f}", f"{won.mbb_per_game:+,.1f}", interval_text(won.interval_95))
        for name, won in ((player.name, player.result) for player in players)
    )
    return Sheet(("player", "hands", "chips", "mbb/g", "95 % interval"), rows)


def _short(result: WonChips | None) -> str:
    """Return a result in mbb/g with half of its 95 % interval."""
    if result is None:
        return "-"
    half = half_width(result.interval_95)
    return f"{result.mbb_per_game:+,.1f}" + ("" if half is None else f" ± {half:,.1f}")


def _parts(hands: Mapping[str, int], players: Sequence[Sequence[ResultPart]]) -> tuple[tuple[str, ...], ...]:
    """Return a row for each kind of hands: their number, and what they add to the rate of each player."""
    rates = [{part.name: f"{part.mbb_per_game:+,.1f}" for part in parts} for parts in players]
    return tuple((name, f"{count:,}", *(rate.get(name, "-") for rate in rates)) for name, count in hands.items())


def _actions(players: Sequence[PlayerSummary]) -> Sheet:
    """Return the table of how often each player takes each action, by street."""
    rows = tuple(
        (
            f"{player.name}, {street.street}",
            f"{street.decisions:,}",
            *map(_percent, (street.fold, street.check, street.call, street.raise_)),
            "-" if street.aggression is None else f"{street.aggression:.2f}",
        )
        for player in players
        for street in player.actions
    )
    return Sheet(("player, street", "decisions", "fold", "check", "call", "raise", "raises per call"), rows)


def _times(players: Sequence[PlayerSummary]) -> Sheet:
    """Return the table of decision times, of the players for whom they are known."""
    rows = tuple(
        (player.name, f"{each.decisions:,}", *(f"{number:,.1f}" for number in msgspec.structs.astuple(each)[1:]))
        for player in players
        if (each := player.times)
    )
    return Sheet(("player", "decisions", "mean ms", "median ms", "99 % below", "longest ms", "s"), rows)


def _percent(share: float | None) -> str:
    """Return a share in %, a hyphen where there is none."""
    return "-" if share is None else f"{100 * share:.1f} %"
