"""The agreement of a strategy with a player's recorded decisions, beside that of the player's own plain frequencies."""

import heapq
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.measures.agreement.predictions import Prediction
from limpet.strategies.measures.agreement.recorded import RecordedDecision
from limpet.strategies.measures.agreement.tally import Tally, count, tallies

SURPRISES = 10


class Agreement(NamedTuple):
    """Scores by street: keys are ``preflop``, ``flop``, ``turn``, ``river`` and ``all``."""

    strategy: dict[str, Tally]
    baseline: dict[str, Tally]
    """Scores of plain frequencies."""
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
