"""Matches in one process: seatings, folders, results and going on after a stop."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace as replace_struct
from rich.console import Console

from limpet.bot.commands.playing.match_view import result_table, standing, watching
from limpet.common.statistics import bootstrap_interval
from limpet.configs.loading import ConfigError, load_game
from limpet.dealer.matches import inprocess as module
from limpet.dealer.matches.inprocess import play_hands
from limpet.dealer.matches.match import play_match, run_match
from limpet.dealer.matches.match_result import MatchResult, SeatingLog
from limpet.dealer.matches.matchconfig import External, Match, MatchConfig, resolve, seatings, usual_design
from limpet.dealer.table.files import json_text
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import CALL, FOLD, Action, State
from limpet.strategies.base.botconfig import Bot, load_bot
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows, Strategy
from limpet.strategies.players.simple import Call
from tests.commands import json_of, printed, refused, run
from tests.oracles.match_log import read_log

HERE = Path(".")


def match_of(*players: str, **given: Any) -> Match:
    return resolve(MatchConfig(name="test", players=list(players), **given), HERE)


def play(match: Match, folder: Path, resume: bool = False) -> MatchResult:
    return run_match(match, folder, "in-process", resume, lambda logs: None)


def test_seatings() -> None:
    assert seatings(2, None) == [(0, 1)]
    assert seatings(2, usual_design(2)) == [(0, 1), (1, 0)]
    # The reference's six configurations: ABC ACB BAC BCA CAB CBA.
    assert ["".join("ABC"[p] for p in order) for order in seatings(3, usual_design(3))] == [
        "ABC",
        "ACB",
        "BAC",
        "BCA",
        "CAB",
        "CBA",
    ]
    assert usual_design(4) == "rotations"


def test_players_are_looked_up(tmp_path: Path) -> None:
    match = match_of("kuhn", "call")
    assert match.game == load_game("kuhn.limit.2p")  # the first bot's
    assert match_of("call", "call", "call", game="kuhn.limit.3p").names == ("call", "call.2", "call.3")
    (tmp_path / "d.yaml").write_text("name: dealer\ngame: kuhn.limit.2p\nplayer: call\n")
    assert match_of(str(tmp_path / "d.yaml"), "call").names == ("dealer.2", "call")
    script = tmp_path / "startme.sh"
    script.write_text("#!/bin/sh\n")
    with pytest.raises(ConfigError, match="is not executable; chmod"):
        match_of(f"exec:{script}", "call")
    script.chmod(0o755)
    match = match_of(f"exec:{script} --fast", "call")
    assert match.players[0] == External("startme", (str(script), "--fast"), tmp_path)
    assert match.game == load_game("holdem.nolimit.2p.reverse_blinds")
    with pytest.raises(ConfigError, match="no game: programs do not say what they play"):
        match_of(f"exec:{script}", f"exec:{script}")
    with pytest.raises(ConfigError, match="3 players, but the game seats 2"):
        match_of("call", "call", "call", game="kuhn.limit.2p")
    with pytest.raises(ConfigError, match=r"leduc\.yaml:7: .*; this match is kuhn.limit.2p, from kuhn; see --game"):
        match_of("kuhn", "leduc").resolved()
    with pytest.raises(ConfigError, match=r"leduc\.yaml:7: .*; this match is kuhn.limit.2p; see --game"):
        match_of("call", "leduc", game="kuhn.limit.2p").resolved()
    with pytest.raises(ConfigError, match="missing is not a file"):
        match_of("exec:missing", "call")
    with pytest.raises(ConfigError, match="plays over TCP only; leave --in-process out"):
        play(match, tmp_path / "out")


def test_a_duplicate_match_of_equals_is_a_draw(tmp_path: Path) -> None:
    result = play(match_of("call", "call", hands=50, duplicate=True), tmp_path)
    for player in result.players:
        assert player.chips == 0 and player.mbb_per_game == 0 and player.interval_95 == (0, 0)
    assert result.samples == 50 and result.sample == "duplicate set"
    # The same seats get the same cards in both seatings.
    first, second = (
        read_log((tmp_path / f"seating-{i}.log").read_text(), load_game("holdem.nolimit.2p.reverse_blinds"))
        for i in (1, 2)
    )
    assert [hand.holes for hand in first.hands] == [hand.holes for hand in second.hands]
    assert [hand.values for hand in first.hands] == [hand.values for hand in second.hands]
    assert first.hands[0].names == tuple(reversed(second.hands[0].names))


@pytest.mark.parametrize("game", ["draw5-pl-hu", "draw5-tiny", pytest.param("draw-triple", marks=pytest.mark.slow)])
def test_section_5_duplicate_self_play_of_draw_poker_is_exactly_0(game: str, tmp_path: Path) -> None:
    """A bot of one seed makes the same choices with the same cards, so that both hands of a set are one hand."""
    result = play(match_of("draw5-formula", "draw5-formula", hands=40, duplicate=True, game=game), tmp_path)
    won = {hand.values for hand in read_log((tmp_path / "seating-1.log").read_text(), load_game(game)).hands}
    assert len(won) > 2  # chips do change hands
    assert [(player.chips, player.interval_95) for player in result.players] == [(0, (0, 0))] * 2


def test_the_result_is_what_the_logs_say(tmp_path: Path) -> None:
    match = match_of("raise", "random", "call", hands=20, duplicate=True, game="holdem.limit.3p")
    result = play(match, tmp_path)
    assert (tmp_path / "result.json").read_text() == json_text(result)
    chips = {name: np.zeros(20) for name in match.names}
    for seating in result.seatings:
        log = read_log((tmp_path / seating.log).read_text(), match.game)
        assert log.score is not None and log.score.names == seating.players
        assert log.score.values == pytest.approx(seating.score, abs=1e-5)
        for hand in log.hands:
            for name, value in zip(hand.names, hand.values, strict=True):
                chips[name][hand.hand] += value
    for player in result.players:
        assert player.chips == pytest.approx(chips[player.name].sum())
        per_set = chips[player.name] / 6 * 100  # six seatings, a big blind of 10
        assert player.mbb_per_game == pytest.approx(per_set.mean())
        assert player.sd == pytest.approx(per_set.std(ddof=1))
        assert player.bootstrap_95 == bootstrap_interval(per_set, 1)


def test_raising_call_stations_is_worth_nothing_and_folding_costs_the_blinds(tmp_path: Path) -> None:
    result = play(match_of("fold", "call", hands=100, seed=4, duplicate=True), tmp_path)
    # Fold gives up the small blind on the button (50) and keeps its big blind when call limps: then it checks down.
    log = read_log((tmp_path / "seating-1.log").read_text(), load_game("holdem.nolimit.2p.reverse_blinds"))
    assert {hand.state.betting for hand in log.hands} == {"f", "cc/cc/cc/cc"}
    folds = [hand for hand in log.hands if hand.state.betting == "f"]
    assert len(folds) == 50 and {hand.values for hand in folds} == {(50.0, -50.0)}
    assert result.players[0].mbb_per_game == -result.players[1].mbb_per_game


class Learner(Call):
    """Folds from its 11th hand on: what a bot may remember from one seating to the next."""

    def __init__(self, game: GameDef, options: Strategy.Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        self.seen: set[int] = set()

    def start_hand(self, key: HandKey) -> HandStrategy:
        self.seen.add(len(self.seen))
        return super().start_hand(key)

    def rows(self, state: State) -> Rows:
        return self.always(FOLD if len(self.seen) > 10 and state.can_fold else CALL)

    def report(self) -> dict[str, int]:
        return {"hands": len(self.seen)}


@pytest.mark.parametrize("restart", [False, True])
def test_bots_forget_between_seatings_if_asked(restart: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the ACPC has it. Counters are those of all seatings either way."""
    build = Bot.build

    def learner(self: Bot) -> Strategy:
        return Learner(self.game, Learner.Options(), tmp_path) if self.name == "call" else build(self)

    monkeypatch.setattr(Bot, "build", learner)
    match = match_of("call", "raise", hands=20, duplicate=True, restart=restart)
    result = play(match, tmp_path / "out")
    first, second = (
        ["f" in hand.state.betting for hand in read_log((tmp_path / "out" / seating.log).read_text(), match.game).hands]
        for seating in result.seatings
    )
    assert first == [False] * 10 + [True] * 10
    assert second == (first if restart else [True] * 20)
    assert result.players[0].report == {"decisions": result.players[0].report["decisions"], "misses": 0, "hands": 40}
    with pytest.raises(ConfigError, match="restart is"):
        play(match_of("call", "raise", hands=20, duplicate=True, restart=not restart), tmp_path / "out", resume=True)


