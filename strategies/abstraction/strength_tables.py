"""Strength buckets for training: every hand on every canonical board, worked out once and kept on disk.

About 200 MB (river 178, turn 22, flop 2), and a minute on one core. A finished set is a folder named by a hash of its
parameters (`table_folder`). Opening it checks every bucket, in a tenth of a second, because kernels read and write
wherever a bucket says.
"""

import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from limpet.strategies.abstraction import card_table_kernels as kernels
from limpet.strategies.abstraction.clusters.street_fitting import percentile_cuts
from limpet.strategies.abstraction.holdem_buckets import BOARD_CARDS, STREETS, CardTables, bucket_tables
from limpet.strategies.abstraction.strength_buckets import KIND, NO_BUCKET, StrengthBuckets
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import CanonicalBoards, canonical_boards
from limpet.strategies.cards.strength import FULL_COUNT, strength_counts
from limpet.strategies.storage.table_folder import REMEDY, Arrays, open_table, store_table, stored_digests
from limpet.strategies.workers.progress import Advance, Report, silent
from limpet.strategies.workers.thread_parts import fill_rows

_TABLE_VERSION = 1  # part of the folder's name: raise it when the same parameters would give other tables

_RIVERS_A_BOARD = {3: 1176, 4: 48, 5: 1}  # the unit of progress


def table_name(bucket_counts: Sequence[int]) -> str:
    """Return the folder name of the tables with these bucket numbers for flop, turn and river."""
    parameters = json.dumps([KIND, list(bucket_counts), _TABLE_VERSION])
    return f"{KIND}-{hashlib.sha256(parameters.encode()).hexdigest()[:16]}"


def load_or_build_strengths(
    cache: Path, bucket_counts: Sequence[int] = (200, 200, 200), threads: int = 1, progress: Report = silent
) -> CardTables:
    """Return the tables with these bucket numbers of flop, turn and river, opened or else built in the cache folder.

    progress(done, total) is called from this thread, in units of river boards, while building. Raises ValueError for a
    damaged folder.
    """
    folder = cache / table_name(bucket_counts)
    if not folder.is_dir():
        store_table(folder, _build(bucket_counts, threads, progress), {"buckets": list(bucket_counts)})
    return _load(folder, bucket_counts)


def _load(folder: Path, bucket_counts: Sequence[int]) -> CardTables:
    """Map a finished folder into memory, read-only, and check it."""
    arrays = open_table(folder)
    try:
        tables = [np.asarray(arrays[street]) for street in STREETS]
        thresholds = [np.array(arrays[f"{street}.thresholds"]) for street in STREETS]
        buckets = StrengthBuckets(thresholds, tables[0])
        for (street, n), table, cuts, count in zip(BOARD_CARDS.items(), tables, thresholds, bucket_counts, strict=True):
            if len(cuts) + 1 != count:
                raise ValueError(f"{street}: thresholds of {len(cuts) + 1} buckets, not {count}")
            _check(street, table, canonical_boards(n), count)
    except (KeyError, ValueError) as error:
        raise ValueError(f"{folder}: not whole card tables ({error}); {REMEDY}") from error
    digests = stored_digests(folder)
    return CardTables(buckets, bucket_tables(tables), {street: digests[street] for street in STREETS})


def _check(street: str, table: npt.NDArray[Any], boards: CanonicalBoards, count: int) -> None:
    """Raise ValueError unless all live hands, and only those, have one of `count` buckets."""
    if table.dtype != np.uint8 or table.shape != (boards.count, 1326):
        raise ValueError(f"{street}: uint8[{boards.count}, 1326] is needed, not {table.dtype}{list(table.shape)}")
    cards = hand_space().holes.astype(np.uint64)
    hands = (np.uint64(1) << cards[:, 0]) | (np.uint64(1) << cards[:, 1])
    row = kernels.first_wrong(table, boards.boards, hands, count)
    if row >= 0:
        raise ValueError(f"{street}: row {row} has buckets that there are not")


def _build(bucket_counts: Sequence[int], threads: int, progress: Report) -> Arrays:
    """Return all tables and thresholds, by the names of their files."""
    arrays: Arrays = {}
    total = sum(canonical_boards(n).count * rivers for n, rivers in _RIVERS_A_BOARD.items())
    done = 0
    with ThreadPoolExecutor(max_workers=max(1, threads)) as pool:
        for (street, n), buckets in zip(BOARD_CARDS.items(), bucket_counts, strict=True):
            boards = canonical_boards(n)
            rivers = boards.count * _RIVERS_A_BOARD[n]

            def advance(share: float, done: int = done, rivers: int = rivers) -> None:
                progress(done + round(share * rivers), total)

            counts = count_all(boards, pool, advance)
            done += rivers
            weights = kernels.weigh_counts(counts, boards.orbit, FULL_COUNT[n])
            cuts = percentile_cuts(np.arange(len(weights)), weights, buckets).astype(np.int32)
            # A count of -1, of a blocked hand, finds the last entry.
            bucket_of = np.append(np.searchsorted(cuts, np.arange(len(weights)), side="right"), NO_BUCKET)
            table = np.empty(counts.shape, dtype=np.uint8)
            for row, count in enumerate(counts):
                table[row] = bucket_of[count]
            arrays |= {street: table, f"{street}.thresholds": cuts}
    return arrays


def count_all(boards: CanonicalBoards, pool: ThreadPoolExecutor, advance: Advance) -> npt.NDArray[Any]:
    """Return strength counts [boards.count, 1326] of canonical boards of 3 to 5 cards; int16 on rivers, else int32.

    advance is called from this thread. The result does not depend on the number of threads.
    """
    counts = np.empty((boards.count, 1326), dtype=np.int16 if boards.n == 5 else np.int32)
    fill_rows(pool, counts, lambda row: strength_counts(boards.boards[row].tolist()), advance)
    return counts
