"""The buckets of a strategy file, opened by their config."""

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.cards import CardAbstraction, CardConfig, Lossless
from limpet.strategies.abstraction.clusters.cluster_config import Clustered
from limpet.strategies.cards.handspace import is_holdem


def open_abstraction(cards: CardConfig, game: GameDef, tensors: Mapping[str, NDArray[Any]]) -> CardAbstraction:
    """Return the abstraction that a strategy file was trained with. Raises `ValueError` for wrong arrays or too large a game."""
    # Each kind is imported only when it is needed: a small game needs none of hold'em's tables.
    if isinstance(cards, Lossless):
        from limpet.strategies.abstraction.cards import LosslessBuckets

        return LosslessBuckets(game)
    if not is_holdem(game, whole=True):
        raise ValueError("its card buckets are for hold'em, and its game is not")
    if isinstance(cards, Clustered):
        from limpet.strategies.abstraction.clustered_buckets import ClusteredBuckets

        return ClusteredBuckets.from_tensors(cards, tensors)
    from limpet.strategies.abstraction.holdem_buckets import StrengthBuckets

    return StrengthBuckets.from_tensors(tensors)
