"""One match of a tournament: played as its table wants it, and its results by duplicate set kept beside the logs."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from limpet.dealer.matches.match import TERMS_FILE, play_match
from limpet.dealer.matches.match_result import SeatingLog
from limpet.dealer.tournaments.tournament_config import Tournament
from limpet.strategies.storage.folders import whole_file

SETS_FILE = "sets.npy"


def play_job(
    tournament: Tournament, table: Sequence[int], number: int, root: Path, report: Callable[[int], None], threads: int
) -> None:
    """Play match `number` of a table, or what is missing of it. Afterwards `read_sets` finds its results.

    `report` is told now and then how many hands have been played.

    Raises `MatchFailed`, `ConfigError`.
    """
    match = tournament.match(table, number)
    folder = tournament.folder(root, table, number)
    how = tournament.how(table)
    if how == "full-ranges":
        from limpet.dealer.tournaments.range_match import play_ranges

        _write(folder / SETS_FILE, play_ranges(match, folder, report))
        return

    def watch(seen: Sequence[SeatingLog]) -> None:
        report(sum(log.played for log in seen))

    if how == "compiled":
        from limpet.dealer.matches.compiled_match import CompiledMatch

        (folder / TERMS_FILE).unlink(missing_ok=True)  # of a run that was stopped: it takes seconds, and begins anew
        logs: list[SeatingLog] = []

        def keep(seen: Sequence[SeatingLog]) -> None:
            logs[:] = seen
            watch(seen)

        CompiledMatch(match, folder, threads).play(keep)
    else:
        play_match(match, folder, how == "in-process", (folder / TERMS_FILE).exists(), watch)
        paths = [folder / f"seating-{seating}.log" for seating in range(1, len(match.seatings) + 1)]
        logs = [SeatingLog(path, match.names, match.hands) for path in paths]
        for log in logs:
            log.update()
    _write(folder / SETS_FILE, np.mean([log.values for log in logs], axis=0))


def read_sets(folder: Path) -> NDArray[np.float64] | None:
    """Chips a hand of each player on each deal, the mean over the seatings, float64 ``[player, set]``.

    None if unplayed, and for a file that cannot be read: the match is finished again from its logs.
    """
    try:
        return np.asarray(np.load(folder / SETS_FILE, allow_pickle=False), np.float64)
    except (FileNotFoundError, EOFError, ValueError):
        return None


def _write(path: Path, values: NDArray[np.float64]) -> None:
    """Whole or not at all: the file says that the match is over."""
    with whole_file(path) as file:
        np.save(file, values)
