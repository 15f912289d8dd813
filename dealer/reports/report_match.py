"""Reports of a match's folder, and of a summary of logs: the result, its course, where it was won, and how the players played."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import msgspec
import numpy as np

from limpet.common.statistics import Values, deals_needed, effect_shown, estimate_from_sums
from limpet.dealer.matches.match_result import MatchResult, SeatingLog, samples, whole_logs
from limpet.dealer.matches.results import ResultRow, half_text, half_width, interval_text
from limpet.dealer.reports import report_document as doc
from limpet.dealer.reports.log_replay import parts
from limpet.dealer.reports.log_summary import Collector, LargePot, LogSummary, PlayerSummary, ResultPart, WonChips
from limpet.protocol.archives.acpc import HandReader, LogStream
from limpet.protocol.archives.hand_file import HandFile
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.settlement import chips_text

SHOWN_NAMES = 5
"""Most matches or files that a summary names."""
MOST_BARS = 12
"""Most bars of a chart of players and positions; the table above holds those of larger tables."""


def summary_document(summary: LogSummary, options: str) -> Iterator[doc.Block]:
    """Yield the report of `limpet hands summary`, without its notes.

    `options` are the options, such as `` --game mine.game``, with which the files can be read again.
    """
    named = summary.matches or summary.files
    more = f" and {len(named) - SHOWN_NAMES} more" if len(named) > SHOWN_NAMES else ""
    sets = f", {summary.deals:,} duplicate sets" if summary.deals < summary.hands else ""
    yield doc.Paragraph(
        f"{', '.join(named[:SHOWN_NAMES])}{more}: {summary.hands:,} hands{sets}, big blind {summary.big_blind}"
    )
    rows = (
        (name, f"{won.hands:,}", f"{won.chips:+,.0f}", f"{won.mbb_per_game:+,.1f}", interval_text(won.interval_95))
        for name, won in ((player.name, player.result) for player in summary.players)
    )
    yield doc.Sheet(("player", "hands", "chips", "mbb/g", "95 % interval"), tuple(rows))
    yield from play_blocks(summary, 2, "")
    pots = summary.pots
    yield doc.Paragraph(
        f"Pots in bb: mean {pots.mean:,.1f}, median {pots.median:,.1f}, 90 % below {pots.percentile_90:,.1f}, "
        f"99 % below {pots.percentile_99:,.1f}, largest {pots.largest:,.1f}; {_percent(summary.showdown)} of "
        "the hands came to a showdown"
    )
    if summary.largest_pots:
        first = summary.largest_pots[0]
        yield doc.Heading(2, "Largest pots")
        yield doc.verbatim(
            "\n".join(f"{pot.pot:,.1f} bb  {pot.file}:{pot.line}  {pot.text}" for pot in summary.largest_pots)
        )
        yield doc.Paragraph(f"See one: limpet hands replay {first.file} --line {first.line}{options}")


def play_blocks(summary: LogSummary, level: int, prefix: str) -> Iterator[doc.Block]:
    """Yield the parts of the result by position, street and pot, and how the players play."""
    # The positions that somebody held, in the order of the first player who held most of them.
    positions = list(dict.fromkeys(name for player in summary.players for name in player.positions))
    yield doc.Heading(level, "By position", f"{prefix}positions")
    yield doc.Paragraph("mbb/g in each position, with half of its 95 % interval.")
    rows = (
        (player.name, *(_short(player.positions.get(position)) for position in positions)) for player in summary.players
    )
    yield doc.Sheet(("player", *positions), tuple(rows))
    shown = summary.players[:1] if len(summary.players) == 2 else summary.players
    bars = tuple(
        ResultRow(f"{player.name}, {position}", result.mbb_per_game, result.interval_95)
        for player in shown
        for position, result in player.positions.items()
    )
    if len(bars) <= MOST_BARS:
        yield doc.BarChart(f"{prefix}positions-chart", "mbb/g by position with its 95 % interval", bars)
    won = [f"{player.name} mbb/g" for player in shown]
    yield doc.Heading(level, "By last street and pot", f"{prefix}streets")
    yield doc.Paragraph("What these hands add to the result: the numbers of a column add up to the player's mbb/g.")
    streets = {name: round(share * summary.hands) for name, share in summary.streets.items()}
    yield doc.Sheet(("last street", "hands", *won), _parts(streets, [player.streets for player in shown]))
    yield doc.Sheet(("pot", "hands", *won), _parts(summary.pot_groups, [player.pots for player in shown]))
    yield doc.Heading(level, "How they play", f"{prefix}actions")
    yield doc.Paragraph("VPIP, PFR, showdowns and other statistics of trackers, with intervals: limpet hands stats LOG")
    yield _actions(summary.players)
    times = tuple(
        (player.name, f"{each.decisions:,}", *(f"{number:,.1f}" for number in msgspec.structs.astuple(each)[1:]))
        for player in summary.players
        if (each := player.times)
    )
    if times:
        yield doc.Heading(level, "Decision times", f"{prefix}times")
        yield doc.Sheet(("player", "decisions", "mean ms", "median ms", "99 % below", "longest ms", "s"), times)


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


def _actions(players: Sequence[PlayerSummary]) -> doc.Sheet:
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
    return doc.Sheet(("player, street", "decisions", "fold", "check", "call", "raise", "raises per call"), rows)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


MOST_POINTS = 200
"""Most points of a curve, more than a chart of its width can show."""
SHOWN_POINTS = 10
"""Number of points in the table of the cumulative result."""
EFFECTS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
"""Differences in mbb/g for which the report says how many hands it takes to show them."""

Look = Callable[[HandFile], None]
"""Called with a log now and then while it is read, to show how far reading has come."""


@dataclass(frozen=True)
class MatchFolder:
    """The folder of a finished match."""

    folder: Path

    @cached_property
    def result(self) -> MatchResult:
        """The match's result. Raises `ConfigError` where there is none."""
        return MatchResult.read(self.folder)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(standing.name for standing in self.result.players)

    @cached_property
    def seating_logs(self) -> list[SeatingLog]:
        """Logs of all seatings, none where the match has kept none. Raises as `whole_logs` does."""
        return whole_logs(self.folder, self.result)

    @property
    def logs(self) -> list[Path]:
        """Log files of all seatings."""
        return [log.path for log in self.seating_logs]

    def samples(self) -> Values | None:
        """Return each player's mbb/g on each deal from the logs, ``[player, deal]``; None if there are none."""
        logs = self.seating_logs
        if not logs:
            return None
        return np.array([samples(logs, player, self.result.big_blind) for player in range(len(self.names))])


