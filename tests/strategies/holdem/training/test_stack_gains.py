"""What flops of other stacks gain: a planted gain, play that gains nothing, and runs that were stopped."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.common.folders import find_strategy
from limpet.protocol.cards import parse_cards
from limpet.protocol.state import CALL, State, raise_to
from limpet.strategies.cards.isomorphism import NUM_CLASSES, preflop_classes
from limpet.strategies.holdem.blueprint.flop_values import FlopLine, FlopValues, gain_terms
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.training import stack_gains as module
from limpet.strategies.holdem.training.solve_flop_values import Arrival
from limpet.strategies.holdem.training.stack_gains import SolvedFlops, fitted, gain_features, nearer, solve_stack_gains
from tests.strategies.holdem.resolving.test_before_flop import compatible

FILE = StrategyFile.open(find_strategy("hunl-200bb", Path(".")))
VALUES = FlopValues.open(FILE.folder, FILE.tree)
RANDOM = np.random.default_rng(5)
RANGES = np.maximum(RANDOM.random((2, NUM_CLASSES)) ** 4, 3e-4)


def test_features_are_means_over_all_pairs_of_hands_that_share_no_card() -> None:
    features, classes = gain_features(RANGES), preflop_classes()
    for term, pairs in enumerate(gain_terms()):
        by_hand = pairs[classes[:, None], classes].astype(np.float64)
        for position, own in enumerate((by_hand, -by_hand.T)):
            weights = compatible() * RANGES[1 - position, classes]
            found = (own * weights).sum(axis=1) / weights.sum(axis=1)
            by_class = np.bincount(classes, found) / np.bincount(classes)
            np.testing.assert_allclose(features[term, position], by_class, atol=2e-3)


def planted(gains: list[tuple[float, ...]], each: int, noise: float) -> SolvedFlops:
    """Solves of lines that gain what is said."""
    lines, squares, products = [], [], []
    for number, gain in enumerate(gains):
        for _ in range(each):
            known = RANDOM.normal(0, 0.1, (4, 50))
            known -= known.mean(axis=1, keepdims=True)
            known[0] = 1
            gained = gain @ known + noise * RANDOM.normal(size=50)
            lines.append([1.0, number, 2.0])
            squares.append(known @ known.T / 50)
            products.append(known @ gained / 50)
    return SolvedFlops(np.array(lines), np.array(squares), np.array(products))


def test_many_solves_find_a_lines_own_gain() -> None:
    gains: list[tuple[float, ...]] = [(0.02, 0.6, 0.3, 0.1), (-0.03, 0.2, 0.3, 0.4)]
    lines, found = fitted(planted(gains, 400, 0.01))
    assert lines.tolist() == [[1.0, 0.0, 2.0], [1.0, 1.0, 2.0]]
    np.testing.assert_allclose(found, gains, atol=0.01)


def test_a_line_with_one_solve_gains_about_the_slopes_of_all() -> None:
    slopes = 0.6, 0.3, 0.1
    many, one = planted([(0.0, *slopes)], 200, 0.01), planted([(0.3, *slopes)], 1, 0.01)
    one = one._replace(lines=one.lines + [[0.0, 5.0, 0.0]])
    _, found = fitted(SolvedFlops(*map(np.concatenate, zip(many, one, strict=True))))
    assert found[1] == pytest.approx((0.3 / (1 + module.PRIOR), *slopes), abs=0.03)


def test_errors_fall_by_what_the_gains_explain() -> None:
    solves = planted([(0.02, 0.6, 0.3, 0.1)], 30, 0.0)
    explained = 1e4 / 2 * (0.02**2 + (0.6**2 + 0.3**2 + 0.1**2) * 0.1**2)
    assert nearer(solves).mean == pytest.approx(explained, rel=0.15)
    assert nearer(SolvedFlops(*(column[:1] for column in solves))).mean == 0


def test_the_blueprint_gains_nothing_from_its_own_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before its first iteration a solve with the blueprint's bets and stack is the blueprint."""
    menu = FILE.manifest.menu
    assert menu is not None
    for name, value in (("RUNOUTS", 1), ("ITERATIONS", 0), ("MENU", menu)):
        monkeypatch.setattr(module, name, value)
    flops = module._OneStack(FILE, VALUES, menu, 200)
    state = State.start(FILE.game)
    for action in (raise_to(300), raise_to(500), raise_to(1500), CALL):
        state = state.apply(action)
    state = state.with_board(parse_cards("Ks7h2d"))
    solved = flops.solved(state, RANGES)
    line = FlopLine.of(state)
    assert solved.lines.tolist() == [[line.raiser, line.raises, line.depth]]
    assert abs(solved.products).max() < 1e-7 and solved.squares[0, 0, 0] == pytest.approx(2)
    monkeypatch.setattr(module, "ITERATIONS", 1)
    assert abs(flops.solved(state, RANGES).products).max() > 1e-5


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """The boards that were solved; solves and the betting before the flop are made up."""
    boards: list[tuple[int, ...]] = []

    def solve(flops: object, state: State, ranges: NDArray[np.float64]) -> SolvedFlops:
        boards.append(state.board)
        return SolvedFlops(np.array([[1.0, 1.0, 2.0]]), np.eye(4)[None], ranges[:, :2].reshape(1, 4) / 100)

    def arrive(root: State, _menu: object, values: FlopValues, _least: float) -> Arrival:
        limped = root.apply(CALL).apply(CALL)
        held = np.clip(RANGES + values.share(limped)[:2] / 10, 3e-4, 1)[None]
        return Arrival((limped,), held, np.ones(1), 1.0, float(held.mean()))

    monkeypatch.setattr(module._OneStack, "solved", solve)
    monkeypatch.setattr(module._OneStack, "wins", lambda flops, done: 0.0)
    monkeypatch.setattr(module, "arrival", arrive)
    monkeypatch.setattr(module, "FIRST", 2)
    monkeypatch.setattr("limpet.strategies.holdem.training.solve_flop_values.BEFORE", 100)
    return boards


