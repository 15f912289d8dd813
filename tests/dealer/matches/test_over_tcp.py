"""Matches over TCP on this machine: the same as in one process, whatever ends in the middle."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from limpet.common.workers import usable_cores
from limpet.configs.loading import ConfigError
from limpet.dealer.matches import over_tcp
from limpet.dealer.matches.faults import GuardedProcess, MatchFailed
from limpet.dealer.matches.match import run_match
from limpet.dealer.matches.match_result import MatchResult, SeatingLog, seating_logs
from limpet.dealer.matches.matchconfig import Match, MatchConfig, resolve
from limpet.dealer.matches.over_tcp import Counted
from tests.processes import CALLS, program, running_in, until
from tests.strategies.players.draw_strategies import made_up_strategy

Watch = Callable[[Sequence[SeatingLog]], None]


def match_of(folder: Path, *players: str, **given: Any) -> Match:
    return resolve(MatchConfig(name="test", players=list(players), **given), folder)


def play(
    match: Match, folder: Path, in_process: bool = False, resume: bool = False, watch: Watch = lambda logs: None
) -> MatchResult:
    return run_match(match, folder, "in-process" if in_process else "tcp", resume, watch)


@pytest.mark.parametrize(
    ("game", "players", "hands"),
    [
        pytest.param("kuhn.limit.3p", ("random", "formula", "raise"), 12, marks=pytest.mark.slow),
        ("leduc.nolimit.2p", ("random", "raise"), 20),
        pytest.param("leduc.nolimit.2p", ("random", "raise"), 60, marks=pytest.mark.slow),
        pytest.param("holdem.nolimit.2p.reverse_blinds", ("random", "raise"), 50, marks=pytest.mark.slow),
        pytest.param("holdem.nolimit.2p.reverse_blinds", ("formula", "call"), 6, marks=pytest.mark.slow),
        ("draw5-tiny", ("random", "call"), 12),
        pytest.param("omaha-pl-hu", ("random", "call"), 20, marks=pytest.mark.slow),
    ],
)
def test_tcp_and_one_process_play_the_same_match(
    game: str, players: tuple[str, ...], hands: int, tmp_path: Path
) -> None:
    duplicate = game == "leduc.nolimit.2p"  # one of two seatings suffices
    match = match_of(tmp_path, *players, game=game, hands=hands, seed=11, duplicate=duplicate)
    results = [msgspec.to_builtins(play(match, tmp_path / how, how == "here")) for how in ("tcp", "here")]
    for number in range(1, len(match.seatings) + 1):
        name = f"seating-{number}.log"
        assert (tmp_path / "tcp" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()
    for result in results:
        for player in result["players"]:
            assert player["report"]["decisions"] > 0 and not player["report"].get("failures")
            del player["report"]
        assert result.pop("how") and result.pop("seconds") and result.pop("hands_per_second")
    assert results[0] == results[1]
    assert running_in(tmp_path) == []


@pytest.mark.slow
def test_a_draw_strategy_plays_the_same_over_tcp(tmp_path: Path) -> None:
    made_up_strategy(tmp_path / "made-up")
    (tmp_path / "drawer.yaml").write_text(
        "name: drawer\nplayer: draw\ngame: draw5-pl-hu\nseed: 1\noptions: {strategy: ./made-up, second_round: stored}\n"
    )
    match = match_of(tmp_path, str(tmp_path / "drawer.yaml"), "random", game="draw5-pl-hu", hands=4, seed=11)
    for how in ("tcp", "here"):
        play(match, tmp_path / how, how == "here")
    assert (tmp_path / "tcp" / "seating-1.log").read_bytes() == (tmp_path / "here" / "seating-1.log").read_bytes()


def test_names_of_any_script_and_a_player_called_dealer_have_files_of_their_own(tmp_path: Path) -> None:
    players = [program(tmp_path / f"{name}.py", CALLS) for name in ("dealer", "zoë")]
    result = play(match_of(tmp_path, *players, game="kuhn.limit.2p", hands=20), tmp_path / "out")
    assert result.samples == 20 and result.seatings[0].players == ("dealer.2", "zoë")
    files = {path.name for path in (tmp_path / "out").glob("*.err*")}
    assert files == {"seating-1.dealer.err", "seating-1.dealer.2.err", "seating-1.zoë.err"}


@pytest.mark.slow
def test_a_killed_dealer_is_resumed_to_the_same_result(tmp_path: Path) -> None:
    match = match_of(tmp_path, "random", "call", game="leduc.limit.2p", hands=2000, seed=5, duplicate=True)
    play(match, tmp_path / "here", True)
    folder = tmp_path / "tcp"
    kills: list[int] = []

    def kill(logs: Sequence[SeatingLog]) -> None:
        # Somewhere in the first seating, and again in the second.
        log = logs[-1]
        if len(kills) < len(logs) and 100 < log.played < 1900:
            for process in Path("/proc").glob("[0-9]*"):
                try:
                    command = (process / "cmdline").read_bytes().split(b"\0")
                    home = os.readlink(process / "cwd")
                except OSError:
                    continue
                if home == str(folder) and log.path.stem.encode() in command:
                    os.kill(int(process.name), signal.SIGKILL)
                    kills.append(log.played)
                    return

    for attempt in range(5):
        try:
            play(match, folder, resume=attempt > 0, watch=kill)
            break
        except MatchFailed as failed:
            assert "the dealer was killed by SIGKILL; go on with --resume" in str(failed)
            assert running_in(tmp_path) == []
    assert len(kills) == 2
    for name in ("seating-1.log", "seating-2.log"):
        resumed, whole = ((where / name).read_text().splitlines() for where in (folder, tmp_path / "here"))
        assert [line for line in resumed if line[0] != "#"] == [line for line in whole if line[0] != "#"]


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="only Linux keeps threads on cores")
def test_seatings_at_a_time_are_the_same_each_on_a_core_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, kept = dict[GuardedProcess, int](), dict[GuardedProcess, set[int]]()
    tell = GuardedProcess.tell

    def noted(process: GuardedProcess, line: str) -> None:
        told[process] = int(line.split()[2])
        tell(process, line)

    def look(logs: Sequence[SeatingLog]) -> None:
        begun.append([log.finished for log in logs])
        for bot in told if all(log.played for log in logs) else ():
            with suppress(ProcessLookupError):  # it has ended
                kept[bot] = os.sched_getaffinity(bot._process.pid)

    begun: list[list[bool]] = []
    monkeypatch.setattr(GuardedProcess, "tell", noted)
    match = match_of(tmp_path, "random", "raise", game="kuhn.limit.2p", hands=300, duplicate=True)
    result = run_match(match, tmp_path / "tcp", "tcp", False, look, one_core=True, jobs=2)
    assert begun[0] == [False, False]
    cores = {name: {told[bot] for bot in told if bot.out.name.startswith(name)} for name in ("seating-1", "seating-2")}
    assert len(told) == 4 and kept == {bot: {core} for bot, core in told.items()}
    assert all(len(of_seating) == 1 for of_seating in cores.values())
    assert cores["seating-1"] != cores["seating-2"] or len(usable_cores()) == 1
    here = play(match, tmp_path / "here", True)
    assert [player.chips for player in result.players] == [player.chips for player in here.players]
    for name in ("seating-1.log", "seating-2.log"):
        assert (tmp_path / "tcp" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="only Linux keeps threads on cores")
def test_more_seatings_than_cores_are_spread_over_them(tmp_path: Path) -> None:
    cores = sorted(usable_cores())
    sleeper = GuardedProcess([sys.executable, "-c", "import time; time.sleep(600)"], tmp_path, tmp_path / "sleeper")
    try:
        for least in cores:
            assert sleeper.keep_on_a_core(Counter(dict.fromkeys(cores, 2)) - Counter([least])) == least
    finally:
        sleeper.end()


@pytest.mark.usefixtures("impatient")
def test_a_player_that_dies_is_named_with_its_last_words(tmp_path: Path) -> None:
    broken = program(tmp_path / "broken.py", "import sys\nsys.exit('I never learnt to play')\n")
    caller = program(tmp_path / "caller.py", CALLS)
    match = match_of(tmp_path, caller, broken, game="kuhn.limit.2p", hands=10)
    with pytest.raises(MatchFailed) as failed:
        play(match, tmp_path / "out")
    message = str(failed.value)
    assert "player 'broken' ended with status 1 before the match did" in message
    assert "I never learnt to play" in message
    with pytest.raises(ConfigError, match="broken played this match with another config, strategy or command"):
        other = match_of(tmp_path, caller, f"{broken} --now", game="kuhn.limit.2p", hands=10)
        play(other, tmp_path / "out", resume=True)
    assert running_in(tmp_path) == []


CALLER = """
import socket, sys
dealer = socket.create_connection((sys.argv[-2], int(sys.argv[-1])))
dealer.sendall(b"VERSION:2.0.0\\n")
for line in dealer.makefile():
    state = line.rstrip()
    _, position, hand, betting, cards = state.split(":")
    if int(hand) >= LEAVE_AT:
        sys.exit(f"{sys.argv[1]} leaves")
    # Answering every line is allowed: what was not asked for is ignored.
    dealer.sendall(f"{state}:c\\n".encode())
