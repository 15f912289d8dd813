"""Weights of iterations, worked out by hand."""

from math import inf, nan
from typing import Any

import numpy as np
import pytest

from limpet.configs.fitting import Misfit
from limpet.strategies.solvers.schedule import Algorithm, Weights, algorithm_with, all_kept, kept


def weights(algorithm: Algorithm, *iterations: int) -> list[Weights]:
    return [algorithm.weights(t) for t in iterations]


@pytest.mark.parametrize("name", ["cfr", "cfr-return-new", "cgh"])
def test_plain_regrets_are_never_discounted(name: str) -> None:
    assert weights(Algorithm(name), 1, 4, 100) == [Weights(1, 1, 1)] * 3  # type: ignore[arg-type]


def test_cfr_plus_forgets_negative_regrets_and_averages_linearly() -> None:
    assert weights(Algorithm("cfr+"), 1, 4, 100) == [Weights(1, 0, t) for t in (1, 4, 100)]


def test_predictive_cfr_plus_averages_quadratically() -> None:
    assert weights(Algorithm("pcfr+"), 1, 4, 100) == [Weights(1, 1, t * t) for t in (1, 4, 100)]


def test_linear_cfr_weighs_iteration_t_by_t() -> None:
    """The weight of an old regret is the product of all factors since: s / (s + 1) · (s + 1) / (s + 2) … = s / t."""
    assert weights(Algorithm("lcfr"), 1, 2, 4) == [
        Weights(0, 0, 1),
        Weights(0.5, 0.5, 2),
        Weights(0.75, 0.75, 4),
    ]
    product = 1.0
    for t in range(6, 31):
        product *= Algorithm("lcfr").weights(t).keep_positive
    assert product == pytest.approx(5 / 30)


def test_discounted_cfr_is_that_of_the_paper() -> None:
    """Brown & Sandholm 2019: before iteration t the regrets of t - 1 take (t-1)^α / ((t-1)^α + 1), and β below zero."""
    first, second, fifth = weights(Algorithm(gamma=3.0), 1, 2, 5)
    assert first == Weights(0, 0, 1)
    assert second == Weights(0.5, 0.5, 8)
    assert fifth == Weights(8 / 9, 0.5, 125)
    nines = Algorithm(alpha=2.0, beta=-0.5, gamma=1.0).weights(10)
    assert nines == pytest.approx(Weights(81 / 82, 1 / 4, 10))


def test_only_greedy_hedging_has_no_average() -> None:
    assert not Algorithm("cgh").averages
    assert all(Algorithm(name).averages for name in ("cfr", "cfr-return-new", "cfr+", "lcfr", "dcfr", "pcfr+"))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("power", "left"),
    [(inf, [1, 1, 1]), (2000.0, [0, 0.5, 1]), (-2000.0, [0, 0.5, 0]), (-inf, [0, 0, 0]), (1.5, [0, 0.5, 27 / 28])],
)
def test_what_is_kept_is_finite_for_any_power(power: float, left: list[float]) -> None:
    before = [0, 1, 9]
    assert [kept(t, power) for t in before] == pytest.approx(left)
    assert all_kept(np.array(before, np.float64), power) == pytest.approx(left)


@pytest.mark.parametrize(
    ("name", "power"), [("alpha", nan), ("beta", nan), ("gamma", nan), ("gamma", inf), ("gamma", -1.0)]
)
def test_powers_that_would_spread_nan_are_refused(name: str, power: float) -> None:
    with pytest.raises(Misfit, match="does not fit") as misfit:
        algorithm_with("dcfr", {name: power})
    assert misfit.value.keys == (name,)


@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [
        ("cfr++", {}, "'cfr\\+\\+' is none of cfr, "),
        ("cfr", {"averaging": "none"}, "'none' is none of reach, thesis"),
        ("cgh", {"ties": "first"}, "'first' is none of keep, largest"),
        ("cgh", {"returns": "both"}, "'both' is none of old, new"),
        ("cgh", {"constant": inf}, "inf does not fit; expected a finite number"),
        ("cgh", {"constant": -0.1}, "-0.1 does not fit; expected a number >= 0.0"),
    ],
)
def test_what_no_algorithm_has_is_refused(name: str, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(Misfit, match=message):
        algorithm_with(name, wrong)
    assert algorithm_with("cgh", {"constant": 0.0}).constant == 0.0
