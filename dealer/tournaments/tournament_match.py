"""One match of a tournament: played in its table's way, with its results by duplicate set in a file beside the logs."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.configs.loading import ConfigError
from limpet.dealer.matches.faults import Fault, MatchFailed
from limpet.dealer.matches.match import TERMS_FILE, play_match
from limpet.dealer.matches.match_result import SeatingLog, log_paths
from limpet.dealer.tournaments.tournament_config import Tournament
from limpet.strategies.storage.folders import whole_file

SETS_FILE = "sets.npy"


class TableMatch(NamedTuple):
    """One match of a tournament: its table, as player numbers, and its number at that table, from 0."""

    table: tuple[int, ...]
    number: int


class News(NamedTuple):
    """A report on a match: the hands played so far, and whether it is done or why it failed."""

    match: TableMatch
    hands: int = 0
    done: bool = False
    failure: str | None = None
    fault: Fault | None = None


def now_and_then(seconds: float, report: Callable[[int], None]) -> Callable[[int], None]:
    """Return a function that calls `report` unless it did so within the last `seconds`."""
    last = 0.0

    def throttled(hands: int) -> None:
        nonlocal last
        if time.monotonic() - last >= seconds:
            last = time.monotonic()
            report(hands)

    return throttled


def play_table_match(
    tournament: Tournament, match: TableMatch, root: Path, report: Callable[[int], None], threads: int
) -> News:
    """Play a match, or the missing part of it, and return the last news of it. `read_sets` then finds its results.

    `report` is called now and then with the number of hands played.
    """
    try:
        _play(tournament, match, root, report, threads)
    except (MatchFailed, ConfigError) as error:
        return News(match, failure=str(error), fault=getattr(error, "fault", None))
    return News(match, tournament.hands(match.table) * tournament.seatings, done=True)


def _play(tournament: Tournament, match: TableMatch, root: Path, report: Callable[[int], None], threads: int) -> None:
    """Play a match in its table's way. Raises `MatchFailed` and `ConfigError`."""
    terms = tournament.match(*match)
    folder = tournament.folder(root, *match)
    way = tournament.way(match.table)
    if way == "full-ranges":
        from limpet.dealer.tournaments.range_match import play_ranges

        _write(folder / SETS_FILE, play_ranges(terms, folder, report))
        return

    def watch(logs: Sequence[SeatingLog]) -> None:
        report(sum(log.played for log in logs))

    if way == "compiled":
        from limpet.dealer.matches.compiled_match import CompiledMatch

        (folder / TERMS_FILE).unlink(missing_ok=True)  # of a run that was stopped: it takes seconds, and begins anew
        compiled = CompiledMatch(terms, folder, threads)
        compiled.play(watch)
        logs = compiled.logs
    else:
        play_match(terms, folder, way == "in-process", (folder / TERMS_FILE).exists(), watch)
        logs = [SeatingLog(path, terms.names, terms.hands) for path in log_paths(folder, terms)]
        for log in logs:
            log.update()
    _write(folder / SETS_FILE, np.mean([log.values for log in logs], axis=0))


def read_sets(folder: Path) -> NDArray[np.float64] | None:
    """Return chips a hand of each player on each deal, the mean over the seatings, float64 ``[player, set]``.

    Returns None for a match that is not over, and for an unreadable file: the match is then finished from its logs.
    """
    try:
        return np.asarray(np.load(folder / SETS_FILE, allow_pickle=False), np.float64)
    except (FileNotFoundError, EOFError, ValueError):
        return None


def _write(path: Path, values: NDArray[np.float64]) -> None:
    """Write the file whole or not at all: that it is there says that the match is over."""
    with whole_file(path) as file:
        np.save(file, values)
