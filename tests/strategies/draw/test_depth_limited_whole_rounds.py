"""Second rounds that learn along; that they come to an equilibrium is shown beside the best responses."""

import numpy as np

from limpet.strategies.draw.depth_limited import WholeRounds
from limpet.strategies.solvers.round_solver import Ordered
from limpet.strategies.solvers.round_tree import round_tree


def test_a_measure_teaches_nothing_and_values_are_linear_in_the_pot() -> None:
    whole = WholeRounds(round_tree(), Ordered(6), leaves=3)
    ranges = np.random.default_rng(1).random((3, 2, 6))
    for _ in range(4):
        whole.values(ranges, np.ones(3))
    assert whole.rounds.iteration == 4
    whole.measuring = True
    one, nine = whole.values(ranges, np.ones(3)), whole.values(5 * ranges, np.full(3, 9.0))
    np.testing.assert_allclose(9 * one, nine, rtol=1e-4)
    unit = ranges / ranges.sum(axis=2, keepdims=True)
    np.testing.assert_allclose((one * unit).sum(axis=(1, 2)), 0, atol=1e-5)
    assert whole.rounds.iteration == 4


def test_a_leaf_that_nobody_comes_to_is_worth_nothing() -> None:
    whole = WholeRounds(round_tree(), Ordered(6), leaves=1)
    assert not whole.values(np.zeros((1, 2, 6)), np.ones(1)).any()
