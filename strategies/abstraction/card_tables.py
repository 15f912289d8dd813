"""Card tables for training hold'em: opened, or built and kept; the deals drawn in their buckets, and whole boards."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction import clustered_tables, strength_tables
from limpet.strategies.abstraction.card_table_kernels import fill_vector
from limpet.strategies.abstraction.cards import CardAbstraction, CardConfig, Lossless, StrengthPercentile
from limpet.strategies.abstraction.clustered_buckets import STREETS
from limpet.strategies.abstraction.clustered_config import Clustered
from limpet.strategies.abstraction.clustered_deals import ClusteredDeals
from limpet.strategies.abstraction.strength_deals import StrengthDeals

Vector = Callable[[int, tuple[int, ...]], NDArray[np.int32]]


def open_deals(
    cards: StrengthPercentile | Clustered,
    players: int,
    cache: Path,
    threads: int,
    progress: Callable[[int, int], None],
) -> tuple[CardAbstraction, StrengthDeals | ClusteredDeals]:
    """The abstraction of a config and a sampler of deals for that many players.

    cache: the folder that tables are kept in. progress(done, total) is called while they are built. Raises ValueError
    for a damaged table, and for a config that cannot be.
    """
    if isinstance(cards, Clustered):
        clustered = clustered_tables.load_or_build(cache, cards, threads, progress)
        return clustered.buckets, ClusteredDeals(clustered, players)
    strength = strength_tables.load_or_build(cache, cards.buckets, threads, progress)
    return strength.buckets, StrengthDeals(strength, players)


def tables_there(cards: StrengthPercentile | Clustered, cache: Path) -> bool:
    """Whether the cache folder holds all tables of a config."""
    if isinstance(cards, Clustered):
        names = [clustered_tables.street_name(cards, street) for street in STREETS]
    else:
        names = [strength_tables.table_name(cards.buckets)]
    return all((cache / name).is_dir() for name in names)


def kept_vector(cards: CardConfig, cards_hash: str, cache: Path) -> Vector | None:
    """`table_vector` of an abstraction whose tables were made before and stand in the cache folder; else None.

    Raises `ValueError` for a damaged table.
    """
    if isinstance(cards, Lossless) or not tables_there(cards, cache):
        return None
    found, deals = open_deals(cards, 2, cache, 1, lambda done, total: None)
    return table_vector(deals) if found.hash() == cards_hash else None


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
