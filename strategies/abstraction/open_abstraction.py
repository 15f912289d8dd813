"""The buckets of a strategy file, opened by their config."""

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.cards import CardAbstraction, CardConfig, Lossless, LosslessBuckets
from limpet.strategies.abstraction.clusters.cluster_config import Clustered
from limpet.strategies.cards.handspace import is_holdem


def open_abstraction(cards: CardConfig, game: GameDef, tensors: Mapping[str, NDArray[Any]]) -> CardAbstraction:
    """Return the abstraction that a strategy file was trained with. Raises `ValueError` for wrong arrays or too large a game."""
    if isinstance(cards, Lossless):
        return LosslessBuckets(game)
    if not is_holdem(game, whole=True):
        raise ValueError("its card buckets are for hold'em, and its game is not")
    # Kinds of hold'em are imported only when they are needed: a small game needs none of the tables.
    if isinstance(cards, Clustered):
        from limpet.strategies.abstraction.clustered_buckets import ClusteredBuckets

        return ClusteredBuckets.from_tensors(cards, tensors)
    from limpet.strategies.abstraction.holdem_buckets import StrengthBuckets

    return StrengthBuckets.from_tensors(tensors)
