"""Tournaments: the tables they play, going on after a kill, faults, early ends, and reports."""

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator
from functools import partial
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from rich.console import Console

from limpet.bot.commands.playing.tournament import standing
from limpet.bot.commands.playing.tournament import tournament as command
from limpet.bot.commands.progress import progress
from limpet.bot.commands.terminal import print_document
from limpet.common.statistics import Sprt, most_lost
from limpet.configs.loading import ConfigError, load_game
from limpet.dealer.contests.tournament import TableRecord, TournamentRun, played_here
from limpet.dealer.contests.tournament_config import (
    NamedBot,
    Tournament,
    TournamentConfig,
    load_tournament,
    resolve_tournament,
)
from limpet.dealer.contests.tournament_match import MatchNews, TableMatch, play_table_match, read_sets
from limpet.dealer.contests.tournament_result import TournamentResult, result
from limpet.dealer.matches.match import run_match
from limpet.dealer.matches.over_tcp import player_command
from limpet.dealer.reports.report_tournament import results_document, results_markdown
from limpet.dealer.table.deals import Deals
from limpet.strategies.base.botconfig import Bot
from tests.commands import json_of, printed
from tests.processes import CALLS, program, running_in, until

BOTS: list[str | NamedBot] = ["formula", "call", "random"]


def tournament_of(folder: Path, **given: Any) -> Tournament:
    asked = {"name": "test", "bots": BOTS, "game": "leduc.limit.2p", "hands": 60, "how": "in-process", **given}
    return resolve_tournament(TournamentConfig(**asked), folder)


def play(tournament: Tournament, home: Path, root: Path, jobs: int = 2, resume: bool = False) -> TournamentResult:
    run = TournamentRun(tournament, root, resume)
    run.play(partial(played_here, tournament.config, home, root, jobs), lambda hands, most, tables: None)
    return result(tournament, run.tables)


def play_here(tournament: Tournament, root: Path, resume: bool = False) -> TournamentResult:
    """The same without other processes."""
    run = TournamentRun(tournament, root, resume)

    def played(matches: Iterator[TableMatch]) -> Generator[MatchNews, None, None]:
        for match in matches:
            yield play_table_match(tournament, match, root, lambda logs: None, 1)

    run.play(played, lambda hands, most, tables: None)
    return result(tournament, run.tables)


# --- what is played


def test_every_set_of_players_that_fills_a_table_meets(tmp_path: Path) -> None:
    assert tournament_of(tmp_path).tables == [("formula", "call"), ("formula", "random"), ("call", "random")]
    three = tournament_of(tmp_path, bots=[*BOTS, "raise"], game="kuhn.limit.3p")
    assert three.tables == list(combinations([*BOTS, "raise"], 3)) and three.seatings == 6
    six = tournament_of(tmp_path, bots=[*BOTS, "raise", "fold", NamedBot("call2", "call")], game="holdem.nolimit.6p")
    assert six.tables == [(*BOTS, "raise", "fold", "call2")] and six.seatings == 6
    assert list(six.players)[-1] == "call2" and six.match(six.tables[0], 0).names[-1] == "call2"
    assert six.match(six.tables[0], 3).config.seed == 4


