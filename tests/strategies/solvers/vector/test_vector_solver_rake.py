"""Solves with rake: the slow twin's payoffs pair by pair, epsilon of a game that is not zero-sum, and what must not matter."""

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.solvers.vector.street_forest import NO_RAKE, Rake, street_forest
from tests.oracles.spot_games import hands as listed
from tests.oracles.vector_twin import random_ranges, spot_tree, symmetric_ranges
from tests.strategies.solvers.vector.test_vector_solver import (
    C_H,
    RIVER,
    TURN,
    compare_runs,
    solver_of,
    turn_tree,
    twin_of,
    warm,
)

CAPPED = Rake(0.05, 120.0)
"""Reached in the pots of a game of 1,000 chips that somebody bet in, and not in the others."""


def test_rules() -> None:
    assert CAPPED.of(np.array([500.0, -500.0, 2000.0])).tolist() == [50, 50, 120]
    assert Rake(0.05, np.inf).of(np.array([2000.0])).tolist() == [200]


@pytest.mark.parametrize("rake", [CAPPED, Rake(0.3, np.inf)])
@pytest.mark.parametrize("name", ["dcfr", "pcfr+", "cgh"])
def test_runs_are_the_twins(name: str, rake: Rake) -> None:
    """Hands block each other, some tie, and stacks differ."""
    tree, ranges = spot_tree(RIVER, 1000, (3000, 2000)), random_ranges(RIVER, 2, 40)
    compare_runs(solver_of(tree, ranges, name, rake=rake), twin_of(tree, ranges, name, rake=tuple(rake)), 20)


def test_runs_over_two_streets_are_the_twins() -> None:
    tree, ranges = turn_tree(), random_ranges(TURN, 11, 10)
    solver, twin = solver_of(tree, ranges, merge="none", rake=CAPPED), twin_of(tree, ranges, rake=tuple(CAPPED))
    warm(solver, twin)
    compare_runs(solver, twin, 6)


@pytest.mark.parametrize(("tree", "ranges"), [
    (spot_tree(RIVER, 1000, 2000), random_ranges(RIVER, 3, 40)),
    (turn_tree("KsTs7s4d"), symmetric_ranges("KsTs7s4d", 4, 12, C_H)),
])  # fmt: skip
def test_epsilon_is_what_best_responses_gain(tree: BettingTree, ranges: NDArray[np.float32]) -> None:
    solver, twin = solver_of(tree, ranges, rake=CAPPED), twin_of(tree, ranges, rake=tuple(CAPPED))
    solver.run(30)

    def play(key: tuple[int, tuple[int, ...]]) -> NDArray[np.float64]:
        return solver.strategy(*key)[:, twin.hands].astype(np.float64)

    found = solver.exploitability()
    assert found.percent == pytest.approx(twin.percent(play), abs=2e-4)
    assert found.best == pytest.approx(twin.best_responses(play), abs=2e-4)
    assert solver.values() == pytest.approx(twin.expected(play), abs=2e-4)
    assert sum(solver.values()) < -0.04 * 1000 / solver.unit  # the house has its share of the pot at least


def test_a_solve_comes_near_an_equilibrium_of_the_raked_game() -> None:
    tree, ranges = turn_tree(), random_ranges(TURN, 7, 60)
    solver = solver_of(tree, ranges, rake=CAPPED)
    solver.run(300)
    assert 0 <= solver.exploitability().percent < 0.1


def test_rake_lets_a_bluff_catcher_call_less() -> None:
    """Where 30 % of the pot goes to the house, fewer calls make a bluff not worth its chips."""
    tree = spot_tree(RIVER, 1000, 1000, ((1.0,), ()))
    ranges = np.stack([listed("KhTd 8c6c", (1, 1)), listed("KcQd", (1,))])
    call = []
    for rake in (NO_RAKE, Rake(0.3, np.inf)):
        solver = solver_of(tree, ranges, rake=rake)
        solver.run(2000)
        facing = tree.child(0, 1)
        hand = int(np.flatnonzero(ranges[1])[0])
        call.append(float(solver.strategy(facing, tree.root.board)[1, hand]))
    assert call[1] < call[0] - 0.05


def test_merged_boards_threads_and_a_pause_change_nothing() -> None:
    board = "KsTs7s4d"
    tree, ranges = turn_tree(board), symmetric_ranges(board, 30, 10, C_H)
    merged, whole = (solver_of(tree, ranges, merge=merge, rake=CAPPED) for merge in ("isomorphic", "none"))
    two = solver_of(tree, ranges, threads=2, rake=CAPPED)
    for solver in (merged, whole, two):
        solver.run(15)
    assert merged.values() == pytest.approx(whole.values(), abs=2e-3)
    assert merged.unmerged().exploitability().percent == pytest.approx(merged.exploitability().percent, abs=1e-3)
    again = solver_of(tree, ranges, rake=CAPPED)
    again.restore(two.state_arrays())
    np.testing.assert_array_equal(again.tables.arrays.average, merged.tables.arrays.average)


def test_without_rake_the_layout_is_what_it_was() -> None:
    tree = turn_tree()
    plain, none = street_forest(tree, 100.0).arrays, street_forest(tree, 100.0, Rake(0.0, np.inf)).arrays
    assert not plain.out_rake.any() and (plain.block_holds < 4).all()
    for one, other in zip(plain, none, strict=True):
        np.testing.assert_array_equal(one, other)
