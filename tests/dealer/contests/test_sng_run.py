"""Tournaments in folders: results, journals, and play that goes on after any end."""

import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from limpet.configs.loading import ConfigError
from limpet.dealer.contests.sit_and_go import (
    HANDS_FILE,
    LOG_FILE,
    SitAndGo,
    TournamentJournal,
    require_any_stacks,
    resolve,
)
from limpet.dealer.contests.sng_inprocess import play_tournament
from limpet.dealer.contests.sng_run import SngResult, run
from limpet.protocol.archives.hand_file import Skip
from limpet.protocol.archives.hands import located_hands
from limpet.protocol.matchlog import HandRecord, read_entry
from limpet.protocol.situation import Situation, game_of


def sng_of(players: str, tournaments: int = 20, structure: str | None = None, duplicate: bool = False) -> SitAndGo:
    return resolve(players.split(), structure, tournaments, 7, duplicate)


def play(sng: SitAndGo, folder: Path, logged: bool = True, jobs: int = 1) -> SngResult:
    return run(sng, folder, lambda done: None, logged=logged, jobs=jobs)


def plain(result: SngResult) -> dict[str, Any]:
    return {
        key: value for key, value in msgspec.to_builtins(result).items() if not key.endswith(("seconds", "per_second"))
    }


def kept(folder: Path) -> tuple[bytes, ...]:
    return tuple((folder / name).read_bytes() for name in (HANDS_FILE, LOG_FILE))


def test_the_log_holds_every_hand_and_its_situation(tmp_path: Path) -> None:
    sng = sng_of("random jam call", 3)
    result = play(sng, tmp_path)
    lines = (tmp_path / LOG_FILE).read_text().splitlines()
    assert len(lines) == 2 * result.hands
    journal = TournamentJournal(tmp_path, True)
    journal.close()
    assert len(journal.last) == 3 and all(line.standing.over for line in journal.last.values())
    bots = require_any_stacks(sng, True)
    at = 0
    for number in range(3):
        for played in play_tournament(sng, bots, number, 0):
            assert played.log is not None and lines[at : at + 2] == played.log.splitlines()
            at += 2


def test_log_lines_are_read_back_with_the_game_of_their_situation(tmp_path: Path) -> None:
    play(sng_of("random jam call", 2), tmp_path)
    lines = (tmp_path / LOG_FILE).read_text().splitlines()
    for comment, text in zip(lines[::2], lines[1::2], strict=True):
        game = game_of(Situation.parse(comment))
        if text.split(":")[2] in ("///", "c///"):
            continue  # nobody had a decision; no dealer deals such a hand
        record = read_entry(text, game, "log")
        assert isinstance(record, HandRecord) and sum(record.values) == 0
    skipped: list[Skip] = []
    records = [hand for _, hand in located_hands([tmp_path / LOG_FILE], skipped=skipped)]
    assert len(records) + len(skipped) == len(lines) // 2 and len(records) > len(skipped)
    for record in records:
        assert Situation.of(record.state.game).live_stacks == record.state.game.stack


