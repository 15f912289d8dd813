"""Buckets of hold'em hands, live or looked up in card tables: what all kinds share, and those by strength."""

import hashlib
import json
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from limpet.strategies.abstraction.card_table_kernels import BucketTables, Table
from limpet.strategies.abstraction.cards import MOST_PERCENTILES, CardAbstraction
from limpet.strategies.cards.equity import FULL_COUNT, dealt_counts, dealt_turn_counts, strength_counts
from limpet.strategies.cards.handspace import board_cards, hand_space, read_only
from limpet.strategies.cards.isomorphism import NUM_CLASSES, canonical_boards, hand_permutation, preflop_classes

STREETS = ("flop", "turn", "river")
BOARD_CARDS = {"flop": 3, "turn": 4, "river": 5}

Vector = npt.NDArray[np.int32]

_BOARDS_KEPT = 256  # bucket vectors in memory, 5 KB each
_MOST_BUCKETS = 2**31 - 1


class HoldemBuckets(CardAbstraction):
    """Buckets of every hand on any board: 169 classes before the flop, then buckets of each street's own.

    counts: number of buckets that flop, turn and river have of their own. perfect: with perfect recall a bucket is the
    sequence of those of all streets so far, so that their numbers multiply; else each street stands alone.
    """

    def __init__(self, counts: Sequence[int], perfect: bool = False) -> None:
        """Raise ValueError if perfect recall multiplies to more buckets than fit 31 bits."""
        self.counts = (NUM_CLASSES, *counts)
        self.perfect = perfect
        if self.num_buckets(3) > _MOST_BUCKETS:
            raise ValueError(
                f"perfect recall makes {self.num_buckets(3):,} river buckets of {self.counts}; "
                "choose fewer on each street, or recall: imperfect"
            )
        self._own = lru_cache(maxsize=_BOARDS_KEPT)(lambda board: read_only(self._work_out(board)))
        self._vector = lru_cache(maxsize=_BOARDS_KEPT)(self._combine)

    def num_buckets(self, round_: int) -> int:
        """Return the number of buckets of round 0..3."""
        return prod(self.counts[: round_ + 1]) if self.perfect else self.counts[round_]

    def board_buckets(self, board: Sequence[int]) -> Table:
        """Return [1326]: the street's own bucket of every hand on a board of 3, 4 or 5 card ids in any order; read-only.

        Hands that share a card with the board have the highest number of the array's type. Raises ValueError for any
        other board. Recent boards are kept.
        """
        return self._own(tuple(sorted(board_cards(board, 3, 4, 5))))

    def bucket_vector(self, round_: int, board: tuple[int, ...]) -> Vector:
        """Return int32[1326]: bucket of every hand, -1 where blocked; read-only (`cards.CardAbstraction`).

        board: in dealing order (flop, turn, river), which perfect recall depends on. Raises ValueError for a bad board.
        """
        return self._vector(board)

    def recalled(self) -> tuple[int, ...] | None:
        """Return `counts` if a bucket remembers earlier streets, else None."""
        return self.counts if self.perfect else None

    @abstractmethod
    def _work_out(self, board: tuple[int, ...]) -> Table:
        """Return the street's own buckets [1326] on an ascending board, as `board_buckets` has them."""

    def _combine(self, board: tuple[int, ...]) -> Vector:
        if not board:
            return read_only(preflop_classes().astype(np.int32))
        return read_only(combined(self.board_buckets(board), board, self.recalled(), self._vector))


def combined(
    own: Table, board: tuple[int, ...], counts: tuple[int, ...] | None, vector: Callable[[tuple[int, ...]], Vector]
) -> Vector:
    """Return int32[1326]: bucket of every hand on a board in dealing order, -1 where blocked.

    own: the street's own buckets, the highest number of their type where blocked. counts: with perfect recall, the
    number of buckets that each round has of its own, else None. vector: returns the buckets of an earlier board.
    """
    buckets = own.astype(np.int32)
    if counts is not None:
        buckets += vector(board[:-1] if len(board) > 3 else ()) * np.int32(counts[len(board) - 2])
    buckets[own == np.iinfo(own.dtype).max] = -1
    return buckets


@dataclass(frozen=True, eq=False)
class CardTables:
    """Buckets for play, and the tables for training that agree with them."""

    buckets: HoldemBuckets
    tables: BucketTables
    digests: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of each street's table, as manifests of strategies have them."""


def bucket_tables(streets: Sequence[npt.NDArray[Any]]) -> BucketTables:
    """Return what kernels need to look buckets up in the tables of flop, turn and river."""
    return BucketTables(preflop_classes(), *streets, *(canonical_boards(n).keys for n in BOARD_CARDS.values()))


