"""Responses that see only the strategy's own buckets, learned on some boards and valued on others.

They measure how far training is from the equilibrium of its own abstraction; `real_response` adds what seeing real cards
wins. A response is learned, not best: what it wins is a lower bound, which more boards raise. It is valued on boards that
it has not learned from, so that it is not overfitted to them.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from limpet.common.workers import Report, silent
from limpet.strategies.abstraction.cards import Lossless
from limpet.strategies.base.sampling import mix
from limpet.strategies.cards.preflop_tables import class_matrix
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintSeat
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.measures.duel import DuelResult, duel
from limpet.strategies.solvers.sampled.public_sampling import PublicChanceSampling
from limpet.strategies.solvers.sampled.seen_boards import SeenBoards

PERIODS = 100
"""Number of discount periods that the boards are divided into."""
CHUNK = 8
"""Number of boards a thread between two reports."""
PRIOR = 1e-9
"""Regret in chips of an action that the strategy always takes, before any board; learned regrets outweigh it."""


class _Learner(PublicChanceSampling):
    """A solver that learns one position's response, by its own buckets alone, to a strategy that does not change.

    The other position's rows of `regret` are its probabilities, which regret matching gives back as they are; nothing
    updates them, because that position never walks. Against a fixed strategy the regrets of a row are what its actions
    would have won, so that the largest regret marks the best response, more surely with more boards.
    """

    def __init__(
        self, file: StrategyFile, table: NDArray[np.float32], position: int, seed: int, threads: int, period: int
    ) -> None:
        """Set up the response of `position` to a strategy that is played by the rows of `table`.

        period: number of boards after which old regrets lose weight, as in training: they were learned when responses on
        later streets were worse.
        """
        boards = SeenBoards(file.game, file.cards)
        # Hold'em in buckets has the 169 classes before the flop, and so the exact odds of all-ins there.
        odds = None if isinstance(file.manifest.cards, Lossless) else class_matrix().odds
        super().__init__(file.tree, boards, seed, threads, period, periods=1 << 40, odds=odds)
        self.position = position
        self.regret[:] = table
        for rows in self._rows(self.regret):
            rows *= np.float32(PRIOR)

    def _iterate(self, number: int, thread: int) -> int:
        return self.walk(self.position, self.sampler.sample(mix(self.seed, number, self.position)), thread)

    def answer(self, table: NDArray[np.float32]) -> None:
        """Write the response into this position's rows of a table: 1 for the action of most regret, 0 for the others."""
        for regret, rows in zip(self._rows(self.regret), self._rows(table), strict=True):
            rows[:] = 0
            rows[np.arange(len(rows)), regret.argmax(axis=1)] = 1

    def _rows(self, table: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
        """Yield ``[bucket, action]`` of each of this position's decisions, as views of a table."""
        offset = self.tree.row_offset(self.num_buckets)
        for node in np.flatnonzero(self.tree.player == self.position):
            yield table[offset[node] : offset[node + 1]].reshape(-1, self.tree.num_actions[node])


class BucketResponse(BlueprintSeat):
    """A response to a strategy in both positions: the strategy's seat with rows that were learned on so many boards."""

    def __init__(self, file: StrategyFile, answer: NDArray[np.float32], learned: int) -> None:
        super().__init__(file)
        self.answer, self.learned = answer, learned

    def table(self, marked: bool = False) -> NDArray[np.float32]:
        return self.answer


def learn_answer(
    file: StrategyFile, boards: int, seed: int, threads: int = 1, report: Report = silent,
    stop: Callable[[], bool] = lambda: False,
) -> BucketResponse:  # fmt: skip
    """Learn each position's response on so many boards, or on fewer if `stop` returns True.

    On one thread the seed fixes the result. Raises `ValueError` for games of other than two players.
    """
    table, period = BlueprintSeat(file).table(), max(1, boards // PERIODS)
    solvers = [_Learner(file, table, position, mix(seed, 1), threads, period) for position in range(2)]
    learned = 0
    while learned < boards and not stop():
        for solver in solvers:  # in turn, so that both have learned something if they are stopped
            solver.run(min(CHUNK * threads, boards - learned))
        learned = solvers[0].iteration
        report(learned, boards)
    for solver in solvers:
        solver.answer(table)
    return BucketResponse(file, table, learned)


def value_answer(
    file: StrategyFile, answer: BucketResponse, boards: int, seed: int, threads: int = 1, report: Report = silent
) -> DuelResult:
    """Return what the response wins from the strategy on so many other boards, or on all where there are no more."""
    return duel(file.game, (answer,) * 2, (BlueprintSeat(file),) * 2, boards, mix(seed, 2), threads, report)
