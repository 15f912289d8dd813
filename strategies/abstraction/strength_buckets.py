"""The card abstraction `strength-percentile`: hands of like strength share a bucket.

Before the flop the 169 classes of starting hands stay apart. On each later street all (board, hand) pairs, every deal
weighing the same, are ranked by E[HS] and cut into equal parts. A bucket is thus a percentile of strength: it does not
remember earlier streets, and it does not see how a hand may improve.

Strengths are whole counts (`strength_kernels`), and so are thresholds, so that a bucket computed live for one board
equals the one in the training tables. Play needs the thresholds and the flop table; training adds the tables of turn and
river (`strength_tables`).
"""

import hashlib
import json
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from limpet.strategies.abstraction.cards import MOST_PERCENTILES
from limpet.strategies.abstraction.holdem_buckets import STREETS, HoldemBuckets
from limpet.strategies.cards.isomorphism import canonical_boards, hand_permutation
from limpet.strategies.cards.strength import FULL_COUNT, strength_counts

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
        for street, board_cards, cuts in zip(STREETS, FULL_COUNT, thresholds, strict=True):
            if cuts.dtype != np.int32 or cuts.ndim != 1 or len(cuts) >= MOST_PERCENTILES:
                raise ValueError(f"{street} thresholds must be int32, at most {MOST_PERCENTILES - 1} of them")
            if len(cuts) and (cuts[0] < 0 or cuts[-1] > FULL_COUNT[board_cards] or (np.diff(cuts) < 0).any()):
                raise ValueError(f"{street} thresholds must ascend within 0..{FULL_COUNT[board_cards]}")
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

    def hash(self) -> str:
        """Return the SHA-256, in hex, over kind, bucket numbers and thresholds; they determine every bucket."""
        head = json.dumps([KIND, list(self.counts)])
        digest = hashlib.sha256(head.encode())
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