def test_mistakes_are_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"two are called call; name one with '\{name: ..., bot: ...\}'"):
        tournament_of(tmp_path, bots=["call", "call"])
    with pytest.raises(ConfigError, match="dealer is the dealer's own name in files; name the bot with '{name"):
        tournament_of(tmp_path, bots=["call", NamedBot("dealer", "raise")])
    plus: list[str | NamedBot] = [NamedBot(name, "call") for name in ("a+b", "c", "a", "b+c")]
    with pytest.raises(ConfigError, match=r"the tables \(a\+b, c\) and \(a, b\+c\) would both .* a\+b\+c; name"):
        tournament_of(tmp_path, bots=plus)
    assert len(tournament_of(tmp_path, bots=plus[:3]).tables) == 3
    with pytest.raises(ConfigError, match="2 bots, but the game seats 3"):
        tournament_of(tmp_path, bots=["call", "raise"], game="kuhn.limit.3p")
    with pytest.raises(ConfigError, match="who wins is tested at tables of two, not of 3"):
        tournament_of(tmp_path, game="kuhn.limit.3p", stop=Sprt(50))
    with pytest.raises(ConfigError, match="formula works its answers out while it plays.*write how: fastest"):
        tournament_of(tmp_path, how="compiled").check()
    bot = program(tmp_path / "bot.py", "")
    with pytest.raises(ConfigError, match="no game: programs do not say"):
        tournament_of(tmp_path, bots=[bot, NamedBot("b", bot)], game=None)
    with pytest.raises(ConfigError, match="bot is a program of its own and plays over TCP"):
        tournament_of(tmp_path, bots=["call", bot]).check()
    fastest = tournament_of(tmp_path, bots=["leduc", "call", "random", bot], how="fastest")
    assert [fastest.way(table) for table in fastest.tables[:3]] == ["compiled", "in-process", "tcp"]
    path = tmp_path / "t.yaml"
    path.write_text("name: t\nbots: [call, raise]\nstop: {margin: 0}\n")
    with pytest.raises(ConfigError, match="t.yaml:3: stop.margin"):
        load_tournament(str(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "bots:\n  - call\n  - cal\n",
            ":4: bots.1: cal: none of the bots that ship has this name; did you mean 'call'?",
        ),
        ("bots:\n  - call\n  - {name: call, bot: raise}\n", ":4: bots.1: two are called call; name one with"),
        ("game: kuhn.limit.3p\nbots: [call, raise]\n", ":3: bots: 2 bots, but the game seats 3"),
        ("bots: [call, raise]\ngame: nim\n", ":3: game: nim: none of the games"),
        ("game: kuhn.limit.3p\nbots: [call, raise, fold]\nstop: {margin: 50}\n", ":4: stop: who wins is tested at"),
    ],
)
def test_mistakes_in_a_file_name_its_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "t.yaml"
    path.write_text("name: t\n" + text)
    with pytest.raises(ConfigError) as caught:
        resolve_tournament(*load_tournament(str(path)))
    assert str(caught.value).startswith(f"{path}{message}")


def test_a_bot_of_another_game_is_told_whose_game_it_is(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError,
        match=r"leduc\.yaml:7: options\.strategy: .*; this tournament is kuhn.limit.2p, from kuhn; see its key",
    ):
        tournament_of(tmp_path, bots=["kuhn", "leduc"], game=None).check()
    with pytest.raises(
        ConfigError, match=r"leduc\.yaml:7: options\.strategy: .*; this tournament is kuhn.limit.2p; see its key 'game'"
    ):
        tournament_of(tmp_path, bots=["kuhn", "leduc"], game="kuhn.limit.2p").check()


def test_matches_have_distinct_deals_and_distinct_draws(tmp_path: Path) -> None:
    tournament = tournament_of(tmp_path, matches=300, game="kuhn.limit.2p", seed=2**32 - 100)
    tournament.check()  # also seeds above 100, which once dealt the same cards
    matches = [tournament.match(tournament.tables[1], number) for number in range(300)]
    dealt = {tuple(islice(Deals(match.game, match.config.seed), 40)) for match in matches}
    assert len(dealt) == 300
    seeds = {player.config.seed for match in matches for player in match.players if isinstance(player, Bot)}
    assert len(seeds) == 300  # formula and random both have seed 1
    # Over TCP a bot is told its seed unless it is the config's.
    first, second = (player_command(match, 1, tmp_path / "x.game", 1)[0] for match in matches[:2])
    assert "--seed" not in first and second[-2:] == ["--seed", str(1 + 1_000_003)]
    with pytest.raises(ConfigError, match="seeds 5 and 5 deal the same cards"):
        from limpet.dealer.contests.tournament_config import _check_deals

        _check_deals(matches[0].game, [5, 6, 5])


