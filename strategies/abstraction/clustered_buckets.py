"""The card abstraction `clustered`: buckets of hands by clusters, each street by a method of its own.

Before the flop the 169 classes stay apart. Play needs a table of all flops and the centres of turn and river. Features
and distances are whole numbers, so that a bucket computed live equals the one in the training tables
(`clustered_tables`) on every machine.
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from limpet.strategies.abstraction.clusters.config import Clustered
from limpet.strategies.abstraction.clusters.street_buckets import (
    Buckets,
    FlopTable,
    Nearest,
    StreetBuckets,
    open_street,
)
from limpet.strategies.abstraction.holdem_buckets import STREETS, HoldemBuckets
from limpet.strategies.cards.handspace import hand_space

KIND = "clustered"
HANDS_KEPT = 64
"""Number of hands whose buckets are remembered one by one."""


class ClusteredBuckets(HoldemBuckets):
    """Buckets of every hand on any board.

    config: how the buckets were made. streets: flop, turn and river. A new flop takes some 0.1 ms, a turn 5, a river 1.
    Raises ValueError if perfect recall multiplies to more buckets than fit 31 bits.
    """

    kind = KIND

    def __init__(self, config: Clustered, streets: Sequence[StreetBuckets]) -> None:
        self.config = config
        self.streets = tuple(streets)
        super().__init__([street.count for street in streets], config.recall == "perfect")
        # A hand is asked about several times on a street, and by several seeds.
        self._of_hand = lru_cache(maxsize=HANDS_KEPT)(self._find_bucket)

    def _work_out(self, board: tuple[int, ...]) -> Buckets:
        return self.streets[len(board) - 3].buckets(board)

    def bucket(self, round_: int, board: tuple[int, ...], hand: int) -> int:
        return self._of_hand(round_, board, hand)

    def _find_bucket(self, round_: int, board: tuple[int, ...], hand: int) -> int:
        street = self.streets[len(board) - 3] if board and not self.perfect else None
        if not isinstance(street, (FlopTable, Nearest)) or not set(board).isdisjoint(hand_space().cards(hand)):
            return super().bucket(round_, board, hand)
        return street.bucket(board, hand)

    def hash(self) -> str:
        """Return the SHA-256, in hex, over the config and all arrays; they determine every bucket."""
        digest = hashlib.sha256(msgspec.json.encode(self.config, order="deterministic"))
        for name, array in sorted(self.to_tensors().items()):
            digest.update(f"{name} {array.dtype.newbyteorder('<').str} {array.shape}".encode())
            digest.update(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).data)
        return digest.hexdigest()

    def to_tensors(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays that `from_tensors` takes, named 'flop.table', 'turn.centres' and so on."""
        return {
            f"{name}.{part}": array
            for name, street in zip(STREETS, self.streets, strict=True)
            for part, array in street.tensors().items()
        }

    @classmethod
    def from_tensors(cls, config: Clustered, tensors: Mapping[str, npt.NDArray[Any]]) -> "ClusteredBuckets":
        """Return buckets from the arrays of `to_tensors`; further names are ignored.

        Raises ValueError for a missing array or one of the wrong shape, type or range.
        """
        parts: dict[str, dict[str, npt.NDArray[Any]]] = {street: {} for street in STREETS}
        for name, array in tensors.items():
            street, _, part = name.partition(".")
            if street in parts:
                parts[street][part] = array
        opened = []
        for street in STREETS:
            try:
                opened.append(open_street(street, getattr(config, street), parts[street]))
            except KeyError as error:
                raise ValueError(f"clustered buckets lack the array '{street}.{error.args[0]}'") from None
        return cls(config, opened)
