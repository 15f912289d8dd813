"""Running and finished matches, tournaments and sit-and-goes, followed by the files that they write.

A follower reads what is new at each `look`, which runs in a thread, only one at a time, and raises `ConfigError`,
`ProtocolError` and `OSError`.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from limpet.bot.browser.views.replay import row_view
from limpet.bot.browser.views.room import Book
from limpet.common.folders import new_lines
from limpet.common.statistics import Estimate, Values, estimate
from limpet.configs.loading import ConfigError
from limpet.dealer.contests.sit_and_go import HANDS_FILE, LOG_FILE, HandLine
from limpet.dealer.contests.sng_rules import Structure, prizes
from limpet.dealer.contests.sng_run import TERMS_FILE as SNG_TERMS
from limpet.dealer.contests.sng_run import SngResult
from limpet.dealer.contests.tournament import TERMS_FILE as TOURNAMENT_TERMS
from limpet.dealer.contests.tournament_match import read_sets
from limpet.dealer.contests.tournament_result import TableSets, TournamentResult, total
from limpet.dealer.matches.match import TERMS_FILE
from limpet.dealer.matches.match_result import MatchResult, SeatingLog, samples
from limpet.dealer.matches.matchconfig import seatings, usual_design
from limpet.dealer.matches.results import half_width
from limpet.dealer.reports.report_match import cumulative
from limpet.dealer.table.files import read_json
from limpet.protocol.gamedef import GameDef

SHOWN_HANDS = 12
"""Number of last hands that are shown."""
READING = 0.3
"""Seconds that a look may spend on indexing a log, whose last hands are shown."""
MOST_CURVES = 6
"""Most curves that a chart shows; the results of more players are shown as bars."""


class RateView(msgspec.Struct, frozen=True):
    """A player's mean result with half its 95 % interval, null where one sample leaves it open."""

    name: str
    mean: float
    half: float | None
    samples: int


class ProgressView(msgspec.Struct, frozen=True, kw_only=True):
    """How far a match or tournament has come.

    Attributes:
        folder: folder as the page names it.
        kind: match, tournament or sit-and-go.
        unit: unit of all rates.
        curves: see `curves_of`.
        tables: tables of a tournament, with the rate of the first player of each.
        last: last hands, each with the file in which it stands.
        sample: one of the independent samples of the rates, such as a duplicate set.
        hands: number of hands played.
        most: number of hands that are played in all, 0 where that is not known.
        note: sentence about what is played now; empty where there is none.
        over: whether the result has been written.
    """

    folder: str
    kind: str
    title: str
    unit: str
    sample: str
    hands: int
    most: int
    rates: list[RateView]
    curves: list[dict[str, Any]] = []
    tables: list[dict[str, Any]] = []
    last: list[dict[str, Any]] = []
    note: str = ""
    over: bool = False


def rate_view(name: str, rate: Estimate) -> RateView:
    """Return an estimate of a player's result."""
    half = rate.half_width if np.isfinite(rate.half_width) else None
    return RateView(name, rate.mean, half, rate.samples)


def curves_of(names: Sequence[str], samples: Values) -> list[dict[str, Any]]:
    """Return the curve of each player's mean over the first samples, with half of its 95 % interval; None if that is open.

    Two players mirror each other, so that only the first has a curve. Too many players have none.

    Args:
        samples: float64 ``[player, sample]``, at least one sample.
    """
    if len(names) > MOST_CURVES:
        return []
    curves = []
    for name, values in zip(names[:1] if len(names) == 2 else names, samples, strict=False):
        curve = cumulative(values)
        half = [width if np.isfinite(width) else None for width in curve.half_width.tolist()]
        curves.append({"name": name, "samples": curve.samples.tolist(), "mean": curve.mean.tolist(), "half": half})
    return curves


@contextmanager
def our_terms(path: Path) -> Iterator[None]:
    """Raise `ConfigError` where the terms in a file lack what limpet writes."""
    try:
        yield
    except (KeyError, TypeError) as error:
        raise ConfigError(
            f"{path}: {error}: these are no terms that limpet wrote, or an older one did; play it again"
        ) from error


class FolderFollower:
    """A folder that something is played into. Its last hands are those of the log that is written now."""

    def __init__(self, name: str, folder: Path, terms: str) -> None:
        """`name` is what the page calls the folder, and `terms` its file of terms."""
        self.name, self.folder = name, folder
        self.terms = read_json(folder / terms)
        self._book: Book | None = None

    def look(self) -> ProgressView:
        """Read what is new."""
        raise NotImplementedError

    def last_hands(self, log: Path | None) -> list[dict[str, Any]]:
        """Return the last hands of a log below the folder, the newest first."""
        if log is None:
            return []
        if self._book is None or self._book.path != log:
            self._book = Book(log)
        index = self._book.read_on(READING)
        path = (Path(self.name) / log.relative_to(self.folder)).as_posix()
        rows = self._book.hands(max(0, len(index) - SHOWN_HANDS), SHOWN_HANDS)
        return [{"path": path, "row": row_view(*hand)} for hand in reversed(rows)]


