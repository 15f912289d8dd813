"""The regret minimisers that a vector solver may use, and their weights from iteration to iteration."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

Name = Literal["cfr", "cfr-return-new", "cfr+", "lcfr", "dcfr", "pcfr+", "cgh"]


class Weights(NamedTuple):
    """Of one iteration: factors of old regrets above and below zero, and the weight of its strategies in the average."""

    keep_positive: float
    keep_negative: float
    average: float
    restart: bool
    """Whether the average starts anew with this iteration."""


@dataclass(frozen=True)
class Algorithm:
    """A regret minimiser and its parameters.

    ``cfr``: Zinkevich et al. 2007. ``cfr-return-new``: the same, passing up the values of the strategy after its update
    (Kujath 2014, §4.3). ``cfr+``: Tammelin 2014, regrets floored at 0, linear average. ``lcfr``, ``dcfr``: Brown &
    Sandholm 2019; old regrets times t^α / (t^α + 1) above zero and t^β / (t^β + 1) below, strategies weighted t^γ.
    ``pcfr+``: Farina, Kroer & Sandholm 2021, quadratic average. ``cgh``: counterfactual greedy hedging (Kujath 2014,
    §5.6), whose answer is its last strategy.

    Attributes:
        restart: the average is begun anew at iterations 1, 4, 16, …, so that early strategies leave it.
        averaging: ``reach`` weights a strategy by how often its player gets there; ``thesis`` does not (Kujath's
            algorithm 3), which is no CFR average but what his numbers were made with.
        constant: c of ``cgh``.
    """

    name: Name = "dcfr"
    alpha: float = 1.5
    beta: float = 0.0
    gamma: float = 3.0
    restart: bool = True
    averaging: Literal["reach", "thesis"] = "reach"
    constant: float = 0.175

    @property
    def averages(self) -> bool:
        """Whether the answer is an average; if not, it is the last strategy."""
        return self.name != "cgh"

    def weights(self, t: int) -> Weights:
        """Of iteration t, counted from 1."""
        before = t - 1
        match self.name:
            case "cfr" | "cfr-return-new" | "cgh":
                return Weights(1.0, 1.0, 1.0, False)
            case "cfr+":
                return Weights(1.0, 0.0, float(t), False)
            case "pcfr+":
                return Weights(1.0, 1.0, float(t) ** 2, False)
            case "lcfr":
                return Weights(before / t, before / t, float(t), False)
            case "dcfr":
                positive, negative = before**self.alpha, before**self.beta if before else 0.0
                restart = self.restart and t > 1 and _is_power_of_four(t)
                return Weights(positive / (positive + 1), negative / (negative + 1), float(t) ** self.gamma, restart)


def _is_power_of_four(t: int) -> bool:
    return t.bit_count() == 1 and t.bit_length() % 2 == 1