def match_document(match: MatchFolder, largest: int, look: Look) -> Iterator[doc.Block]:
    """Yield the whole report of one match.

    Raises `ProtocolError` for logs that cannot be read, and `ConfigError` for logs that do not hold the whole match.
    """
    result = match.result
    yield doc.Heading(1, result.match)
    hands = dict.fromkeys((result.sampled, f"{len(result.seatings) * result.hands:,} hands"))
    yield doc.Paragraph(f"{', '.join(hands)}, seed {result.seed}, {result.how}.")
    yield doc.Heading(2, "Result", "result")
    rows = []
    for player in result.players:
        intervals = (interval_text(player.interval_95), interval_text(player.bootstrap_95))
        numbers = (f"{player.chips:+,.0f}", f"{player.mbb_per_game:+,.1f}", *intervals, f"{player.sd:,.1f}")
        rows.append((player.name, *numbers, doc.config_cell(player.config)))
    headings = ("player", "chips", "mbb/g", "95 % interval", "bootstrap", f"sd of a {result.sample}", "config")
    yield doc.Sheet(headings, tuple(rows))
    if len(result.players) > 2:
        yield doc.BarChart("result", "mbb/g with its 95 % interval", tuple(result.rows))
    yield from _power(result)
    yield from details([match], match.samples(), 2, "", largest, look)
    yield doc.Heading(2, "Game", "game")
    yield doc.verbatim(result.game)


def _power(result: MatchResult) -> Iterator[doc.Block]:
    """Yield how many samples show a difference, for the player whose results vary most."""
    spread = max(player.sd for player in result.players)
    if result.samples < 2 or spread == 0:
        return
    yield doc.Heading(2, "How many hands?", "power")
    yield doc.Paragraph(
        f"A true difference of {effect_shown(spread, result.samples):,.1f} mbb/g is shown by as many {result.sample}s "
        f"four times in five: 80 % power, tested at 5 %. Others take (2.80 · sd / difference)² {result.sample}s:"
    )
    rows = tuple((f"{effect:g}", f"{deals_needed(spread, effect):,}") for effect in EFFECTS)
    yield doc.Sheet(("to see mbb/g", f"{result.sample}s needed"), rows)


def details(
    matches: Sequence[MatchFolder], samples: Values | None, level: int, prefix: str, largest: int, look: Look
) -> Iterator[doc.Block]:
    """Yield the details of matches between the same players, under headings of `level`. Anchors begin with `prefix`.

    samples: mbb/g, ``[player, deal]``, of all matches one after another; None if unknown.
    """
    names = matches[0].names
    if samples is None:
        yield doc.Paragraph("Results by deal were not kept, so nothing can be said about how the result came about.")
    elif samples.shape[1]:
        yield from _course(names, samples, matches[0].result.sample, level, prefix)
    yield from _counters(matches, level, prefix)
    kept = sum(bool(match.logs) for match in matches)
    if kept < len(matches):
        shortage = "There are no logs in the folder" if not kept else f"{kept} of {len(matches)} matches have logs"
        yield doc.Paragraph(f"{shortage}, so nothing can be said about single hands.")
        return
    logs = [path for match in matches for path in match.logs]
    collector = Collector(largest, look)
    for path in logs:
        stream, times = LogStream(path), path.with_suffix(".tlog")
        collector.add(stream, times if times.is_file() else None)
    summary = collector.summary()
    players = tuple(sorted(summary.players, key=lambda player: names.index(player.name)))
    yield from play_blocks(msgspec.structs.replace(summary, players=players), level, prefix)
    several = len(matches) > 1
    shown_paths = {str(path): f"{path.parent.name}/{path.name}" if several else path.name for path in logs}
    yield from _largest_pots(summary.largest_pots, stream.game, level, prefix, shown_paths)
    for note in summary.notes:
        yield doc.Paragraph(f"Note: {note}")


