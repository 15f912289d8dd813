"""A best response learned by public chance sampling: one position adapts, the other plays a fixed strategy."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.sampling import mix
from limpet.strategies.solving.public.public_sampling import BoardSampler, PublicChanceSampling
from limpet.strategies.trees.betting import BettingTree

PRIOR = 1e-9
"""Chips of regret that stand for the strategy itself where no board has come yet; any that comes outweighs them."""


class PublicResponse(PublicChanceSampling):
    """What one position should answer, by its own buckets alone, to a strategy that does not change.

    The other position's rows of `regret` are its probabilities, which regret matching gives back as they are; nothing
    updates them, because that position never walks. Against a fixed strategy the regrets of a row are what its actions
    would have won, so the largest is the answer, ever more surely with more boards.
    """

    def __init__(
        self,
        tree: BettingTree,
        sampler: BoardSampler,
        table: NDArray[np.float32],
        position: int,
        seed: int,
        threads: int = 1,
        period: int = 0,
        odds: NDArray[np.float32] | None = None,
    ) -> None:
        """
        Args:
            table: the strategy, probabilities in the layout of ``tree.row_offset(buckets)``.
            position: who answers.
            period: boards after which old regrets lose weight, as in training: they were learned when later streets
                were still answered worse.
            odds: as of `PublicChanceSampling`.
        """
        super().__init__(tree, sampler, seed, threads, period, 1 << 40, odds=odds)
        self.position = position
        self._offset, self._actions = tree.row_offset(sampler.num_buckets), tree.num_actions
        self.regret[:] = table
        for rows in self._rows():
            rows *= np.float32(PRIOR)

    def _iterate(self, number: int, thread: int) -> int:
        return self.walk(self.position, self.sampler.sample(mix(self.seed, number, self.position)), thread)

    def answer(self, table: NDArray[np.float32]) -> None:
        """Write the answer into this position's rows of a table: 1 for the action of most regret, 0 for the others."""
        for regret, rows in zip(self._rows(), self._rows(table), strict=True):
            rows[:] = 0
            rows[np.arange(len(rows)), regret.argmax(axis=1)] = 1

    def _rows(self, table: NDArray[np.float32] | None = None) -> Iterator[NDArray[np.float32]]:
        """``[bucket, action]`` of each of this position's decisions, views of a table; by default of the regrets."""
        table = self.regret if table is None else table
        for node in self.tree.decisions[self.tree.player[self.tree.decisions] == self.position]:
            yield table[self._offset[node] : self._offset[node + 1]].reshape(-1, self._actions[node])
