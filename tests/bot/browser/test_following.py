"""Followers: what they say of a match is what its result says, and half a match is half a match."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from limpet.bot.browser.watching import follower
from limpet.configs.loading import ConfigError
from limpet.dealer.contests.sit_and_go import resolve as resolve_sng
from limpet.dealer.contests.sng_run import run
from limpet.dealer.contests.tournament import TournamentRun
from limpet.dealer.contests.tournament_config import TournamentConfig, resolve_tournament
from limpet.dealer.contests.tournament_match import TableMatch, play_table_match
from limpet.dealer.contests.tournament_result import result as tournament_result
from limpet.dealer.matches.match import run_match
from limpet.dealer.matches.match_result import MatchResult
from limpet.dealer.matches.matchconfig import MatchConfig, resolve
from limpet.dealer.table.files import json_text


def played(folder: Path, **given: Any) -> MatchResult:
    asked = {"players": ["formula", "call"], "game": "leduc.limit.2p", "duplicate": True, "hands": 60, **given}
    return run_match(resolve(MatchConfig(name="test", **asked), folder), folder, "in-process", False, lambda logs: None)


def test_a_match(tmp_path: Path) -> None:
    result = played(tmp_path)
    view = follower("m", tmp_path).look()
    assert (view.kind, view.hands, view.most, view.over, view.sample) == ("match", 120, 120, True, "duplicate set")
    for rate, player in zip(view.rates, result.players, strict=True):
        low, high = player.interval_95
        assert low is not None and high is not None
        assert (rate.name, rate.mean, rate.half) == (
            player.name,
            *map(pytest.approx, (player.mbb_per_game, (high - low) / 2)),
        )
    (curve,) = view.curves
    assert curve["samples"][-1] == 60 and curve["mean"][-1] == pytest.approx(result.players[0].mbb_per_game)
    assert curve["half"][0] is None
    assert [hand["row"]["hand"] for hand in view.last] == list(range(59, 47, -1)) and view.last[0][
        "path"
    ] == "m/seating-2.log"


def test_a_running_match(tmp_path: Path) -> None:
    """Its logs grow under the follower's eyes, by any number of bytes."""
    played(tmp_path)
    (tmp_path / "result.json").unlink()
    whole = [(tmp_path / f"seating-{number}.log").read_bytes() for number in (1, 2)]
    for number in (1, 2):
        (tmp_path / f"seating-{number}.log").unlink()
    follow = follower("m", tmp_path)
    assert follow.look().rates == [] and follow.look().hands == 0
    seen = 0
    for number, data in enumerate(whole, 1):
        for upto in range(0, len(data) + 500, 700):
            (tmp_path / f"seating-{number}.log").write_bytes(data[:upto])
            view = follow.look()
            assert view.hands >= seen and not view.over
            seen = view.hands
            assert view.sample == ("duplicate set" if view.hands in (0, *range(61, 121)) else "hand")
    assert seen == 120


def test_three_players_and_a_match_without_logs(tmp_path: Path) -> None:
    result = played(tmp_path, players=["random", "call", "raise"], game="kuhn.limit.3p", duplicate=False)
    assert len(follower("m", tmp_path).look().curves) == 3
    (tmp_path / "seating-1.log").unlink()
    view = follower("m", tmp_path).look()
    assert view.over and view.hands == 60 and view.curves == [] and view.last == []
    assert [rate.mean for rate in view.rates] == [player.mbb_per_game for player in result.players]


@pytest.mark.parametrize(("how", "first"), [("in-process", "formula"), ("compiled", "leduc")])
def test_a_tournament(tmp_path: Path, how: Any, first: str) -> None:
    config = TournamentConfig(
        name="test", bots=[first, "call", "raise"], game="leduc.limit.2p", hands=20, matches=2, how=how
    )
    tournament = resolve_tournament(config, tmp_path)
    root = tmp_path / "t"
    TournamentRun(tournament, root, False)
    follow = follower("t", root)
    assert follow.look().tables == []
    for number in range(2):
        for table in tournament.tables:
            play_table_match(tournament, TableMatch(table, number), root, lambda logs: None, 1)
            assert follow.look().hands > 0
    truth = tournament_result(tournament, TournamentRun(tournament, root, True).tables)
    view = follow.look()
    assert not view.over
    (root / "results.json").write_text(json_text(truth))
    assert follow.look().over
    rates = {rate.name: rate for rate in view.rates}
    for standing in truth.standings:
        assert standing.result is not None
        rate = rates[standing.name]
        assert (rate.mean, rate.half) == pytest.approx((standing.result.mbb_per_game, standing.result.half_width))
    assert [(table["players"], table["matches"], table["hands"]) for table in view.tables] == [
        (list(table.players), 2, 80) for table in sorted(truth.tables, key=lambda table: table.folder)
    ]
    assert view.last and view.last[0]["path"].startswith("t/")


def test_sit_and_goes(tmp_path: Path) -> None:
    sng = resolve_sng(["jam", "call"], "turbo", 4, 3, True)
    result = run(sng, tmp_path / "s", lambda over: None)
    view = follower("s", tmp_path / "s").look()
    assert (view.kind, view.over, view.hands, view.sample) == ("sit-and-go", True, result.hands, "duplicate set")
    for rate, player in zip(view.rates, result.players, strict=True):
        assert (rate.name, rate.samples) == (player.name, 4) and rate.mean == pytest.approx(100 * player.roi)
    assert view.last and view.note.startswith("8 tournaments are over")

    journal = tmp_path / "s" / "hands.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(lines[0] + lines[1][:20])
    (tmp_path / "s" / "sng-result.json").unlink()
    half = follower("s", tmp_path / "s").look()
    assert (half.hands, half.rates, half.over) == (1, [], False)
    assert half.note.startswith("0 tournaments are over; tournament 1, level 1: ")


def test_folders_in_which_nothing_is_played(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no match and no tournament"):
        follower("x", tmp_path)
    (tmp_path / "match.json").write_text("{}")
    with pytest.raises(ConfigError, match="no terms that limpet wrote"):
        follower("x", tmp_path)
    (tmp_path / "match.json").write_text(json.dumps(msgspec.to_builtins({"players": 3})))
    with pytest.raises(ConfigError):
        follower("x", tmp_path)
