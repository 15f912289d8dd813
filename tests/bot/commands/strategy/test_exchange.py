"""``limpet strategy export`` and ``import``."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from limpet.bot.commands.strategy.group import strategy
from limpet.configs.loading import ConfigError
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra openspiel")


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(strategy, list(map(str, arguments)))


def test_a_strategy_goes_there_and_back(tmp_path: Path) -> None:
    path, folder = tmp_path / "kuhn.json", tmp_path / "mine"
    result = run("export", "kuhn", "--to", "openspiel", "--output", path)
    assert result.stdout == f"{path}: 12 information states of kuhn_poker(players=2)\n"
    data = json.loads(path.read_text())
    game, policy = pyspiel.load_game(data["game"]), pyspiel.TabularPolicy(data["policy"])
    assert pyspiel.exploitability(game, policy) < 1e-5
    result = run("import", path, "--game", "kuhn.limit.2p", "--output", folder)
    assert result.stdout == f"{folder}: 12 infosets\n"
    assert StrategyFile.open(folder).manifest.name == "mine"
    told = json.loads(run("export", "kuhn", "--output", path, "--json").stdout)
    assert told == {"output": str(path), "game": "kuhn_poker(players=2)", "infosets": 12}
    told = json.loads(run("import", path, "--game", "kuhn.limit.2p", "--output", tmp_path / "told", "--json").stdout)
    assert told["name"] == "told" and told["rows"] == 12
    again = run("import", path, "--game", "kuhn.limit.2p", "--output", folder)
    assert isinstance(again.exception, ConfigError) and "name a new folder" in str(again.exception)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("export", "leduc-nolimit", "--output", "x.json"), "train with a menu that keeps every raise"),
        (("export", "nobody", "--output", "x.json"), "nobody"),
        (("import", "x.json", "--game", "kuhn.limit.2p", "--output", "x"), "there is no such file"),
    ],
)
def test_mistakes_are_one_line(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert isinstance(result.exception, ConfigError) and message in str(result.exception)
    assert not list(tmp_path.iterdir())
