"""Builds the tables of three all-ins, from all boards or from boards drawn at random."""

from math import sqrt

import numpy as np
import numpy.typing as npt

from limpet.strategies.showdowns.counting import (
    Counts,
    Progress,
    TripleCounts,
    count_boards,
    no_progress,
    triple_weights,
)
from limpet.strategies.showdowns.tables import ALL_BOARDS, TRIPLE_BOARDS, ShowdownTables, read_only


def sampled_tables(boards: int, seed: int, progress: Progress = no_progress) -> ShowdownTables:
    """Return tables from boards drawn at random with replacement, fixed by the seed; 1,000 boards take some 10 s.

    progress(boards done, boards) is called now and then. Raises `ValueError` if some triple was never dealt on so few boards.
    """
    counts = count_boards(random_boards(boards, seed), np.ones(boards, dtype=np.int32), progress)
    return tables_from_counts(counts, boards, standard_error_bound(boards))


def standard_error_bound(boards: int) -> float:
    """Return the largest standard error that a probability can have on so many random boards, to first order.

    A board gives each triple a share in 0..1, whose deviation is at most 1/2, and a weight: the fraction w of the triple's
    combos that miss the board. As w <= 1, the boards count for at least E[w] of their number: C(46, 5) / C(52, 5).
    """
    return 0.5 / sqrt(boards * TRIPLE_BOARDS / ALL_BOARDS)


def random_boards(number: int, seed: int) -> npt.NDArray[np.int8]:
    """Return int8[number, 5]: boards of the full deck drawn with replacement, fixed by the seed, cards ascending."""
    keys = np.random.Generator(np.random.Philox(key=seed)).random((number, 52))
    return np.sort(np.argpartition(keys, 5, axis=1)[:, :5], axis=1).astype(np.int8)


def tables_from_counts(counts: TripleCounts, boards: int, standard_error: float) -> ShowdownTables:
    """Return the tables of some counts. Raises `ValueError` if a triple that can be dealt was not counted at all."""
    weights = triple_weights()
    total = counts.total()
    if missing := np.count_nonzero((total == 0) & (weights > 0)):
        raise ValueError(f"{boards} boards are too few: {missing:,} triples of classes were never dealt; ask for more")
    return ShowdownTables(
        triple_weights=read_only(weights.astype(np.float32)),
        strict=_share(counts.strict, total),
        top_tie=_share(counts.top_tie, total),
        low_tie=_share(counts.low_tie, total),
        all_tie=_share(counts.all_tie, total),
        boards=boards,
        standard_error=standard_error,
    )


def _share(counts: Counts, total: Counts) -> npt.NDArray[np.float32]:
    """Return float32: counts by total, read-only; 0 where the total is 0."""
    return read_only((counts / np.maximum(total, 1)).astype(np.float32))
