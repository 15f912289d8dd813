"""The card abstraction `strength-percentile`: hands of like strength share a bucket.

Before the flop the 169 classes of starting hands stay apart. On each later street all (board, hand) pairs, every deal
weighing the same, are ranked by E[HS] and cut into equal parts. A bucket is thus a percentile of strength: it does not
remember earlier streets, and it does not see how a hand may improve.

Strengths are whole counts (`strength_kernels`), thresholds too, so a bucket worked out live for one board equals the
one in the training tables. For play the thresholds and the flop table suffice; training adds the turn and river tables
(`strength_tables`).
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from limpet.strategies.abstraction.cards import MOST_PERCENTILES
from limpet.strategies.abstraction.strength_bucket_kernels import NO_BUCKET
from limpet.strategies.cards import strength_kernels
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import (
    NUM_CLASSES,
    canonical_boards,
    hand_permutation,
    preflop_classes,
)
from limpet.strategies.cards.strength import FULL_COUNT, strength_counts

KIND = "strength-percentile"
STREETS = ("flop", "turn", "river")
MOST_BUCKETS = MOST_PERCENTILES

_NUM_FLOPS = 1755
_BOARDS_KEPT = 256  # bucket vectors in memory, 1.3 KB each


class StrengthBuckets:
    """Bucket of every hand on any board, by thresholds on the strength count.

    thresholds: int32[B - 1] each for flop, turn and river, ascending; a hand's bucket is how many of them its count has
    reached, so 0 is the weakest. flop: uint8[1755, 1326], buckets on the canonical flops, NO_BUCKET where blocked.
    Raises ValueError for arrays of another shape, type or range.
    """

    kind = KIND

    def __init__(self, thresholds: Sequence[npt.NDArray[np.int32]], flop: npt.NDArray[np.uint8]) -> None:
        if len(thresholds) != 3:
            raise ValueError(f"thresholds are for flop, turn and river: 3 arrays, not {len(thresholds)}")
        for street, board_cards, cuts in zip(STREETS, FULL_COUNT, thresholds, strict=True):
            if cuts.dtype != np.int32 or cuts.ndim != 1 or len(cuts) >= MOST_BUCKETS:
                raise ValueError(f"{street} thresholds must be int32, at most {MOST_BUCKETS - 1} of them")
            if len(cuts) and (cuts[0] < 0 or cuts[-1] > FULL_COUNT[board_cards] or (np.diff(cuts) < 0).any()):
                raise ValueError(f"{street} thresholds must ascend within 0..{FULL_COUNT[board_cards]}")
        if flop.dtype != np.uint8 or flop.shape != (_NUM_FLOPS, 1326):
            raise ValueError(f"the flop table must be uint8[{_NUM_FLOPS}, 1326], not {flop.dtype}{list(flop.shape)}")
        if (np.where(flop == NO_BUCKET, 0, flop) > len(thresholds[0])).any():
            raise ValueError("the flop table has buckets beyond its thresholds")
        self.thresholds = tuple(np.ascontiguousarray(cuts) for cuts in thresholds)
        self.flop = flop
        self._vector = lru_cache(maxsize=_BOARDS_KEPT)(self._work_out)
        self._signed = lru_cache(maxsize=_BOARDS_KEPT)(self._sign)

    def num_buckets(self, round: int) -> int:
        """Buckets of round 0..3. Raises IndexError for another round."""
        if not 0 <= round <= 3:
            raise IndexError(f"hold'em has rounds 0..3, not {round}")
        return NUM_CLASSES if round == 0 else len(self.thresholds[round - 1]) + 1

    def board_buckets(self, board: Sequence[int]) -> npt.NDArray[np.uint8]:
        """uint8[1326]: bucket of every hand on a board of 0, 3, 4 or 5 card ids in any order; read-only.

        Hands that meet the board have NO_BUCKET (255). Raises ValueError for any other board. Recent boards are kept; a
        new turn takes about a millisecond, the rest microseconds.
        """
        return self._vector(tuple(sorted(board)))

    def bucket_vector(self, round_: int, board: tuple[int, ...]) -> npt.NDArray[np.int16]:
        """int16[1326]: `board_buckets` with -1 for hands that meet the board (`cards.CardAbstraction`)."""
        return self._signed(board)

    def _sign(self, board: tuple[int, ...]) -> npt.NDArray[np.int16]:
        buckets = self.board_buckets(board).astype(np.int16)
        buckets[buckets == NO_BUCKET] = -1
        buckets.flags.writeable = False
        return buckets

    def _work_out(self, board: tuple[int, ...]) -> npt.NDArray[np.uint8]:
        buckets: npt.NDArray[np.uint8]
        if not board:
            return preflop_classes()
        if len(board) == 3:
            row, permutation = canonical_boards(3).find(board)
            buckets = self.flop[row][hand_permutation(permutation)]
        else:
            counts = strength_counts(board)
            cuts = self.thresholds[len(board) - 3]
            buckets = np.searchsorted(cuts, counts, side="right").astype(np.uint8)
            buckets[counts < 0] = NO_BUCKET
        buckets.flags.writeable = False
        return buckets

    def bucket(self, hand: Sequence[int], board: Sequence[int]) -> int:
        """Bucket of one hand of two card ids. Raises ValueError for a bad hand or board, or if they share a card."""
        found = int(self.board_buckets(board)[hand_space().index(hand)])
        if found == NO_BUCKET:
            raise ValueError(f"hand {tuple(hand)} shares a card with the board {tuple(board)}")
        return found

    def hash(self) -> str:
        """SHA-256, in hex, over the kind, the bucket numbers and the thresholds; they determine every bucket."""
        head = json.dumps([KIND, [self.num_buckets(round) for round in range(4)]])
        digest = hashlib.sha256(head.encode())
        for cuts in self.thresholds:
            digest.update(cuts.astype("<i4").tobytes())
        return digest.hexdigest()

    def to_tensors(self) -> dict[str, npt.NDArray[np.generic]]:
        """Arrays that `from_tensors` makes equal buckets of: 'thresholds.flop', '.turn', '.river' and 'flop'."""
        tensors: dict[str, npt.NDArray[np.generic]] = {
            f"thresholds.{street}": cuts for street, cuts in zip(STREETS, self.thresholds, strict=True)
        }
        tensors["flop"] = self.flop
        return tensors

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, npt.NDArray[np.generic]]) -> "StrengthBuckets":
        """Buckets from the arrays of `to_tensors`; further names are ignored.

        Raises ValueError for a missing array or one of the wrong shape, type or range.
        """
        try:
            thresholds = [np.asarray(tensors[f"thresholds.{street}"]) for street in STREETS]
            flop = np.asarray(tensors["flop"])
        except KeyError as error:
            raise ValueError(f"strength buckets lack the array {error.args[0]!r}") from None
        return cls(thresholds, flop)


def warm_up() -> None:
    """Compile what live buckets need, so that no hand waits for the compiler."""
    strength_kernels.warm_up()
    canonical_boards(3).find((0, 1, 2))
