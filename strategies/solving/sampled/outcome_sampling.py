"""Outcome-sampling MCCFR: learns from one played hand at a time."""

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.solving.sampled.mccfr import DealSampler, SampledSolver
from limpet.strategies.solving.sampled.outcome_sampling_kernels import Passed, play_and_learn
from limpet.strategies.trees.betting import BettingTree


class OutcomeSampling(SampledSolver):
    """The learner explores a little, everybody draws one action, and importance weights set it right.

    An iteration costs no more than a hand, so it suits trees too wide to be walked; its estimates vary much more than
    those of `ExternalSampling`, which is the better choice wherever a traversal is cheap.

    The average strategy is weighted stochastically: a visit to a node of the player beside the learner adds its current
    strategy divided by the probability with which the learner went there. Its expectation is the reach-weighted average
    of CFR, without walking the tree.
    """

    def __init__(
        self,
        tree: BettingTree,
        sampler: DealSampler,
        seed: int,
        threads: int = 1,
        period: int = 0,
        periods: int = 0,
        exploration: float = 0.6,
    ) -> None:
        """`exploration`: share of the learner's draws that are uniform (Lanctot's ε), above 0 and at most 1."""
        super().__init__(tree, sampler, seed, threads, period, periods)
        self.exploration = exploration
        levels = int(tree.depth.max())
        self._passed = [
            Passed(
                row=np.empty(levels, np.int64),
                node=np.empty(levels, np.int32),
                action=np.empty(levels, np.int32),
                probability=np.empty(levels, np.float32),
                sigma=np.empty(int(tree.num_actions.max()), np.float32),
            )
            for _ in range(threads)
        ]

    def _traverse(self, buckets: NDArray[np.int32], ranks: NDArray[np.int32], seed: np.uint64, thread: int) -> int:
        return play_and_learn(
            buckets, ranks, seed, self._flat, self.regret, self.average, self.exploration, self._passed[thread]
        )
