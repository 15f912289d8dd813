"""The work of ``limpet hands stats``: how a player plays, counted as trackers of poker hands count it.

Every statistic is a share of chances, with Wilson's 95 % interval of it. Hands are counted apart by player, position, number
of players and depth of stacks, so that any of these can be asked for afterwards.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.common.statistics import wilson_interval
from limpet.configs.loading import ConfigError
from limpet.dealer.reports import tracker_chances
from limpet.dealer.reports.log_sums import range_names
from limpet.dealer.reports.report_document import Block, Cell, Heading, Paragraph, Sheet, Titled
from limpet.protocol.archives.hand_file import ROUNDING
from limpet.protocol.gamedef import GameDef
from limpet.protocol.handhistory import big_blind, street_names, uncalled
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.state import State
from limpet.strategies.opponents.situations import position_name

DEPTH_EDGES = (15, 30, 60, 100, 200)
"""Bounds between the groups of depths, in big blinds. A depth on a bound belongs to the group below it."""
POTS = [tracker_chances.WON_AFTER_FLOP, tracker_chances.WON_AT_SHOWDOWN]
"""Statistics whose chances are taken by the players who won a share of a pot."""
KNOWN = 1 << 15
"""Number of betting sequences whose chances are remembered."""

Counts = NDArray[np.int64]
"""``int64 [2, statistic]``: chances, and how many of them were taken."""


class CountedGroup(NamedTuple):
    """The hands that are counted together: those of one player, position, table size and group of depths.

    Attributes:
        depth: number of the group of depths, of the chips that can be won and lost when the hand begins.
    """

    player: str
    position: str
    players: int
    depth: int


class Share(NamedTuple):
    """How often chances were taken."""

    taken: int
    chances: int

    @property
    def share(self) -> float | None:
        return self.taken / self.chances if self.chances else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % interval of the share."""
        return wilson_interval(*self) if self.chances else None

    def __str__(self) -> str:
        """Per cent with the ends of its interval, and the chances: ``24.1 (21-27) 830``."""
        if self.interval is None:
            return "-"
        low, high = self.interval
        return f"{100 * self.taken / self.chances:.1f} ({100 * low:.0f}-{100 * high:.0f}) {self.chances:,}"

    def data(self) -> dict[str, Any]:
        return {"chances": self.chances, "taken": self.taken, "share": self.share, "interval_95": self.interval}


class Wanted(NamedTuple):
    """Which hands are counted: by patterns of players' names, names of positions such as ``SB`` and numbers of players.

    Each is empty for all; `depth` are the smallest and the largest in big blinds.
    """

    players: Sequence[str] = ()
    positions: Sequence[str] = ()
    seats: Sequence[int] = ()
    depth: tuple[float, float] = (0.0, float("inf"))

    def names(self, player: str) -> bool:
        """Return whether a player's hands are counted."""
        return not self.players or any(fnmatchcase(player, pattern) for pattern in self.players)


class BettingCounts:
    """The counts that hands add to their players'; those of the last `KNOWN` betting sequences are remembered."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, GameDef], NDArray[np.uint16]] = {}

    def of(self, end: State) -> NDArray[np.uint16]:
        """Return what a hand's betting adds, ``uint16 [won, position, 2, statistic]``; won: 1 for who won a share of a pot."""
        key = (end.betting, end.game)
        if key not in self._known:
            if len(self._known) >= KNOWN:
                self._known.clear()
            game = end.game
            counts = np.zeros((2, game.num_players, 2, tracker_chances.number_of_statistics(game)), np.uint16)
            for position, statistic, taken in tracker_chances.chances(end):
                counts[:, position, :, statistic] += np.array((1, taken), np.uint16)
            counts[0, :, 1, POTS] = 0
            self._known[key] = counts
        return self._known[key]


