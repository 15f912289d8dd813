"""Who wins a showdown, for all buckets of one player against the reach of the other's: two models without a board."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.solving.rounds import round_kernels as kernels
from limpet.strategies.solving.rounds.round_tree import RoundTree

Vector = NDArray[np.float32]


class Showdown(Protocol):
    """Weighs the hands of the other player for each bucket, at several terminals at once.

    Attributes:
        buckets: number of buckets, weakest first.
    """

    buckets: int

    def outcomes(self, reach: Vector, rows: NDArray[np.int64], shown: int, lanes: int, outcome: Vector) -> None:
        """Write what each bucket meets: reach that it beats minus reach that beats it, and the total reach.

        reach: float32 ``[N, stride]``, one number for each bucket and lane, lanes innermost. rows: those that are read.
        outcome: float32 ``[shown + rows, stride]``: wins minus losses for the first `shown` of the rows, then the reach
        that shares no card with the bucket for all rows.
        """
        ...


class Ordered:
    """Buckets in order of strength without card removal: the higher bucket wins, equal ones tie. Costs O(buckets)."""

    def __init__(self, buckets: int) -> None:
        self.buckets = buckets

    def outcomes(self, reach: Vector, rows: NDArray[np.int64], shown: int, lanes: int, outcome: Vector) -> None:
        kernels.ordered_outcomes(reach.ravel(), rows, shown, self.buckets, lanes, outcome.ravel(), reach.shape[1])


class Paired:
    """Buckets whose pairs have weights of their own, as card removal gives them. Costs O(buckets²)."""

    def __init__(self, apart: NDArray[np.floating], gain: NDArray[np.floating]) -> None:
        """Take the weights of pairs of buckets.

        Args:
            apart: ``[buckets, buckets]``: probability that hands of the two buckets share no card, or a multiple of it.
            gain: ``[buckets, buckets]``: the same times the chance of the row's bucket to win less that to lose.
        """
        self.buckets = len(apart)
        self._apart = np.ascontiguousarray(apart, np.float32)
        self._gain = np.ascontiguousarray(gain, np.float32)

    def outcomes(self, reach: Vector, rows: NDArray[np.int64], shown: int, lanes: int, outcome: Vector) -> None:
        width = self.buckets * lanes
        opposing = reach[rows, :width].reshape(len(rows), self.buckets, lanes)
        target = outcome[:, :width].reshape(-1, self.buckets, lanes)  # a copy where rows are padded
        if lanes == 1:
            target[:shown, :, 0] = opposing[:shown, :, 0] @ self._gain.T
            target[shown:, :, 0] = opposing[:, :, 0] @ self._apart.T
        else:
            target[:shown] = self._gain @ opposing[:shown]
            target[shown:] = self._apart @ opposing
        outcome[:, :width] = target.reshape(-1, width)


class Joint:
    """Buckets of two ranges that belong together: weights of pairs hold both players' reach, so that ranges are ones.

    Ranges over hands depend on the board, and hands of a bucket lie on many boards. Costs O(buckets²).
    """

    def __init__(self, tree: RoundTree, joint: NDArray[np.floating], net_wins: NDArray[np.floating]) -> None:
        """Take the weights of pairs of buckets, player 0's in rows.

        Args:
            joint: ``[buckets, buckets]``: how often the pair comes to the round.
            net_wins: the same, less where player 1 has the stronger hand, and without ties.
        """
        self.buckets = len(joint)
        self._joint = tuple(np.ascontiguousarray(weights.T, np.float32) for weights in (joint, joint.T))
        self._net_wins = tuple(np.ascontiguousarray(weights.T, np.float32) for weights in (net_wins, -net_wins.T))
        # A terminal's reach is that of the player whose action the row follows, and is read by the other.
        self._reader = 1 - tree.player[tree.parent]

    def outcomes(self, reach: Vector, rows: NDArray[np.int64], shown: int, lanes: int, outcome: Vector) -> None:
        """See `Showdown`; there are no several pairs of ranges side by side."""
        reader = int(self._reader[rows[0]])
        opposing = reach[rows, : self.buckets]
        outcome[:shown, : self.buckets] = opposing[:shown] @ self._net_wins[reader]
        outcome[shown : shown + len(rows), : self.buckets] = opposing @ self._joint[reader]
