"""Plain frequencies of fold, call and raise, the baseline that a strategy's predictions are compared with."""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import State
from limpet.strategies.measures.agreement.recorded import KINDS, RecordedDecision, possible_kinds


class Frequencies:
    """Counts of a player's actions by street and by which kinds of action are legal."""

    def __init__(self, decisions: Iterable[RecordedDecision] = ()) -> None:
        self._counts: dict[tuple[int, ...], NDArray[np.float64]] = defaultdict(lambda: np.zeros(len(KINDS)))
        for decision in decisions:
            self.add(decision)

    def add(self, decision: RecordedDecision) -> None:
        """Count a decision."""
        self._counts[_situation(decision.state)][decision.kind] += 1

    def kinds(self, decision: RecordedDecision) -> NDArray[np.float64]:
        """Return float64 ``[kind]``: the share of each kind of action in situations like that of a decision not counted.

        One action of each legal kind is counted beside those that were taken (Laplace's rule).
        """
        counts = self._of(decision)
        return np.asarray(counts / counts.sum())

    def without(self, decision: RecordedDecision) -> NDArray[np.float64]:
        """Return `kinds` of a decision that was counted, by all the others, so that it does not predict itself."""
        counts = self._of(decision)
        counts[decision.kind] -= 1
        return np.asarray(counts / counts.sum())

    def _of(self, decision: RecordedDecision) -> NDArray[np.float64]:
        counts = self._counts.get(_situation(decision.state), 0.0)
        return np.asarray(counts + np.array(possible_kinds(decision.state), np.float64))


def _situation(state: State) -> tuple[int, ...]:
    return state.round, *possible_kinds(state)