def test_a_run_that_was_stopped_goes_on(solved: list[tuple[int, ...]], tmp_path: Path) -> None:
    told = list[tuple[int, int]]()
    whole, rounds = solve_stack_gains(FILE, VALUES, (20, 10), 5, 1, tmp_path / "whole", lambda *done: told.append(done))
    assert [(made.stack, made.solves) for made in rounds] == [(s, n) for s in (10, 20) for n in (0, 2, 4, 5)]
    assert told == [(done, 10) for done in range(1, 11)] and len(solved) == 10
    assert whole.stacks.tolist() == [10, 20] and len({made.button for made in rounds}) > 4
    solve_stack_gains(FILE, VALUES, (20, 10), 3, 1, tmp_path / "stopped")
    again, later = solve_stack_gains(FILE, VALUES, (20, 10), 5, 1, tmp_path / "stopped")
    assert len(solved) == 20 and later == rounds
    for one, other in zip(again, whole, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_strategys_own_stack_and_games_with_a_limit_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="200 big blinds are the strategy's own stack"):
        solve_stack_gains(FILE, VALUES, (20, 200), 1, 1, tmp_path)
    limit = StrategyFile.open(find_strategy("hulh", Path(".")))
    with pytest.raises(ValueError, match="no-limit hold'em"):
        solve_stack_gains(limit, VALUES, (20,), 1, 1, tmp_path)


def test_play_that_knows_what_flops_gain_wins_from_play_that_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where both halves of the solves say the same, nothing wins more than what they both lead to."""
    menu = FILE.manifest.menu
    assert menu is not None
    monkeypatch.setattr("limpet.strategies.holdem.training.solve_flop_values.BEFORE", 200)
    flops = module._OneStack(FILE, VALUES, menu, 20)
    lines = np.array([[1.0, 1.0, 1.5], [-1.0, 0.0, 2.0], [0.0, 1.0, 1.0]])
    slope = SolvedFlops(
        np.repeat(lines, 2, axis=0), np.tile(np.eye(4), (6, 1, 1)), np.tile([0.0, 0.8, 0.0, 0.0], (6, 1))
    )
    assert 0.002 < flops.wins(slope) < 0.1
    assert abs(flops.wins(slope._replace(products=slope.products * 0))) < 1e-5
