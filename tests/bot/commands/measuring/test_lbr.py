"""``limpet lbr``: a table of matches of the local best response, which goes on where it stopped."""

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from limpet.configs.loading import load_game
from limpet.dealer.matches.match import run_match
from limpet.dealer.measures import lbr
from limpet.dealer.measures.lbr import play_lbr, usual_start
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.players.lbr import LocalBestResponse
from tests.commands import json_of, printed, refused, run


def test_always_folding_gives_the_blinds(tmp_path: Path) -> None:
    """750 mbb/g (Lisý & Bowling 2017): the big blind half of the time, the small one for the other half."""
    bot = load_bot("fold")
    found = play_lbr(bot, tmp_path, "fcpa", "preflop", 4, 1, lambda match: nullcontext(lambda logs: None))
    assert found.mbb_per_game == 750 and found.interval_95 == found.bootstrap_95 == (750, 750)
    assert usual_start(bot) == "turn" and usual_start(load_bot("leduc")) == "preflop"


def test_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = (
        "leduc",
        "kuhn",
        "--hands",
        "30",
        "--seed",
        "4",
        "--output",
        tmp_path / "out",
        "--sizes",
        "fc",
        "--sizes",
        "fcpa",
    )
    found = json_of("lbr", *words)
    assert [(row["bot"], row["sizes"], row["start"], row["duplicate_sets"]) for row in found] == [
        ("leduc", "fc", "preflop", 30),
        ("leduc", "fcpa", "preflop", 30),
        ("kuhn", "fc", "preflop", 30),
        ("kuhn", "fcpa", "preflop", 30),
    ]
    result = json.loads((tmp_path / "out" / "leduc-fcpa-preflop-30-4" / "result.json").read_text())
    assert result["players"][0]["name"] == "lbr" and result["duplicate"]
    assert result["players"][0]["mbb_per_game"] == found[1]["mbb_per_game"]
    player = load_bot(tmp_path / "out" / "leduc-fc-preflop.yaml").build()
    assert isinstance(player, LocalBestResponse) and player.bot.name == "leduc"
    assert player.game == load_game("leduc.limit.2p") and player.sizes == ()

    played: list[str] = []

    def once(match: Any, *rest: Any) -> Any:
        played.append(match.config.name)
        return run_match(match, *rest)

    monkeypatch.setattr(lbr, "run_match", once)
    again = printed("lbr", *words)
    assert len(played) == 4
    assert json.loads((tmp_path / "out" / "results.json").read_text()) == found
    text = (tmp_path / "out" / "results.md").read_text()
    assert f"|leduc|fcpa|preflop|30|{found[1]['mbb_per_game']:+,.1f}|" in text
    assert "limpet lbr leduc kuhn --sizes=fc --sizes=fcpa --hands=30 --seed=4" in text
    assert "LBR wins" in again


def test_a_result_is_never_that_of_another_bot_of_the_same_name(tmp_path: Path) -> None:
    configs = [tmp_path / f"{player}.yaml" for player in ("call", "fold")]
    for config in configs:
        config.write_text(f"name: bot\ngame: kuhn.limit.2p\nplayer: {config.stem}\n")
    for more in ((), ("--full-ranges",)):
        assert "call.yaml too" in refused("lbr", *configs, "--hands", 4, "--output", tmp_path / "both", *more)
    first, second = json_of("lbr", configs[0], configs[0], "--hands", 4, "--output", tmp_path / "out")
    assert first["mbb_per_game"] == second["mbb_per_game"]
    configs[0].write_text(configs[0].read_text().replace("player: call", "player: fold"))
    said = refused("lbr", configs[0], "--hands", 4, "--output", tmp_path / "out")
    assert "bot played this match with another config" in said


def test_mistakes_and_a_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "3" in refused("lbr", "kuhn3p", "--output", tmp_path)
    assert "--before bot goes with --full-ranges" in refused("lbr", "leduc", "--before", "bot", "--output", tmp_path)

    def stop(*asked: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(lbr, "run_match", stop)
    stopped = run("lbr", "leduc", "--output", tmp_path)
    assert stopped.exit_code == 1 and "the same command goes on" in stopped.output


def test_games_of_more_than_two_are_refused_before_anything_is_played(tmp_path: Path) -> None:
    said = refused("lbr", "leduc", "kuhn3p", "--hands", 2, "--output", tmp_path / "out")
    assert "kuhn3p.yaml:5: game: the local best response is for heads-up games, and this one seats 3" in said
    assert not (tmp_path / "out").exists()
