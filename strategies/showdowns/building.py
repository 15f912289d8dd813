"""Builds the tables on several processes: from all boards, in pieces that are kept on disk, or from boards drawn at random."""

import os
from collections.abc import Callable, Iterable, Iterator
from math import sqrt
from pathlib import Path
from typing import TypeVar
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from limpet.configs.loading import ConfigError
from limpet.strategies.cards.handspace import read_only
from limpet.strategies.cards.isomorphism import canonical_boards
from limpet.strategies.showdowns.counting import Counts, count_boards, triple_weights
from limpet.strategies.showdowns.tables import ALL_BOARDS, ORDERS, TRIPLE_BOARDS, ShowdownTables, order_sums
from limpet.strategies.storage.folders import whole_file
from limpet.strategies.workers.processes import by_processes
from limpet.strategies.workers.progress import Report, silent

PIECES = 64
"""Number of pieces that the canonical boards are cut into; a kill loses what is done of one for each process."""
DRAWN = 512
"""Number of random boards that one process counts at a time."""

Piece = TypeVar("Piece")
Result = TypeVar("Result")


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
            np.savez(file, done=done, **dict(zip(ORDERS, counts, strict=True)))
        progress(int(done.sum()), PIECES)
    return tables_from_counts(counts, ALL_BOARDS, 0.0) if counts is not None and done.all() else None


def sampled_tables(boards: int, seed: int, processes: int = 1, progress: Report = silent) -> ShowdownTables:
    """Return tables from boards drawn at random with replacement, fixed by the seed; 1,000 boards take some 10 s.

    A larger number begins with the same boards. progress(boards done, boards) is called now and then. Raises `ValueError`
    if some triple was never dealt on so few boards.
    """
    pieces = [(seed, start // DRAWN, min(DRAWN, boards - start)) for start in range(0, boards, DRAWN)]
    counts, done = None, 0
    progress(done, boards)
    for number, counted in each_on_one_core(_count_drawn, pieces, processes):
        counts = counted if counts is None else counts + counted
        done += number
        progress(done, boards)
    if counts is None:
        raise ValueError("0 boards are too few; ask for more")
    return tables_from_counts(counts, boards, standard_error_bound(boards))


def standard_error_bound(boards: int) -> float:
    """Return the largest standard error that a probability can have on so many random boards, to first order.

    A board gives each triple a share in 0..1, whose deviation is at most 1/2, and a weight: the fraction w of the triple's
    combos that miss the board. As w <= 1, the boards count for at least E[w] of their number: C(46, 5) / C(52, 5).
    """
    return 0.5 / sqrt(boards * TRIPLE_BOARDS / ALL_BOARDS)


def random_boards(seed: int, piece: int, number: int) -> npt.NDArray[np.int8]:
    """Return int8[number, 5]: boards of the full deck drawn with replacement, fixed by seed and piece, cards ascending."""
    random = np.random.Generator(np.random.Philox(key=np.array([seed, piece], dtype=np.uint64)))
    return np.sort(np.argpartition(random.random((number, 52)), 5, axis=1)[:, :5], axis=1).astype(np.int8)


def tables_from_counts(counts: Counts, boards: int, standard_error: float) -> ShowdownTables:
    """Return the tables of some counts. Raises `ValueError` if a triple that can be dealt was not counted at all."""
    weights = triple_weights()
    total = order_sums(*counts)
    if missing := np.count_nonzero((total == 0) & (weights > 0)):
        raise ValueError(f"{boards} boards are too few: {missing:,} triples of classes were never dealt; ask for more")
    shares = [read_only((each / np.maximum(total, 1)).astype(np.float32)) for each in counts]
    return ShowdownTables(
        triple_weights=read_only(weights.astype(np.float32)),
        **dict(zip(ORDERS, shares, strict=True)),
        boards=boards,
        standard_error=standard_error,
    )


def each_on_one_core(
    work: Callable[[Piece], Result], pieces: Iterable[Piece], processes: int, stop: Callable[[], bool] = lambda: False
) -> Iterator[Result]:
    """Yield the results of `by_processes`, each process with one thread for its matrix products."""
    name = "OPENBLAS_NUM_THREADS"
    before = os.environ.get(name)
    os.environ[name] = "1"  # read by processes that begin
    try:
        yield from by_processes(work, pieces, processes, stop=stop)
    finally:
        os.environ.pop(name)
        if before is not None:
            os.environ[name] = before


def _count(piece: int) -> tuple[int, Counts]:
    """Return the number of a piece, and the counts over every PIECES-th canonical board from that number on."""
    boards = canonical_boards(5)
    return piece, count_boards(boards.boards[piece::PIECES], boards.orbit[piece::PIECES])


def _read(path: Path) -> tuple[Counts, npt.NDArray[np.bool_]]:
    """Return the counts of a kept file and which pieces they are of. Raises `ConfigError`."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return np.stack([arrays[name] for name in ORDERS]), arrays["done"]
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise ConfigError(f"{path}: no counts to go on with ({error}); delete it, and they are begun anew") from error


def _count_drawn(piece: tuple[int, int, int]) -> tuple[int, Counts]:
    """Return the number of boards of a piece (seed, piece, number of boards), and their counts."""
    boards = random_boards(*piece)
    return len(boards), count_boards(boards, np.ones(len(boards), dtype=np.int32))
