"""Strength buckets for training: every hand on every canonical board, worked out once and kept on disk.

About 200 MB (river 178, turn 22, flop 2), and a minute on one core. A finished set is a folder named by a hash of its
parameters (`table_folder`). Every bucket is looked at when it is opened, which takes a tenth of a second: kernels read
and write wherever a bucket says.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from limpet.strategies.abstraction import strength_bucket_kernels as kernels
from limpet.strategies.abstraction.strength_bucket_kernels import NO_BUCKET, BucketTables
from limpet.strategies.abstraction.strength_buckets import KIND, MOST_BUCKETS, STREETS, StrengthBuckets
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import CanonicalBoards, canonical_boards, preflop_classes
from limpet.strategies.cards.strength import FULL_COUNT
from limpet.strategies.cards.strength_kernels import SCRATCH_SHAPE
from limpet.strategies.storage.table_folder import REMEDY, Arrays, open_table, store_table, stored_digests

_TABLE_VERSION = 1  # part of the folder's name: raise it when the same parameters would give other tables

_RIVERS_A_BOARD = {3: 1176, 4: 48, 5: 1}  # the unit of progress
_RIVERS_A_STEP = 4096  # boards of about this many rivers go to a thread at a time

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class StrengthTables:
    """Buckets for play, and the tables for training that agree with them.

    Attributes:
        digests: SHA-256 of each street's table, as manifests of strategies have them.
    """

    buckets: StrengthBuckets
    tables: BucketTables
    digests: Mapping[str, str] = field(default_factory=dict)


def percentile_thresholds(weights: npt.NDArray[np.int64], buckets: int) -> npt.NDArray[np.int32]:
    """int32[buckets - 1]: cut i is the least count with at least i / buckets of all weight below it.

    weights: int64[full count + 1], deals at each strength count. Ties never part: buckets are as equal as they allow.
    """
    below = np.concatenate([[0], np.cumsum(weights)])
    wanted = np.arange(1, buckets) * below[-1]
    cuts: npt.NDArray[np.int32] = np.searchsorted(below * buckets, wanted, side="left").astype(np.int32)
    cuts[cuts == len(weights)] -= 1  # weight on the full count itself: a cut there, not beyond it
    return cuts


def table_name(bucket_counts: Sequence[int]) -> str:
    """Folder name of the tables with these bucket numbers for flop, turn and river."""
    parameters = json.dumps([KIND, list(bucket_counts), _TABLE_VERSION])
    return f"{KIND}-{hashlib.sha256(parameters.encode()).hexdigest()[:16]}"


def load_or_build(
    cache: Path,
    bucket_counts: Sequence[int] = (200, 200, 200),
    threads: int = 1,
    progress: Progress | None = None,
) -> StrengthTables:
    """Tables with these bucket numbers for flop, turn and river: from the cache folder, or built and put there.

    progress(done, total) is called from this thread, in units of river boards, while building. Raises ValueError for
    other than three numbers in 1..255, and for a damaged folder.
    """
    if len(bucket_counts) != 3 or not all(1 <= count <= MOST_BUCKETS for count in bucket_counts):
        raise ValueError(f"need 1..{MOST_BUCKETS} buckets for each of flop, turn, river, not {tuple(bucket_counts)}")
    folder = cache / table_name(bucket_counts)
    if not folder.is_dir():
        store_table(folder, _build(bucket_counts, threads, progress), {"buckets": list(bucket_counts)})
    return _load(folder, bucket_counts)


def _load(folder: Path, bucket_counts: Sequence[int]) -> StrengthTables:
    """Map a finished folder into memory, read-only, and check it."""
    arrays = open_table(folder)
    try:
        table = {street: np.asarray(arrays[street]) for street in STREETS}
        thresholds = [np.array(arrays[f"{street}.thresholds"]) for street in STREETS]
        buckets = StrengthBuckets(thresholds, table["flop"])
        for street, n, count in zip(STREETS, FULL_COUNT, bucket_counts, strict=True):
            if buckets.num_buckets(n - 2) != count:
                raise ValueError(f"{street}: thresholds of {buckets.num_buckets(n - 2)} buckets, not {count}")
            _check(street, table[street], canonical_boards(n), count)
    except (KeyError, ValueError) as error:
        raise ValueError(f"{folder}: not whole card tables ({error}); {REMEDY}") from error
    slots = []
    for n in FULL_COUNT:
        view = canonical_boards(n).slots.view()
        view.flags.writeable = False
        slots.append(view)
    tables = BucketTables(preflop_classes(), table["flop"], table["turn"], table["river"], *slots)
    digests = stored_digests(folder)
    return StrengthTables(buckets, tables, {street: digests[street] for street in STREETS})


def _check(street: str, table: npt.NDArray[Any], boards: CanonicalBoards, count: int) -> None:
    """Raises ValueError unless all live hands, and only those, have one of `count` buckets."""
    if table.dtype != np.uint8 or table.shape != (boards.count, 1326):
        raise ValueError(f"{street}: uint8[{boards.count}, 1326] is needed, not {table.dtype}{list(table.shape)}")
    cards = hand_space().holes.astype(np.uint64)
    hands = (np.uint64(1) << cards[:, 0]) | (np.uint64(1) << cards[:, 1])
    row = kernels.first_wrong(table, boards.boards, hands, count)
    if row >= 0:
        raise ValueError(f"{street}: row {row} has buckets that there are not")


def _build(bucket_counts: Sequence[int], threads: int, progress: Progress | None) -> Arrays:
    """All tables and thresholds."""
    made: Arrays = {}
    total = sum(canonical_boards(n).count * rivers for n, rivers in _RIVERS_A_BOARD.items())
    done = 0

    def advance(rivers: int) -> None:
        nonlocal done
        done += rivers
        if progress is not None:
            progress(done, total)

    with ThreadPoolExecutor(max_workers=max(1, threads)) as pool:
        for street, n, buckets in zip(STREETS, FULL_COUNT, bucket_counts, strict=True):
            boards = canonical_boards(n)
            counts = count_all(boards, pool, advance)
            weights = np.zeros(FULL_COUNT[n] + 1, dtype=np.int64)
            kernels.weigh_counts(counts, boards.orbit, weights)
            cuts = percentile_thresholds(weights, buckets)
            bucket_of = np.searchsorted(cuts, np.arange(len(weights)), side="right").astype(np.uint8)
            table = np.empty(counts.shape, dtype=np.uint8)
            kernels.assign_buckets(counts, 0, boards.count, bucket_of, table)
            made |= {street: table, f"{street}.thresholds": cuts}
    return made


def count_all(boards: CanonicalBoards, pool: ThreadPoolExecutor, advance: Callable[[int], None]) -> npt.NDArray[Any]:
    """Strength counts [boards.count, 1326] of all canonical boards of 3, 4 or 5 cards; int16 on the river, else int32.

    advance(rivers) is called from this thread as steps finish. The result does not depend on the number of threads.
    """
    counts = np.empty((boards.count, 1326), dtype=np.int16 if boards.n == 5 else np.int32)
    step = max(1, _RIVERS_A_STEP // _RIVERS_A_BOARD[boards.n])

    def work(first: int) -> int:
        last = min(first + step, boards.count)
        scratch = np.empty(SCRATCH_SHAPE, dtype=np.int32)
        totals = np.empty(1326, dtype=np.int32)
        kernels.count_boards(boards.boards, first, last, hand_space().holes, scratch, totals, counts)
        return (last - first) * _RIVERS_A_BOARD[boards.n]

    steps = [pool.submit(work, first) for first in range(0, boards.count, step)]
    try:
        for finished in as_completed(steps):
            advance(finished.result())
    finally:
        for waiting in steps:  # an interrupt must not wait for the whole table
            waiting.cancel()
    return counts


def warm_up() -> None:
    """Compile the lookup kernels for the types training uses."""
    table = np.full((1, 1326), NO_BUCKET, dtype=np.uint8)
    table.flags.writeable = False
    slots = canonical_boards(3).slots.view()
    slots.flags.writeable = False
    tables = BucketTables(preflop_classes(), table, table, table, slots, slots, slots)
    kernels.bucket(0, 0, 1, np.array([2, 3, 4, 5, 6], dtype=np.int8), tables)
