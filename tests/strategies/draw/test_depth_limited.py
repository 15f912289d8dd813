"""The first round solved to its leaves, against the solve of a small game without a depth limit."""

from typing import Any

import numpy as np
import pytest

from limpet.strategies.draw.depth_limited import DepthLimited, SolvedLeaves, WholeRounds, big_blind_first
from limpet.strategies.draw.hands import CanonicalDraws, all_hands, draw_chances, exponential_buckets
from limpet.strategies.draw.network import unit_ranges
from limpet.strategies.draw.network_learning import round_solve
from limpet.strategies.solvers import round_kernels
from limpet.strategies.solvers.round_solver import Ordered, RoundSolver
from limpet.strategies.solvers.round_tree import round_tree
from tests.oracles import tiny_draw
from tests.oracles.draw_values import TableDraws

RANKS = 6
FIRST = round_tree((0.5, 1.0), first=0, raises=2, shares=(1.0,))
SECOND = round_tree((1.0, 1.0), first=1, raises=2, shares=(1.0,))


def one_card_draw() -> TableDraws:
    """One card of six ranks; a player keeps it, or draws any other rank."""
    keep = np.eye(RANKS)
    drawn = (1 - keep) / (RANKS - 1)
    return TableDraws(np.full(RANKS, 1 / RANKS), np.array([0, 1]), np.stack([keep, drawn], axis=1))


def scaled(ranges: np.ndarray) -> np.ndarray:
    total = ranges.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(ranges, total, out=np.full_like(ranges, 1 / ranges.shape[-1]), where=total > 0))


def exact_leaves(iterations: int) -> Any:
    """The values of leaves whose second round is solved anew each time."""

    def judge(ranges: np.ndarray, pots: np.ndarray) -> np.ndarray:
        solver = RoundSolver(SECOND, Ordered(RANKS), scaled(ranges).transpose(1, 2, 0))
        solver.run(iterations)
        values = np.stack([solver.values(p) for p in (0, 1)]).transpose(2, 0, 1)
        return np.asarray(values * pots[:, None, None] / 2)

    return judge


class WholeGame(RoundSolver):
    """Second rounds that learn together with the first, an iteration at a time: the full game without a depth limit."""

    def __init__(self, leaves: int) -> None:
        super().__init__(SECOND, Ordered(RANKS), np.ones((2, RANKS, leaves)), alternating=False)
        self.measuring = False
        self.seen: list[np.ndarray] = []

    def _pass(self, *arguments: Any) -> Any:
        row = super()._pass(*arguments)
        if arguments[1] == round_kernels.LEARN:
            self.seen.append(self._shaped(row))
        return row

    def judge(self, ranges: np.ndarray, pots: np.ndarray) -> np.ndarray:
        self.ranges[:] = self._rows(ranges.transpose(1, 2, 0).astype(np.float32))
        if self.measuring:
            self.seen = [self.values(p) for p in (0, 1)]
        else:
            self.seen = []
            self._iterate((0, 1))
        values = np.stack(self.seen).transpose(2, 0, 1)
        mass = ranges[:, ::-1].sum(axis=-1, keepdims=True)
        unit = np.divide(values, mass, out=np.zeros_like(values), where=mass > 0)
        return np.asarray(unit * pots[:, None, None] / 2)


def test_depth_limited_with_exact_leaves_is_the_full_solve() -> None:
    whole = WholeGame(5 * 2 * 2)
    full = DepthLimited(FIRST, one_card_draw(), whole.judge)
    full.run(2000)
    whole.measuring = True
    value = full.game_value()
    limited = DepthLimited(FIRST, one_card_draw(), exact_leaves(60))
    limited.run(150)
    limited.leaves = exact_leaves(1000)
    assert limited.game_value() == pytest.approx(value, abs=1.5e-3)  # 0.1 % of the pot of 1.5 blinds
    assert limited.root_values.sum(axis=1) @ np.ones(2) == pytest.approx(0, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("iterations", "percent"), [(5, 1.1), (20, 0.9), (40, 0.8)])
