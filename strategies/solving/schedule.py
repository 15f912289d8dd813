"""The regret minimisers: one description for every solver, and their weights from iteration to iteration."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf, isinf, isnan
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from limpet.configs.fitting import MayBeInfinite, Misfit, fit

if TYPE_CHECKING:  # numpy is loaded where weights are worked out: commands name the minimisers in their help
    import numpy as np
    from numpy.typing import NDArray

Name = Literal["cfr", "cfr-return-new", "cfr+", "lcfr", "dcfr", "pcfr+", "cgh"]
Averaging = Literal["reach", "thesis"]
Ties = Literal["keep", "largest"]
Returns = Literal["old", "new"]
NAMES: tuple[str, ...] = get_args(Name)
PARAMETERS: dict[str, tuple[str, ...]] = {name: ("averaging",) for name in NAMES} | {
    "dcfr": ("alpha", "beta", "gamma", "restart", "averaging"),
    "cgh": ("constant", "ties", "returns"),
}
"""What each algorithm lets a config choose; see `Algorithm`."""

TIED = 1e-12
"""Chips times reach. To ``cgh`` counterfactual values as close as this are equal: rounding must not choose."""

LARGEST_GAMMA = 30.0
"""Above it sums of t^γ leave float64 in some billion iterations."""


class Weights(NamedTuple):
    """Of one iteration: factors of old regrets above and below zero, and the weight of its strategies in the average."""

    keep_positive: float
    keep_negative: float
    average: float
    restart: bool
    """Whether the average starts anew with this iteration."""


class Exponents(NamedTuple):
    """The family of Brown & Sandholm (2019): old regrets times t^α / (t^α + 1) above zero and t^β / (t^β + 1) below.

    Strategies weigh t^γ. Infinity keeps all of a regret, minus infinity nothing.
    """

    alpha: float
    beta: float
    gamma: float


_UNDISCOUNTED = Exponents(inf, inf, 0.0)
_EXPONENTS = {
    "cfr": _UNDISCOUNTED,
    "cfr-return-new": _UNDISCOUNTED,
    "cfr+": Exponents(inf, -inf, 1.0),
    "lcfr": Exponents(1.0, 1.0, 1.0),
    "pcfr+": Exponents(inf, inf, 2.0),  # its regrets are floored when they are stored
    "cgh": _UNDISCOUNTED,
}


Parameters = dict[str, bool | MayBeInfinite | str]
"""The parameters of an algorithm as a config writes them."""


def check_powers(alpha: float, beta: float, gamma: float) -> None:
    """Raises `ValueError` for powers that would spread infinities or NaN to everything that is learnt."""
    for name, power in (("alpha", alpha), ("beta", beta)):
        if isnan(power):
            raise ValueError(f"{name} is not a number; write one such as 1.5, or .inf or -.inf")
    if not 0.0 <= gamma <= LARGEST_GAMMA:
        raise ValueError(f"gamma is {gamma}; it must be from 0 to {LARGEST_GAMMA:g}, such as 2")


@dataclass(frozen=True)
class Algorithm:
    """A regret minimiser and its parameters.

    ``cfr``: Zinkevich et al. 2007. ``cfr-return-new``: the same, passing up the values of the strategy after its update
    (Kujath 2014, §4.3). ``cfr+``: Tammelin 2014, regrets floored at 0, linear average. ``lcfr``, ``dcfr``: Brown &
    Sandholm 2019; old regrets times t^α / (t^α + 1) above zero and t^β / (t^β + 1) below, strategies weighted t^γ.
    ``pcfr+``: Farina, Kroer & Sandholm 2021, quadratic average. ``cgh``: counterfactual greedy hedging (Kujath 2014,
    §5.6), whose answer is its last strategy.

    Attributes:
        alpha, beta, gamma: of ``dcfr``; infinity keeps a regret, minus infinity drops it. The paper's γ is 2.
        restart: the average of ``dcfr`` is begun anew at iterations 1, 4, 16, …, so that early strategies leave it. The
            paper has no restarts.
        averaging: of all but ``cgh``: ``reach`` weights a strategy by how often its player gets there; ``thesis`` does
            not (Kujath's algorithm 3), which is no CFR average but what his numbers were made with.
        constant: c of ``cgh``.
        ties: of ``cgh``, where all actions are worth the same: ``keep`` the strategy, or move to the ``largest`` bet,
            which the thesis's rule does if taken at its word. (Of several best actions it is always the largest bet.)
        returns: of ``cgh``, whose values a decision passes up: the ``old`` strategy's or the ``new`` one's. The thesis
            leaves it open; its numbers fit the new one. For vector solves only.

    Raises `ValueError` for a name, an averaging, a constant, ties or returns that there are not, and powers that cannot be.
    """

    name: Name = "dcfr"
    alpha: MayBeInfinite = 1.5
    beta: MayBeInfinite = 0.0
    gamma: float = 3.0
    restart: bool = True
    averaging: Averaging = "reach"
    constant: float = 0.175
    ties: Ties = "keep"
    returns: Returns = "old"

    def __post_init__(self) -> None:
        if self.name not in NAMES:
            raise ValueError(f"algorithm {self.name!r} is not one of {', '.join(NAMES)}")
        check_powers(self.alpha, self.beta, self.gamma)
        if self.averaging not in get_args(Averaging):
            raise ValueError(f"averaging {self.averaging!r} is neither reach nor thesis")
        if not 0.0 <= self.constant < inf:
            raise ValueError(f"the constant of cgh is {self.constant}; it must be 0 or more, such as 0.175")
        if self.ties not in get_args(Ties):
            raise ValueError(f"ties {self.ties!r} are neither keep nor largest")
        if self.returns not in get_args(Returns):
            raise ValueError(f"returns {self.returns!r} is neither old nor new")

    @property
    def averages(self) -> bool:
        """Whether the answer is an average; if not, it is the last strategy."""
        return self.name != "cgh"

    @property
    def exponents(self) -> Exponents:
        return Exponents(self.alpha, self.beta, self.gamma) if self.name == "dcfr" else _EXPONENTS[self.name]

    def weights(self, t: int) -> Weights:
        """Of iteration t, counted from 1."""
        alpha, beta, gamma = self.exponents
        restart = self.name == "dcfr" and self.restart and t > 1 and _is_power_of_four(t)
        return Weights(kept(t - 1, alpha), kept(t - 1, beta), float(t) ** gamma, restart)

    def discounts(self, done: int, count: int) -> "NDArray[np.float64]":
        """`weights` of the iterations that follow the first `done`, all at once, for games of a few microseconds each.

        float64 ``[count, 4]``: factors of old regrets above and below zero, the factor of the old average if this
        iteration's strategies weigh 1 (so that sums never grow large; 0 at a restart), and t.
        """
        import numpy as np

        alpha, beta, gamma = self.exponents
        t = np.arange(done + 1, done + count + 1, dtype=np.float64)
        keep_average = ((t - 1.0) / t) ** gamma
        if self.name == "dcfr" and self.restart:
            mantissa, exponent = np.frexp(t)
            keep_average[(mantissa == 0.5) & (exponent % 2 == 1)] = 0.0  # t = 1/2 · 2^exponent
        return np.column_stack([all_kept(t - 1.0, alpha), all_kept(t - 1.0, beta), keep_average, t])


ANYTIME = Algorithm("dcfr", gamma=2.0, restart=False)
"""For solves that a clock may end after any iteration: an average that has just begun anew would be the answer then. As in
the paper."""


def algorithm_of(algorithm: Algorithm | str) -> Algorithm:
    """An algorithm of small games, or the one of this name with its usual parameters.

    Raises `ValueError` for an unknown name, and for cgh's new value, which only vector solves pass up.
    """
    found = Algorithm(algorithm) if isinstance(algorithm, str) else algorithm  # type: ignore[arg-type]
    if found.returns != "old":
        raise ValueError("returns: new is for solving spots; leave it out here")
    return found


def algorithm_with(name: str, parameters: Mapping[str, bool | float | str]) -> Algorithm:
    """An algorithm as a config writes it. Raises `Misfit` for a parameter that it cannot have."""
    check_parameters(name, parameters, PARAMETERS.get(name, ()))
    return fit({"name": name, **parameters}, Algorithm)


def check_parameters(name: str, parameters: Iterable[str], known: Iterable[str]) -> None:
    """Raises `Misfit` for a parameter that an algorithm does not have: it would be ignored, and told as used."""
    for key in parameters:
        if key not in known:
            raise Misfit(f"{name} has no such parameter; it has {', '.join(known)}", (key,))


def kept(before: int, exponent: float) -> float:
    """What is left of old regrets: t^exponent / (t^exponent + 1) for t = `before`, and its limit for infinities."""
    if isinf(exponent):
        return 1.0 if exponent > 0 else 0.0
    try:
        power = before**exponent if before else 0.0
        return power / (power + 1.0)
    except OverflowError:
        return 1.0


def all_kept(before: "NDArray[np.float64]", exponent: float) -> "NDArray[np.float64]":
    """`kept` of all, to rounding."""
    import numpy as np

    if isinf(exponent):
        return np.full_like(before, 1.0 if exponent > 0 else 0.0)
    with np.errstate(over="ignore"):  # 1 / (1 + inf) is what is meant
        return (before > 0.0) / (1.0 + np.maximum(before, 1.0) ** -exponent)


def _is_power_of_four(t: int) -> bool:
    return t.bit_count() == 1 and t.bit_length() % 2 == 1
