"""A tournament: the matches of all tables are played side by side into a folder, until all are over or decided.

Finished matches in the folder are kept: a stopped tournament goes on, and more matches may be played later.
"""

import contextlib
import json
import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from limpet.common.statistics import Judgement, most_lost
from limpet.common.workers import left_to_parent
from limpet.configs.loading import ConfigError
from limpet.dealer.contests.tournament_config import Tournament, TournamentConfig, resolve_tournament
from limpet.dealer.contests.tournament_match import MatchNews, TableMatch, now_and_then, play_table_match, read_sets
from limpet.dealer.matches.faults import Fault, how_ended
from limpet.dealer.matches.match import claim_folder, fingerprints
from limpet.dealer.table.files import write_json

TERMS_FILE = "tournament.json"
LOOK_SECONDS = 0.25
"""Seconds between two reports of a worker, and that the parent waits for news at most."""
END_SECONDS = 20.0
"""Seconds that a worker has to stop and to end the processes of its match."""


@dataclass
class TableRecord:
    """The matches that have been played at one table.

    Attributes:
        matches: for each finished match, chips a hand by duplicate set: float64 ``[seat in players, set]``.
        decision: judgement of the sequential test, for the first player. No more matches are played or scored after it.
        counted: number of matches that are scored: the first ones without a gap, up to the deciding one.
    """

    players: tuple[str, ...]
    matches: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    decision: Judgement | None = None
    counted: int = 0
    failure: str | None = None
    fault: Fault | None = None

    @property
    def open(self) -> bool:
        """True while more matches may be played: the table is not decided, and none of its matches has failed."""
        return self.decision is None and self.failure is None

    @property
    def sets(self) -> NDArray[np.float64]:
        """Chips a hand of each player on each scored deal, float64 ``[player, set]``, in the order of the matches."""
        played = [self.matches[number] for number in range(self.counted)]
        return np.concatenate(played, axis=1) if played else np.zeros((len(self.players), 0))


Progress = Callable[[int, int, Sequence[TableRecord]], None]
"""Function called several times a second with the hands played, the hands expected in all, and the tables."""