"""


def test_an_external_program_plays_and_one_that_leaves_is_named(tmp_path: Path) -> None:
    patient = program(tmp_path / "patient.py", CALLER.replace("LEAVE_AT", "10**9")) + " --some argument"
    result = play(match_of(tmp_path, "call", patient, hands=20), tmp_path / "out")
    reference = play(match_of(tmp_path, "call", "call", hands=20), tmp_path / "here", True)
    assert [p.chips for p in result.players] == [p.chips for p in reference.players]
    leaving = program(tmp_path / "leaving.py", CALLER.replace("LEAVE_AT", "3")) + " Bob"
    with pytest.raises(MatchFailed, match="player 'leaving' ended with status 1 before(.|\n)*Bob leaves"):
        play(match_of(tmp_path, leaving, patient, game="kuhn.limit.2p", hands=20), tmp_path / "left")


def test_a_failure_ends_all_seatings_that_are_played_and_they_go_on(tmp_path: Path) -> None:
    players = program(tmp_path / "caller.py", CALLS), program(tmp_path / "other.py", CALLER.replace("LEAVE_AT", "30"))
    match = match_of(tmp_path, *players, game="kuhn.limit.2p", hands=1000, duplicate=True)
    with pytest.raises(MatchFailed, match="player 'other' ended with status 1"):
        run_match(match, tmp_path / "out", "tcp", False, lambda logs: None, jobs=2)
    assert running_in(tmp_path) == []
    program(tmp_path / "other.py", CALLS)
    result = run_match(match, tmp_path / "out", "tcp", True, lambda logs: None, jobs=2)
    assert result.samples == 1000
    assert [player.chips for player in result.players] == [0, 0]  # both call with the same cards


def test_a_seating_that_is_over_counts_though_another_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    match = match_of(tmp_path, "call", "call", game="kuhn.limit.2p", hands=10, duplicate=True)
    logs = seating_logs(tmp_path, match)

    def fails() -> Generator[None, None, Counted]:
        while not logs[1].finished:
            yield
        raise MatchFailed("lost")

    def ends() -> Generator[None, None, Counted]:
        logs[1].finished = True  # its processes still run
        yield
        yield
        return [{"decisions": 5}, {}]

    seatings = iter([fails(), ends()])
    monkeypatch.setattr(over_tcp, "play_seating", lambda *args: next(seatings))
    ended = over_tcp.play_seatings(match, tmp_path, logs, 2, False, lambda logs: None)
    assert next(ended) == (logs[1], [{"decisions": 5}, {}])
    with pytest.raises(MatchFailed, match="lost"):
        next(ended)


def test_a_watcher_sees_the_seatings_behind_the_one_that_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = match_of(tmp_path, "call", "call", game="kuhn.limit.2p", hands=10, duplicate=True)
    logs = seating_logs(tmp_path, match)
    logs[1].played, logs[1].finished = 10, True
    monkeypatch.setattr(over_tcp, "play_seating", lambda *args: (_ for _ in range(2)))
    seen = list[int]()
    list(over_tcp.play_seatings(match, tmp_path, logs, 1, False, lambda logs: seen.append(len(logs))))
    assert set(seen) == {2}


def test_a_program_begins_every_seating_anew(tmp_path: Path) -> None:
    """With its whole process group: what it has left running is gone before it sits down again."""
    text = """
