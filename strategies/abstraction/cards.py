"""What every card abstraction offers, and how a config or a strategy file names one."""

from collections.abc import Mapping
from typing import Annotated, Any, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.clustered_config import Clustered

MOST_PERCENTILES = 255  # one byte a hand, and one number stands for hands that the board blocks
Percentiles = Annotated[int, msgspec.Meta(ge=1, le=MOST_PERCENTILES)]


class CardAbstraction(Protocol):
    """Buckets of hands, a table per round."""

    kind: str

    def num_buckets(self, round_: int, /) -> int: ...

    def bucket_vector(self, round_: int, board: tuple[int, ...], /) -> NDArray[np.integer]:
        """Bucket of every hand of the hand space, negative where the board blocks it; read-only."""

    def hash(self) -> str:
        """SHA-256 (hex) of whatever the buckets depend on."""

    def to_tensors(self) -> Mapping[str, NDArray[Any]]:
        """What a strategy file must hold to make equal buckets while playing."""


class Lossless(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="lossless"):
    """Every hand and board apart: for small games."""


class StrengthPercentile(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="strength-percentile"
):
    """Hold'em: 169 classes before the flop, then percentiles of expected hand strength."""

    buckets: tuple[Percentiles, Percentiles, Percentiles] = (200, 200, 200)
    """Buckets on flop, turn and river."""


CardConfig = Lossless | StrengthPercentile | Clustered


def deals_holdem(game: GameDef) -> bool:
    """Whether a game deals the cards of hold'em: two to each player of 52, then flop, turn and river."""
    dealt = (game.num_suits, game.num_ranks, game.num_hole_cards, game.num_board_cards)
    return dealt == (4, 13, 2, (0, 3, 1, 1))


def open_abstraction(cards: CardConfig, game: GameDef, tensors: Mapping[str, NDArray[Any]]) -> CardAbstraction:
    """The abstraction a strategy file was trained with. Raises `ValueError` for wrong arrays or too large a game."""
    # Each kind is imported where it is asked for: a small game needs none of hold'em's tables.
    if isinstance(cards, Lossless):
        from limpet.strategies.abstraction.lossless import LosslessBuckets

        return LosslessBuckets(game)
    if not deals_holdem(game):
        raise ValueError("its card buckets are for hold'em, and its game is not")
    if isinstance(cards, Clustered):
        from limpet.strategies.abstraction.clustered_buckets import ClusteredBuckets

        return ClusteredBuckets.from_tensors(cards, tensors)
    from limpet.strategies.abstraction.strength_buckets import StrengthBuckets

    return StrengthBuckets.from_tensors(tensors)
