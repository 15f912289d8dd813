"""Strategies there and back: OpenSpiel measures the same numbers of exported ones, and keeps its own when imported."""

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.holdem.blueprint.named import open_named
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile, verify_strategy
from limpet.strategies.players.openspiel import every_raise, exported, write_imported
from limpet.strategies.solvers.deals import enumerate_deals
from limpet.strategies.solvers.tabular import nash_conv
from tests.strategies.base.strategy_files import random_strategy
from tests.strategies.players.openspiel_games import LEDUC_3P, SMALL, written

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra openspiel")


def ours(file: StrategyFile) -> float:
    return nash_conv(file.tree, enumerate_deals(file.game), file.probabilities())


def theirs(file: StrategyFile) -> float:
    """What OpenSpiel says of the exported file, read as users read it."""
    data = json.loads(msgspec.json.encode(exported(file)))
    return float(pyspiel.nash_conv(pyspiel.load_game(data["game"]), pyspiel.TabularPolicy(data["policy"])))


@pytest.mark.parametrize("name", ["kuhn", "kuhn3p", "leduc"])
def test_openspiel_measures_the_same_of_strategies_that_ship(name: str) -> None:
    file = open_named(name)
    assert theirs(file) == pytest.approx(ours(file), abs=1e-8)
    assert theirs(file) == pytest.approx(file.manifest.quality["nash_conv_chips"], abs=1e-8)


@pytest.mark.parametrize("game", ["kuhn.limit.3p", "leduc.limit.2p", SMALL])
def test_openspiel_measures_the_same_of_random_strategies(game: str, tmp_path: Path) -> None:
    name = written(tmp_path, game)
    rules = load_game(name)
    file = random_strategy(tmp_path / "random", name, 1, every_raise(rules) if rules.no_limit else None)
    assert theirs(file) == pytest.approx(ours(file), abs=1e-6)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_openspiel_measures_the_same_of_three_player_leduc(tmp_path: Path) -> None:
    file = random_strategy(tmp_path / "random", written(tmp_path, LEDUC_3P), 1)
    assert exported(file).game == "leduc_poker(players=3)"
    assert theirs(file) == pytest.approx(ours(file), abs=1e-6)


@pytest.mark.slow
def test_every_information_state_of_three_player_leduc_has_a_row(tmp_path: Path) -> None:
    file = random_strategy(tmp_path / "random", written(tmp_path, LEDUC_3P), 1)
    policy = pyspiel.TabularPolicy(exported(file).policy)
    rng, game = np.random.default_rng(1), pyspiel.load_game("leduc_poker(players=3)")
    for _ in range(200):
        state = game.new_initial_state()
        while not state.is_terminal():
            if not state.is_chance_node():
                chances = policy.action_probabilities(state)
                assert sum(chances.values()) == pytest.approx(1)
                assert sorted(chances) == state.legal_actions()
            state.apply_action(int(rng.choice(state.legal_actions())))


@pytest.mark.parametrize("game", ["kuhn.limit.2p", "leduc.limit.2p", pytest.param(SMALL, marks=pytest.mark.slow)])
def test_their_own_policies_keep_their_exploitability(game: str, tmp_path: Path) -> None:
    (tmp_path / "their_solver.py").write_text(
        "from open_spiel.python.algorithms.cfr import CFRSolver\n"
        "def average(game):\n"
        "    solver = CFRSolver(game)\n"
        "    for _ in range(2):\n"
        "        solver.evaluate_and_update_policy()\n"
        "    average.policy = solver.average_policy()\n"
        "    return average.policy\n"
    )
    rules = load_game(written(tmp_path, game))
    write_imported("their_solver:average", rules, tmp_path, tmp_path / "made")
    file = verify_strategy(tmp_path / "made")
    import their_solver  # type: ignore[import-not-found]
    from open_spiel.python.algorithms.exploitability import nash_conv as of_python

    policy = their_solver.average.policy
    assert ours(file) == pytest.approx(of_python(policy.game, policy), abs=1e-3)
    assert file.manifest.untrained_rows == 0
    assert "imported from OpenSpiel" in (tmp_path / "made" / "README.md").read_text()


def test_an_exported_file_is_imported_as_the_same_strategy(tmp_path: Path) -> None:
    file = open_named("leduc")
    (tmp_path / "leduc.json").write_bytes(msgspec.json.encode(exported(file)))
    write_imported("leduc.json", file.game, tmp_path, tmp_path / "made")
    assert ours(StrategyFile.open(tmp_path / "made")) == pytest.approx(ours(file), abs=1e-4)


def test_a_menu_of_every_raise_keeps_every_raise() -> None:
    game = GameDef.parse(SMALL)
    tree = build_tree(game, every_raise(game))
    assert all(tree.actions(node) == state.legal_actions() for node, state in tree.states().items())


def test_strategies_without_all_bets_are_refused() -> None:
    with pytest.raises(ValueError, match="after '' its tree has the actions c, r200, .* the game allows 1,002"):
        exported(open_named("leduc-nolimit"))


def test_large_games_are_refused() -> None:
    with pytest.raises(ValueError, match="too many for a table"):
        exported(open_named("hulh"))
    with pytest.raises(ValueError, match="make the stacks smaller"):
        every_raise(load_game("leduc.nolimit.2p"))
