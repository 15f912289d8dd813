"""What an answer that sees no more than the strategy's own buckets wins from it: learned on some boards, valued on others.

How far training is from the equilibrium of its own abstraction; `real_response` adds what seeing real cards is worth. The
answer is learned, not best: what it wins is a bound from below, and more boards raise it. Valued on boards that it has not
learned from, it wins that much without any luck of fitting.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction.cards import Lossless
from limpet.strategies.blueprint.seat import Seat
from limpet.strategies.blueprint.strategy_file import StrategyFile
from limpet.strategies.measures.duels.duel import DuelResult, duel
from limpet.strategies.sampling import mix
from limpet.strategies.solving.public.public_response import PublicResponse
from limpet.strategies.solving.public.seen_boards import SeenBoards

PERIODS = 100  # of discounting, each a hundredth of the boards
CHUNK = 8  # boards a thread between two reports


class Answer(NamedTuple):
    """Rows that answer the strategy, in both positions."""

    table: NDArray[np.float32]
    """In the file's layout `offset`."""
    learned: int
    """Boards that each position learned from."""


class _Answering(Seat):
    """The strategy's seat with other rows."""

    def __init__(self, file: StrategyFile, rows: NDArray[np.float32]) -> None:
        super().__init__(file)
        self._answer = rows

    def table(self) -> NDArray[np.float32]:
        return self._answer


def learn_answer(
    file: StrategyFile,
    boards: int,
    seed: int,
    threads: int = 1,
    report: Callable[[int, int], None] = lambda done, total: None,
    stop: Callable[[], bool] = lambda: False,
) -> Answer:
    """Learn what each position should answer from so many boards, or from fewer if `stop` says so.

    On one thread the seed fixes the result. Raises `ValueError` for games of other than two players.
    """
    table, period, odds = Seat(file).table(), max(1, boards // PERIODS), _odds(file)
    solvers = [
        PublicResponse(
            file.tree, SeenBoards(file.game, file.cards), table, position, mix(seed, 1), threads, period, odds
        )
        for position in range(2)
    ]
    learned = 0
    while learned < boards and not stop():
        for solver in solvers:  # in turn, so that both have learned something when they are stopped
            solver.run(min(CHUNK * threads, boards - learned))
        learned = solvers[0].iteration
        report(learned, boards)
    for solver in solvers:
        solver.answer(table)
    return Answer(table, learned)


def value_answer(
    file: StrategyFile,
    answer: Answer,
    boards: int,
    seed: int,
    threads: int = 1,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> DuelResult:
    """What the answer wins from the strategy on so many boards that it has not learned from, or on all there are."""
    answering, seat = _Answering(file, answer.table), Seat(file)
    return duel(file.game, (answering,) * 2, (seat,) * 2, boards, mix(seed, 2), threads, report)


def _odds(file: StrategyFile) -> NDArray[np.float32] | None:
    """Exact odds of all-ins before the flop, for hold'em in buckets, whose first round has the 169 classes."""
    if isinstance(file.manifest.cards, Lossless):
        return None
    from limpet.strategies.cards.preflop_matrix import class_matrix

    return class_matrix().odds
