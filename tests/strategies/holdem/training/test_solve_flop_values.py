"""Flop values from solved flops: sums over pairs of hands, a gain that is known, and runs that were stopped."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.common.folders import find_strategy
from limpet.protocol.cards import parse_cards
from limpet.protocol.state import CALL, State, raise_to
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.cards.isomorphism import NUM_CLASSES, preflop_classes
from limpet.strategies.holdem.blueprint.flop_values import UNITS, FlopValues
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.resolving.before_flop import BeforeFlop
from limpet.strategies.holdem.resolving.beliefs import starting_ranges
from limpet.strategies.holdem.training import solve_flop_values as module
from limpet.strategies.holdem.training.solve_flop_values import (
    Arrival,
    Solves,
    arrival,
    blended,
    features,
    fitted,
    nearer,
    pair_gains,
    pairwise,
    solve_flop,
    solve_flop_values,
)
from limpet.strategies.players.blueprint import Blueprint
from tests.strategies.holdem.resolving.test_before_flop import SMALL, checked_down, compatible

FILE = StrategyFile.open(find_strategy("hunl-200bb", Path(".")))
RANDOM = np.random.default_rng(3)
RANGES = np.maximum(RANDOM.random((2, NUM_CLASSES)) ** 4, 3e-4)
COUNTED = checked_down(SMALL)
PLANTED = 0.02, -0.01, 0.04, 0.03


def test_pairs_of_classes_gain_what_each_class_gains_from_the_range_it_meets() -> None:
    """Against sums over all pairs of hands. Both positions cannot gain together: what they seem to is shared out."""
    gained = RANDOM.normal(size=(2, NUM_CLASSES))
    classes, pairs = preflop_classes(), pairwise(RANGES, gained)
    by_hand = pairs[classes[:, None], classes] * compatible()
    weights = RANGES[:, classes]
    errors = []
    for position, won in enumerate((by_hand, -by_hand.T)):
        found = won @ weights[1 - position] / (compatible() @ weights[1 - position])
        errors.append(gained[position, classes] - found)
        assert np.ptp(errors[-1]) < 1e-9
    assert errors[0].mean() == pytest.approx(errors[1].mean())


def planted(count: int, noise: float) -> Solves:
    """Solves of ranges and stakes of their own, whose gain is `PLANTED` times the features."""
    ranges = np.maximum(RANDOM.random((count, 2, NUM_CLASSES)) ** 4, 3e-4).astype(np.float32)
    stakes = (RANDOM.random(count) ** 6).astype(np.float32)
    gains = features(ranges, stakes) @ PLANTED + noise * RANDOM.normal(size=ranges.shape)
    weights = RANDOM.random(ranges.shape).astype(np.float32)
    return Solves(np.arange(count, dtype=np.int32), gains.astype(np.float32), weights, ranges, stakes)


def test_a_planted_gain_is_found_and_what_it_would_be_without_a_solve() -> None:
    solves = planted(9, 0.003)
    factors, without = fitted(solves)
    assert factors == pytest.approx(PLANTED, abs=3e-3)
    one_less = Solves._make(np.delete(column, 4, axis=0) for column in solves)
    np.testing.assert_allclose(without[4], fitted(one_less)[0], rtol=1e-6)
    fall = np.average(solves.gains**2, weights=solves.weights) - 0.003**2
    assert nearer(solves, without).mean == pytest.approx(1e4 * fall, rel=0.05)


def test_hands_come_to_flops_as_the_solution_says_and_to_every_flop_in_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BEFORE", 20)
    monkeypatch.setattr(module, "HASTE", 1.0)
    assert arrival(COUNTED.tree.root, SMALL, COUNTED).ranges.min(axis=2).max() > module.FLOOR
    monkeypatch.setattr(module, "SLIP", 1e-12)
    came = arrival(COUNTED.tree.root, SMALL, COUNTED)
    assert came.ranges.min(axis=2).max() == module.FLOOR
    solved = BeforeFlop(COUNTED.tree.root, SMALL, starting_ranges(), COUNTED)
    solved.solve(20)
    for line, node in enumerate(COUNTED.nodes.tolist()):
        expected = np.ones((2, NUM_CLASSES))
        for state in COUNTED.tree.states()[node].path():
            if state.parent is not None and state.action is not None:
                rows = solved.rows(state.parent)
                expected[state.parent.actor] *= rows.probabilities[rows.actions.index(state.action)]
        likeliest = expected.max(axis=1, keepdims=True)
        if likeliest.min() > 1e-3:
            np.testing.assert_allclose(came.ranges[line], np.maximum(expected / likeliest, module.FLOOR), rtol=1e-4)


def test_a_flop_that_is_not_solved_gains_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before its first iteration a solve with the blueprint's bets is the blueprint."""
    menu = FILE.manifest.menu
    assert menu is not None
    root = State.start(FILE.game)
    for action in (raise_to(300), raise_to(900), raise_to(2700), CALL):
        root = root.apply(action)
    monkeypatch.setattr(module, "RUNOUTS", 1)
    monkeypatch.setattr(module, "ITERATIONS", 0)
    monkeypatch.setattr(module, "MENU", menu)
    player = Blueprint(FILE.game, Blueprint.Options(strategy=str(FILE.folder)), FILE.folder)
    state, hand = root.with_board(parse_cards("Ks7h2d")), player.start_hand(HandKey(0, 0, 0))
    gains, weights = solve_flop(state, RANGES, hand, menu)
    assert not gains.any() and (weights > 0).all()
    monkeypatch.setattr(module, "ITERATIONS", 1)
    gains, _ = solve_flop(state, RANGES, hand, menu)
    assert gains.any()


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """The boards that were solved; solves and the betting before the flop are made up."""
    boards: list[tuple[int, ...]] = []

    def solve(state: State, ranges: NDArray[np.float64], *_: object) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        boards.append(state.board)
        return np.full((2, NUM_CLASSES), sum(state.board) / 1000, np.float32), np.ones((2, NUM_CLASSES), np.float32)

    def arrive(_: object, __: object, values: FlopValues) -> Arrival:
        held = RANGES + values.shares[:, :2].astype(np.float64) / 1e6
        flops = tuple(values.tree.state(node) for node in values.nodes.tolist())
        return Arrival(flops, np.clip(held, 3e-4, 1), np.ones(len(values.nodes)), 1.0, float(values.shares.mean()))

    monkeypatch.setattr(module, "solve_flop", solve)
    monkeypatch.setattr(module, "arrival", arrive)
    monkeypatch.setattr(module, "FIRST", 2)
    monkeypatch.setattr(module, "STEPS", 3)
    return boards


