"""Page's test of whether an opponent still plays as the model of it predicts, with a bound on false alarms."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from limpet.protocol.messages import MatchState
from limpet.strategies.opponents.opponent_model import Candidate, ModelHand

KEPT = 0.95
"""Weight that the recent play's counts keep from hand to hand, so that some twenty hands count."""


def joint(weights: Sequence[float], values: Sequence[float]) -> float:
    """Return the log of a weighted mean of probabilities; all are given as logs, the weights up to a factor."""
    return float(np.logaddexp.reduce(np.add(weights, values)) - np.logaddexp.reduce(weights))


@dataclass
class ChangeTest:
    """Page's test of a match's hands: recent play against the model (Page 1954).

    Each hand adds the log of the probability of its actions by recent play less that by the model; the sum never falls below 0.
    If the opponent plays as the model predicts, the mean number of hands to an alarm is at least `hands` (`docs/exploit.md`).

    `recent` is the blueprint, moved to the frequencies of the last hands, and `score` the log odds of a change so far.
    """

    recent: Candidate
    hands: float
    score: float = 0.0

    def enter(self, gained: float) -> bool:
        """Add a hand's log odds of a change, and return whether that sets off the alarm."""
        self.score = max(0.0, self.score + gained)
        return self.score > math.log(self.hands)

    def observe(self, predicted: float, model: ModelHand, hand: MatchState) -> bool:
        """Judge a finished hand and return whether the opponent has changed.

        predicted: log probability that the model in use gave to the opponent's actions; model: recent play in that hand.
        """
        acted = self.recent.observe(model, hand)
        self.recent.frequencies.fade(KEPT)
        return self.enter(acted - predicted)
