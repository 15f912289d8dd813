"""The linear program against known values, exact best responses, and the full-width solver."""

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.configs.loading import load_game
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.abstraction.cards import LosslessBuckets
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.solvers import tabular as tabular_values
from limpet.strategies.solvers.deals import enumerate_deals
from limpet.strategies.solvers.linear_program import LinearProgram, solve_deals
from limpet.strategies.solvers.tabular import TabularSolver
from tests.oracles.river_game import random_river_spot
from tests.oracles.type_game import Decision, Fold, Showdown, TypeGame, nash_conv, value
from tests.oracles.type_game_program import solve_type_game
from tests.strategies.base.small_games import POT_AND_ALL_IN, no_limit


@pytest.mark.parametrize(("name", "expected"), [("kuhn.limit.2p", -1 / 18), ("leduc.limit.2p", -0.0856064241)])
def test_game_values(name: str, expected: float) -> None:
    game = load_game(name)
    tree, deals = build_tree(game), enumerate_deals(game)
    result, table = solve_deals(tree, deals)
    assert result == pytest.approx(expected, abs=1e-10)
    assert tabular_values.values(tree, deals, table) == pytest.approx([expected, -expected], abs=1e-9)
    assert abs(tabular_values.nash_conv(tree, deals, table)) < 1e-9


def test_tarasiewicz_3_3_the_toy_game_wins_the_small_blind_0_0243_big_blinds() -> None:
    game = load_game("toy-one-card")
    tree = build_tree(game, BetMenu(sizes=(((0.5, 1.0),),), all_in_spr="never"))
    assert len(tree.decisions) == 14
    result, _ = solve_deals(tree, enumerate_deals(game))
    assert -result / game.big_blind == pytest.approx(0.0242632556, abs=1e-10)


def test_no_limit_with_unequal_stacks() -> None:
    game = no_limit("5 9", "1 2", 2, 2, 1, "0 1")
    tree, deals = build_tree(game, POT_AND_ALL_IN), enumerate_deals(game)
    result, table = solve_deals(tree, deals)
    assert abs(tabular_values.nash_conv(tree, deals, table)) < 1e-9
    run = TabularSolver(tree, deals, "dcfr")
    run.run(3000)
    assert tabular_values.values(tree, deals, run.average())[0] == pytest.approx(result, abs=1e-4)


def test_nothing_hidden_is_backward_induction() -> None:
    """One type each: the second player answers every choice best, and the first takes the least bad."""
    choices = {"x": (2.0, -1.0), "y": (0.5, 1.0), "z": (3.0, -2.0)}
    below = {
        name: Decision(1, {"a": Fold(1, first), "b": Fold(1, second)}) for name, (first, second) in choices.items()
    }
    game = TypeGame(Decision(0, below), np.ones((1, 1)), np.zeros((1, 1)))
    result, strategy = solve_type_game(game)
    assert result == pytest.approx(0.5)
    assert strategy[0][:, 0] == pytest.approx([0.0, 1.0, 0.0])
    assert strategy[game.node("y")][:, 0] == pytest.approx([1.0, 0.0])
    assert nash_conv(game, strategy) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_random_river_spots(seed: int) -> None:
    """Nobody can win anything from what it finds, so that its value is the game's."""
    spot = random_river_spot(seed)
    game, pot = spot.type_game(), float(spot.tree.root.pot)
    result, strategy = solve_type_game(game)
    assert value(game, strategy) == pytest.approx(result, abs=1e-9 * pot)
    assert nash_conv(game, strategy) == pytest.approx(0.0, abs=1e-9 * pot)


def test_types_that_never_meet_an_opponent() -> None:
    """A type without weight has no say, and plays uniformly."""
    root = Decision(0, {"fold": Fold(0, 1.0), "play": Decision(1, {"fold": Fold(1, 1.0), "call": Showdown(2.0)})})
    weights = np.array([[1.0, 0.0], [0.0, 0.0], [2.0, 0.0]])
    game = TypeGame(root, weights, np.array([[1.0, 1.0], [1.0, 1.0], [-1.0, -1.0]]))
    result, strategy = solve_type_game(game)
    assert nash_conv(game, strategy) == pytest.approx(0.0, abs=1e-12)
    # The winner always plays, the loser bluffs until a call breaks even: 1 win pays for 1/3 of a bluff.
    assert result == pytest.approx(value(game, strategy))
    assert strategy[0][:, 1] == pytest.approx([0.5, 0.5])
    assert strategy[2][:, 1] == pytest.approx([0.5, 0.5])
    assert strategy[0][1] == pytest.approx([1.0, 0.5, 1 / 6], abs=1e-9)


def test_what_it_cannot_solve_is_refused() -> None:
    game = load_game("kuhn.limit.3p")
    with pytest.raises(ValueError, match="2 players, not 3; use regrets"):
        solve_deals(build_tree(game), enumerate_deals(game))


def test_a_game_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limpet.strategies.solvers.linear_program.MOST_PAYOFFS", 5000)
    game = load_game("leduc.limit.2p")
    with pytest.raises(ValueError, match="49 terminals times 120 deals are too large .*use cfr"):
        LinearProgram(build_tree(game), enumerate_deals(game))


def test_buckets_that_forget_are_refused() -> None:
    """Bucketing by the board card alone forgets the hand."""

    class Forgetful(LosslessBuckets):
        def hash(self) -> str:
            return "forgetful"

        def bucket_vector(self, round_: int, board: tuple[int, ...]) -> NDArray[np.int32]:  # type: ignore[override]
            vector = super().bucket_vector(round_, board)
            return vector if round_ == 0 else np.where(vector < 0, -1, 0).astype(np.int32)

    game = load_game("leduc.limit.2p")
    with pytest.raises(ValueError, match="perfect recall"):
        solve_deals(build_tree(game), enumerate_deals(game, Forgetful(game)))
