"""A tournament: every table's matches played side by side into a folder, until all are over or decided.

What the folder holds is kept: a tournament that was stopped goes on, and one may be asked for more matches later.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from limpet.configs.loading import ConfigError
from limpet.dealer.matches.faults import Fault
from limpet.dealer.matches.match import fingerprint, fingerprints
from limpet.dealer.table.files import read_terms, write_terms
from limpet.dealer.tournaments.tournament_config import Tournament
from limpet.dealer.tournaments.tournament_job import read_sets
from limpet.dealer.tournaments.tournament_workers import Crew, Job, News, Workers
from limpet.strategies.statistics.sprt import Decision, most_lost
from limpet.strategies.storage.folders import holds_something

TERMS_FILE = "tournament.json"


@dataclass
class TableRecord:
    """What has been played at one table."""

    players: tuple[int, ...]
    matches: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    """Of each finished match, chips a hand by duplicate set, ``[seat in players, set]``."""
    decision: Decision | None = None
    """Of the sequential test, for the first player; after it no more matches are played or counted."""
    counted: int = 0
    """Matches that count: the first so many, up to the one that decided."""
    failure: str | None = None
    fault: Fault | None = None

    @property
    def sets(self) -> NDArray[np.float64]:
        """Chips a hand of each player on each deal that counts, ``[player, set]``, in the order of the matches."""
        played = [self.matches[number] for number in range(self.counted)]
        return np.concatenate(played, axis=1) if played else np.zeros((len(self.players), 0))


Progress = Callable[[int, int, Sequence[TableRecord]], None]
"""Called several times a second: hands played, hands there are to play as far as is known, and the tables."""


class TournamentRun:
    """A tournament in a folder. `tables` are there from the beginning, with what earlier runs have played."""

    def __init__(self, tournament: Tournament, root: Path, resume: bool) -> None:
        """Raises `ConfigError` for a folder with another tournament, or with this one unless `resume`, and for one where a
        bot that has changed since has finished matches."""
        self.tournament = tournament
        self.root = root
        _prepare(tournament, root, resume)
        self.tables = [TableRecord(table) for table in tournament.tables]
        self._bound = most_lost(tournament.game)
        for table in self.tables:
            for number in range(tournament.config.matches):
                if (sets := read_sets(tournament.folder(root, table.players, number))) is not None:
                    table.matches[number] = sets
            self._count(table)
        _refuse_others(tournament, root, self.tables)

    def play(self, home: Path, jobs: int, progress: Progress) -> None:
        """Play what is missing, `jobs` matches at a time. `home` is the folder of the config.

        A table at which a match fails is given up; the others go on.
        """
        with Workers(self.tournament.config, home, self.root, jobs) as workers:
            self.play_by(workers, progress)

    def play_by(self, workers: Crew, progress: Progress) -> None:
        """The same by `workers`, wherever they are."""
        under_way: dict[Job, int] = {}
        while True:
            while workers.busy < workers.count and (job := self._next(under_way)) is not None:
                workers.give(job)
                under_way[job] = 0
            if not under_way:
                return
            for news in workers.news():
                self._hear(news, under_way)
            played = sum(len(table.matches) * self._hands_of_match(table) for table in self.tables)
            progress(played + sum(under_way.values()), self._hands_to_play(), self.tables)

    def _next(self, under_way: dict[Job, int]) -> Job | None:
        """A match to play: first matches of all tables come first, so that all are decided at about the same time."""
        for number in range(self.tournament.config.matches):
            for table in self.tables:
                job = Job(table.players, number)
                open_table = table.decision is None and table.failure is None
                if open_table and number not in table.matches and job not in under_way:
                    return job
        return None

    def _hear(self, news: News, under_way: dict[Job, int]) -> None:
        under_way[news.job] = news.hands
        if not news.done and news.failure is None:
            return
        del under_way[news.job]
        table = next(table for table in self.tables if table.players == news.job.table)
        if news.failure is not None:
            table.failure, table.fault = news.failure, news.fault
            return
        sets = read_sets(self.tournament.folder(self.root, news.job.table, news.job.number))
        assert sets is not None
        table.matches[news.job.number] = sets
        self._count(table)

    def _count(self, table: TableRecord) -> None:
        """See how many matches count. It depends on their results in order, not on which was over first."""
        config = self.tournament.config
        table.counted = next(number for number in range(config.matches + 1) if number not in table.matches)
        if config.stop is None or not table.counted:
            return
        mbb = table.sets[0] * (1000.0 / self.tournament.game.big_blind)
        table.decision = config.stop.verdict(mbb, self._bound)
        if table.decision is not None:
            table.counted = -(-table.decision.sets // self.tournament.hands(table.players))

    def _hands_to_play(self) -> int:
        """Of all tables, if none that is still open is decided before its last match."""
        hands = 0
        for table in self.tables:
            over = table.decision is not None or table.failure is not None
            matches = len(table.matches) if over else self.tournament.config.matches
            hands += matches * self._hands_of_match(table)
        return hands

    def _hands_of_match(self, table: TableRecord) -> int:
        return self.tournament.hands(table.players) * self.tournament.seatings


def _prepare(tournament: Tournament, root: Path, resume: bool) -> None:
    """Make the folder, or see that it holds this very tournament."""
    terms = json.loads(json.dumps(tournament.terms()))
    path = root / TERMS_FILE
    if not path.exists():
        if resume and not holds_something(root):
            raise ConfigError(
                f"{root} holds no tournament to go on with; leave --resume out, or name its folder with --output"
            )
        root.mkdir(parents=True, exist_ok=True)
        write_terms(path, terms)
        return
    if not resume:
        raise ConfigError(f"{root} holds a tournament; --resume continues it, --output names another folder")
    # Older tournaments do not say how they had these.
    held = {"restart": False, "seatings": None, "own_hands": [None] * len(terms["bots"]), **read_terms(path)}
    for key, value in terms.items():
        if held.get(key) != value:
            raise ConfigError(
                f"{path}: {key} is {held.get(key)!r} there and {value!r} now; resume a tournament with what it began with"
            )


def _refuse_others(tournament: Tournament, root: Path, tables: Sequence[TableRecord]) -> None:
    """See that whoever plays now played the finished matches too: results of two bots under one name say nothing.

    Matches that were stopped see to it themselves, once they go on.
    """
    now: dict[int, str] = {}
    played: dict[str, list[str]] = {}
    for table in tables:
        for number in table.matches:
            folder = tournament.folder(root, table.players, number)
            for player, then in zip(table.players, fingerprints(folder) or (), strict=False):
                if player not in now:
                    now[player] = fingerprint(tournament.players[player])
                if then != now[player]:
                    played.setdefault(tournament.names[player], []).append(str(folder.relative_to(root)))
    if played:
        matches = "; ".join(f"{name}: {', '.join(folders)}" for name, folders in played.items())
        raise ConfigError(
            f"{root}: matches played with another config, strategy or command than now ({matches}); delete these folders "
            "and they are played again, or name another folder with --output"
        )
