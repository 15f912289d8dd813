"""Every config that ships can be used as it stands, and `limpet check` says what it comes to."""

import json
from pathlib import Path

import msgspec
import pytest
import yaml
from click.testing import CliRunner

from limpet.bot.cli import main
from limpet.configs.loading import ConfigError, find_config, load_game, shipped_names
from limpet.dealer.matches.matchconfig import load_match
from limpet.strategies.blueprint.strategy_file import TENSORS, StrategyFile
from limpet.strategies.botconfig import load_bot
from limpet.strategies.folders import shipped_strategies
from limpet.strategies.solutions.solution_file import TENSORS as SOLUTION
from limpet.strategies.solutions.solution_file import SolutionFile
from limpet.strategies.training.training import Training
from limpet.strategies.trees.spot import load_spot


@pytest.mark.parametrize("name", shipped_names("bots"))
def test_bots_build(name: str) -> None:
    bot = load_bot(name)
    assert bot.name == name
    assert bot.build().game == bot.game


@pytest.mark.parametrize("name", shipped_names("matches"))
def test_matches_resolve(name: str) -> None:
    match = load_match(find_config("matches", name))
    assert match.name == name and len(match.players) == match.game.num_players
    assert match.resolved()["hands"] == match.hands


@pytest.mark.parametrize("name", sorted(path.parent.name for path in shipped_strategies().glob(f"*/{TENSORS}")))
def test_one_command_remakes_each_strategy_that_ships(name: str) -> None:
    """`limpet train NAME` is what the manifest says of game, cards, bets, algorithm, iterations and seed."""
    run = Training.load(name, shipped_strategies() / name)
    assert run.is_done()
    assert StrategyFile.open(run.output).manifest.iterations == run.config.iterations


@pytest.mark.parametrize("path", sorted(shipped_strategies().glob(f"*/{SOLUTION}")))
def test_one_command_remakes_each_solution_that_ships(path: Path) -> None:
    """`limpet solve NAME --export` solves the spot of the manifest."""
    solved = SolutionFile.open(path.parent).manifest.spot
    assert msgspec.structs.replace(load_spot(path.parent.name), note=solved.note) == solved


@pytest.mark.parametrize("kind", ["bots", "matches", "training"])
def test_check_prints_each(kind: str) -> None:
    for name in shipped_names(kind):
        path = str(find_config(kind, name))
        plain, as_json = CliRunner().invoke(main, ["check", path]), CliRunner().invoke(main, ["check", path, "--json"])
        assert plain.exit_code == 0, plain.output
        resolved = json.loads(as_json.stdout)
        assert yaml.safe_load(plain.stdout) == resolved
        assert resolved["kind"] == {"bots": "bot", "matches": "match", "training": "training"}[kind]
        assert resolved["game"].startswith("GAMEDEF\n")


def test_check_fills_in_defaults() -> None:
    resolved = json.loads(CliRunner().invoke(main, ["check", "chart", "--json"]).stdout)
    assert resolved["options"]["formula"]["bet"] == 0.65


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "name: a\nplayer: calls\ngame: kuhn.limit.2p\n",
            ":2: player: player 'calls' is not registered; known players: ",
        ),
        ("name: a\nplayer: raise\ngame: kuhn.limit.2p\noptions:\n  size: 0\n", ":5: options.size: 0 does not fit; "),
        ("name: a\nplayer: chart\ngame: kuhn.limit.2p\n", ":2: player: chart: the chart holds hold'em starting hands"),
        ("name: a\nplayer: call\ngame: nim\n", ":3: game: nim: none of the games that ship has this name"),
        ("name: a b\nplayer: call\ngame: kuhn.limit.2p\n", ":1: name: 'a b' does not fit"),
        ("name: a\nplayers: [call]\n", ":2: players: "),
        ("name: a\nplayers: [call, call, call]\ngame: kuhn.limit.2p\n", ":2: players: 3 players, but the game seats 2"),
        ("name: a\nplayers:\n- call\n- cal\n", ":4: players.1: cal: none of the bots that ship has this name; did you"),
        ("name: a\nplayers: [kuhn, blueprint]\n", ": player: blueprint: "),
    ],
)
def test_mistakes_exit_with_2_and_one_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    result = CliRunner().invoke(main, ["check", str(path)])
    assert result.exit_code == 2
    assert message in result.stderr and len(result.stderr.splitlines()) == 1


def test_a_strategy_for_another_game_is_one_clear_error() -> None:
    with pytest.raises(ConfigError, match=r"kuhn\.yaml:\d+: player: blueprint: .*kuhn.*"):
        load_bot("kuhn", load_game("leduc.limit.2p")).build()
