"""The regret minimisers: one description for all solvers, with the weights of each iteration."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf, isinf
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, get_args

from msgspec import Meta

from limpet.configs.fitting import MayBeInfinite, Misfit, fit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Name = Literal["cfr", "cfr-return-new", "cfr+", "lcfr", "dcfr", "pcfr+", "cgh"]
NAMES: tuple[str, ...] = get_args(Name)
PARAMETERS: dict[str, tuple[str, ...]] = {name: ("averaging",) for name in NAMES} | {
    "dcfr": ("alpha", "beta", "gamma", "averaging"),
    "cgh": ("constant", "ties", "returns"),
}
"""Fields of `Algorithm` that a config may set, by the algorithm's name."""

TIED = 1e-12
"""Chips times reach: ``cgh`` takes counterfactual values as close as this for equal, so that rounding does not choose."""

Gamma = Annotated[float, Meta(ge=0, le=30)]
"""Exponent γ of weights t^γ: above 30 their sums leave float64 within some billion iterations."""


class Weights(NamedTuple):
    """An iteration's factors of regrets above and below zero, and its strategies' weight."""

    keep_positive: float
    keep_negative: float
    average: float


_EXPONENTS = {
    "cfr": (inf, inf, 0.0),
    "cfr-return-new": (inf, inf, 0.0),
    "cfr+": (inf, -inf, 1.0),
    "lcfr": (1.0, 1.0, 1.0),
    "pcfr+": (inf, inf, 2.0),  # its regrets are floored when they are stored
    "cgh": (inf, inf, 0.0),
}
"""Exponents α, β and γ of the algorithms that have fixed ones, see `Algorithm`."""

Parameters = dict[str, bool | MayBeInfinite | str]
"""Parameters of an algorithm as a config writes them."""


@dataclass(frozen=True)
class Algorithm:
    """A regret minimiser and its parameters.

    ``cfr``: Zinkevich et al. 2007. ``cfr-return-new``: the same, passing up the values of the strategy after its update
    (Kujath 2014, §4.3). ``cfr+``: Tammelin 2014, regrets floored at 0, linear average. ``lcfr``, ``dcfr``: Brown &
    Sandholm 2019; old regrets times t^α / (t^α + 1) above zero and t^β / (t^β + 1) below, strategies weighted t^γ.
    ``pcfr+``: Farina, Kroer & Sandholm 2021, quadratic average. ``cgh``: counterfactual greedy hedging (Kujath 2014,
    §5.6), whose answer is its last strategy.

    Attributes:
        alpha, beta, gamma: exponents of ``dcfr``; infinity keeps a regret, minus infinity drops it. The paper's γ is 2.
        averaging: ``reach`` weights a strategy by the reach of its player; ``thesis`` does not (Kujath's algorithm 3),
            which is no CFR average, but his numbers were made with it. ``cgh`` has no average.
        constant: c of ``cgh``.
        ties: what ``cgh`` does where all actions have equal values: ``keep`` the strategy, or move to the ``largest`` bet,
            as the thesis's rule says literally. (Of several best actions it always takes the largest bet.)
        returns: whether ``cgh`` passes up values of the ``old`` strategy or of the ``new`` one. The thesis leaves it open;
            its numbers fit the new one. Vector solvers alone have the choice.
    """

    name: Name = "dcfr"
    alpha: MayBeInfinite = 1.5
    beta: MayBeInfinite = 0.0
    gamma: Gamma = 4.0
    averaging: Literal["reach", "thesis"] = "reach"
    constant: Annotated[float, Meta(ge=0)] = 0.175
    ties: Literal["keep", "largest"] = "keep"
    returns: Literal["old", "new"] = "old"

    @property
    def averages(self) -> bool:
        """True if the answer is an average; otherwise it is the last strategy."""
        return self.name != "cgh"

    @property
    def exponents(self) -> tuple[float, float, float]:
        """Exponents α, β and γ of the discounts."""
        return _EXPONENTS.get(self.name, (self.alpha, self.beta, self.gamma))

    def weights(self, t: int) -> Weights:
        """Return the weights of iteration t, counted from 1."""
        alpha, beta, gamma = self.exponents
        return Weights(kept(t - 1, alpha), kept(t - 1, beta), float(t) ** gamma)

    def discounts(self, done: int, count: int) -> "NDArray[np.float64]":
        """Return the weights of iterations `done` + 1 to `done` + `count` as float64 ``[count, 4]``, quickly.

        Columns: factors of old regrets above and below zero; the factor of the old average if this iteration's strategies
        weigh 1 (so that sums never grow large); and t.
        """
        import numpy as np

        alpha, beta, gamma = self.exponents
        t = np.arange(done + 1, done + count + 1, dtype=np.float64)
        return np.column_stack([all_kept(t - 1.0, alpha), all_kept(t - 1.0, beta), ((t - 1.0) / t) ** gamma, t])


ANYTIME = Algorithm("dcfr", gamma=2.0)
"""DCFR as in the paper, for solves that a clock may end after any iteration."""

LINEAR = Algorithm("dcfr", alpha=1.0, beta=1.0, gamma=2.0)
"""Regrets above and below zero discounted alike, for a few hundred iterations of games in which some mistakes cost many pots.

Such mistakes of the first iterations are forgotten sooner than by `ANYTIME`, which comes nearer in thousands of iterations.
"""


def algorithm_of(algorithm: Algorithm | str) -> Algorithm:
    """Return an algorithm for small games, by itself or its name. Raises `ValueError` for others, cgh's new value too."""
    chosen = algorithm_with(algorithm, {}) if isinstance(algorithm, str) else algorithm
    if chosen.returns != "old":
        raise ValueError("returns: new is for solving spots; leave it out here")
    return chosen


def algorithm_with(name: str, parameters: Mapping[str, bool | float | str]) -> Algorithm:
    """Return an algorithm from its name and parameters. Raises `Misfit` for a parameter that it does not have."""
    check_parameters(name, parameters, PARAMETERS.get(name, ()))
    return fit({"name": name, **parameters}, Algorithm)


def check_parameters(name: str, parameters: Iterable[str], allowed: Iterable[str]) -> None:
    """Raise `Misfit` for a parameter that an algorithm does not have: it would be ignored, and reported as used."""
    for key in parameters:
        if key not in allowed:
            raise Misfit(f"{name} has no such parameter; it has {', '.join(allowed)}", (key,))


def kept(before: int, exponent: float) -> float:
    """Return the factor of old regrets, t^exponent / (t^exponent + 1) for t = `before`; the limit for infinite exponents."""
    if isinf(exponent):
        return 1.0 if exponent > 0 else 0.0
    try:
        power = before**exponent if before else 0.0
        return power / (power + 1.0)
    except OverflowError:
        return 1.0


def all_kept(before: "NDArray[np.float64]", exponent: float) -> "NDArray[np.float64]":
    """Return `kept` for every t in `before`, equal up to rounding."""
    import numpy as np

    if isinf(exponent):
        return np.full_like(before, 1.0 if exponent > 0 else 0.0)
    with np.errstate(over="ignore"):  # 1 / (1 + inf) is what is meant
        return (before > 0.0) / (1.0 + np.maximum(before, 1.0) ** -exponent)