@pytest.mark.parametrize("logged", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_several_processes_play_the_same_tournaments(logged: bool, tmp_path: Path) -> None:
    sng = sng_of("random call", 25)
    alone, shared = (play(sng, tmp_path / str(jobs), logged, jobs) for jobs in (1, 2))
    assert plain(alone) == plain(shared)
    lines = [sorted((tmp_path / str(jobs) / HANDS_FILE).read_text().splitlines()) for jobs in (1, 2)]
    assert lines[0] == lines[1]


def test_killed_tournaments_go_on_to_the_same_end(tmp_path: Path) -> None:
    sng = sng_of("random jam call", 12)
    whole = play(sng, tmp_path / "whole")
    draw = random.Random(3)
    folder = tmp_path / "killed"
    total = sum(map(len, kept(tmp_path / "whole")))
    for kill in range(1, 11):
        child = os.fork()
        if child == 0:
            play(sng, folder)
            os._exit(0)
        wanted = total * (kill - 1 + draw.random()) / 10
        while sum(p.stat().st_size for p in folder.glob("hands.*")) < wanted and os.waitpid(child, os.WNOHANG)[0] == 0:
            time.sleep(0.001)
        with_luck = [child] if Path(f"/proc/{child}").exists() else []
        for process in with_luck:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        if kill % 3 == 0:  # a line that the kill has cut off, and a logged hand without its line
            with (folder / HANDS_FILE).open("ab") as file:
                file.write(b'{"tournament":')
            with (folder / LOG_FILE).open("ab") as file:
                file.write(b"# tournament: number=0\nSTATE:0:f:2s4d|6hKc:10|-10:random|jam\n# tour")
    assert plain(play(sng, folder)) == plain(whole)
    assert kept(folder) == kept(tmp_path / "whole")


def test_more_tournaments_go_on_and_other_terms_are_refused(tmp_path: Path) -> None:
    few = play(sng_of("call jam", 5), tmp_path, logged=False)
    assert few.tournaments == 5
    more = play(sng_of("call jam", 15), tmp_path, logged=False)
    assert plain(more) == plain(play(sng_of("call jam", 15), tmp_path / "new", logged=False))
    with pytest.raises(ConfigError, match="players is .*resume a tournament with what it began with"):
        play(sng_of("jam call", 15), tmp_path)


def test_prizes_places_and_intervals(tmp_path: Path) -> None:
    sng = sng_of("jam call fold random raise jam-any", 10, "double-or-nothing", duplicate=True)
    result = play(sng, tmp_path, logged=False)
    assert result.sample == "duplicate set" and result.seatings == 6 and result.tournaments == 10
    places = np.array([player.places for player in result.players])
    assert places.sum(axis=0) == pytest.approx([60] * 6) and places.sum(axis=1) == pytest.approx([60] * 6)
    assert sum(player.prize_mean for player in result.players) == pytest.approx(6 * 10 * 0.94)
    for player in result.players:
        assert player.roi == pytest.approx(player.prize_mean / 10 - 1)
        low, high = player.prize_interval_95
        if player.name == "fold":  # in the money whenever others jam: all sets are alike
            assert (low, high) == (None, None) and player.prize_mean == pytest.approx(18.8)
            continue
        assert low is not None and high is not None and low <= player.prize_mean <= high
        assert player.roi_interval_95 == pytest.approx((low / 10 - 1, high / 10 - 1))
    assert SngResult.read(tmp_path) == result and result.to_records()[0]["roi_percent"] == 100 * result.players[0].roi


def test_rotations_of_equal_players_are_the_same_tournament() -> None:
    sng = sng_of("jam jam jam", 4, duplicate=True)
    bots = require_any_stacks(sng, True)
    for number in range(4):
        stacks = [[hand.line.stacks for hand in play_tournament(sng, bots, number, seating)] for seating in range(3)]
        assert stacks[0] == stacks[1] == stacks[2]


@pytest.mark.parametrize("strategy", ["kuhn", "hunl-200bb"])
def test_bots_of_other_games_and_of_one_depth_are_refused(strategy: str, tmp_path: Path) -> None:
    game = {"kuhn": "kuhn.limit.2p", "hunl-200bb": "holdem.nolimit.2p.reverse_blinds"}[strategy]
    config = tmp_path / "one.yaml"
    config.write_text(f"{{name: one, player: blueprint, game: {game}, options: {{strategy: {strategy}}}}}")
    with pytest.raises(ConfigError, match="cannot play hold'em of .* players with stacks of"):
        play(sng_of(f"{config} call", 1), tmp_path / "run")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("start_stack: 10\n", "start_stack: 10 chips, and the first big blind and ante take 20"),
        ("payouts: [20, 30]\n", "payouts.1: 30 is more than the place above gets"),
        ("payouts: [3, 2, 1]\n", "payouts: 3 prizes for 2 players"),
        ("seats: 6\n", "seats: 6 seats, and 2 players were named"),
        ("rake: 1\n", "rake"),
        ("start_stack: 2000000000\n", "start_stack: 2000000000 chips are too many"),
        ("start_stack: 600000000\n", "allow 536870911 for each of 2"),
        ("levels: [{hands: 5, small_blind: 3, big_blind: 2}]\n", "levels.0.small_blind: 3 is more than the big blind"),
        (
            "levels: [{hands: 5, small_blind: 10, big_blind: 20}, {hands: 5, small_blind: 5, big_blind: 10}]\n",
            "levels.1.small_blind: 5 is less than the 10 of the level before",
        ),
        (
            "levels: [{hands: 5, small_blind: 5, big_blind: 20}, {hands: 5, small_blind: 5, big_blind: 10}]\n",
            "levels.1.big_blind: 10 is less than the 20 of the level before",
        ),
        ("level: []\n", "level: unknown key"),
    ],
)
def test_structures_that_cannot_be_played_are_refused(text: str, message: str, tmp_path: Path) -> None:
    lines = {
        "name": "t",
        "start_stack": "500",
        "levels": "[{hands: 5, small_blind: 10, big_blind: 20}]",
        "payouts": "[1]",
    }
    key = text.partition(":")[0]
    lines.pop(key, None)
    path = tmp_path / "mine.yaml"
    path.write_text(text + "".join(f"{name}: {value}\n" for name, value in lines.items()))
    with pytest.raises(ConfigError) as refused:
        resolve(["call", "call"], str(path), 1, None, False)
    assert message in str(refused.value) and "mine.yaml:" in str(refused.value)


def test_intervals_of_few_tournaments_stay_within_the_prizes(tmp_path: Path) -> None:
    result = play(sng_of("jam chart call", 2), tmp_path, logged=False)
    for player in result.players:
        low, high = player.prize_interval_95
        if player.prize_mean in (0, max(result.prizes)):  # both tournaments ended alike
            assert (low, high) == (None, None) == player.roi_interval_95
        else:
            assert (low, high) == (0, max(result.prizes)) and player.roi_interval_95[0] == -1
    assert {player.prize_interval_95[0] for player in result.players} == {None, 0}


@pytest.mark.parametrize(
    "structure",
    ["turbo", *(pytest.param(name, marks=pytest.mark.slow) for name in ("six-max", "nine-max", "double-or-nothing"))],
)
def test_equal_players_win_their_buy_ins_less_the_rake(structure: str, tmp_path: Path) -> None:
    seats = {"turbo": 3, "nine-max": 9}.get(structure, 6)
    sng = resolve(["jam"] * seats, structure, 10_000, 1, False)
    result = play(sng, tmp_path, logged=False)
    expected = sng.structure.buy_in * (1 - sng.structure.rake)
    missed = [player for player in result.players if not covers(player.prize_interval_95, expected)]
    # Of so many 95 % intervals one or two may miss, but none by four standard errors.
    assert len(missed) <= 2
    for player in missed:
        low, high = player.prize_interval_95
        assert low is not None and high is not None
        assert abs(player.prize_mean - expected) < high - low
    assert sum(player.prize_mean for player in result.players) == pytest.approx(seats * expected)
    assert sum(prizes_of(sng)) == pytest.approx(seats * expected)


def prizes_of(sng: SitAndGo) -> tuple[float, ...]:
    return sng.structure.prizes(len(sng.players))


def covers(interval: tuple[float | None, float | None], value: float) -> bool:
    low, high = interval
    return low is not None and high is not None and low <= value <= high
