"""Card tables for training hold'em: opened, or built and kept; the deals drawn in their buckets, and whole boards."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction import clustered_tables, strength_tables
from limpet.strategies.abstraction.card_table_kernels import fill_vector
from limpet.strategies.abstraction.cards import CardAbstraction, CardConfig, Lossless, StrengthPercentile
from limpet.strategies.abstraction.clustered_buckets import STREETS, ClusteredBuckets
from limpet.strategies.abstraction.clustered_config import Clustered
from limpet.strategies.abstraction.clustered_deals import ClusteredDeals
from limpet.strategies.abstraction.clustered_tables import BOARDS
from limpet.strategies.abstraction.strength_deals import StrengthDeals
from limpet.strategies.storage.table_folder import verify_table

Vector = Callable[[int, tuple[int, ...]], NDArray[np.int32]]


def open_deals(
    cards: StrengthPercentile | Clustered,
    players: int,
    cache: Path,
    threads: int,
    progress: Callable[[int, int], None],
    known: CardAbstraction | None = None,
) -> tuple[CardAbstraction, StrengthDeals | ClusteredDeals]:
    """The abstraction of a config and a sampler of deals for that many players.

    cache: the folder that tables are kept in. progress(done, total) is called while they are built. known: the
    abstraction as a strategy file has it, which spares clustered tables the search for clusters. Raises ValueError for a damaged table, and for a config that cannot be.
    """
    if isinstance(cards, Clustered):
        clusters = known if isinstance(known, ClusteredBuckets) else None
        clustered = clustered_tables.load_or_build(cache, cards, threads, progress, clusters)
        return clustered.buckets, ClusteredDeals(clustered, players)
    strength = strength_tables.load_or_build(cache, cards.buckets, threads, progress)
    return strength.buckets, StrengthDeals(strength, players)


def tables_there(cards: StrengthPercentile | Clustered, cache: Path, known: CardAbstraction | None = None) -> bool:
    """Whether the cache folder holds all tables of a config; `known`: of the abstraction as a strategy file has it."""
    if isinstance(cards, Clustered):
        clusters = known if isinstance(known, ClusteredBuckets) else None
        return all(folder.is_dir() for folder in clustered_tables.street_folders(cache, cards, clusters).values())
    return (cache / strength_tables.table_name(cards.buckets)).is_dir()


def compare_tables(
    cards: CardConfig, trained_with: Mapping[str, str], cache: Path, known: CardAbstraction | None = None
) -> tuple[bool | None, str]:
    """Whether the card tables here are those that a strategy was trained with (None: not known), and a sentence about it.

    trained_with: SHA-256 of each street's table, out of the strategy's manifest; known: its abstraction. The tables are
    read whole. Raises `ValueError` for a damaged one.
    """
    if isinstance(cards, Lossless):
        return None, "it needs no card tables"
    if isinstance(cards, Clustered):
        clusters = known if isinstance(known, ClusteredBuckets) else None
        made = clustered_tables.street_folders(cache, cards, clusters)
        trained = clustered_tables.street_folders(cache, cards)
        arrays = {street: (trained[street] if trained[street].is_dir() else made[street], BOARDS) for street in STREETS}
    else:
        arrays = {street: (cache / strength_tables.table_name(cards.buckets), street) for street in STREETS}
    here = {folder: verify_table(folder) for folder in {folder for folder, _ in arrays.values()} if folder.is_dir()}
    if not trained_with:
        return None, "which card tables it was trained with was not recorded"
    found = {street: here[folder][array] for street, (folder, array) in arrays.items() if folder in here}
    other = [f"{arrays[street][0]} ({street})" for street in found if found[street] != trained_with.get(street)]
    if other:
        return False, f"trained with other card tables than those here: {', '.join(other)}"
    if len(found) < len(STREETS):
        return None, "the card tables that it was trained with are not here"
    return True, "trained with the card tables that are here"


def kept_vector(cards: CardConfig, known: CardAbstraction, cache: Path) -> Vector | None:
    """`table_vector` of an abstraction whose tables were made before and stand in the cache folder; else None.

    known: the abstraction as a strategy file has it. Raises `ValueError` for a damaged table.
    """
    if isinstance(cards, Lossless) or not tables_there(cards, cache, known):
        return None
    found, deals = open_deals(cards, 2, cache, 1, lambda done, total: None, known)
    return table_vector(deals) if found.hash() == known.hash() else None


def table_vector(deals: StrengthDeals | ClusteredDeals) -> Vector:
    """The `bucket_vector` of the abstraction that deals are drawn in, looked up: some 10 µs a board, and nothing kept."""
    fill: Any = fill_vector  # the tables are of one width or another
    tables, counts = deals.tables, deals.counts
    preflop = tables.preflop.astype(np.int32)

    def vector(round_: int, board: tuple[int, ...]) -> NDArray[np.int32]:
        if not board:
            return preflop
        found = np.empty(1326, np.int32)
        fill(np.array(board, np.int8), tables, found)
        if counts is not None:  # perfect recall: a bucket is the sequence of those so far
            before = vector(round_ - 1, board[:-1] if len(board) > 3 else ())
            found += np.where(found < 0, 0, before * np.int32(counts[round_]))
        return found

    return vector
