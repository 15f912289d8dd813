"""Card tables for training hold'em: opened, or built and kept; and the deals drawn in their buckets."""

from collections.abc import Callable
from pathlib import Path

from limpet.strategies.abstraction import clustered_tables, strength_tables
from limpet.strategies.abstraction.cards import CardAbstraction, StrengthPercentile
from limpet.strategies.abstraction.clustered_config import Clustered
from limpet.strategies.abstraction.clustered_deals import ClusteredDeals
from limpet.strategies.abstraction.strength_deals import StrengthDeals


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