def test_a_table_is_what_limpet_match_plays(tmp_path: Path) -> None:
    tournament = tournament_of(tmp_path, matches=2)
    found = play_here(tournament, tmp_path / "all")
    alone = run_match(
        tournament.match(tournament.tables[0], 0), tmp_path / "alone", "in-process", False, lambda logs: None
    )
    folder = tmp_path / "all" / "formula+call" / "match-1"
    for name in ("seating-1.log", "seating-2.log"):
        assert (folder / name).read_bytes() == (tmp_path / "alone" / name).read_bytes()
    sets = read_sets(folder)
    assert sets is not None and sets.shape == (2, 60)
    assert sets[0].mean() * 1000 == pytest.approx(alone.players[0].mbb_per_game)
    both = found.crosstable["formula"]["call"]
    second = json.loads((tmp_path / "all" / "formula+call" / "match-2" / "result.json").read_text())
    assert both.mbb_per_game == pytest.approx(
        (alone.players[0].mbb_per_game + second["players"][0]["mbb_per_game"]) / 2
    )
    assert both.chips == alone.players[0].chips + second["players"][0]["chips"] and both.hands == 240
    assert found.crosstable["call"]["formula"].mbb_per_game == -both.mbb_per_game
    assert sum(s.result.chips for s in found.standings if s.result) == pytest.approx(0)
    assert found.complete and [s.bankroll_place for s in found.standings] == [1, 2, 3]


def test_compiled_and_in_process_come_out_the_same(tmp_path: Path) -> None:
    bots = ["leduc", "call", "raise"]
    results = []
    for how in ("compiled", "in-process"):
        found = msgspec.to_builtins(play_here(tournament_of(tmp_path, bots=bots, how=how, matches=2), tmp_path / how))
        assert found.pop("how") == how
        results.append(found)
    assert results[0] == results[1]


def test_three_at_a_table(tmp_path: Path) -> None:
    found = play_here(
        tournament_of(tmp_path, bots=["kuhn3p", "call", "raise", "random"], game="kuhn.limit.3p"), tmp_path / "out"
    )
    assert found.complete and found.seatings == 6 and len(found.tables) == 4
    assert all(len(table.results) == 3 for table in found.tables)
    assert len(found.run_off) == 2 and len(found.run_off[-1].mbb_per_game) == 3
    assert all(standing.series_place is None for standing in found.standings)
    text = results_markdown(found)
    assert "at the tables of both" in text and "|kuhn3p, call, raise|" in text


# --- side by side, stopped, resumed


def test_results_do_not_depend_on_jobs_or_on_a_stop(tmp_path: Path) -> None:
    tournament = tournament_of(tmp_path, matches=2)
    whole = play(tournament, tmp_path, tmp_path / "whole", jobs=2)
    assert whole.complete
    alone = play_here(tournament, tmp_path / "alone")
    assert alone == whole
    # One match torn in the middle, one that is gone.
    stopped = tmp_path / "whole"
    torn = stopped / "formula+random" / "match-2"
    (torn / "sets.npy").unlink()
    log = torn / "seating-2.log"
    log.write_bytes(log.read_bytes()[:2000])
    sets = stopped / "call+random" / "match-1" / "sets.npy"
    sets.write_bytes(sets.read_bytes()[:-7])  # played, but its results must be read from the logs again
    run = TournamentRun(tournament, stopped, True)
    assert [table.counted for table in run.tables] == [2, 1, 0]
    assert not result(tournament, run.tables).complete
    assert play_here(tournament, stopped, True) == whole
    with pytest.raises(ConfigError, match="holds a tournament; --resume continues it"):
        TournamentRun(tournament, stopped, False)
    with pytest.raises(ConfigError, match="hands is 60 there and 61 now"):
        TournamentRun(tournament_of(tmp_path, hands=61), stopped, True)
    (stopped / "tournament.json").write_text("")
    with pytest.raises(ConfigError, match=r"tournament\.json: not JSON .*; remove it, and the same command goes on"):
        TournamentRun(tournament, stopped, True)
    (stopped / "tournament.json").unlink()
    longer = play_here(tournament_of(tmp_path, matches=3), stopped, True)
    assert longer.tables[0].sets == 180


def test_a_tournament_that_never_began_is_not_resumed(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "missing", tmp_path / "empty"):
        with pytest.raises(ConfigError, match=f"{folder} holds no tournament to go on with; leave --resume out"):
            TournamentRun(tournament_of(tmp_path), folder, True)
    assert not (tmp_path / "missing").exists()