class MatchFollower(FolderFollower):
    """A match. `values` are known of it after the first look."""

    def __init__(self, name: str, folder: Path) -> None:
        super().__init__(name, folder, TERMS_FILE)
        terms = self.terms
        self.players: list[str] = terms["players"]
        self.game = GameDef.parse(terms["game"])
        self._hands: int = terms["hands"]
        design = terms.get("design", usual_design(len(self.players))) if terms["duplicate"] else None
        self.seatings = len(seatings(len(self.players), design))
        self._logs: list[SeatingLog] = []
        self._latest_view: ProgressView | None = None

    def update(self) -> None:
        for number in range(len(self._logs) + 1, self.seatings + 1):
            path = self.folder / f"seating-{number}.log"
            if not path.is_file():
                break
            self._logs.append(SeatingLog(path, self.players, self._hands))
        for log in self._logs:
            log.update()

    @property
    def hands(self) -> int:
        return sum(log.played for log in self._logs)

    @property
    def _begun(self) -> list[SeatingLog]:
        """Logs of the seatings of which a hand has been played."""
        return [log for log in self._logs if log.played]

    def values(self) -> Values | None:
        """Return mbb/g by player and deal, ``[player, deal]``, of the deals that all seatings begun have played.

        Before the last seating begun has a hand, they are those of the seatings before it.
        """
        begun = self._begun
        if not begun:
            return None
        return np.array([samples(begun, player, self.game.big_blind) for player in range(len(self.players))])

    def look(self) -> ProgressView:
        self.update()
        if self._latest_view is None or not self._latest_view.over:
            self._latest_view = self._view()
        return self._latest_view

    def _view(self) -> ProgressView:
        values, begun = self.values(), self._begun
        result = MatchResult.held(self.folder)
        hands = self.hands
        rates: list[RateView] = []
        if values is not None:
            rates = [rate_view(name, estimate(values[player])) for player, name in enumerate(self.players)]
        elif result is not None:  # a compiled match keeps no logs where it is long
            hands = result.hands * len(result.seatings)
            for row in result.rows:
                rates.append(RateView(row.name, row.value, half_width(row.interval), result.samples))
        return ProgressView(
            folder=self.name,
            kind="match",
            title=" – ".join(self.players),
            unit="mbb/g",
            sample="duplicate set" if self.seatings > 1 and len(begun) != 1 else "hand",
            hands=hands,
            most=self._hands * self.seatings,
            rates=rates,
            curves=[] if values is None else curves_of(self.players, values),
            last=self.last_hands(begun[-1].path if begun else None),
            note=f"Seating {len(self._logs)} of {self.seatings}" if self.seatings > 1 and self._logs else "",
            over=result is not None and hands >= self._hands * self.seatings,
        )


class TournamentFollower(FolderFollower):
    """A tournament: the matches of all its tables."""

    def __init__(self, name: str, folder: Path) -> None:
        super().__init__(name, folder, TOURNAMENT_TERMS)
        self._players: list[str] = self.terms["players"]
        self._hands: int = self.terms["hands"]
        self._matches: dict[Path, _TableMatch] = {}

    def look(self) -> ProgressView:
        for path in sorted(self.folder.glob(f"*/match-*/{TERMS_FILE}")):
            if path not in self._matches:
                self._matches[path] = _TableMatch(path.parent)
        for match in self._matches.values():
            match.update()
        tables: dict[tuple[str, ...], list[_TableMatch]] = {}
        for _, match in sorted(self._matches.items()):
            tables.setdefault(tuple(match.players), []).append(match)
        sets = [self._sets(matches) for matches in tables.values()]
        estimates = {name: total(sets, name) for name in self._players}
        rates = [rate_view(name, estimate) for name, estimate in estimates.items() if estimate is not None]
        logs = self.folder.glob("*/match-*/seating-*.log")
        return ProgressView(
            folder=self.name,
            kind="tournament",
            title=self.terms["name"],
            unit="mbb/g",
            sample="duplicate set",
            hands=sum(match.hands for match in self._matches.values()),
            most=0,
            rates=sorted(rates, key=lambda rate: -rate.mean),
            tables=[self._table(matches, inside) for matches, inside in zip(tables.values(), sets, strict=True)],
            last=self.last_hands(max(logs, key=lambda log: log.stat().st_mtime, default=None)),
            note=f"{len(tables)} tables begun",
            over=(self.folder / TournamentResult.FILE).is_file(),
        )

    def _sets(self, matches: Sequence["_TableMatch"]) -> TableSets:
        """Return what has been played at a table. All tables play the same deals, which say how results are bound up."""
        players = matches[0].players
        values, deals = [np.zeros((len(players), 0))], [np.zeros(0, np.int64)]
        for match in matches:
            if (played := match.values()) is not None:
                values.append(played)
                deals.append(np.arange(played.shape[1]) + self._hands * match.number)
        return TableSets(tuple(players), np.concatenate(values, axis=1), np.concatenate(deals))

    def _table(self, matches: Sequence["_TableMatch"], sets: TableSets) -> dict[str, Any]:
        names = matches[0].players
        estimate = total([sets], sets.players[0])
        rate = None if estimate is None else rate_view(names[0], estimate)
        hands = sum(match.hands for match in matches)
        return {"players": names, "matches": len(matches), "hands": hands, "rate": rate}