class TournamentRun:
    """A tournament in a folder. `tables` hold the matches of earlier runs from the beginning."""

    def __init__(self, tournament: Tournament, root: Path, resume: bool) -> None:
        """Read or make the folder.

        Raises `ConfigError` for a folder with another tournament, or with this one unless `resume`, and for one with
        finished matches of a bot that has changed since.
        """
        self.tournament = tournament
        self.root = root
        terms = json.loads(json.dumps(tournament.terms()))
        # Tournaments of older versions did not write these terms.
        older = {"restart": False, "seatings": None, "own_hands": [None] * len(terms["bots"])}
        if claim_folder(root / TERMS_FILE, "tournament", terms, older, resume):
            write_json(root / TERMS_FILE, terms)
        self.tables = [TableRecord(table) for table in tournament.tables]
        self._bound, seatings = most_lost(tournament.game), tournament.seatings
        self._hands = {table: tournament.hands(table) * seatings for table in tournament.tables}
        """Number of hands of a match of each table."""
        for table in self.tables:
            for number in range(tournament.config.matches):
                if (sets := read_sets(tournament.folder(root, table.players, number))) is not None:
                    table.matches[number] = sets
            self._count(table)
        _refuse_others(tournament, root, self.tables)

    def play(
        self, played: Callable[[Iterator[TableMatch]], Generator[MatchNews, None, None]], progress: Progress
    ) -> None:
        """Play the missing matches. A table at which a match fails is given up; the others go on.

        `played`, such as `played_here`, draws matches from its argument, plays them, and yields reports on them.
        """
        under_way: dict[TableMatch, int] = {}
        reports = played(self._missing(under_way))
        try:
            for news in reports:
                self._note(news, under_way)
                finished = [(table, len(table.matches)) for table in self.tables]
                hands = sum(matches * self._hands[table.players] for table, matches in finished)
                # More is played at an open table, as if it were not decided before its last match.
                most = ((table, self.tournament.config.matches if table.open else done) for table, done in finished)
                in_all = sum(matches * self._hands[table.players] for table, matches in most)
                progress(hands + sum(under_way.values()), in_all, self.tables)
        finally:
            reports.close()

    def _missing(self, under_way: dict[TableMatch, int]) -> Iterator[TableMatch]:
        """Yield the matches to play, first matches first, so that all tables are decided at about the same time.

        Adds each to `under_way`. A table that is decided or has failed meanwhile is passed over.
        """
        for number in range(self.tournament.config.matches):
            for table in self.tables:
                if table.open and number not in table.matches:
                    match = TableMatch(table.players, number)
                    under_way[match] = 0
                    yield match

    def _note(self, news: MatchNews, under_way: dict[TableMatch, int]) -> None:
        match = news.match
        under_way[match] = news.hands
        if not news.done and news.failure is None:
            return
        del under_way[match]
        table = next(table for table in self.tables if table.players == match.table)
        if news.failure is not None:
            table.failure, table.fault = news.failure, news.fault
            return
        sets = read_sets(self.tournament.folder(self.root, *match))
        assert sets is not None
        table.matches[match.number] = sets
        self._count(table)

    def _count(self, table: TableRecord) -> None:
        """Find how many matches are scored. This depends on their results in order, not on which was over first."""
        config = self.tournament.config
        table.counted = next(number for number in range(config.matches + 1) if number not in table.matches)
        if config.stop is None or not table.counted:
            return
        mbb = table.sets[0] * (1000.0 / self.tournament.game.big_blind)
        table.decision = config.stop.verdict(mbb, self._bound)
        if table.decision is not None:
            table.counted = -(-table.decision.sets // self.tournament.hands(table.players))


def _refuse_others(tournament: Tournament, root: Path, tables: Sequence[TableRecord]) -> None:
    """Raise `ConfigError` if a bot has changed since its finished matches: results of two bots under one name say nothing.

    Stopped matches check this themselves when they go on.
    """
    fingerprint_now: dict[str, str] = {}
    played: dict[str, list[str]] = {}
    for table in tables:
        for number in table.matches:
            folder = tournament.folder(root, table.players, number)
            for player, fingerprint in zip(table.players, fingerprints(folder) or (), strict=False):
                if player not in fingerprint_now:
                    fingerprint_now[player] = tournament.players[player].fingerprint()
                if fingerprint != fingerprint_now[player]:
                    played.setdefault(player, []).append(str(folder.relative_to(root)))
    if played:
        matches = "; ".join(f"{name}: {', '.join(folders)}" for name, folders in played.items())
        raise ConfigError(
            f"{root}: matches played with another config, strategy or command than now ({matches}); delete these folders "
            "and they are played again, or name another folder with --output"
        )


def played_here(
    config: TournamentConfig, home: Path, root: Path, jobs: int, matches: Iterator[TableMatch]
) -> Generator[MatchNews, None, None]:
    """Play matches in up to `jobs` processes with one match at a time each, and yield their reports.

    A match is drawn when a process is free for it. No process is left behind once the iterator is closed. `home` and `root`
    are the folders of the config and of the tournament.
    """
    arguments = (config, home, root, max(1, (os.cpu_count() or 1) // jobs))
    context = multiprocessing.get_context("spawn")
    workers: dict[Connection, BaseProcess] = {}
    busy: dict[Connection, TableMatch] = {}
    try:
        while True:
            while len(busy) < jobs and (match := next(matches, None)) is not None:
                free = next((connection for connection in workers if connection not in busy), None)
                if free is None:
                    free, worker_end = context.Pipe()
                    workers[free] = context.Process(target=_play_received, args=(worker_end, *arguments), daemon=False)
                    workers[free].start()
                    worker_end.close()
                busy[free] = match
                free.send(match)
            if not busy:
                return
            for connection in wait(list(busy), LOOK_SECONDS):
                assert isinstance(connection, Connection)
                try:
                    news: MatchNews = connection.recv()
                except (EOFError, OSError):
                    process = workers.pop(connection)
                    process.join(END_SECONDS)
                    why = f"the process that played it {how_ended(process.exitcode or 0)}; go on with --resume"
                    news = MatchNews(busy[connection], failure=why)
                    connection.close()
                if news.done or news.failure is not None:
                    del busy[connection]
                yield news
    finally:
        for process in workers.values():
            process.terminate()
        for connection, process in workers.items():
            process.join(END_SECONDS)
            process.kill()  # one that has not ended by then
            process.join()
            connection.close()


def _play_received(connection: Connection, config: TournamentConfig, home: Path, root: Path, threads: int) -> None:
    """Play matches that come over the connection until its other end is closed."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # from the parent: stop the match and its processes
    left_to_parent()
    tournament = resolve_tournament(config, home)
    with contextlib.suppress(KeyboardInterrupt, EOFError, BrokenPipeError):
        while True:
            match: TableMatch = connection.recv()

            def report(hands: int, match: TableMatch = match) -> None:
                connection.send(MatchNews(match, hands))

            watch = now_and_then(LOOK_SECONDS, report)
            connection.send(play_table_match(tournament, match, root, watch, threads))
