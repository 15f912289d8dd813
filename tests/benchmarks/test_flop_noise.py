"""The benchmark of noise at a flop's end: to which values it is added, and how much."""

import numpy as np
from flop_noise import LeafNoise, iterate

from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.solvers.schedule import ANYTIME
from limpet.strategies.solvers.vector.vector_solver import VectorSolver
from tests.oracles.vector_twin import random_ranges, spot_tree

BOARD = "KsTh7s4d"


def solver_of(iterations: int) -> VectorSolver:
    """Return a solve of a turn whose betting ends with 10 and 24 big blinds in the pot, and all-in."""
    tree = spot_tree(BOARD, 1000, 1700, ((0.7,), (1.0,), ()))
    solver = VectorSolver(tree, tree.root.board, random_ranges(BOARD, 1, 40), algorithm=ANYTIME)
    solver.run(iterations)
    return solver


def test_noise_shifts_a_leafs_values_by_itself_times_the_reach_that_a_hand_leaves_possible() -> None:
    plain, noisy = solver_of(3), solver_of(2)
    noise = LeafNoise(noisy, 0.05, np.arange(1326), seed=1).draw()
    noise[0] = 0  # position 0 learns first, so that position 1's pass begins with the same tables in both
    iterate(noisy, noise)
    forest, stride, hands = plain.forest.arrays, int(plain.boards.arrays.stride[0, 0]), plain.boards.hands[0]
    reach = np.zeros(1326)
    for j, leaf in enumerate(forest.leaf[: len(noise[1])].tolist()):
        row = int(forest.reach_row[1, leaf]) * stride
        reach[hands] = plain.passes.root.reach[row : row + len(hands)]
        before, after = (s.passes.root.value[leaf * stride :][: len(hands)] for s in (plain, noisy))
        added = (noise[1, j] * hand_space().compatible(reach))[hands]
        np.testing.assert_allclose(after - before, added, atol=1e-4)
        assert added.any() == noise[1, j].any()


def test_iterations_without_noise_are_those_of_the_solver() -> None:
    plain, own = solver_of(5), solver_of(2)
    for _ in range(3):
        iterate(own, LeafNoise(own, 0, np.arange(1326), seed=1).draw())
    for key, table in plain.state_arrays().items():
        np.testing.assert_array_equal(table, own.state_arrays()[key], key)


def test_noise_is_in_pots_of_the_leaf_alike_in_a_group_and_spares_leaves_that_are_all_in() -> None:
    solver, groups = solver_of(0), np.arange(1326) % 663
    noise = LeafNoise(solver, 0.05, groups, seed=1).draw()
    nodes = solver.forest.origin[0][solver.forest.arrays.leaf[: noise.shape[1]]]
    pots = solver.tree.spent[nodes].sum(axis=1) / solver.unit
    assert sorted(set(pots)) == [10, 24, 44]
    np.testing.assert_allclose(noise.std(axis=2), np.tile(np.where(pots < 44, 0.05 * pots, 0), (2, 1)), rtol=0.1)
    np.testing.assert_array_equal(noise[:, :, :663], noise[:, :, 663:])
    assert abs(np.corrcoef(noise[:, pots < 44].reshape(-1, 1326)) - np.eye(2 * int((pots < 44).sum()))).max() < 0.2
