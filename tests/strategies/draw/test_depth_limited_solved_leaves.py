"""Leaves that are solved in every iteration; that play to them comes to an equilibrium is shown at draw5-tiny."""

import numpy as np
import pytest

from limpet.strategies.draw.depth_limited import SolvedLeaves
from limpet.strategies.draw.network import unit_ranges
from limpet.strategies.draw.network_learning import round_solve
from limpet.strategies.solvers.round_solver import Ordered
from limpet.strategies.solvers.round_tree import round_tree

TREE, BUCKETS, LEAVES = round_tree(), 8, 3


def test_solves_that_go_on_come_to_the_values_of_one_long_solve() -> None:
    ranges, pots = np.random.default_rng(1).random((LEAVES, 2, BUCKETS)), np.array([1.0, 2.0, 9.0])
    leaves = SolvedLeaves(TREE, Ordered(BUCKETS), LEAVES, iterations=20, first=200)
    for _ in range(30):
        values = leaves.values(ranges, pots)
    exact, errors = round_solve(TREE, Ordered(BUCKETS), 3000)(unit_ranges(ranges))
    assert errors.max() < 0.05  # % of the pot
    unit = unit_ranges(ranges)
    np.testing.assert_allclose((values * unit).sum(axis=2) / pots[:, None], (exact * unit).sum(axis=2), atol=5e-4)
    np.testing.assert_allclose(values / pots[:, None, None], exact, atol=0.03)  # single buckets settle late
    np.testing.assert_allclose((values * unit).sum(axis=(1, 2)), 0, atol=1e-5)


@pytest.mark.parametrize("first", [None, 50])
def test_a_restored_solver_judges_as_the_one_that_was_saved(first: int | None) -> None:
    rng = np.random.default_rng(2)
    before, after = rng.random((2, LEAVES, 2, BUCKETS))
    one, two = (SolvedLeaves(TREE, Ordered(BUCKETS), LEAVES, 10, first=first) for _ in range(2))
    one.values(before, np.ones(LEAVES))
    assert one.rounds.iteration == (first or 10)
    two.rounds.restore({name: array.copy() for name, array in one.rounds.state_arrays().items()})
    np.testing.assert_array_equal(one.values(after, np.ones(LEAVES)), two.values(after, np.ones(LEAVES)))
