"""Counts three hands all-in over every board, in pieces on several processes; what is done is kept on disk."""

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from limpet.configs.loading import ConfigError
from limpet.strategies.cards.isomorphism import canonical_boards
from limpet.strategies.showdowns.building import each_on_one_core, tables_from_counts
from limpet.strategies.showdowns.counting import TripleCounts, count_boards
from limpet.strategies.showdowns.tables import ALL_BOARDS, ShowdownTables
from limpet.strategies.storage.folders import whole_file
from limpet.strategies.workers.progress import Report, silent

PIECES = 64
"""Number of pieces that the canonical boards are cut into; a kill loses what is done of one for each process."""


def exact_tables(
    kept: Path, processes: int, progress: Report = silent, stop: Callable[[], bool] = lambda: False
) -> ShowdownTables | None:
    """Return the tables of all boards, or None if `stop` ended the work before its time.

    kept: file to which the counts are written after each piece, and from which a later call goes on; the caller removes it.
    progress(pieces done, PIECES) is called after each piece. Raises `ConfigError` for a file that is no such file.
    """
    counts, done = _read(kept) if kept.is_file() else (None, np.zeros(PIECES, dtype=np.bool_))
    progress(int(done.sum()), PIECES)
    for piece, counted in each_on_one_core(_count, np.flatnonzero(~done).tolist(), processes, stop):
        counts = counted if counts is None else counts + counted
        done[piece] = True
        with whole_file(kept) as file:
            np.savez(file, done=done, **{each.name: getattr(counts, each.name) for each in fields(counts)})
        progress(int(done.sum()), PIECES)
    return tables_from_counts(counts, ALL_BOARDS, 0.0) if counts is not None and done.all() else None


def _count(piece: int) -> tuple[int, TripleCounts]:
    """Return the number of a piece, and the counts over every PIECES-th canonical board from that number on."""
    boards = canonical_boards(5)
    return piece, count_boards(boards.boards[piece::PIECES], boards.orbit[piece::PIECES])


def _read(path: Path) -> tuple[TripleCounts, npt.NDArray[np.bool_]]:
    """Return the counts of a kept file and which pieces they are of. Raises `ConfigError`."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            counts = TripleCounts(**{each.name: arrays[each.name] for each in fields(TripleCounts)})
            return counts, arrays["done"]
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise ConfigError(f"{path}: no counts to go on with ({error}); delete it, and they are begun anew") from error
