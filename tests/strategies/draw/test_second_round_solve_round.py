"""A round solved in play, unsafe and behind gadgets."""

import numpy as np
import pytest

from limpet.strategies.draw.second_round import solve_round, solve_round_safely
from limpet.strategies.holdem.resolving.gadgets import Gadget
from limpet.strategies.solvers.round_solver import Ordered, RoundSolver
from limpet.strategies.solvers.round_tree import round_tree

BUCKETS = 40


def never() -> bool:
    return False


def ranges(seed: int = 3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    weights = rng.random((2, BUCKETS))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def test_a_round_is_solved_to_half_a_percent_of_the_pot() -> None:
    solver = RoundSolver(round_tree(), Ordered(BUCKETS), ranges())
    percent = solve_round(solver, 0.5, 1000, never)
    assert percent <= 0.5
    assert percent == solver.exploitability()
    assert solver.iteration < 200


def test_a_solve_ends_when_it_is_told() -> None:
    solver = RoundSolver(round_tree(), Ordered(BUCKETS), ranges())
    assert solve_round(solver, 0.5, 1000, lambda: solver.iteration >= 7) < np.inf
    assert solver.iteration == 7


@pytest.mark.parametrize("gadget", ["resolve", "maxmargin"])
def test_a_gadget_keeps_what_the_opponent_was_promised(gadget: Gadget) -> None:
    """The solver believes a range that is not the opponent's; the values of the true solution are the promise."""
    truth = RoundSolver(round_tree(), Ordered(BUCKETS), ranges())
    truth.run(1500)
    promised = truth.values(1, best=True) / truth.compatible_reach(1)
    believed = ranges()
    believed[1] = np.linspace(0, 1, BUCKETS) ** 4
    believed[1] /= believed[1].sum()
    worst = {}
    for name in ("unsafe", gadget):
        solver = RoundSolver(round_tree(), Ordered(BUCKETS), believed)
        solve_round_safely(solver, name, 1, promised, 1500, never)
        worst[name] = float((solver.values(1, best=True) / solver.compatible_reach(1) - promised).max())
    assert worst["unsafe"] > 0.1
    assert worst[gadget] < 0.03