class Wrong(Call):
    """Its rows sum to 2, or it raises where a limit game has no such raise."""

    def __init__(self, game: GameDef, action: Action) -> None:
        super().__init__(game, Call.Options(), HERE)
        self.answer = Rows((action,), np.full((1, 6), 2 - action.kind.count("r"), np.float32))

    def rows(self, state: State) -> Rows:
        return self.answer


@pytest.mark.parametrize(
    ("action", "told"),
    [
        (CALL, r"leduc-2: hand 0: rows after 'r': the column of \w\w sums to 2"),
        (Action("r", 99), "leduc-2: hand 0: "),
    ],
)
def test_an_answer_that_cannot_be_played_ends_the_match_and_names_the_player(
    action: Action, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = Bot.build
    monkeypatch.setattr(Bot, "build", lambda self: Wrong(self.game, action) if self.name == "leduc-2" else build(self))
    (tmp_path / "wrong.yaml").write_text("name: leduc-2\nplayer: call\ngame: leduc.limit.2p\n")
    (tmp_path / "raise.yaml").write_text("name: raiser\nplayer: raise\ngame: leduc.limit.2p\n")
    players = [str(tmp_path / name) for name in ("raise.yaml", "wrong.yaml")]
    ran = run("match", *players, "--hands", 9, "--in-process", "--output", tmp_path / "out")
    assert ran.exit_code == 1
    assert re.search(told, ran.output) and len(ran.output.splitlines()) == 1


def test_failures_are_told_under_the_table(tmp_path: Path) -> None:
    result = play(match_of("call", "raise", hands=2), tmp_path / "out")
    failing = replace_struct(result.players[0], report={"decisions": 60, "failures": 53})
    told = StringIO()
    for how in ("tcp", "in-process"):
        result_table(
            replace_struct(result, players=(failing, result.players[1]), how=how),
            Path("out"),
            Console(file=told, width=200),
        )
    warnings = [line for line in told.getvalue().splitlines() if line.startswith("WARNING")]
    assert warnings == [
        "WARNING: call failed in 53 decisions and called instead: out/seating-*.call.err says why",
        "WARNING: call failed in 53 decisions and called instead",
    ]


def test_the_table_fits_a_terminal_of_80_columns(tmp_path: Path) -> None:
    """A million hands on; rich would cut numbers off otherwise."""
    result = play(match_of("call", "raise", hands=2), tmp_path / "out")
    interval = (-2144.3, -2096.1)
    many = [
        replace_struct(player, chips=-424_042_300, mbb_per_game=-2120.2, interval_95=interval, bootstrap_95=interval)
        for player in result.players
    ]
    told = StringIO()
    result_table(replace_struct(result, players=tuple(many)), Path("out"), Console(file=told, width=80))
    row = next(line for line in told.getvalue().splitlines() if line.startswith("raise "))
    assert row.split() == ["raise", "-424,042,300", "-2,120.2", *["-2,144.3", "…", "-2,096.1"] * 2]


def test_older_matches_go_on(tmp_path: Path) -> None:
    """They do not say whether bots were restarted: they were not. Nor who the bots were."""
    match = match_of("call", "raise", hands=5)
    before = play(match, tmp_path)
    terms = json.loads((tmp_path / "match.json").read_text())
    assert terms.pop("restart") is False and len(terms.pop("bots")) == 2
    (tmp_path / "match.json").write_text(json.dumps(terms))
    assert play(match, tmp_path, resume=True).seatings == before.seatings


class Stop(Exception):
    pass


def stop(logs: Sequence[SeatingLog]) -> None:
    """Stop a match in its second seating."""
    if len(logs) == 2 and logs[1].played >= 200:
        raise Stop


@pytest.mark.parametrize(
    "torn",
    [pytest.param(b"", marks=pytest.mark.slow), b"STATE:7", pytest.param(b"STATE:200:cc/", marks=pytest.mark.slow)],
)
def test_a_stopped_match_goes_on_as_if_nothing_had_happened(tmp_path: Path, torn: bytes) -> None:
    match = match_of("random", "formula", hands=450, seed=3, duplicate=True, game="leduc.nolimit.2p")
    play(match, tmp_path / "whole")

    folder = tmp_path / "stopped"
    with pytest.raises(Stop):
        run_match(match, folder, "in-process", False, stop)
    with (folder / "seating-2.log").open("ab") as log:
        log.write(torn)
    with pytest.raises(ConfigError, match="--resume continues it"):
        play(match, folder)
    before = (folder / "seating-1.log").stat().st_mtime_ns
    result = play(match, folder, resume=True)
    assert (folder / "seating-1.log").stat().st_mtime_ns == before
    for name in ("seating-1.log", "seating-2.log"):
        assert (folder / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    whole = json.loads((tmp_path / "whole" / "result.json").read_text())
    assert result.players[0].mbb_per_game == whole["players"][0]["mbb_per_game"]
    again = json.loads(json_text(play(match, tmp_path / "whole", resume=True)))
    assert again == whole, "counters and speed of the run that played it"
    (tmp_path / "whole" / "result.json").write_text("{")
    assert play(match, tmp_path / "whole", resume=True).players[0].mbb_per_game == whole["players"][0]["mbb_per_game"]


@pytest.mark.parametrize("restart", [True, False])
def test_counters_of_the_bots_go_on_with_the_match(tmp_path: Path, restart: bool) -> None:
    match = match_of("random", "formula", hands=450, seed=3, duplicate=True, restart=restart, game="leduc.nolimit.2p")
    whole = play(match, tmp_path / "whole")

    with pytest.raises(Stop):
        run_match(match, tmp_path / "stopped", "in-process", False, stop)
    again = play(match, tmp_path / "stopped", resume=True)
    assert [player.report for player in again.players] == [player.report for player in whole.players]
    assert all(player.report["decisions"] > 900 for player in whole.players)
    assert not (tmp_path / "stopped" / "counters.json").exists()


def test_every_hand_is_with_the_system_when_the_next_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    match = match_of("random", "call", hands=30, seed=3, game="leduc.limit.2p")
    log, lines = tmp_path / "m" / "seating-1.log", []

    def hands(*arguments: Any) -> Iterator[Any]:
        for played in play_hands(*arguments):
            yield played
            lines.append(log.read_bytes().count(b"\n"))

    monkeypatch.setattr(module, "play_hands", hands)
    play(match, tmp_path / "m")
    end = log.read_bytes().count(b"\n")
    assert lines == list(range(end - 30, end)), "all but the score"


def test_names_of_any_script(tmp_path: Path) -> None:
    for file, name in (("a.yaml", "Zoë"), ("b.yaml", "\udcff賭博師")):  # a byte of a file name that is not UTF-8
        text = json.dumps({"name": name, "game": "leduc.nolimit.2p", "player": "random"})
        (tmp_path / file).write_text(text)
    match = match_of(str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml"), hands=50)
    assert match.names == ("Zoë", "\udcff賭博師")
    result = play(match, tmp_path / "whole")
    whole = (tmp_path / "whole" / "seating-1.log").read_bytes()
    assert whole.endswith("Zoë|".encode() + b"\xff" + "賭博師\n".encode())
    folder = tmp_path / "torn"
    play(match, folder)
    (folder / "seating-1.log").write_bytes(whole[: whole.find("ë".encode(), len(whole) // 2) + 1])
    assert play(match, folder, resume=True).seatings == result.seatings
    assert (folder / "seating-1.log").read_bytes() == whole


def test_a_match_that_never_began_is_not_resumed(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "missing", tmp_path / "empty"):
        with pytest.raises(ConfigError, match=f"{folder} holds no match to go on with; leave --resume out"):
            play(match_of("call", "fold", hands=5), folder, resume=True)
    assert not (tmp_path / "missing").exists()


def test_another_match_is_not_resumed_over_it(tmp_path: Path) -> None:
    play(match_of("call", "fold", hands=5), tmp_path)
    with pytest.raises(ConfigError, match="hands is 5 there and 6 now"):
        play(match_of("call", "fold", hands=6), tmp_path, resume=True)
    with pytest.raises(ConfigError, match="players is"):
        play(match_of("fold", "call", hands=5), tmp_path, resume=True)


def test_a_match_of_another_bot_of_the_same_name_is_not_resumed(tmp_path: Path) -> None:
    config = tmp_path / "mine.yaml"
    config.write_text("name: mine\ngame: kuhn.limit.2p\nplayer: call\n")
    before = play(match_of(str(config), "call", hands=20), tmp_path / "out")
    assert play(match_of(str(config), "call", hands=20), tmp_path / "out", resume=True).seatings == before.seatings
    config.write_text(config.read_text().replace("player: call", "player: fold"))
    with pytest.raises(ConfigError, match=r"match\.json: mine played this match with another config, strategy"):
        play(match_of(str(config), "call", hands=20), tmp_path / "out", resume=True)


def test_a_log_is_followed_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    log = SeatingLog(path, ["A", "B"], 3)
    log.update()
    assert log.played == 0
    path.write_bytes(b"# comment\nSTATE:0:f:QsJs|KsAs:5|-5:B|A\nSTATE:1:f:QsJs|KsA")
    log.update()
    assert log.played == 1
    with path.open("ab") as file:
        file.write(b"s:5|-5:A|B\nSTATE:2:f:QsJs|KsAs:1.5|-1.5:B|A\nSCORE:2|-2:A|B\n")
    log.update()
    assert log.played == 3 and log.finished
    assert log.values.tolist() == [[-5.0, 5.0, -1.5], [5.0, -5.0, 1.5]]


def test_only_a_newline_ends_a_line_of_a_log(tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    path.write_text("# a game called a\u2028b\nSTATE:0:f::5|-5:A|B\u2028B\n", encoding="utf-8")
    log = SeatingLog(path, ["A", "B\u2028B"], 3)
    log.update()
    assert log.played == 1


@pytest.mark.parametrize(
    "line", ["STATE:1:f::5|-5:A|B", "STATE:0:f::5|-5:A|C", "STATE:0:f::5|x:A|B", "STATE:0:f::5:A|B", "STATE:0"]
)
def test_a_log_that_misses_or_mangles_a_hand_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "x.log").write_text(line + "\n")
    with pytest.raises(ProtocolError, match=r"x\.log:1: "):
        SeatingLog(tmp_path / "x.log", ["A", "B"], 3).update()


def test_progress_is_told_in_a_line(tmp_path: Path) -> None:
    match = match_of("raise", "call", hands=10, duplicate=True)
    play(match, tmp_path)
    logs = [SeatingLog(tmp_path / f"seating-{i}.log", match.names, 10) for i in (1, 2)]
    assert standing(match, logs) == "" and standing(match, []) == ""
    out, now = StringIO(), [0.0]
    with watching(match, Console(file=out, width=200), lambda: now[0]) as watch:
        watch(logs)
        for log in logs:
            log.update()
            now[0] += 20.0
            watch(logs)
    begun, ended = out.getvalue().splitlines()
    assert begun.startswith("test: 10 of 20 hands, 0:00:20 left, seating 2 of 2, 0 hands/s  raise ")
    assert ended.startswith("test: 20 of 20 hands, 0:00:00 left, seating 2 of 2, 0 hands/s  raise ") and "±" in ended


def test_the_command(tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    command = ["match", "call", "raise", "--hands", "20", "--in-process", "--duplicate", "--output", out]
    found = json_of(*command)
    assert found["hands"] == 20 and found["seed"] == 1 and [p["name"] for p in found["players"]] == ["call", "raise"]
    assert found == json.loads((tmp_path / "out" / "result.json").read_text())
    table = printed(*command, "--resume")
    assert "20 duplicate sets" in table and out in table
    assert found["players"][0]["bootstrap_95"] == [0, 0] and "power" not in table  # they play alike
    spread = printed("match", "call", "fold", *command[3:-1], tmp_path / "spread")
    assert "+750.0 … +750.0" in spread or "80 % power at 5 %" in spread
    assert "--resume continues it" in refused(*command)
    refused("match", "call")
    assert "not both" in refused("match", "call", "call", "--match-config", "three-players")
    assert "nobody: none of the bots that ship" in refused("match", "call", "nobody")


@pytest.mark.parametrize("command", ["exec:'./a b", "exec:"])
def test_a_program_that_is_none_is_told_in_a_line(command: str) -> None:
    said = refused("match", "call", command)
    assert f"{command}: " in said and "write exec:PROGRAM" in said


def test_a_folder_inside_a_file_is_told_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder = tmp_path / "file" / "x"
    said = refused("match", "call", "call", "--in-process", "--output", folder)
    assert said == f"limpet: {folder.parent} is a file; name another folder\n"


@pytest.mark.parametrize("text", ["", "{", "[]"])
def test_terms_that_cannot_be_read_are_told_in_a_line(text: str, tmp_path: Path) -> None:
    match = match_of("call", "raise", hands=5)
    before = play(match, tmp_path)
    (tmp_path / "match.json").write_text(text)
    with pytest.raises(ConfigError, match=r"match\.json: .*; remove it, and the same command goes on"):
        play(match, tmp_path, resume=True)
    (tmp_path / "match.json").unlink()
    assert play(match, tmp_path, resume=True).seatings == before.seatings


def test_names_and_folders_stay_text(tmp_path: Path) -> None:
    """The terminal's markup is not read into them."""
    plain = match_of("call", "raise", hands=5)
    match = replace(plain, config=replace_struct(plain.config, name="m[/y]"), names=("[old]", "b[/y]"))
    result = play(match, tmp_path)
    logs = [SeatingLog(tmp_path / "seating-1.log", match.names, 5)]
    logs[0].update()
    now = [0.0]
    for terminal in (False, True):
        out, now[0] = StringIO(), 0.0
        console = Console(file=out, width=200, force_terminal=terminal)
        with watching(match, console, lambda: now[0]) as watch:
            now[0] = 100.0
            watch(logs)
        result_table(result, Path("o[old]") / "p[/y]", console)
        text = re.sub("\x1b\\[[0-9;?]*[a-zA-Z]", "", out.getvalue())
        assert all(words in text for words in ("m[/y]", "[old] ", "b[/y]", "o[old]/p[/y]"))


def test_a_misspelt_bot_of_a_match_config_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "three.yaml"
    path.write_text("name: three\ngame: kuhn.limit.3p\nplayers: [kuhn3p, cal, random]\nhands: 30\n")
    assert "three.yaml:3: players.1: cal: none of the bots" in refused("match", "--match-config", path)


def test_the_command_takes_a_config_and_options_come_first(tmp_path: Path) -> None:
    own = tmp_path / "mine.yaml"
    own.write_text("name: mine\ngame: leduc.limit.2p\nplayers: [call, random]\nhands: 1000\nseed: 8\n")
    found = json_of("match", "--match-config", own, "--hands", 12, "--in-process", "--output", tmp_path / "out")
    assert (found["match"], found["hands"], found["seed"], found["sample"]) == ("mine", 12, 8, "hand")


def test_bots_by_name_and_loaded_play_as_a_match_of_the_command(tmp_path: Path) -> None:
    """The folder is that of `limpet match`, and without one the result is the same."""
    mine = load_bot({"name": "mine", "player": "call", "game": "kuhn.limit.2p"})
    kept = play_match(["leduc", "random"], 60, seed=3, folder=tmp_path / "kept")
    ran = run_match(
        match_of("leduc", "random", hands=60, seed=3, duplicate=True),
        tmp_path / "ran",
        "in-process",
        False,
        lambda logs: None,
    )
    assert (tmp_path / "kept" / "seating-1.log").read_text() == (tmp_path / "ran" / "seating-1.log").read_text()
    assert kept.players == ran.players == play_match(["leduc", Path("random")], 60, seed=3).players
    row = kept.to_records()[1]
    assert row["player"] == "random" and row["low_95"] < row["mbb_per_game"] < row["high_95"] and row["samples"] == 60
    other = play_match(["leduc", mine], 60)
    assert [player.name for player in other.players] == ["leduc", "mine"] and "leduc" not in mine.config.game
    with pytest.raises(ConfigError, match="3 players, but the game seats 2"):
        play_match(["leduc", "random", mine], 10)
    with pytest.raises(ConfigError, match="kept holds something already; name a new folder"):
        play_match(["leduc", "random"], 60, folder=tmp_path / "kept")