class Tracker:
    """Counts hands of one game."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._streets: tuple[str, ...] = ()
        self._game: GameDef | None = None
        self._counts: dict[CountedGroup, Counts] = {}
        self._hands: dict[CountedGroup, int] = {}
        self._betting = BettingCounts()
        self._is_wanted = cache(wanted.names)
        self.hands = 0
        """Number of hands read, with those that are not wanted."""

    def add(self, hand: HandRecord) -> None:
        """Count a hand. Raises `ConfigError` where its streets are not those of the hands before."""
        state = hand.state
        game = state.game
        if game is not self._game:
            self.begin(street_names(game))
            self._game = game
        self.hands += 1
        if self._wanted.seats and game.num_players not in self._wanted.seats:
            return
        counts, won = self._betting.of(state), winners(state, hand.values)
        low, high = self._wanted.depth
        for position, name in enumerate(hand.names):
            if not self._is_wanted(name):
                continue
            depth = depth_of(game, position)
            place = position_name(state, position)
            if not low <= depth <= high or (self._wanted.positions and place not in self._wanted.positions):
                continue
            held = CountedGroup(name, place, game.num_players, bisect_left(DEPTH_EDGES, depth))
            self.count(held, counts[int(won[position]), position], 1)

    def begin(self, streets: tuple[str, ...]) -> None:
        """Take the names of the streets of hands that are counted next. Raises `ConfigError` where those before had others."""
        if streets != (self._streets or streets):
            raise ConfigError("these hands are of games with other streets; ask about one game at a time")
        self._streets = streets

    def count(self, held: CountedGroup, counts: NDArray[np.integer[Any]], hands: int) -> None:
        """Add hands of a player with the sum of their chances."""
        if held not in self._counts:
            self._counts[held] = np.zeros(counts.shape, np.int64)
            self._hands[held] = 0
        self._counts[held] += counts
        self._hands[held] += hands

    def players(self) -> list[str]:
        """Return the players counted, those with most hands first."""
        hands = Counter[str]()
        for held, count in self._hands.items():
            hands[held.player] += count
        return sorted(hands, key=lambda name: (-hands[name], name))

    def table(self, player: str, by: str | None = None) -> "TrackerTable":
        """Return the statistics of a player over all counted hands, and apart by one of `GROUPS`."""
        own = [held for held in self._counts if held.player == player]
        groups: dict[str, list[CountedGroup]] = {"all": own}
        if by is not None:
            for _, label, held in sorted((*_group(held, by), held) for held in own):
                groups.setdefault(label, []).append(held)
        return TrackerTable(
            player,
            {label: sum(self._hands[held] for held in members) for label, members in groups.items()},
            tracker_chances.statistics(self._streets),
            {label: np.sum([self._counts[held] for held in members], axis=0) for label, members in groups.items()},
        )


def depth_of(game: GameDef, position: int) -> float:
    """Return the big blinds that a position can win and lose when the hand begins."""
    return (game.all_in[position] + game.starting_stack[position] - game.stack[position]) / big_blind(game)


def winners(end: State, values: Sequence[float]) -> list[bool]:
    """Return which positions got more chips back than those that nobody called."""
    most, back = uncalled(end.spent)
    return [
        value > back * (position == most) - paid + ROUNDING
        for position, (value, paid) in enumerate(zip(values, end.paid, strict=True))
    ]


def _group(held: CountedGroup, by: str) -> tuple[int, str]:
    """Return where a group of hands stands among those apart by one of `GROUPS`, and its label there."""
    if by == "position":
        return tracker_chances.POSITIONS.index(held.position), held.position
    if by == "players":
        return held.players, f"{held.players} players"
    return held.depth, range_names(DEPTH_EDGES)[held.depth]


class TrackerTable(NamedTuple):
    """The statistics of a player in groups of hands, by their labels; the first group, ``all``, has all hands."""

    player: str
    hands: dict[str, int]
    statistics: tuple[tracker_chances.Statistic, ...]
    counts: dict[str, Counts]

    def rows(self) -> Iterator[tuple[tracker_chances.Statistic, dict[str, Share]]]:
        """Yield each statistic that there was a chance for, with its share by group."""
        for number, statistic in enumerate(self.statistics):
            if self.counts["all"][0, number]:
                yield statistic, {group: Share(*counts[::-1, number].tolist()) for group, counts in self.counts.items()}

    def data(self) -> dict[str, Any]:
        """Return the table as JSON has it."""
        shares = {statistic.name: {group: share.data() for group, share in by.items()} for statistic, by in self.rows()}
        return {"player": self.player, "hands": self.hands, "statistics": shares}


CSV_HEADINGS = ("player", "group", "hands", "statistic", "chances", "taken", "share", "low", "high")


def csv_rows(tables: Iterable[TrackerTable]) -> Iterator[tuple[object, ...]]:
    """Yield rows of the columns `CSV_HEADINGS`, where `low` and `high` are the ends of the interval."""
    for table in tables:
        for statistic, shares in table.rows():
            for group, share in shares.items():
                numbers = ("", "", "") if share.interval is None else (share.share, *share.interval)
                counted = (table.hands[group], statistic.name, share.chances, share.taken)
                yield table.player, group, *counted, *numbers


def tracker_document(tables: Sequence[TrackerTable], meanings: bool) -> Iterator[Block]:
    """Yield a page of tables, and with `meanings` what each statistic means."""
    yield Paragraph("Per cent of chances (with the ends of the 95 % interval), and the number of chances.")
    for table in tables:
        yield Heading(2, table.player)
        headings = ("statistic", *(f"{group}: {hands:,} hands" for group, hands in table.hands.items()))
        rows: Iterator[tuple[Cell, ...]] = (
            (Titled(statistic.name, statistic.meaning), *(str(share) for share in shares.values()))
            for statistic, shares in table.rows()
        )
        yield Sheet(headings, tuple(rows))
    if meanings:
        yield Heading(2, "What each statistic says", "meanings")
        said = {statistic: None for table in tables for statistic, _ in table.rows()}
        yield Sheet(("statistic", "the player …"), tuple((statistic.name, statistic.meaning) for statistic in said))
