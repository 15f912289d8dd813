"""Processes on this machine that play the matches of a tournament side by side."""

import contextlib
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Protocol, Self

from limpet.dealer.matches.guarded_process import signal_name
from limpet.dealer.tournaments.tournament_config import TournamentConfig, resolve_tournament
from limpet.dealer.tournaments.tournament_match import News, TableMatch, play_table_match
from limpet.strategies.workers.processes import left_to_parent

LOOK_SECONDS = 0.25
"""Seconds between two reports of a worker, and that the parent waits for news at most."""
END_SECONDS = 20.0
"""Seconds that a worker has to stop and to end the processes of its match."""


class Workers(Protocol):
    """Workers that play the matches of a tournament: processes here, or those of a cluster."""

    @property
    def count(self) -> int:
        """Number of matches that can be played at a time."""

    @property
    def busy(self) -> int:
        """Number of matches that are being played."""

    def give(self, match: TableMatch) -> None:
        """Have a match played. `busy` must be below `count`."""

    def news(self) -> Iterator[News]:
        """Yield the workers' reports, after waiting a little if there are none."""


class LocalWorkers:
    """Processes with one match at a time each. At the end of the context none of them is left behind."""

    def __init__(self, config: TournamentConfig, home: Path, root: Path, count: int) -> None:
        """`home` is the config's folder, `root` the tournament's."""
        self._context = multiprocessing.get_context("spawn")
        threads = max(1, (os.cpu_count() or 1) // count)
        self._arguments = (config, home, root, threads)
        self._workers: dict[Connection, BaseProcess] = {}
        self._busy: dict[Connection, TableMatch] = {}
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
        return len(self._busy)

    def give(self, match: TableMatch) -> None:
        free = next((connection for connection in self._workers if connection not in self._busy), None)
        connection = free or self._start()
        self._busy[connection] = match
        connection.send(match)

    def _start(self) -> Connection:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_work, args=(theirs, *self._arguments), daemon=False)
        process.start()
        theirs.close()
        self._workers[ours] = process
        return ours

    def news(self) -> Iterator[News]:
        for connection in wait(list(self._busy), LOOK_SECONDS):
            assert isinstance(connection, Connection)
            try:
                news: News = connection.recv()
            except (EOFError, OSError):
                news = self._lost(connection)
            if news.done or news.failure is not None:
                self._busy.pop(connection, None)
            yield news

    def _lost(self, connection: Connection) -> News:
        process = self._workers.pop(connection)
        process.join(END_SECONDS)
        code = process.exitcode or 0
        how = f"was killed by {signal_name(-code)}" if code < 0 else f"ended with status {code}"
        connection.close()
        return News(self._busy[connection], failure=f"the process that played it {how}; go on with --resume")


def _work(connection: Connection, config: TournamentConfig, home: Path, root: Path, threads: int) -> None:
    """Play matches that come over the connection until its other end is closed."""
    _stop_with_parent()
    tournament = resolve_tournament(config, home)
    with contextlib.suppress(KeyboardInterrupt, EOFError, BrokenPipeError):
        while True:
            match: TableMatch = connection.recv()
            connection.send(play_table_match(tournament, match, root, _reporter(connection, match), threads))


def _stop_with_parent() -> None:
    """Have SIGTERM from the parent, or its death, stop the match and its processes."""

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    left_to_parent()


def _reporter(connection: Connection, match: TableMatch) -> Callable[[int], None]:
    last = 0.0

    def report(hands: int) -> None:
        nonlocal last
        if time.monotonic() - last >= LOOK_SECONDS:
            last = time.monotonic()
            connection.send(News(match, hands))

    return report
