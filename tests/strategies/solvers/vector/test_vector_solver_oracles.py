"""The vector solver against linear programs, which owe nothing to it."""

import pytest

from limpet.strategies.solvers.schedule import Algorithm, Name
from limpet.strategies.solvers.vector.vector_solver import VectorSolver
from tests.oracles.river_game import random_river_spot
from tests.oracles.type_game_program import solve_type_game

FAST: tuple[Name, ...] = ("dcfr", "cfr+", "pcfr+")


@pytest.mark.parametrize("seed", range(6))
def test_minimisers_agree_with_the_linear_program(seed: int) -> None:
    spot = random_river_spot(seed)
    exact, _ = solve_type_game(spot.type_game())
    pot = sum(spot.tree.spent[0])
    for name in FAST:
        solver = VectorSolver(spot.tree, spot.board, spot.ranges, algorithm=Algorithm(name))
        solver.run(3000)
        found = solver.values()
        epsilon = solver.exploitability().percent
        assert epsilon < 0.05, f"{name}: {epsilon} % of the pot"
        # The value of a profile whose best responses win so little is this close to the game's.
        assert found[0] * solver.unit == pytest.approx(exact, abs=2 * epsilon / 100 * pot + 1e-4 * pot)
        assert found[0] + found[1] == pytest.approx(0, abs=1e-4 * pot / solver.unit)
