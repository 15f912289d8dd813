"""Card tables for training hold'em, opened or built and kept; deals drawn in their buckets, and buckets of whole boards."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction import clustered_tables
from limpet.strategies.abstraction.card_table_kernels import sample_deals
from limpet.strategies.abstraction.cards import CardAbstraction, CardConfig, Lossless, StrengthPercentile
from limpet.strategies.abstraction.clustered_buckets import ClusteredBuckets
from limpet.strategies.abstraction.clusters.config import Clustered
from limpet.strategies.abstraction.holdem_buckets import STREETS, CardTables, combined
from limpet.strategies.abstraction.strength_tables import load_or_build_strengths, table_name
from limpet.strategies.cards.isomorphism import canonical_boards, hand_permutation
from limpet.strategies.storage.table_folder import verify_table
from limpet.strategies.workers.progress import Report, silent

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
        return clustered_tables.load_or_build(cache, cards, threads, progress, _clusters(stored))
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
        folders = clustered_tables.street_folders(cache, cards, _clusters(stored))
        return {street: (folder, clustered_tables.BOARDS) for street, folder in folders.items()}
    return {street: (cache / table_name(cards.buckets), street) for street in STREETS}
