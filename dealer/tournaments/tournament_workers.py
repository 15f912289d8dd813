"""Processes on this machine that play the matches of a tournament side by side."""

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Generator, Iterator, Mapping
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from limpet.dealer.matches.guarded_process import signal_name
from limpet.dealer.tournaments.tournament_config import TournamentConfig, resolve_tournament
from limpet.dealer.tournaments.tournament_match import News, TableMatch, now_and_then, play_table_match
from limpet.strategies.workers.processes import left_to_parent

LOOK_SECONDS = 0.25
"""Seconds between two reports of a worker, and that the parent waits for news at most."""
END_SECONDS = 20.0
"""Seconds that a worker has to stop and to end the processes of its match."""


def played_here(
    config: TournamentConfig, home: Path, root: Path, jobs: int, matches: Iterator[TableMatch]
) -> Generator[News, None, None]:
    """Play matches in up to `jobs` processes with one match at a time each, and yield their reports.

    A match is drawn when a process is free for it. No process is left behind once the iterator is closed.

    Args:
        home: folder of the config.
        root: folder of the tournament.
    """
    arguments = (config, home, root, max(1, (os.cpu_count() or 1) // jobs))
    workers: dict[Connection, BaseProcess] = {}
    busy: dict[Connection, TableMatch] = {}
    try:
        while True:
            while len(busy) < jobs and (match := next(matches, None)) is not None:
                free = next((connection for connection in workers if connection not in busy), None)
                if free is None:
                    free, process = _start(arguments)
                    workers[free] = process
                busy[free] = match
                free.send(match)
            if not busy:
                return
            for connection in wait(list(busy), LOOK_SECONDS):
                assert isinstance(connection, Connection)
                try:
                    news: News = connection.recv()
                except (EOFError, OSError):
                    news = News(busy[connection], failure=_end_of(workers.pop(connection)))
                    connection.close()
                if news.done or news.failure is not None:
                    del busy[connection]
                yield news
    finally:
        _end(workers)


def _start(arguments: tuple[TournamentConfig, Path, Path, int]) -> tuple[Connection, BaseProcess]:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs, *arguments), daemon=False)
    process.start()
    theirs.close()
    return ours, process


def _end_of(process: BaseProcess) -> str:
    """Return why a match failed whose process has ended."""
    process.join(END_SECONDS)
    code = process.exitcode or 0
    how = f"was killed by {signal_name(-code)}" if code < 0 else f"ended with status {code}"
    return f"the process that played it {how}; go on with --resume"


def _end(workers: Mapping[Connection, BaseProcess]) -> None:
    for process in workers.values():
        if process.is_alive():
            process.terminate()
    for connection, process in workers.items():
        process.join(END_SECONDS)
        if process.is_alive():
            process.kill()
            process.join()
        connection.close()


def _work(connection: Connection, config: TournamentConfig, home: Path, root: Path, threads: int) -> None:
    """Play matches that come over the connection until its other end is closed."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # from the parent: stop the match and its processes
    left_to_parent()
    tournament = resolve_tournament(config, home)
    with contextlib.suppress(KeyboardInterrupt, EOFError, BrokenPipeError):
        while True:
            match: TableMatch = connection.recv()

            def report(hands: int, match: TableMatch = match) -> None:
                connection.send(News(match, hands))

            watch = now_and_then(LOOK_SECONDS, report)
            connection.send(play_table_match(tournament, match, root, watch, threads))
