"""The rows of tables that sum up logs."""

from collections.abc import Iterable

from limpet.dealer.logs.log_results import LogSummary, PlayerSummary, Result
from limpet.dealer.matches.match_result import half_width, interval_text

RESULTS = ("player", "hands", "chips", "mbb/g", "95 % interval")
"""Headings of `results`."""
STYLES = ("player", "VPIP", "PFR", "saw 2nd round", "to showdown", "won there")
"""Headings of `styles`."""
ACTS = ("player, street", "decisions", "fold", "check", "call", "raise", "raises per call")
"""Headings of `acts`."""
TIMES = ("player", "decisions", "mean ms", "median ms", "99 % below", "longest ms", "s")
"""Headings of `times`."""


def positions(summary: LogSummary) -> list[str]:
    """Return the positions that somebody held, in the order of the first player who held most of them."""
    return list(dict.fromkeys(name for player in summary.players for name in player.positions))


def results(summary: LogSummary) -> Iterable[tuple[str, ...]]:
    """Yield a row for each player: what it won."""
    for player in summary.players:
        result = player.result
        rate, interval = f"{result.mbb_per_game:+,.1f}", interval_text(result.interval_95)
        yield (player.name, f"{result.hands:,}", f"{result.chips:+,.0f}", rate, interval)


def short(result: Result | None) -> str:
    """Return a result in mbb/g with half of its 95 % interval."""
    if result is None:
        return "-"
    half = half_width(result.interval_95)
    return f"{result.mbb_per_game:+,.1f}" + ("" if half is None else f" ± {half:,.1f}")


def styles(summary: LogSummary) -> Iterable[tuple[str, ...]]:
    """Yield a row for each player: how often it plays, raises, and goes to showdown."""
    for player in summary.players:
        shares = (player.vpip, player.pfr, player.saw_second, player.showdown, player.won_at_showdown)
        yield (player.name, *map(percent, shares))


def acts(summary: LogSummary) -> Iterable[tuple[str, ...]]:
    """Yield a row for each player and street: how often it takes each action."""
    for player in summary.players:
        for street in player.actions:
            shares = (street.fold, street.check, street.call, street.raise_)
            aggression = "-" if street.aggression is None else f"{street.aggression:.2f}"
            yield (f"{player.name}, {street.street}", f"{street.decisions:,}", *map(percent, shares), aggression)


def parts(summary: LogSummary, players: Iterable[PlayerSummary], kind: str) -> Iterable[tuple[str, ...]]:
    """Yield a row for each street or group of pots: all its hands, and what they add to each player's rate."""
    by_player = [{part.name: part for part in getattr(player, kind)} for player in players]
    hands = summary.pot_groups
    if kind == "streets":
        hands = {name: round(share * summary.hands) for name, share in summary.streets.items()}
    for name, count in hands.items():
        rates = [f"{found[name].mbb_per_game:+,.1f}" if name in found else "-" for found in by_player]
        yield (name, f"{count:,}", *rates)


def times(summary: LogSummary) -> Iterable[tuple[str, ...]]:
    """Yield a row for each player whose decision times are known."""
    for player in summary.players:
        if clock := player.times:
            numbers = (clock.mean_ms, clock.median_ms, clock.percentile_99_ms, clock.longest_ms, clock.total_s)
            yield (player.name, f"{clock.decisions:,}", *(f"{number:,.1f}" for number in numbers))


def percent(share: float | None) -> str:
    """Return a share in %, a hyphen where there is none."""
    return "-" if share is None else f"{100 * share:.1f} %"