class _TableMatch(MatchFollower):
    """A match of a tournament. One that is over is known by the file of its results, whether or not it kept logs."""

    def __init__(self, folder: Path) -> None:
        with our_terms(folder / TERMS_FILE):
            super().__init__(folder.name, folder)
        self.number = int(folder.name.removeprefix("match-")) - 1
        self._sets: Values | None = None
        """float64 ``[player, deal]``: mbb/g of a match that is over."""

    def update(self) -> None:
        if self._sets is None and (sets := read_sets(self.folder)) is not None:
            self._sets = sets * (1000.0 / self.game.big_blind)
        if self._sets is None:
            super().update()

    def values(self) -> Values | None:
        return super().values() if self._sets is None else self._sets

    @property
    def hands(self) -> int:
        return super().hands if self._sets is None else len(self._sets[0]) * self.seatings


class SngFollower(FolderFollower):
    """The tournaments of a folder of sit-and-goes."""

    def __init__(self, name: str, folder: Path) -> None:
        super().__init__(name, folder, SNG_TERMS)
        terms = self.terms
        self._players: list[str] = terms["players"]
        self._structure = msgspec.convert(terms["structure"], Structure)
        self._payouts = self._structure.prizes(len(self._players))
        self._orders = seatings(len(self._players), "rotations" if terms["duplicate"] else None)
        self._read = 0
        self._last: dict[tuple[int, int], HandLine] = {}
        self._newest: HandLine | None = None

    def look(self) -> ProgressView:
        for text in new_lines(self.folder / HANDS_FILE, self._read):
            self._read += len(text)
            self._newest = line = msgspec.json.decode(text, type=HandLine)
            self._last[line.tournament, line.seating] = line
        returns = self._returns()
        has_returns = len(returns[0]) > 0
        log = self.folder / LOG_FILE
        return ProgressView(
            folder=self.name,
            kind="sit-and-go",
            title=f"{self._structure.name}: {', '.join(self._players)}",
            unit="ROI %",
            sample="duplicate set" if len(self._orders) > 1 else "tournament",
            hands=sum(line.hand + 1 for line in self._last.values()),
            most=0,
            rates=[rate_view(name, estimate(returns[player])) for player, name in enumerate(self._players)]
            if has_returns
            else [],
            curves=curves_of(self._players, returns) if has_returns else [],
            last=self.last_hands(log if log.is_file() else None),
            note=self._note(),
            over=(self.folder / SngResult.FILE).is_file(),
        )

    def _returns(self) -> Values:
        """Return the ROI in % of each player, ``[player, sample]``, of the tournaments that all rotations have ended."""
        samples: dict[int, Values] = {}
        ended: dict[int, int] = {}
        for (number, seating), line in self._last.items():
            if not line.standing.over:
                continue
            ended[number] = ended.get(number, 0) + 1
            won = samples.setdefault(number, np.zeros(len(self._players)))
            for seat, prize in enumerate(prizes(line.standing, self._payouts)):
                won[self._orders[seating][seat]] += prize / len(self._orders)
        whole = [samples[number] for number in sorted(samples) if ended[number] == len(self._orders)]
        won_by_player = np.array(whole).reshape(-1, len(self._players)).T
        return np.asarray(100 * (won_by_player / self._structure.buy_in - 1))

    def _note(self) -> str:
        """Return how many tournaments are over, and the stacks of the one in which the last hand was played."""
        over = sum(line.standing.over for line in self._last.values())
        words = f"{over:,} tournaments are over"
        line = self._newest
        if line is None or line.standing.over:
            return words
        order = self._orders[line.seating]
        stacks = ", ".join(f"{self._players[order[seat]]} {chips:,}" for seat, chips in enumerate(line.stacks) if chips)
        return f"{words}; tournament {line.tournament + 1}, level {line.level + 1}: {stacks}"
