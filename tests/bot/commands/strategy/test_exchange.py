"""``limpet strategy export`` and ``import``."""

import json
from pathlib import Path

import pytest

from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from tests.commands import json_of, printed, refused

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra openspiel")


def test_a_strategy_goes_there_and_back(tmp_path: Path) -> None:
    path, folder = tmp_path / "kuhn.json", tmp_path / "mine"
    shown = printed("strategy", "export", "kuhn", "--to", "openspiel", "--output", path)
    assert shown == f"{path}: 12 information states of kuhn_poker(players=2)\n"
    data = json.loads(path.read_text())
    game, policy = pyspiel.load_game(data["game"]), pyspiel.TabularPolicy(data["policy"])
    assert pyspiel.exploitability(game, policy) < 1e-5
    shown = printed("strategy", "import", path, "--game", "kuhn.limit.2p", "--output", folder)
    assert shown == f"{folder}: 12 infosets\n"
    assert StrategyFile.open(folder).manifest.name == "mine"
    told = json_of("strategy", "export", "kuhn", "--output", path)
    assert told == {"output": str(path), "game": "kuhn_poker(players=2)", "infosets": 12}
    told = json_of("strategy", "import", path, "--game", "kuhn.limit.2p", "--output", tmp_path / "told")
    assert told["name"] == "told" and told["rows"] == 12
    assert "name a new folder" in refused("strategy", "import", path, "--game", "kuhn.limit.2p", "--output", folder)


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
    assert message in refused("strategy", *arguments)
    assert not list(tmp_path.iterdir())