def test_a_run_that_was_stopped_goes_on(solved: list[tuple[int, ...]], tmp_path: Path) -> None:
    counted = FlopValues.open(FILE.folder, FILE.tree)
    whole, rounds = solve_flop_values(FILE, counted, 5, 1, tmp_path / "whole")
    assert [made.solves for made in rounds] == [0, 2, 4, 5, 5, 5] and len(set(solved)) == 5
    assert whole.solves == 5 and (whole.shares != counted.shares).any()
    solve_flop_values(FILE, counted, 3, 1, tmp_path / "stopped")
    again, later = solve_flop_values(FILE, counted, 5, 1, tmp_path / "stopped")
    assert len(solved) == 10 and solved[:5] == solved[5:]
    assert later == rounds
    np.testing.assert_array_equal(again.shares, whole.shares)


def test_blended_values_are_kept_with_their_solves(tmp_path: Path) -> None:
    ranges = np.repeat(RANGES[None], len(COUNTED.nodes), axis=0)
    stakes = np.linspace(0.1, 1, len(COUNTED.nodes))
    made = blended(COUNTED, pair_gains(Arrival((), ranges, stakes, 1.0, 0.0), np.array(PLANTED)), 7)
    made.save(tmp_path)
    assert FlopValues.open(tmp_path, COUNTED.tree).solves == 7
    added = (made.shares - COUNTED.shares.astype(np.float64)) / UNITS
    gained = features(RANGES, stakes[1]) @ PLANTED
    np.testing.assert_allclose(added[1], pairwise(RANGES, gained), atol=0.6 / UNITS)
