"""The summary of logs as tables on a terminal."""

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from limpet.dealer.logs.log_summary import LogSummary, PlayerSummary, Result


def print_summary(summary: LogSummary, console: Console) -> None:
    """Everything but the notes, which belong on standard error."""

    def say(text: str) -> None:
        console.print(text, soft_wrap=True, highlight=False, markup=False)

    names = ", ".join(summary.matches) or ", ".join(summary.files)
    sets = f", {summary.deals:,} duplicate sets" if summary.deals < summary.hands else ""
    say(f"{names}: {summary.hands:,} hands{sets}, big blind {summary.big_blind}")
    _print(console, ("player", "hands", "chips", "mbb/g", "95 % interval", *positions(summary)), _results(summary))
    say("Position columns: mbb/g in that position, with half of its 95 % interval.")
    _print(console, ("player", "VPIP", "PFR", "saw 2nd round", "to showdown", "won there"), styles(summary))
    _print(
        console, ("player", "street", "decisions", "fold", "check", "call", "raise", "raises per call"), acts(summary)
    )
    two = len(summary.players) == 2
    told = summary.players[:1] if two else summary.players
    won = [f"{player.name} mbb/g" for player in told]
    _print(console, ("last street", "hands", *won), parts(summary, told, "streets"))
    _print(console, ("pot", "hands", *won), parts(summary, told, "pots"))
    say(
        f"Pots in bb: mean {summary.pots.mean:,.1f}, median {summary.pots.median:,.1f}, "
        f"90 % below {summary.pots.percentile_90:,.1f}, 99 % below {summary.pots.percentile_99:,.1f}, "
        f"largest {summary.pots.largest:,.1f}; {_percent(summary.showdown)} of the hands came to a showdown"
    )
    if any(player.times for player in summary.players):
        _print(
            console, ("player", "decisions", "mean ms", "median ms", "99 % below", "longest ms", "s"), times(summary)
        )
    if summary.largest_pots:
        say("Largest pots:")
    for pot in summary.largest_pots:
        say(f"  {pot.pot:,.1f} bb  {pot.file}:{pot.line}  {pot.text}")
    if summary.largest_pots:
        first = summary.largest_pots[0]
        say(f"See one: limpet log replay {first.file} --hand {first.hand}")


def _print(console: Console, headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    table = Table()
    for heading in headings:
        table.add_column(heading, justify="left" if heading in ("player", "street", "last street", "pot") else "right")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)


def positions(summary: LogSummary) -> list[str]:
    """Every position that somebody held, in the order of the first player who held most of them."""
    return list(dict.fromkeys(name for player in summary.players for name in player.positions))


def _results(summary: LogSummary) -> Iterable[tuple[str, ...]]:
    for player in summary.players:
        low, high = player.result.interval_95
        interval = "-" if low is None or high is None else f"{low:+,.1f} … {high:+,.1f}"
        places = (short(player.positions.get(name)) for name in positions(summary))
        rate = f"{player.result.mbb_per_game:+,.1f}"
        yield (player.name, f"{player.result.hands:,}", f"{player.result.chips:+,.0f}", rate, interval, *places)


def short(result: Result | None) -> str:
    if result is None:
        return "-"
    low, high = result.interval_95
    half = "" if low is None or high is None else f" ± {(high - low) / 2:,.1f}"
    return f"{result.mbb_per_game:+,.1f}{half}"


def styles(summary: LogSummary) -> Iterable[tuple[str, ...]]:
    for player in summary.players:
        shares = (player.vpip, player.pfr, player.saw_second, player.showdown, player.won_at_showdown)
        yield (player.name, *map(_percent, shares))


def acts(summary: LogSummary) -> Iterable[tuple[str, ...]]:
    for player in summary.players:
        for at, street in enumerate(player.actions):
            shares = (street.fold, street.check, street.call, street.raise_)
            aggression = "-" if street.aggression is None else f"{street.aggression:.2f}"
            name = "" if at else player.name
            yield (name, street.street, f"{street.decisions:,}", *map(_percent, shares), aggression)


def parts(summary: LogSummary, players: Iterable[PlayerSummary], kind: str) -> Iterable[tuple[str, ...]]:
    """Hands and what they add to each player's rate, a row for each street or group of pots."""
    by_player = [{part.name: part for part in getattr(player, kind)} for player in players]
    for name, first in by_player[0].items():
        rates = [f"{found[name].mbb_per_game:+,.1f}" if name in found else "-" for found in by_player]
        yield (name, f"{first.hands:,}", *rates)


def times(summary: LogSummary) -> Iterable[tuple[str, ...]]:
    for player in summary.players:
        if clock := player.times:
            numbers = (clock.mean_ms, clock.median_ms, clock.percentile_99_ms, clock.longest_ms, clock.total_s)
            yield (player.name, f"{clock.decisions:,}", *(f"{number:,.1f}" for number in numbers))


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"