@pytest.mark.parametrize("how", ["in-process", "compiled"])
def test_matches_of_a_bot_that_has_changed_are_refused(how: str, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.yaml", tmp_path / "theirs.yaml"
    ours.write_text("name: ours\nplayer: blueprint\ngame: leduc.limit.2p\noptions: {strategy: leduc}\n")
    theirs.write_text(ours.read_text().replace("ours", "theirs"))
    tournament = tournament_of(tmp_path, bots=["ours.yaml", "theirs.yaml", "call"], how=how)
    whole = play_here(tournament, tmp_path / "out")
    ours.write_text(ours.read_text().replace("leduc}", "leduc, threshold: 0.1}"))
    with pytest.raises(ConfigError, match=r"\(ours: ours\+theirs/match-1, ours\+call/match-1\); delete these folders"):
        TournamentRun(tournament, tmp_path / "out", True)
    for table in ("ours+theirs", "ours+call"):
        shutil.rmtree(tmp_path / "out" / table)
    again = play_here(
        tournament_of(tmp_path, bots=["ours.yaml", "theirs.yaml", "call"], how=how), tmp_path / "out", True
    )
    assert again.complete
    assert again.crosstable["theirs"]["call"] == whole.crosstable["theirs"]["call"]
    assert again.crosstable["ours"]["call"] != whole.crosstable["ours"]["call"]


@pytest.mark.parametrize("how", [pytest.param(signal.SIGTERM, marks=pytest.mark.slow), signal.SIGKILL])
def test_a_killed_tournament_goes_on(how: signal.Signals, tmp_path: Path) -> None:
    if how == signal.SIGKILL and sys.platform != "linux":
        pytest.skip("only Linux ends the processes of a killed parent")
    config = tmp_path / "t.yaml"
    config.write_text(
        "name: t\ngame: leduc.limit.2p\nbots: [call, random]\nhands: 200\nhow: fastest\njobs: 1\nmatches: 2\nduplicate: false\n"
    )
    line = "from limpet.bot.commands.playing.tournament import tournament; tournament()"
    words = [sys.executable, "-c", line, str(config), "--how", "tcp", "--output", str(tmp_path / "out")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        log = tmp_path / "out" / "call+random" / "match-2" / "seating-1.log"
        until(lambda: log.exists() and "STATE:5:" in log.read_text())
        process.send_signal(how)
        _, errors = process.communicate(timeout=100)
    if how != signal.SIGKILL:
        assert process.returncode == 1 and b"the same command with --resume goes on" in errors
    until(lambda: running_in(tmp_path) == [])
    done = subprocess.run([*words, "--resume", "--json"], capture_output=True, text=True, timeout=250, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    read, home, _ = load_tournament(str(config), {"how": "in-process"})
    here = msgspec.to_builtins(play_here(resolve_tournament(read, home), tmp_path / "here"))
    assert {**found, "how": ""} == {**json.loads(json.dumps(here)), "how": ""}


# --- faults


def test_a_bot_that_dies_is_disqualified_and_the_rest_goes_on(tmp_path: Path) -> None:
    connects = "import socket, sys\nsocket.create_connection((sys.argv[-2], int(sys.argv[-1])))\n"
    bad = program(tmp_path / "bad.py", f"{connects}sys.exit('no brain')\n")
    bots = [program(tmp_path / "one.py", CALLS), bad, program(tmp_path / "two.py", CALLS)]
    tournament = tournament_of(tmp_path, bots=bots, hands=5, how="fastest", duplicate=False)
    found = play(tournament, tmp_path, tmp_path / "out", jobs=1)
    assert not found.complete
    fault = found.tables[0].fault
    assert fault is not None and (fault.player, fault.seat, fault.status) == ("bad", 2, 1)
    assert fault.last_words == ("no brain",)
    assert [standing.name for standing in found.standings] == ["one", "two", "bad"]
    last = found.standings[-1]
    assert last.disqualified and last.bankroll_place is None and found.tables[1].results
    text = results_markdown(found)
    assert "Disqualified: bad." in text and "seat 2, player 'bad' ended with status 1" in text
    # Mended, it plays what it has missed.
    program(tmp_path / "bad.py", CALLS)
    again = play_here(tournament, tmp_path / "out", resume=True)
    assert again.complete and not any(standing.disqualified for standing in again.standings)
    assert again.crosstable["bad"]["one"].hands == 5


# --- ending early


def test_a_table_ends_when_it_is_decided_whoever_was_first(tmp_path: Path) -> None:
    stop = Sprt(margin=300)
    tournament = tournament_of(tmp_path, hands=100, matches=8, stop=stop)
    found = play_here(tournament, tmp_path / "one")
    table = found.tables[0]
    assert table.verdict == "win" and table.verdict_sets is not None and table.matches < 8
    assert table.matches == -(-table.verdict_sets // 100) and table.sets == table.matches * 100
    # Matches that were under way when it was decided change nothing.
    play_table_match(
        tournament, TableMatch(tournament.tables[0], table.matches), tmp_path / "one", lambda logs: None, 1
    )
    again = TournamentRun(tournament, tmp_path / "one", True)
    assert len(again.tables[0].matches) == table.matches + 1 and again.tables[0].counted == table.matches
    assert result(tournament, again.tables) == found
    # The verdict is that of the sets in order.
    sets = again.tables[0].sets[0] * 1000
    decision = stop.verdict(sets, most_lost(tournament.game))
    assert decision is not None and decision.sets == table.verdict_sets
    text = results_markdown(found)
    assert f"formula, after {table.verdict_sets:,} sets" in text and "intervals are too narrow" in text


# --- what is shown


def test_what_is_shown(tmp_path: Path) -> None:
    tournament = tournament_of(tmp_path)
    found = play_here(tournament, tmp_path / "out")
    console = Console(record=True, width=200, file=open(os.devnull, "w"))  # noqa: SIM115
    print_document(console, results_document(found, "chips"))
    console.file.close()
    text = console.export_text()
    assert "test: 3 tables, 60 duplicate sets each in 2 seatings, seed 1, in-process" in text
    chips = found.crosstable["formula"]["random"].chips
    assert f"{chips:+,.0f} ± " in text
    lines = results_markdown(found).splitlines()
    header = next(line for line in lines if line.startswith("||"))
    assert header == "||" + "|".join(standing.name for standing in found.standings) + "|"


def test_progress_lines(capsys: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    console = Console(file=sys.stdout, force_terminal=False)
    tables = [TableRecord(("A", "B"), {0: np.zeros((2, 1))}), TableRecord(("A", "C"), failure="x")]
    with progress("t[/y]", "hands", console=console, clock=lambda: now[0], every=10.0) as report:
        report(1, 1000, lambda: standing(tables))
        now[0] = 11.0
        report(300, 1000, lambda: standing(tables))
    assert capsys.readouterr().out == "t[/y]: 300 of 1,000 hands, 0:00:26 left, 1 of 2 tables begun, 1 failed\n"


def test_progress_on_a_terminal() -> None:
    out = io.StringIO()
    tables = [TableRecord(("A", "B"), {0: np.zeros((2, 1))})]
    console = Console(file=out, force_terminal=True, width=120)
    with progress("t[/y]", "hands", console=console, stays=True) as report:
        report(500, 1000, lambda: standing(tables))
    assert "500 of 1,000 hands" in out.getvalue() and "1 of 1 tables begun" in out.getvalue()


@pytest.mark.parametrize("name", ["first", "three-players", "decided", "holdem"])
def test_those_that_ship_can_be_played(name: str) -> None:
    tournament = resolve_tournament(*load_tournament(name))
    tournament.check()
    assert tournament.config.name == name


def test_the_examples_of_the_help_can_be_played() -> None:
    played = re.findall(r"limpet tournament (\w+) --hands (\d+) --how (\w+)", command.epilog or "")
    assert played
    for name, hands, how in played:
        resolve_tournament(*load_tournament(name, {"hands": int(hands), "how": how})).check()


def test_the_command(tmp_path: Path) -> None:
    words = [
        "tournament",
        "three-players",
        "--hands",
        4,
        "--jobs",
        1,
        "--how",
        "in-process",
        "--output",
        tmp_path / "out",
    ]
    shown = printed(*words)
    assert "Places" in shown and "round 2" in shown
    assert (tmp_path / "out" / "results.md").read_text().startswith("# three-players")
    held = json.loads((tmp_path / "out" / "results.json").read_text())
    assert held["complete"] and held["hands"] == 4
    assert json_of(*words, "--resume") == held
    assert load_game("kuhn.limit.3p").num_players == held["table_size"]


# --- what is written, and slow bots


def test_names_stay_text(tmp_path: Path) -> None:
    """Neither Markdown nor the terminal's markup is read into them."""
    names = ["*a*", "<b>`c`", "[red]_d_"]
    bots: list[str | NamedBot] = [
        NamedBot(name, bot) for name, bot in zip(names, ["call", "raise", "formula"], strict=True)
    ]
    found = play_here(tournament_of(tmp_path, bots=bots, hands=5), tmp_path / "out")
    text = results_markdown(found)
    assert "\\*a\\*" in text and "&lt;b&gt;\\`c\\`" in text and "\\[red\\]\\_d\\_" in text
    assert not [name for name in names if name in text]
    with open(os.devnull, "w") as nowhere:
        console = Console(record=True, width=300, file=nowhere)
        print_document(console, results_document(found, "mbb/g"))
        shown = console.export_text()
    assert all(name in shown for name in names)


def test_tables_of_a_slow_bot_are_short(tmp_path: Path) -> None:
    bots = ["call", NamedBot("slow", "formula", hands=7), "raise"]
    tournament = tournament_of(tmp_path, bots=bots, hands=30, matches=2)
    assert [tournament.hands(table) for table in tournament.tables] == [7, 30, 7]
    assert tournament.deals(tournament.tables[0], 9).tolist() == [0, 1, 2, 3, 4, 5, 6, 30, 31]
    assert tournament.deals(tournament.tables[1], 40).tolist() == list(range(40))
    found = play_here(tournament, tmp_path / "out")
    assert [table.sets for table in found.tables] == [14, 60, 14] and found.complete
    alone = run_match(
        tournament.match(tournament.tables[0], 1), tmp_path / "alone", "in-process", False, lambda logs: None
    )
    assert alone.hands == 7
    with pytest.raises(ConfigError, match="own_hands is"):
        TournamentRun(tournament_of(tmp_path, bots=["call", NamedBot("slow", "formula"), "raise"], hands=30, matches=2),
                      tmp_path / "out", True)  # fmt: skip


def test_full_ranges_are_played_and_go_on_where_they_were_cut(tmp_path: Path) -> None:
    asked = {"bots": ["fold", "call", "chart"], "game": None, "hands": 3, "how": "full-ranges", "seed": 5}
    tournament = tournament_of(tmp_path, **asked)
    told: list[int] = []
    play_table_match(tournament, TableMatch(("call", "chart"), 0), tmp_path / "cut", told.append, 1)
    assert told == [2, 4, 6]
    folder = tournament.folder(tmp_path / "cut", ("call", "chart"), 0)
    sets = read_sets(folder)
    assert sets is not None and sets.shape == (2, 3) and sets.any() and np.array_equal(sets[0], -sets[1])
    (folder / "sets.npy").unlink()
    lines = (folder / "ranges.jsonl").read_bytes()
    (folder / "ranges.jsonl").write_bytes(lines[:-7])  # torn by a kill in the middle of the last line
    found = play_here(tournament, tmp_path / "cut")
    again = read_sets(folder)
    assert again is not None and np.array_equal(again, sets) and (folder / "ranges.jsonl").read_bytes() == lines
    assert found.complete and found == play_here(tournament, tmp_path / "whole")
    assert found.crosstable["call"]["fold"].mbb_per_game == pytest.approx(250)
    assert "full-ranges" in results_markdown(found, "mbb/g")
    found.write(tmp_path / "whole")
    printed("report", tmp_path / "whole")
    assert (tmp_path / "whole" / "report.md").read_text().count("played by full ranges, without dealing hands") == 3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "full ranges are for heads-up hold'em; write how: fastest"),
        ({"game": None, "bots": ["fold", "exec:there"]}, "there is a program of its own"),
        ({"game": None, "bots": ["fold", "call"], "duplicate": False}, "leave fixed_button and duplicate out"),
    ],
)
def test_what_full_ranges_cannot_do_is_refused(tmp_path: Path, given: dict[str, Any], message: str) -> None:
    program(tmp_path / "there", "")
    with pytest.raises(ConfigError, match=message):
        tournament_of(tmp_path, how="full-ranges", **given).check()