import os, subprocess, sys
def runs(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
if os.path.exists("pids") and any(map(runs, open("pids").read().split())):
    sys.exit("somebody was left over")
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
open("pids", "a").write(f"{os.getpid()} {child.pid} ")
"""
    players = program(tmp_path / "lasting.py", text + CALLS), program(tmp_path / "caller.py", CALLS)
    played = play(match_of(tmp_path, *players, game="kuhn.limit.2p", hands=10, duplicate=True), tmp_path / "out")
    assert played.samples == 10
    assert len(set((tmp_path / "pids").read_text().split())) == 4
    until(lambda: running_in(tmp_path) == [])


@pytest.mark.parametrize("how", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow), signal.SIGKILL])
def test_a_stopped_match_leaves_no_process_behind(how: signal.Signals, tmp_path: Path) -> None:
    if how == signal.SIGKILL and sys.platform != "linux":
        pytest.skip("only Linux ends the processes of a killed parent")
    folder = tmp_path / "out"
    program(tmp_path / "caller.py", CALLS)
    words = ["call", f"exec:{tmp_path}/caller.py", "--hands", "1000000", "--output", str(folder)]
    # A background job has SIGINT ignored, and hands that on; not to the program that is to be stopped here.
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    command = [sys.executable, "-c", f"{heard}; from limpet.bot.cli import main; main()", "match", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as match:
        until(lambda: (folder / "seating-1.log").exists() and "STATE:5:" in (folder / "seating-1.log").read_text())
        match.send_signal(how)
        _, errors = match.communicate(timeout=60)
    if how != signal.SIGKILL:
        assert match.returncode == 1
        assert b"the same command with --resume goes on" in errors
    until(lambda: running_in(tmp_path) == [])
    held = json.loads((folder / "match.json").read_text())
    assert held["hands"] == 1_000_000


STARTS_A_PROGRAM = """
import os, signal, sys
from pathlib import Path
from limpet.dealer.matches.faults import GuardedProcess
GuardedProcess([sys.executable, "-c", "import time; time.sleep(600)"], Path("."), Path("orphan"))
os.kill(os.getpid(), signal.SIGKILL)
"""
STARTS_A_WORKER = """
import multiprocessing, os, signal, time
from limpet.common.workers import left_to_parent
def work():
    while multiprocessing.parent_process().is_alive():
        time.sleep(0.01)
    left_to_parent()
    time.sleep(600)
if __name__ == "__main__":
    multiprocessing.get_context("spawn").Process(target=work).start()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends the processes of a killed parent")
@pytest.mark.parametrize("text", [STARTS_A_PROGRAM, STARTS_A_WORKER])
def test_who_is_killed_while_starting_a_process_leaves_none_behind(text: str, tmp_path: Path) -> None:
    path = tmp_path / "starts.py"
    path.write_text(text)
    killed = subprocess.run([sys.executable, path], cwd=tmp_path, timeout=60, check=False)
    assert killed.returncode == -signal.SIGKILL
    until(lambda: running_in(tmp_path) == [])
