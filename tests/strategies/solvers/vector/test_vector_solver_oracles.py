"""The vector solver against answers that owe nothing to it: linear programs, model games, the simulator."""

import numpy as np
import pytest

from limpet.strategies.solvers.schedule import Algorithm, Name
from limpet.strategies.solvers.vector.vector_solver import VectorSolver
from tests.oracles.model_games import clairvoyant_river
from tests.oracles.river_game import RiverSpot, random_river_spot
from tests.oracles.type_game_program import solve_type_game

FAST: tuple[Name, ...] = ("dcfr", "cfr+", "pcfr+")


def solved(spot: RiverSpot, name: Name, iterations: int) -> VectorSolver:
    solver = VectorSolver(spot.tree, spot.board, spot.ranges, algorithm=Algorithm(name))
    solver.run(iterations)
    return solver


@pytest.mark.parametrize("seed", range(6))
def test_minimisers_agree_with_the_linear_program(seed: int) -> None:
    spot = random_river_spot(seed)
    exact, _ = solve_type_game(spot.type_game())
    pot = sum(spot.tree.spent[0])
    for name in FAST:
        solver = solved(spot, name, 3000)
        found = solver.values()
        epsilon = solver.exploitability().percent
        assert epsilon < 0.05, f"{name}: {epsilon} % of the pot"
        # The value of a profile whose best responses win so little is this close to the game's.
        assert found[0] * solver.unit == pytest.approx(exact, abs=2 * epsilon / 100 * pot + 1e-4 * pot)
        assert found[0] + found[1] == pytest.approx(0, abs=1e-4 * pot / solver.unit)


@pytest.mark.parametrize("name", FAST)
@pytest.mark.parametrize(
    ("nuts", "bet", "share", "bluffs", "calls"),
    [(0.5, 100, 75, 1 / 2, 1 / 2), (0.5, 50, 200 / 3, 1 / 3, 2 / 3), (0.5, 200, 250 / 3, 2 / 3, 1 / 3),
     (0.25, 100, 37.5, 1 / 6, 1 / 2)],
)  # fmt: skip
def test_clairvoyance_on_the_river(
    name: Name, nuts: float, bet: int, share: float, bluffs: float, calls: float
) -> None:
    spot = clairvoyant_river(nuts, bet)
    solver = solved(spot, name, 4000)
    pot = sum(spot.tree.spent[0]) / solver.unit
    assert 100 * (solver.values()[0] / pot + 0.5) == pytest.approx(share, abs=2e-3)
    assert solver.exploitability().percent < 0.05
    root = solver.node_values(0, spot.board)
    air = spot.ranges[0] * (root.strategy[-1] < 0.999)
    betting = float((root.strategy[-1] * air).sum() / air.sum())
    assert betting == pytest.approx(bluffs, abs=2e-3)
    after = spot.tree.child(0, 1)
    response = solver.strategy(after, spot.board)
    queens = np.flatnonzero(spot.ranges[1] > 0)
    assert response[-1][queens] == pytest.approx(calls, abs=5e-3)
