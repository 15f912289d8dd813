"""Scores of predictions, added up by street."""

from collections.abc import Mapping
from math import inf, nan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.measures.agreement.recorded import KINDS, STREETS, RecordedDecision, possible_kinds
from limpet.strategies.statistics.estimate import Estimate, estimate_from_sums

UNIFORM = 0.01
"""Share of the uniform distribution over fold, call and raise that is mixed into each prediction before its logarithm."""
UNLIKELY = 0.02
"""Probability below which a kind of action counts as one that the strategy does not take."""
BINS = 10
"""Number of bins of equal width between 0 and 1 in the reliability table."""
ALL = "all"
"""Name of all streets in one."""


def log_likelihood(kinds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return natural logarithms of the probabilities of fold, call and raise, mixed with `UNIFORM` of the uniform one."""
    return np.log((1 - UNIFORM) * kinds + UNIFORM / len(KINDS))


class Bin(NamedTuple):
    """One row of a reliability table: a range of predicted probabilities."""

    least: float
    """Lower end of the range; the upper end is ``1 / BINS`` higher."""
    predictions: int
    predicted: float
    """Mean of the predicted probabilities."""
    happened: float
    """Share of the predictions in which the action was taken."""


class HandSums:
    """A mean over decisions whose interval allows for decisions of one hand being alike (a ratio of sums by hand)."""

    def __init__(self) -> None:
        self._hand: tuple[str, int] | None = None
        self._open = np.zeros(2)
        self._total = np.zeros(2)
        self._squares = np.zeros((2, 2))
        self._hands = 0

    def add(self, hand: tuple[str, int], value: float) -> None:
        """Count a decision's value. Decisions of one hand must follow each other."""
        if hand != self._hand:
            self._close()
            self._hand = hand
        self._open += (value, 1.0)

    def mean(self) -> Estimate:
        """Return the mean value of a decision, NaN for none, with its 95 % interval; the samples are hands."""
        self._close()
        total, decisions = self._total.tolist()
        if not decisions:
            return Estimate(nan, inf, 0)
        mean = total / decisions
        weights = np.array([1.0, -mean]) * self._hands / decisions
        found = estimate_from_sums(self._hands, 0.0, float(weights @ self._squares @ weights))
        return found._replace(mean=mean)

    def _close(self) -> None:
        """Add the sums of the hand that has ended."""
        if self._hand is not None:
            self._total += self._open
            self._squares += np.outer(self._open, self._open)
            self._hands += 1
            self._hand, self._open = None, np.zeros(2)


class Tally:
    """Scores of predictions of fold, call and raise, of one street or all."""

    def __init__(self) -> None:
        self.decisions = 0
        self._likelihood = HandSums()
        self._expected = self._probability = 0.0
        self._unlikely = 0
        self._bins = np.zeros((3, BINS))

    def add(self, decision: RecordedDecision, kinds: NDArray[np.float64]) -> None:
        """Count a decision whose kinds of action were predicted with probabilities float64 ``[kind]``."""
        taken = float(kinds[decision.kind])
        scores = log_likelihood(kinds)
        self.decisions += 1
        self._likelihood.add((decision.where, decision.hand), float(scores[decision.kind]))
        self._expected += float(kinds @ scores)
        self._probability += taken
        self._unlikely += taken < UNLIKELY
        for kind, possible in enumerate(possible_kinds(decision.state)):
            if possible:
                place = min(int(BINS * kinds[kind]), BINS - 1)
                self._bins[:, place] += 1, kinds[kind], kind == decision.kind

    @property
    def log_likelihood(self) -> Estimate:
        """Mean `log_likelihood` of what was done; NaN where nothing was decided."""
        return self._likelihood.mean()

    @property
    def expected_log_likelihood(self) -> float:
        """Mean log likelihood that would be expected if the player decided as predicted; NaN for no decision."""
        return self._mean(self._expected)

    @property
    def probability(self) -> float:
        """Mean predicted probability of the kind of action that was taken; NaN for no decision."""
        return self._mean(self._probability)

    @property
    def below_2_percent(self) -> float:
        """Share of decisions whose kind of action was predicted below `UNLIKELY`; NaN for no decision."""
        return self._mean(self._unlikely)

    @property
    def calibration_error(self) -> float:
        """Expected calibration error: mean over predictions of |predicted - happened| of their bin; NaN for none."""
        count, predicted, happened = self._bins
        return float(np.abs(predicted - happened).sum() / count.sum()) if self.decisions else nan

    def reliability(self) -> list[Bin]:
        """Return the reliability table: a row for each bin that holds predictions, one of each legal kind of action."""
        return [
            Bin(place / BINS, int(count), predicted / count, happened / count)
            for place, (count, predicted, happened) in enumerate(self._bins.T.tolist())
            if count
        ]

    def _mean(self, total: float) -> float:
        return total / self.decisions if self.decisions else nan


def tallies() -> dict[str, Tally]:
    """Return an empty tally for each of `STREETS` and one for all of them."""
    return {street: Tally() for street in (*STREETS, ALL)}


def count(tallied: Mapping[str, Tally], decision: RecordedDecision, kinds: NDArray[np.float64]) -> None:
    """Count a predicted decision in the tally of its street and in that of all streets."""
    for street in (STREETS[decision.state.round], ALL):
        tallied[street].add(decision, kinds)
