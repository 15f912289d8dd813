"""Card tables for training hold'em, opened or built and kept; deals drawn in their buckets, and buckets of whole boards."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from limpet.common.verified import REMEDY, Arrays, open_table, store_table, stored_digests, verify_table
from limpet.common.workers import Advance, Report, fill_rows, silent
from limpet.strategies.abstraction import card_table_kernels as kernels
from limpet.strategies.abstraction import clustered_buckets, holdem_buckets
from limpet.strategies.abstraction.card_table_kernels import sample_deals
from limpet.strategies.abstraction.cards import CardAbstraction, CardConfig, Clustered, Lossless, StrengthPercentile
from limpet.strategies.abstraction.clustered_buckets import ClusteredBuckets
from limpet.strategies.abstraction.holdem_buckets import BOARD_CARDS, KIND, NO_BUCKET, STREETS, CardTables, combined
from limpet.strategies.abstraction.street_fitting import percentile_cuts
from limpet.strategies.cards.equity import FULL_COUNT, strength_counts
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import CanonicalBoards, canonical_boards, hand_permutation

# --- Strength buckets for training: every hand on every canonical board, worked out once and kept on disk.

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
        buckets = holdem_buckets.StrengthBuckets(thresholds, tables[0])
        for (street, n), table, cuts, count in zip(BOARD_CARDS.items(), tables, thresholds, bucket_counts, strict=True):
            if len(cuts) + 1 != count:
                raise ValueError(f"{street}: thresholds of {len(cuts) + 1} buckets, not {count}")
            _check(street, table, canonical_boards(n), count)
    except (KeyError, ValueError) as error:
        raise ValueError(f"{folder}: not whole card tables ({error}); {REMEDY}") from error
    digests = stored_digests(folder)
    return CardTables(buckets, holdem_buckets.bucket_tables(tables), {street: digests[street] for street in STREETS})


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
    """Return strength counts [boards.count, 1326] of canonical boards: int16 on rivers, else int32; see `fill_rows`."""
    counts = np.empty((boards.count, 1326), dtype=np.int16 if boards.n == 5 else np.int32)
    fill_rows(pool, counts, lambda row: strength_counts(boards.boards[row].tolist()), advance)
    return counts


Vector = Callable[[int, tuple[int, ...]], NDArray[np.int32]]
"""Function of a round and a board in dealing order that returns int32 ``[1326]``: the bucket of every hand."""


class TableDeals:
    """A `DealSampler` over hold'em in the buckets of card tables."""

    def __init__(self, tables: CardTables, players: int) -> None:
        self.num_buckets = tuple(tables.buckets.num_buckets(round_) for round_ in range(4))
        self._tables, self._counts = tables.tables, tables.buckets.recalled()
        self._players = players

    def sample(self, seed: int, count: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return buckets ``[count, P, 4]`` and showdown ranks ``[count, P]``, fixed by the seed."""
        buckets, ranks = sample_deals(np.uint64(seed), count, self._players, self._tables)
        if self._counts is not None:  # perfect recall: a bucket is the sequence of those so far
            for round_ in range(1, 4):
                buckets[:, :, round_] += buckets[:, :, round_ - 1] * np.int32(self._counts[round_])
        return buckets, ranks


def load_or_build(
    cards: StrengthPercentile | Clustered,
    cache: Path,
    threads: int = 1,
    progress: Report = silent,
    stored: CardAbstraction | None = None,
) -> CardTables:
    """Return the tables of a config, opened or else built in the cache folder.

    progress(done, total) is called while they are built. stored: the abstraction as a strategy file has it, which spares
    clustered tables the search for clusters. Raises ValueError for a damaged table, and for a config that cannot be.
    """
    if isinstance(cards, Clustered):
        return clustered_buckets.load_or_build(cache, cards, threads, progress, _clusters(stored))
    return load_or_build_strengths(cache, cards.buckets, threads, progress)


def has_tables(cards: StrengthPercentile | Clustered, cache: Path, stored: CardAbstraction | None = None) -> bool:
    """Return whether the cache folder holds all tables of a config. stored: the abstraction as a strategy file has it."""
    return all(folder.is_dir() for folder, _ in _files(cards, cache, stored).values())


def compare_tables(
    cards: CardConfig, trained_with: Mapping[str, str], cache: Path, stored: CardAbstraction | None = None
) -> tuple[bool | None, str]:
    """Return whether the card tables here are those of a strategy's training (None: not known), and a sentence about it.

    trained_with: SHA-256 of each street's table, out of the strategy's manifest; stored: its abstraction. The tables are
    read whole. Raises `ValueError` for a damaged one.
    """
    if isinstance(cards, Lossless):
        return None, "it needs no card tables"
    trained, of_stored = _files(cards, cache), _files(cards, cache, stored)
    arrays = {street: trained[street] if trained[street][0].is_dir() else of_stored[street] for street in STREETS}
    here = {folder: verify_table(folder) for folder in {folder for folder, _ in arrays.values()} if folder.is_dir()}
    if not trained_with:
        return None, "which card tables it was trained with was not recorded"
    digests = {street: here[folder][array] for street, (folder, array) in arrays.items() if folder in here}
    other = [f"{arrays[street][0]} ({street})" for street in digests if digests[street] != trained_with.get(street)]
    if other:
        return False, f"trained with other card tables than those here: {', '.join(other)}"
    if len(digests) < len(STREETS):
        return None, "the card tables that it was trained with are not here"
    return True, "trained with the card tables that are here"


def kept_vector(cards: CardConfig, stored: CardAbstraction, cache: Path) -> Vector | None:
    """Return `table_vector` of an abstraction whose tables stand in the cache folder, or None if they do not.

    stored: the abstraction as a strategy file has it. Raises `ValueError` for a damaged table.
    """
    if isinstance(cards, Lossless) or not has_tables(cards, cache, stored):
        return None
    card_tables = load_or_build(cards, cache, stored=stored)
    return table_vector(card_tables) if card_tables.buckets.hash() == stored.hash() else None


def table_vector(card_tables: CardTables) -> Vector:
    """Return the `bucket_vector` of an abstraction, looked up in its tables: some 10 µs a board, and nothing kept."""
    tables, counts = card_tables.tables, card_tables.buckets.recalled()
    preflop = tables.preflop.astype(np.int32)

    def of_board(board: tuple[int, ...]) -> NDArray[np.int32]:
        if not board:
            return preflop
        table = (tables.flop, tables.turn, tables.river)[len(board) - 3]
        row, permutation = canonical_boards(len(board)).find(board)
        return combined(table[row][hand_permutation(permutation)], board, counts, of_board)

    return lambda round_, board: of_board(board)


def _clusters(stored: CardAbstraction | None) -> ClusteredBuckets | None:
    return stored if isinstance(stored, ClusteredBuckets) else None


def _files(
    cards: StrengthPercentile | Clustered, cache: Path, stored: CardAbstraction | None = None
) -> dict[str, tuple[Path, str]]:
    """Return the folder, there or not, and the name of the array that hold each street's table."""
    if isinstance(cards, Clustered):
        folders = clustered_buckets.street_folders(cache, cards, _clusters(stored))
        return {street: (folder, clustered_buckets.BOARDS) for street, folder in folders.items()}
    return {street: (cache / table_name(cards.buckets), street) for street in STREETS}
