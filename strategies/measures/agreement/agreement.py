"""The agreement of a strategy with a player's recorded decisions, beside that of the player's own plain frequencies."""

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf, nan
from operator import mul
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.measures.agreement.predictions import Prediction
from limpet.strategies.measures.agreement.recorded import KINDS, STREETS, RecordedDecision, possible_kinds
from limpet.strategies.statistics.estimate import Estimate, estimate_from_sums

SURPRISES = 10
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

    least: float  # lower end of the range; the upper end is ``1 / BINS`` higher
    predictions: int
    predicted: float  # mean of the predicted probabilities
    happened: float  # share of the predictions in which the action was taken


class HandSums:
    """A mean over decisions whose interval allows for decisions of one hand being alike (a ratio of sums by hand)."""

    def __init__(self) -> None:
        self._hand: tuple[str, int] | None = None
        self._value, self._count = 0.0, 0
        """Sums of the hand whose decisions are being added."""
        self._values, self._counts, self._hands = 0.0, 0, 0
        self._squares = [0.0, 0.0, 0.0]
        """Sums over hands of value², value · count and count²."""

    def add(self, hand: tuple[str, int], value: float) -> None:
        """Count a decision's value. Decisions of one hand must follow each other."""
        if hand != self._hand:
            self._close()
            self._hand = hand
        self._value += value
        self._count += 1

    def mean(self) -> Estimate:
        """Return the mean value of a decision, NaN for none, with its 95 % interval; the samples are hands."""
        self._close()
        if not self._counts:
            return Estimate(nan, inf, 0)
        mean, each = self._values / self._counts, self._hands / self._counts
        values, both, counts = self._squares
        squares = each * each * (values - 2 * mean * both + mean * mean * counts)
        return estimate_from_sums(self._hands, 0.0, squares)._replace(mean=mean)

    def _close(self) -> None:
        """Add the sums of the hand that has ended."""
        if self._count:
            value, count = self._value, self._count
            self._values += value
            self._counts += count
            self._hands += 1
            for index, product in enumerate((value * value, value * count, count * count)):
                self._squares[index] += product
            self._hand, self._value, self._count = None, 0.0, 0


class Tally:
    """Scores of predictions of fold, call and raise, of one street or all."""

    def __init__(self) -> None:
        self.decisions = 0
        self._likelihood = HandSums()
        self._expected = self._probability = 0.0
        self._unlikely = 0
        self._bins = [[0.0, 0.0, 0.0] for _ in range(BINS)]
        """Number of predictions, sum of their probabilities and number that happened, for each bin."""

    def add(self, decision: RecordedDecision, predicted: Sequence[float], scores: Sequence[float]) -> None:
        """Count a decision. Decisions of one hand must follow each other.

        predicted: probability of each kind of action; scores: `log_likelihood` of each.
        """
        taken_kind = decision.kind
        self.decisions += 1
        self._likelihood.add((decision.where, decision.hand), scores[taken_kind])
        self._expected += sum(map(mul, predicted, scores))
        self._probability += predicted[taken_kind]
        self._unlikely += predicted[taken_kind] < UNLIKELY
        for kind, is_possible in enumerate(possible_kinds(decision.state)):
            if is_possible:
                sums = self._bins[min(int(BINS * predicted[kind]), BINS - 1)]
                sums[0] += 1
                sums[1] += predicted[kind]
                sums[2] += kind == taken_kind

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
        total = sum(count for count, _, _ in self._bins)
        return sum(abs(predicted - happened) for _, predicted, happened in self._bins) / total if total else nan

    def reliability(self) -> list[Bin]:
        """Return the reliability table: a row for each bin that holds predictions, one of each legal kind of action."""
        return [
            Bin(index / BINS, int(count), predicted / count, happened / count)
            for index, (count, predicted, happened) in enumerate(self._bins)
            if count
        ]

    def _mean(self, total: float) -> float:
        return total / self.decisions if self.decisions else nan


def tallies() -> dict[str, Tally]:
    """Return an empty tally for each of `STREETS` and one for all of them."""
    return {street: Tally() for street in (*STREETS, ALL)}


def count(tallied: Mapping[str, Tally], decision: RecordedDecision, kinds: NDArray[np.float64]) -> None:
    """Count a decision in the tally of its street and in that of all streets.

    kinds: float64 ``[kind]``, the predicted probabilities of fold, call and raise.
    """
    predicted, scores = kinds.tolist(), log_likelihood(kinds).tolist()
    for street in (STREETS[decision.state.round], ALL):
        tallied[street].add(decision, predicted, scores)


class Agreement(NamedTuple):
    """Scores by street: keys are ``preflop``, ``flop``, ``turn``, ``river`` and ``all``."""

    strategy: dict[str, Tally]
    baseline: dict[str, Tally]  # scores of plain frequencies
    surprises: list[Prediction]
    """The decisions whose kind of action was predicted with the smallest probabilities, smallest first."""


def agreement(
    predicted: Iterable[Prediction],
    baseline: Callable[[RecordedDecision], NDArray[np.float64]],
    surprises: int = SURPRISES,
) -> Agreement:
    """Return how well predictions foretold the decisions.

    predicted: see `predictions`; decisions of one hand must follow each other. baseline: returns the probabilities
    float64 ``[kind]`` of a decision: `Frequencies.kinds` learnt from other decisions, or `Frequencies.without`.
    """
    scores, plain = tallies(), tallies()
    likeliest_last: list[tuple[float, int, Prediction]] = []  # a heap; on equal terms the first decisions are kept
    for number, prediction in enumerate(predicted):
        decision, kinds = prediction.decision, prediction.kinds()
        count(scores, decision, kinds)
        count(plain, decision, baseline(decision))
        entry = -float(kinds[decision.kind]), -number, prediction
        if len(likeliest_last) < surprises:
            heapq.heappush(likeliest_last, entry)
        elif surprises:
            heapq.heappushpop(likeliest_last, entry)
    return Agreement(scores, plain, [prediction for _, _, prediction in sorted(likeliest_last, reverse=True)])