def test_draw5_tiny_depth_limited_is_the_linear_program(iterations: int, percent: float) -> None:
    """All cards of draw5-tiny with their removal. A leaf's solve goes on from the iteration before, at the ranges of now.

    However exactly the leaves are solved, the value is within 1e-3 of the pot: no setting is chosen.
    """
    leaves = tiny_draw.MeasuredLeaves(iterations, memory=1000)
    limited = DepthLimited(tiny_draw.FIRST, tiny_draw.tiny_draws(), big_blind_first(leaves.values))
    limited.run(2000)
    assert np.mean(leaves.errors[-100:]) < percent  # of the pot
    limited.leaves = tiny_draw.exact_leaves(1000)
    assert limited.game_value() == pytest.approx(tiny_draw.VALUE, abs=1e-3 * tiny_draw.POT)


def test_the_worst_card_is_drawn_to_and_the_best_is_kept() -> None:
    solver = DepthLimited(FIRST, one_card_draw(), exact_leaves(50))
    solver.run(100)
    for player in (0, 1):
        kept, drawn = solver.draw_strategy(player, 0).T
        assert kept[-1] > 0.9
        assert drawn[0] > 0.9
    assert solver.strategy(0)[0, -1] < 0.01  # the best card never folds


def test_a_judge_that_counts_from_the_first_to_act_sees_the_big_blind_first() -> None:
    """The second round solved with its first player as player 0, as the pairs of value networks are."""
    solve = round_solve(round_tree(raises=2, shares=(1.0,)), Ordered(RANKS), 300)

    def judge(ranges: np.ndarray, pots: np.ndarray) -> np.ndarray:
        return np.asarray(solve(np.ascontiguousarray(ranges, np.float32))[0] * pots[:, None, None])

    ranges, pots = scaled(np.random.default_rng(7).random((6, 2, RANKS))), np.arange(1.0, 7.0)
    turned = big_blind_first(judge)(ranges, pots)
    np.testing.assert_allclose(turned, exact_leaves(600)(ranges, pots), atol=0.03)
    assert np.abs(judge(ranges, pots) - turned).max() > 0.1


def test_section_5_there_are_180_leaves() -> None:
    seen: list[tuple[int, ...]] = []

    def judge(ranges: np.ndarray, pots: np.ndarray) -> np.ndarray:
        seen.append(ranges.shape)
        assert sorted(set(pots.tolist())) == [2, 6, 18]
        total = ranges.sum(axis=(2,)).reshape(5, 6, 6, 2)
        np.testing.assert_allclose(total[:, :, 0, 1], total[:, :, 5, 1], rtol=1e-4)
        return np.zeros_like(ranges)

    table = np.random.default_rng(1).dirichlet(np.ones(20), size=(4, 32))
    discards = np.array([5 - mask.bit_count() for mask in range(32)])
    DepthLimited(FIRST, TableDraws(np.full(4, 0.25), discards, table), judge).run(2)
    assert seen == [(180, 2, 20)] * 2


def test_canonical_ranges_by_count_agree_with_those_by_mask() -> None:
    chances = draw_chances(exponential_buckets(30, snap=True))
    draws = CanonicalDraws(chances)
    rng = np.random.default_rng(1)
    play = rng.random((len(draws.weights), 32)).astype(np.float32)
    reach = all_hands().weights.astype(np.float32)
    ranges = draws.ranges(reach, play)
    for count in (0, 2, 4):
        only = reach[:, None] * play * (draws.discards == count)
        np.testing.assert_allclose(ranges[count], chances.reached(only), atol=1e-4)


def test_a_resumed_solve_is_the_solve_in_one_go() -> None:
    whole = DepthLimited(FIRST, one_card_draw(), exact_leaves(20))
    whole.run(3)
    saved = {name: array.copy() for name, array in whole.state_arrays().items()}
    whole.run(4)
    resumed = DepthLimited(FIRST, one_card_draw(), exact_leaves(20))
    resumed.restore(saved)
    resumed.run(4)
    for name, array in whole.state_arrays().items():
        np.testing.assert_array_equal(resumed.state_arrays()[name], array)
    with pytest.raises(ValueError, match="another game"):
        resumed.restore({"iteration": np.zeros(1)})


# --- Leaves that are solved in every iteration; that play to them comes to an equilibrium is shown at draw5-tiny


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


# --- Second rounds that learn along; that they come to an equilibrium is shown beside the best responses


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
