"""Gadgets: a slow twin of their regrets, and what they are for: no hand of the opponent gains over its alternative."""

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.resolving.gadgets import CfrDGadget, Combined, MaxmarginGadget, gadget_entry
from limpet.strategies.holdem.solutions.spot import load_spot
from limpet.strategies.solvers.vector.vector_solver import VectorSolver

SPOT = load_spot("r1")
LIVE = ~hand_space().blocked(SPOT.cards)


def test_following_is_learnt_by_regret_matching_plus() -> None:
    rng = np.random.default_rng(2)
    met = np.where(LIVE, rng.random(1326) + 0.5, 0.0)
    alternatives = rng.normal(size=1326)
    entry = CfrDGadget(alternatives, met)
    hand = int(np.flatnonzero(LIVE)[7])
    follow, terminate, share = 0.0, 0.0, 0.5
    for _ in range(20):
        values = rng.normal(size=1326).astype(np.float32)
        assert entry.weights()[hand] == pytest.approx(share)
        enter, leave = float(values[hand]), float(alternatives[hand] * met[hand])
        expected = share * enter + (1 - share) * leave
        follow, terminate = max(0.0, follow + enter - expected), max(0.0, terminate + leave - expected)
        share = follow / (follow + terminate) if follow + terminate > 0 else 0.5
        entry.learn(values)
    assert not entry.weights()[~LIVE].any()


def test_the_worst_hand_is_found() -> None:
    met = np.where(LIVE, 2.0, 0.0)
    entry = MaxmarginGadget(np.zeros(1326), met)
    gains = np.where(LIVE, np.linspace(-1, 1, 1326), 0)
    for _ in range(50):
        entry.learn((gains * met).astype(np.float32))
    weights = entry.weights()
    assert weights.max() == 1
    assert set(np.flatnonzero(weights)) <= set(np.flatnonzero(gains > 0))


def test_where_no_hand_gains_more_than_others_all_may_come() -> None:
    entry = MaxmarginGadget(np.zeros(1326), np.where(LIVE, 2.0, 0.0))
    for _ in range(3):
        entry.learn(np.zeros(1326, np.float32))
        np.testing.assert_array_equal(entry.weights(), LIVE)


def test_combined_adds_a_bounded_weight_to_the_range() -> None:
    rng = np.random.default_rng(3)
    reach = np.where(LIVE, rng.random(1326) ** 8, 0.0)
    reach /= reach.max()
    entry = Combined(np.full(1326, -5.0), np.where(LIVE, 1.0, 0.0), reach)
    for _ in range(5):
        entry.learn(np.full(1326, 3, np.float32))  # every hand gains and wants to enter
    weights = entry.weights()
    assert (weights >= reach - 1e-12).all() and (weights <= 1).all() and not weights[~LIVE].any()
    assert weights.sum() == pytest.approx(1.3 * reach.sum(), rel=0.02)


def excess(solver: VectorSolver, alternatives: NDArray[np.float32]) -> float:
    """Big blinds that the opponent's luckiest hand wins over its alternative with a best response."""
    best = solver.hand_values(1, best=True)
    return float((best - alternatives)[LIVE].max())


@pytest.mark.parametrize("gadget", ["resolve", "maxmargin"])
def test_no_hand_gains_where_the_range_assumed_is_wrong(gadget: str) -> None:
    """Alternatives are the values of an equilibrium, so a safe answer exists; the unsafe one is far from it."""
    rng = np.random.default_rng(0)
    ranges = np.where(LIVE, rng.random((2, 1326)) ** 2, 0)
    whole = VectorSolver(SPOT.tree, SPOT.cards, ranges)
    whole.run(400)
    alternatives = whole.hand_values(1)
    wrong = ranges.copy()
    wrong[1] *= rng.random(1326) ** 4
    unsafe = VectorSolver(SPOT.tree, SPOT.cards, wrong)
    unsafe.run(400)
    met = hand_space().compatible(ranges[0]) * LIVE
    entry = gadget_entry(gadget, alternatives.astype(np.float64), met, wrong[1])  # type: ignore[arg-type]
    assert entry is not None
    safe = VectorSolver(SPOT.tree, SPOT.cards, wrong)
    assert safe.run_against(1, entry, 400) == 400
    pot = 1.0  # r1's pot is one hundred chips of a big blind of one hundred
    assert excess(unsafe, alternatives) > 0.05 * pot
    assert excess(safe, alternatives) < 0.25 * excess(unsafe, alternatives)


def test_the_ranges_of_the_solver_are_as_they_were() -> None:
    ranges = np.tile(np.where(LIVE, 1.0, 0.0), (2, 1))
    solver = VectorSolver(SPOT.tree, SPOT.cards, ranges)
    entry = CfrDGadget(np.zeros(1326), hand_space().compatible(ranges[0]) * LIVE)
    solver.run_against(1, entry, 10)
    other = VectorSolver(SPOT.tree, SPOT.cards, ranges)
    other.restore(solver.state_arrays())
    assert solver.exploitability() == other.exploitability()
    assert solver.iteration == 10


def test_entering_with_everything_is_a_plain_solve() -> None:
    """Bit for bit, but for the order of the two passes of an iteration."""

    class Everything:
        def weights(self) -> NDArray[np.float64]:
            return np.where(LIVE, 1.0, 0.0)

        def learn(self, values: NDArray[np.float32]) -> None:
            assert values.shape == (1326,)

    ranges = np.tile(np.where(LIVE, 1.0, 0.0), (2, 1))
    solver, plain = VectorSolver(SPOT.tree, SPOT.cards, ranges), VectorSolver(SPOT.tree, SPOT.cards, ranges)
    solver.run_against(1, Everything(), 50)
    plain.run(50)
    np.testing.assert_array_equal(solver.state_arrays()["regret"], plain.state_arrays()["regret"])


def test_values_of_hands_add_up_to_those_of_ranges() -> None:
    rng = np.random.default_rng(5)
    ranges = np.where(LIVE, rng.random((2, 1326)), 0)
    solver = VectorSolver(SPOT.tree, SPOT.cards, ranges)
    solver.run(60)
    for position in (0, 1):
        met = hand_space().compatible(solver.ranges[1 - position])
        for best, whole in ((False, solver.values()), (True, solver.best_responses())):
            summed = float((solver.ranges[position] * met) @ solver.hand_values(position, best)) / solver.mass
            assert summed == pytest.approx(whole[position], abs=1e-4)


def test_unsafe_is_no_gadget() -> None:
    assert gadget_entry("unsafe", np.zeros(1326), np.ones(1326), np.ones(1326)) is None
