"""Every config that ships can be used as it stands, and `limpet check` says what it comes to."""

from pathlib import Path

import msgspec
import pytest
import yaml

from limpet.common.folders import shipped_strategies
from limpet.configs.loading import ConfigError, find_config, load_game, shipped_folder, shipped_names
from limpet.dealer.matches.matchconfig import load_match
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.draw.draw_file import DrawStrategyFile
from limpet.strategies.draw.training import DrawTraining
from limpet.strategies.holdem.blueprint.strategy_file import TENSORS, StrategyFile
from limpet.strategies.holdem.solutions.solution_file import TENSORS as SOLUTION
from limpet.strategies.holdem.solutions.solution_file import SolutionFile
from limpet.strategies.holdem.solutions.spot import load_spot
from limpet.strategies.subjects import load_run
from tests import commands
from tests.commands import json_of, printed, refused


@pytest.mark.parametrize("name", shipped_names("bots"))
def test_bots_build(name: str) -> None:
    bot = load_bot(name)
    assert bot.name == name
    assert bot.build().game == bot.game


@pytest.mark.parametrize("name", shipped_names("matches"))
def test_matches_resolve(name: str) -> None:
    match = load_match(find_config("matches", name))
    assert match.config.name == name and len(match.players) == match.game.num_players
    assert match.resolved()["hands"] == match.config.hands


@pytest.mark.parametrize("name", sorted(path.parent.name for path in shipped_strategies().glob(f"*/{TENSORS}")))
def test_one_command_remakes_each_strategy_that_ships(name: str) -> None:
    """`limpet train NAME` is what the manifest says of game, cards, bets, algorithm, iterations and seed."""
    run = load_run(name, shipped_strategies() / name)
    assert run.is_done()
    kind = DrawStrategyFile if isinstance(run, DrawTraining) else StrategyFile
    assert kind.open(run.output).manifest.iterations == run.config.iterations


@pytest.mark.parametrize("path", sorted(shipped_strategies().glob(f"*/{SOLUTION}")))
def test_one_command_remakes_each_solution_that_ships(path: Path) -> None:
    """`limpet solve NAME --export` solves the spot of the manifest."""
    solved = SolutionFile.open(path.parent).manifest.spot
    assert msgspec.structs.replace(load_spot(path.parent.name), note=solved.note) == solved


def test_list_names_all_that_ships_with_a_sentence() -> None:
    """A listed name is one that commands take, and its path is there. Games are the reference's text, without comments."""
    listed = json_of("list")
    assert {kind: [row["name"] for row in rows] for kind, rows in listed.items() if kind != "strategies"} == {
        kind: shipped_names(kind) for kind in listed if kind != "strategies"
    }
    assert {"hunl-200bb", "leduc"} <= {row["name"] for row in listed["strategies"]}
    for kind, rows in listed.items():
        for row in rows:
            assert Path(row["path"]).exists() and Path(row["path"]).is_dir() == (kind == "strategies")
            assert row["about"].endswith((".", "?")) or kind == "games", row
    spots = printed("list", "spots")
    assert "river-bluffcatch" in spots and "leduc" not in spots


@pytest.mark.parametrize("kind", ["bots", "matches", "training"])
def test_check_prints_each(kind: str) -> None:
    for name in shipped_names(kind):
        path = find_config(kind, name)
        resolved = json_of("check", path)
        assert yaml.safe_load(printed("check", path)) == resolved
        assert resolved["kind"] == {"bots": "bot", "matches": "match", "training": "training"}[kind]
        assert resolved["game"].startswith("GAMEDEF\n")


def test_check_takes_a_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (shipped_folder("games") / "kuhn.limit.3p.game").read_text()
    (tmp_path / "mine.game").write_text(text)
    for named in ("mine.game", str(tmp_path / "mine.game"), "kuhn.limit.3p"):
        found = json_of("check", named)
        assert (found["kind"], found["players"], found["stacks"]) == ("game", 3, ["no limit"] * 3)
        assert found["game"] == str(load_game("kuhn.limit.3p")) and found["deck"] == "JsQsKsAs"
    (tmp_path / "mine.game").write_text(text.replace("numRanks = 4", "numRanks = 44"))
    assert "mine.game:10: numRanks: 44 is not from 1 to 13" in refused("check", tmp_path / "mine.game")


@pytest.mark.parametrize("named", ["games", "./games", "games/"])
def test_a_folder_in_place_of_a_file_is_told(named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "my.game").touch()
    with pytest.raises(
        ConfigError, match="^games: a folder, not one of the games; name a file; in it there are my.game"
    ):
        load_game(named)
    for words, status in ((["check", named], 2), (["dealer", "m", named, "5", "1", "A", "B"], 1)):
        result = commands.run(*words)
        assert result.exit_code == status
        assert "games: a folder, not one of the " in result.stderr


def test_check_fills_in_defaults() -> None:
    resolved = json_of("check", "chart")
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
        ("name: a\nplayers: [kuhn, blueprint]\n", ": options.strategy: strategy hunl-200bb "),
        (
            "name: a\nplayer: blueprint\ngame: leduc.limit.2p\noptions:\n  off_tree: call\n  strategy: kuhn\n",
            ":6: options.strategy: strategy kuhn (",
        ),
        (
            "name: a\nplayer: blueprint\ngame: kuhn.limit.2p\noptions:\n  strategy: nosuch\n",
            ":5: options.strategy: strategy 'nosuch' is neither in ",
        ),
        (
            "name: a\nplayer: blueprint\ngame: kuhn.limit.2p\noptions:\n  strategy: [kuhn, kuhn, kuhn]\n",
            ":5: options.strategy: 3 strategies for 2 positions",
        ),
        (
            "name: a\nplayer: solved\ngame: holdem.nolimit.2p.reverse_blinds\noptions:\n  solution: ./none\n",
            ":5: options.solution: ",
        ),
    ],
)
def test_mistakes_exit_with_2_and_one_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    said = refused("check", path)
    assert message in said and len(said.splitlines()) == 1


def test_a_strategy_for_another_game_is_one_clear_error() -> None:
    with pytest.raises(ConfigError, match=r"kuhn\.yaml:\d+: options\.strategy: strategy kuhn .*another game"):
        load_bot("kuhn", load_game("leduc.limit.2p")).build()
