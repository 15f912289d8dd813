"""``limpet sng``: its contract for scripts, and what it refuses."""

from pathlib import Path

import pytest

from tests.commands import json_of, printed, refused

SNG = ("sng", "--in-process", "--jobs", 1)


def test_json_has_places_prizes_and_returns_of_each_player(tmp_path: Path) -> None:
    folder = str(tmp_path / "out")
    words = ("jam", "call", "random", "--tournaments", "4", "--duplicate", "--seed", "1", "--output", folder)
    result = json_of(*SNG, *words)
    assert [player["name"] for player in result["players"]] == ["jam", "call", "random"]
    for player in result["players"]:
        assert sum(player["places"]) == 12 and player["roi"] == pytest.approx(player["prize_mean"] / 10 - 1)
        assert len(player["prize_interval_95"]) == len(player["roi_interval_95"]) == 2
    shown = printed(*SNG, *words)
    assert "4 duplicate sets of 3 rotations" in shown and folder in shown
    printed("report", folder)
    assert "Prizes and returns" in (tmp_path / "out" / "report.md").read_text()


def test_luck_is_taken_out_of_returns_in_the_json_and_the_report(tmp_path: Path) -> None:
    folder = str(tmp_path / "out")
    words = ("jam", "call", "--tournaments", 20, "--seed", 1, "--output", folder, "--luck")
    players = json_of(*SNG, *words)["players"]
    assert sum(player["roi_luck_adjusted"] for player in players) == pytest.approx(-0.1)  # the rake
    for player in players:
        (low, high), (fair_low, fair_high) = player["roi_interval_95"], player["roi_luck_adjusted_interval_95"]
        assert fair_low < player["roi_luck_adjusted"] < fair_high and fair_high - fair_low < high - low
    printed("report", folder)
    assert "ROI % without luck" in (tmp_path / "out" / "report.md").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("call",), "1 players; name two to ten"),
        (("call", "nobody"), "none of the bots that ship has this name"),
        (("call", "call", "--structure", "six-max"), "six-max.yaml:3: seats: 6 seats, and 2 players were named"),
        (("call", "call", "--ports", "1,2,3"), "3 ports for 2 players"),
        (("call", "call", "--ports", "x"), "bad port string x"),
        (("call", "join:Alice"), "Alice plays over TCP only"),
        (("call", "join:A B"), "a word without any of"),
    ],
)
def test_misuse_is_named(words: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in refused(*SNG, *words)