# --- The card abstraction `strength-percentile`: hands of like strength share a bucket.

KIND = "strength-percentile"
NO_BUCKET = 255
"""Value of hands that share a card with the board."""

_NUM_FLOPS = 1755


class StrengthBuckets(HoldemBuckets):
    """Buckets of every hand on any board, by thresholds on the strength count.

    thresholds: int32[B - 1] each for flop, turn and river, ascending; a hand's bucket is how many of them its count has
    reached, so 0 is the weakest. flop: uint8[1755, 1326], buckets on the canonical flops, NO_BUCKET where blocked. A
    new turn takes about a millisecond, flops and rivers microseconds. Raises ValueError for arrays of another shape, type or range.
    """

    kind = KIND

    def __init__(self, thresholds: Sequence[npt.NDArray[np.int32]], flop: npt.NDArray[np.uint8]) -> None:
        if len(thresholds) != 3:
            raise ValueError(f"thresholds are for flop, turn and river: 3 arrays, not {len(thresholds)}")
        for street, full, cuts in zip(STREETS, FULL_COUNT, thresholds, strict=True):
            if cuts.dtype != np.int32 or cuts.ndim != 1 or len(cuts) >= MOST_PERCENTILES:
                raise ValueError(f"{street} thresholds must be int32, at most {MOST_PERCENTILES - 1} of them")
            if len(cuts) and (cuts[0] < 0 or cuts[-1] > FULL_COUNT[full] or (np.diff(cuts) < 0).any()):
                raise ValueError(f"{street} thresholds must ascend within 0..{FULL_COUNT[full]}")
        if flop.dtype != np.uint8 or flop.shape != (_NUM_FLOPS, 1326):
            raise ValueError(f"the flop table must be uint8[{_NUM_FLOPS}, 1326], not {flop.dtype}{list(flop.shape)}")
        if (np.where(flop == NO_BUCKET, 0, flop) > len(thresholds[0])).any():
            raise ValueError("the flop table has buckets beyond its thresholds")
        self.thresholds = tuple(np.ascontiguousarray(cuts) for cuts in thresholds)
        self.flop = flop
        super().__init__([len(cuts) + 1 for cuts in thresholds])

    def _work_out(self, board: tuple[int, ...]) -> npt.NDArray[np.uint8]:
        buckets: npt.NDArray[np.uint8]
        if len(board) == 3:
            row, permutation = canonical_boards(3).find(board)
            buckets = self.flop[row][hand_permutation(permutation)]
        else:
            counts = strength_counts(board)
            buckets = np.searchsorted(self.thresholds[len(board) - 3], counts, side="right").astype(np.uint8)
            buckets[counts < 0] = NO_BUCKET
        return buckets

    def dealt_buckets(
        self, round_: int, boards: npt.NDArray[np.int8], hands: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.integer]:
        if round_ < 2:
            return super().dealt_buckets(round_, boards, hands)
        holes = hand_space().holes[hands]
        if round_ == 2:
            counts = np.maximum(dealt_turn_counts(boards, holes), 0).sum(axis=1)
        else:
            counts = dealt_counts(boards, holes)[0][..., 0]
        return np.asarray(np.searchsorted(self.thresholds[round_ - 1], counts, side="right"))

    def hash(self) -> str:
        """Return the SHA-256, in hex, over kind, bucket numbers and thresholds; they determine every bucket."""
        digest = hashlib.sha256(json.dumps([KIND, list(self.counts)]).encode())
        for cuts in self.thresholds:
            digest.update(cuts.astype("<i4").tobytes())
        return digest.hexdigest()

    def to_tensors(self) -> dict[str, npt.NDArray[np.generic]]:
        """Return the arrays that `from_tensors` takes: 'thresholds.flop', 'thresholds.turn', 'thresholds.river' and 'flop'."""
        tensors: dict[str, npt.NDArray[np.generic]] = {
            f"thresholds.{street}": cuts for street, cuts in zip(STREETS, self.thresholds, strict=True)
        }
        tensors["flop"] = self.flop
        return tensors

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, npt.NDArray[np.generic]]) -> "StrengthBuckets":
        """Return buckets from the arrays of `to_tensors`; further names are ignored.

        Raises ValueError for a missing array or one of the wrong shape, type or range.
        """
        try:
            thresholds = [np.asarray(tensors[f"thresholds.{street}"]) for street in STREETS]
            flop = np.asarray(tensors["flop"])
        except KeyError as error:
            raise ValueError(f"strength buckets lack the array {error.args[0]!r}") from None
        return cls(thresholds, flop)
