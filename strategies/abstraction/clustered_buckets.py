"""The card abstraction `clustered`: buckets of hands by clusters, each street by a method of its own.

Before the flop the 169 classes stay apart. For play, a table of all flops and the centres of turn and river suffice;
features and distances are whole numbers, so a bucket worked out live equals the one in the training tables
(`clustered_tables`) on every machine.
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from limpet.strategies.abstraction.clustered_config import Clustered
from limpet.strategies.abstraction.street_buckets import NO_BUCKET, Buckets, FlopTable, StreetBuckets, open_street
from limpet.strategies.cards.isomorphism import NUM_CLASSES, preflop_classes

KIND = "clustered"
STREETS = ("flop", "turn", "river")

_BOARDS_KEPT = 256  # bucket vectors in memory, 5 KB each
_MOST_BUCKETS = 2**31 - 1


class ClusteredBuckets:
    """Bucket of every hand on any board.

    config: how the buckets were made. streets: flop, turn and river. Raises ValueError if perfect recall multiplies to
    more buckets than fit 31 bits.
    """

    kind = KIND

    def __init__(self, config: Clustered, streets: Sequence[StreetBuckets]) -> None:
        self.config = config
        self.streets = tuple(streets)
        self.counts = (NUM_CLASSES, *(street.count for street in streets))
        self.perfect = config.recall == "perfect"
        if self.num_buckets(3) > _MOST_BUCKETS:
            raise ValueError(
                f"perfect recall makes {self.num_buckets(3):,} river buckets of {self.counts}; "
                "choose fewer on each street, or recall: imperfect"
            )
        self._own = lru_cache(maxsize=_BOARDS_KEPT)(self._work_out)
        self._vector = lru_cache(maxsize=_BOARDS_KEPT)(self._combine)

    def num_buckets(self, round_: int) -> int:
        """Buckets of round 0..3. Raises IndexError for another round."""
        if not 0 <= round_ <= 3:
            raise IndexError(f"hold'em has rounds 0..3, not {round_}")
        if not self.perfect:
            return self.counts[round_]
        buckets = 1
        for count in self.counts[: round_ + 1]:
            buckets *= count
        return buckets

    def board_buckets(self, board: Sequence[int]) -> Buckets:
        """uint16[1326]: the street's own bucket of every hand on a board of 3, 4 or 5 card ids in any order; read-only.

        Hands that meet the board have NO_BUCKET. Raises ValueError for any other board. Recent boards are kept; a flop
        takes some 0.1 ms, a turn 5, a river 1.
        """
        if not 3 <= len(board) <= 5 or len(set(board)) != len(board) or not all(0 <= card < 52 for card in board):
            raise ValueError(f"a board is 3, 4 or 5 distinct card ids in 0..51, not {tuple(board)}")
        return self._own(tuple(sorted(board)))

    def bucket_vector(self, round_: int, board: tuple[int, ...]) -> npt.NDArray[np.int32]:
        """int32[1326]: bucket of every hand, -1 where it meets the board; read-only (`cards.CardAbstraction`).

        board: in dealing order (flop, turn, river), which perfect recall depends on. Raises ValueError for a bad board.
        """
        return self._vector(board)

    def _work_out(self, board: tuple[int, ...]) -> Buckets:
        buckets = self.streets[len(board) - 3].buckets(board)
        buckets.flags.writeable = False
        return buckets

    def _combine(self, board: tuple[int, ...]) -> npt.NDArray[np.int32]:
        if not board:
            combined = preflop_classes().astype(np.int32)
        else:
            own = self.board_buckets(board)
            combined = own.astype(np.int32)
            if self.perfect:
                before = self._vector(board[:-1] if len(board) > 3 else ())
                combined += before * np.int32(self.counts[len(board) - 2])
            combined[own == NO_BUCKET] = -1
        combined.flags.writeable = False
        return combined

    def hash(self) -> str:
        """SHA-256, in hex, over the config and all arrays; they determine every bucket."""
        digest = hashlib.sha256(msgspec.json.encode(self.config, order="deterministic"))
        for name, array in sorted(self.to_tensors().items()):
            digest.update(f"{name} {array.dtype.newbyteorder('<').str} {array.shape}".encode())
            digest.update(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).data)
        return digest.hexdigest()

    def to_tensors(self) -> dict[str, npt.NDArray[Any]]:
        """Arrays that `from_tensors` makes equal buckets of, named 'flop.table', 'turn.centres', …"""
        return {
            f"{name}.{part}": array
            for name, street in zip(STREETS, self.streets, strict=True)
            for part, array in street.tensors().items()
        }

    @classmethod
    def from_tensors(cls, config: Clustered, tensors: Mapping[str, npt.NDArray[Any]]) -> "ClusteredBuckets":
        """Buckets from the arrays of `to_tensors`; further names are ignored.

        Raises ValueError for a missing array or one of the wrong shape, type or range.
        """
        parts: dict[str, dict[str, npt.NDArray[Any]]] = {street: {} for street in STREETS}
        for name, array in tensors.items():
            street, _, part = name.partition(".")
            if street in parts:
                parts[street][part] = array
        try:
            street = "flop"
            count = parts["flop"]["count"]
            if count.shape != (1,) or count.dtype.kind not in "iu":
                raise ValueError(f"the number of flop buckets must be int64[1], not {count.dtype}{list(count.shape)}")
            opened: list[StreetBuckets] = [FlopTable(parts["flop"]["table"], int(count[0]))]
            for street, method in (("turn", config.turn), ("river", config.river)):
                opened.append(open_street(method, parts[street]))
        except KeyError as error:
            raise ValueError(f"clustered buckets lack the array '{street}.{error.args[0]}'") from None
        return cls(config, opened)
