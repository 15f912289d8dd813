"""Processes that play the matches of a tournament side by side."""

import contextlib
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple, Protocol, Self

from limpet.dealer.matches.faults import Fault
from limpet.dealer.matches.guarded_process import signal_name
from limpet.dealer.tournaments.tournament_config import TournamentConfig
from limpet.strategies.workers.processes import left_to_parent

LOOK_SECONDS = 0.25
"""Between two reports of a worker, and of what the parent waits for news."""
END_SECONDS = 20.0
"""For a worker that is told to stop to end the processes of its match."""


class Job(NamedTuple):
    """A match: a table of player numbers, and which of its matches, from 0."""

    table: tuple[int, ...]
    number: int


class News(NamedTuple):
    """What a worker reports of its job: hands played so far, that it is done, or why it failed."""

    job: Job
    hands: int = 0
    done: bool = False
    failure: str | None = None
    fault: Fault | None = None


class Crew(Protocol):
    """Whoever plays the matches of a tournament."""

    @property
    def count(self) -> int:
        """Matches at a time."""

    @property
    def busy(self) -> int:
        """How many are being played."""

    def give(self, job: Job) -> None:
        """Have a job played. `busy` must be below `count`."""

    def news(self) -> Iterator[News]:
        """What has been reported, waiting a little if there is nothing."""


class Workers:
    """A few processes, each with a match at a time. A context: whatever happens, none of them is left behind."""

    def __init__(self, config: TournamentConfig, home: Path, root: Path, count: int) -> None:
        """`home` is the config's folder, `root` the tournament's."""
        self._context = multiprocessing.get_context("spawn")
        threads = max(1, (os.cpu_count() or 1) // count)
        self._arguments = (config, home, root, threads)
        self._workers: dict[Connection, BaseProcess] = {}
        self._busy: dict[Connection, Job] = {}
        self._count = count

    @property
    def count(self) -> int:
        return self._count

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for process in self._workers.values():
            if process.is_alive():
                process.terminate()
        for connection, process in self._workers.items():
            process.join(END_SECONDS)
            if process.is_alive():
                process.kill()
                process.join()
            connection.close()

    @property
    def busy(self) -> int:
        """How many are playing."""
        return len(self._busy)

    def give(self, job: Job) -> None:
        """Have a job played. There must be somebody free: `busy` is below `count`."""
        free = next((connection for connection in self._workers if connection not in self._busy), None)
        connection = free or self._hire()
        self._busy[connection] = job
        connection.send(job)

    def _hire(self) -> Connection:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_work, args=(theirs, *self._arguments), daemon=False)
        process.start()
        theirs.close()
        self._workers[ours] = process
        return ours

    def news(self) -> Iterator[News]:
        """What has been reported by those who play, waiting a little if there is nothing."""
        for connection in wait(list(self._busy), LOOK_SECONDS):
            assert isinstance(connection, Connection)
            try:
                told: News = connection.recv()
            except (EOFError, OSError):
                told = self._lost(connection)
            if told.done or told.failure is not None:
                self._busy.pop(connection, None)
            yield told

    def _lost(self, connection: Connection) -> News:
        process = self._workers.pop(connection)
        process.join(END_SECONDS)
        code = process.exitcode or 0
        how = f"was killed by {signal_name(-code)}" if code < 0 else f"ended with status {code}"
        connection.close()
        return News(self._busy[connection], failure=f"the process that played it {how}; go on with --resume")


def _work(connection: Connection, config: TournamentConfig, home: Path, root: Path, threads: int) -> None:
    """A worker's life: play what comes until the other end is closed."""
    from limpet.configs.loading import ConfigError
    from limpet.dealer.matches.match import MatchFailed
    from limpet.dealer.tournaments.tournament_config import resolve_tournament
    from limpet.dealer.tournaments.tournament_job import play_job

    _obey()
    tournament = resolve_tournament(config, home)
    with contextlib.suppress(KeyboardInterrupt, EOFError, BrokenPipeError):
        while True:
            job: Job = connection.recv()
            try:
                play_job(tournament, job.table, job.number, root, _reporter(connection, job), threads)
                connection.send(News(job, tournament.hands(job.table) * tournament.seatings, done=True))
            except MatchFailed as error:
                connection.send(News(job, failure=str(error), fault=error.fault))
            except ConfigError as error:
                connection.send(News(job, failure=str(error)))


def _obey() -> None:
    """SIGTERM from the parent, or its death, stops the match and its processes."""

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    left_to_parent()


def _reporter(connection: Connection, job: Job) -> Callable[[int], None]:
    last = [0.0]

    def report(hands: int) -> None:
        if time.monotonic() - last[0] >= LOOK_SECONDS:
            last[0] = time.monotonic()
            connection.send(News(job, hands))

    return report