def _course(names: Sequence[str], samples: Values, sample: str, level: int, prefix: str) -> Iterator[doc.Block]:
    """Yield the cumulative result. The results of two players mirror each other, so that one is shown."""
    shown = names[:1] if len(names) == 2 else names
    curves = {name: cumulative(samples[player]) for player, name in enumerate(shown)}
    yield doc.Heading(level, "Cumulative result", f"{prefix}cumulative")
    caption = f"Of {names[0]} against {names[1]}: mbb/g" if len(names) == 2 else "mbb/g"
    yield doc.Paragraph(f"{caption} after so many {sample}s, with its 95 % interval then.")
    yield doc.LineChart(f"{prefix}cumulative", "Cumulative mbb/g with its 95 % band", f"{sample}s", curves)
    few = [cumulative(samples[player], SHOWN_POINTS) for player in range(len(shown))]
    rows = tuple(
        (f"{played:,}", *(f"{curve.mean[point]:+,.1f} ± {half_text(curve.half_width[point])}" for curve in few))
        for point, played in enumerate(few[0].samples.tolist())
    )
    yield doc.Sheet((f"{sample}s", *(f"{name} mbb/g" for name in shown)), rows)


def cumulative(samples: Values, points: int = MOST_POINTS) -> doc.Curve:
    """Return the mean of the first 1, …, n samples, at `points` evenly spread numbers of samples or at all of them.

    The last point is the estimate of all samples. Raises `ValueError` for no samples.
    """
    count = len(samples)
    if count == 0:
        raise ValueError("no hands to draw a curve of")
    at = np.unique(np.linspace(1, count, min(points, count)).round().astype(np.int64))
    centre = samples.mean()  # squares are taken about it, so that large means cost no digits
    sums, squares = np.cumsum(samples - centre)[at - 1], np.cumsum((samples - centre) ** 2)[at - 1]
    half = [estimate_from_sums(*point).half_width for point in zip(at.tolist(), sums, squares, strict=True)]
    return doc.Curve(at, sums / at + centre, np.array(half))


def _counters(matches: Sequence[MatchFolder], level: int, prefix: str) -> Iterator[doc.Block]:
    """Yield the strategies' counters: decisions, look-up misses, fallbacks. Foreign programs have none."""
    totals: dict[str, Counter[str]] = {}
    for match in matches:
        for player in match.result.players:
            totals.setdefault(player.name, Counter()).update(player.report)
    kinds = list(dict.fromkeys(kind for match in matches for player in match.result.players for kind in player.report))
    yield doc.Heading(level, "Look-up misses and fallbacks", f"{prefix}misses")
    if not kinds:
        yield doc.Paragraph("Not known: programs of others do not tell.")
        return
    rows = tuple((name, *(_counted(total, kind) for kind in kinds)) for name, total in totals.items())
    yield doc.Sheet(("player", *kinds), rows)


def _counted(total: Counter[str], kind: str) -> str:
    """Return a counter with its share of the decisions."""
    if kind not in total:
        return "-"
    decisions = total["decisions"]
    share = f" ({100 * total[kind] / decisions:.2f} %)" if kind != "decisions" and decisions and total[kind] else ""
    return f"{total[kind]:,}{share}"


def _largest_pots(
    pots: Sequence[LargePot], game: GameDef, level: int, prefix: str, shown_paths: Mapping[str, str]
) -> Iterator[doc.Block]:
    """Yield the table, then the hands under headings of the next level.

    shown_paths: what the page calls each log file, by its path.
    """
    reader = HandReader(game)
    rows: list[tuple[doc.Cell, ...]] = []
    replays: list[doc.Block] = []
    for number, pot in enumerate(pots, 1):
        hand = reader.read(pot.text, f"{pot.file}:{pot.line}")
        assert isinstance(hand, HandRecord)
        shown_path, anchor = shown_paths[pot.file], f"{prefix}pot-{number}"
        link = doc.Link(f"hand {pot.hand}", anchor)
        rows.append((link, f"{pot.pot:,.1f}", won_text(hand), hand.state.betting, f"{shown_path}:{pot.line}"))
        replay = doc.Verbatim(tuple(line for part in parts(hand) for line in part))
        replays += [doc.Heading(level + 1, f"Hand {pot.hand} of {shown_path}, {pot.pot:,.1f} bb", anchor), replay]
    if rows:
        yield doc.Heading(level, "Largest pots", f"{prefix}pots")
        yield doc.Sheet(("hand", "pot (bb)", "chips won", "betting", "log"), tuple(rows))
        yield from replays


def won_text(hand: HandRecord) -> str:
    """Return the net chips of each player of a hand: ``Alice +300, Bob -300``."""
    won = zip(hand.names, hand.values, strict=True)
    return ", ".join(f"{name} {'+' if chips > 0 else ''}{chips_text(chips)}" for name, chips in won)
