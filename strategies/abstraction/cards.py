"""The interface of every card abstraction, and how a config or a strategy file names one."""

from collections.abc import Mapping
from typing import Annotated, Any, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction.clusters.config import Clustered

MOST_PERCENTILES = 255
"""Most percentiles of a street: buckets are bytes, and one value stands for blocked hands."""
Percentiles = Annotated[int, msgspec.Meta(ge=1, le=MOST_PERCENTILES)]


class CardAbstraction(Protocol):
    """Buckets of hands in every round of a game."""

    kind: str

    def num_buckets(self, round_: int, /) -> int:
        """Return the number of buckets of a round."""

    def bucket_vector(self, round_: int, board: tuple[int, ...], /) -> NDArray[np.integer]:
        """Return the bucket of every hand of the hand space, negative where the board blocks it; read-only."""

    def bucket(self, round_: int, board: tuple[int, ...], hand: int, /) -> int:
        """Return the bucket of one hand of the hand space. Raises `ValueError` where the board blocks the hand."""
        bucket = int(self.bucket_vector(round_, board)[hand])
        if bucket < 0:
            raise ValueError(f"hand {hand} holds a card of the board")
        return bucket

    def hash(self) -> str:
        """Return the SHA-256, in hex, of everything that the buckets depend on."""

    def to_tensors(self) -> Mapping[str, NDArray[Any]]:
        """Return the arrays that a strategy file must hold to make equal buckets while playing."""


class Lossless(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="lossless"):
    """No abstraction: every hand on every board is a bucket of its own, for small games."""


class StrengthPercentile(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="strength-percentile"
):
    """Hold'em: 169 classes before the flop, then percentiles of expected hand strength."""

    buckets: tuple[Percentiles, Percentiles, Percentiles] = (200, 200, 200)  # number of buckets on flop, turn and river


CardConfig = Lossless | StrengthPercentile | Clustered
