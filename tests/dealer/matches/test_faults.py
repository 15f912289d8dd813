"""Black boxes that die, stall, flood or leave children behind: the right seat is blamed, and nothing is left running."""

import errno
import json
import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from limpet.configs.loading import ConfigError, load_yaml
from limpet.dealer.matches.faults import FAULT_FILE, Fault, FaultFinder, GuardedProcess, MatchFailed, awaited_seat
from limpet.dealer.matches.match import run_match
from limpet.dealer.matches.match_result import SeatingLog
from limpet.dealer.matches.matchconfig import Match, MatchConfig, PlayerLimits, resolve
from limpet.dealer.table.files import write_json
from tests import processes

SLOW = pytest.mark.slow

CONNECT = """
import os, signal, socket, sys, time
def connect(hello=b"VERSION:2.0.0\\n"):
    dealer = socket.create_connection((sys.argv[-2], int(sys.argv[-1])))
    dealer.sendall(hello)
    return dealer
LINES = {}
def play(dealer, hands=10**9):
    for line in LINES.setdefault(dealer, dealer.makefile()):  # one reader: it may hold lines already
        if int(line.split(":")[2]) >= hands:
            return
        dealer.sendall(f"{line.rstrip()}:c\\n".encode())
"""


def program(path: Path, text: str) -> str:
    """A program that begins by connecting to the dealer."""
    return processes.program(path, CONNECT + text)


def caller(folder: Path) -> str:
    """A program that calls, and starts in hundredths of a second, a tenth of what a bot takes."""
    return program(folder / "call.py", "play(connect())\n")


def match_of(folder: Path, *players: str, limits: dict[str, Any] | None = None, **given: Any) -> Match:
    asked = {"game": "kuhn.limit.2p", "hands": 50, **given}
    config = MatchConfig(name="test", players=list(players), limits=PlayerLimits(**(limits or {})), **asked)
    return resolve(config, folder)


def fault_of(match: Match, folder: Path) -> tuple[Fault, str]:
    with pytest.raises(MatchFailed) as failed:
        run_match(match, folder, "tcp", False, lambda logs: None)
    assert failed.value.fault is not None
    assert msgspec.json.decode((folder / FAULT_FILE).read_bytes(), type=Fault) == failed.value.fault
    return failed.value.fault, str(failed.value)


def running(script: Path) -> list[str]:
    """Processes that run a script, whatever group or session they belong to."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if script.name in command and str(script.parent) in command and int(process.name) != os.getpid():
            found.append(command)
    return found


@pytest.mark.parametrize("seat", [pytest.param(1, marks=SLOW), 2])
@pytest.mark.usefixtures("impatient")
def test_one_that_dies_before_it_connects(seat: int, tmp_path: Path) -> None:
    bad = program(tmp_path / "bad.py", "sys.exit('no such file: brain.dat')\n")
    players = [caller(tmp_path)]
    players.insert(seat - 1, bad)
    fault, message = fault_of(match_of(tmp_path, *players), tmp_path / "out")
    assert (fault.player, fault.seat, fault.what, fault.status, fault.signal) == ("bad", seat, "died", 1, None)
    assert fault.last_words == ("no such file: brain.dat",) and fault.dealer_words == () and fault.hands == 0
    assert "no such file: brain.dat" in message and "ended with status 1" in message


def test_a_dealer_that_does_not_start_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = (sys.executable, "-c", "raise SystemExit('no room for a dealer')")
    monkeypatch.setattr("limpet.dealer.matches.over_tcp._DEALER", failing)
    fault, _ = fault_of(match_of(tmp_path, caller(tmp_path), caller(tmp_path)), tmp_path / "out")
    assert (fault.player, fault.what, fault.status) == (None, "dealer", 1)
    assert fault.last_words == ("no room for a dealer",)


@SLOW
def test_one_that_cannot_even_be_started(tmp_path: Path) -> None:
    bad = program(tmp_path / "bad.py", "")
    (tmp_path / "bad.py").write_text("#!/no/such/interpreter\n")
    fault, _ = fault_of(match_of(tmp_path, "call", bad), tmp_path / "out")
    assert (fault.player, fault.what) == ("bad", "died")
    assert "cannot start" in fault.last_words[-1] and "No such file" in fault.last_words[-1]


@pytest.mark.usefixtures("impatient")
def test_a_full_disk_is_not_blamed_on_the_file_that_tells_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: object) -> None:
        if path.name == FAULT_FILE:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        write_json(path, data)

    bad = program(tmp_path / "bad", "sys.exit(3)")
    monkeypatch.setattr("limpet.dealer.matches.over_tcp.write_json", full)
    with pytest.raises(MatchFailed) as failed:
        run_match(match_of(tmp_path, caller(tmp_path), bad), tmp_path / "out", "tcp", False, lambda logs: None)
    said = str(failed.value).splitlines()
    assert "player 'bad' ended with status 3" in said[0]
    assert said[-1] == f"{tmp_path / 'out' / FAULT_FILE} could not be written: No space left on device"


@pytest.mark.parametrize(
    ("end", "status", "signal"),
    [
        pytest.param("sys.exit(3)", 3, None, marks=SLOW),
        ("os.kill(os.getpid(), signal.SIGSEGV)", None, "SIGSEGV"),
        # A start script that has ended well while its child plays on is no fault; a child that then dies is one.
        pytest.param("os._exit(0)", 0, None, marks=SLOW),
    ],
)
def test_one_that_dies_in_the_middle_of_a_hand(
    end: str, status: int | None, signal: str | None, tmp_path: Path
) -> None:
    bad = program(tmp_path / "bad.py", f"dealer = connect()\nplay(dealer, 4)\n{end}\n")
    fault, _ = fault_of(match_of(tmp_path, caller(tmp_path), bad), tmp_path / "out")
    assert (fault.player, fault.seat, fault.what) == ("bad", 2, "died")
    assert (fault.status, fault.signal, fault.hands) == (status, signal, 4)


@pytest.mark.parametrize(
    ("text", "limits", "what", "reason"),
    [
        ("dealer = connect()\nplay(dealer, 4)\ntime.sleep(600)", {"response_seconds": 0.5}, "stalled", "timed out"),
        pytest.param(
            "dealer = connect()\nplay(dealer, 4)\ntime.sleep(600)",
            {"hand_seconds": 0.5},
            "stalled",
            "ran out of time",
            marks=SLOW,
        ),
        pytest.param(
            "dealer = connect(b'')\ntime.sleep(600)",
            {"response_seconds": 1},
            "stalled",
            "version handshake",
            marks=SLOW,
        ),
        pytest.param("time.sleep(600)", {"start_seconds": 2}, "stalled", "waiting for seat 1 ", marks=SLOW),
        pytest.param(
            "dealer = connect(b'hello\\n')\ntime.sleep(600)", {}, "protocol", "no valid version line", marks=SLOW
        ),
        pytest.param(
            "dealer = connect()\nplay(dealer, 4)\ndealer.shutdown(2)\ntime.sleep(600)",
            {},
            "protocol",
            "hung up",
            marks=SLOW,
        ),
    ],
)
def test_one_that_stalls_or_hangs_up(
    text: str, limits: dict[str, float], what: str, reason: str, tmp_path: Path
) -> None:
    bad = program(tmp_path / "bad.py", f"print('thinking', file=sys.stderr, flush=True)\n{text}\n")
    fault, _ = fault_of(match_of(tmp_path, bad, caller(tmp_path), limits=limits), tmp_path / "out")
    assert (fault.player, fault.seat, fault.what, fault.status) == ("bad", 1, what, None)
    assert reason in fault.reason and fault.last_words == ("thinking",)
    assert running(tmp_path / "bad.py") == []


@SLOW
def test_a_hundred_megabytes_of_words_harm_nobody_unless_they_are_too_many(tmp_path: Path) -> None:
    text = (
        "dealer = connect()\nfor _ in range(100):\n    sys.stderr.write(('x' * 999 + chr(10)) * 1000)\nplay(dealer)\n"
    )
    loud = program(tmp_path / "loud.py", text)
    result = run_match(match_of(tmp_path, loud, "call"), tmp_path / "out", "tcp", False, lambda logs: None)
    assert result.samples == 50
    err = tmp_path / "out" / "seating-1.loud.err"
    assert err.stat().st_size == 10**8
    err.unlink()
    fault, _ = fault_of(match_of(tmp_path, "call", loud, limits={"output_mb": 20}), tmp_path / "short")
    assert (fault.player, fault.seat, fault.what) == ("loud", 2, "flooded")
    assert "20 MB" in fault.reason and sum(map(len, fault.last_words)) < 20_000


@pytest.mark.parametrize(
    ("output", "reason"),
    [(1000, "line after line .*ran out of time"), pytest.param(1, "dealer wrote 1 MB", marks=SLOW)],
)
def test_one_that_floods_the_dealer_is_blamed_and_not_who_waits_for_it(
    output: int, reason: str, tmp_path: Path
) -> None:
    text = "dealer = connect()\nplay(dealer, 4)\nwhile True:\n    dealer.sendall(b'MATCHSTATE:nonsense\\n' * 1000)\n"
    flood = program(tmp_path / "flood.py", text)
    # Every line that is no answer is charged the time since the question, so floods end themselves unless time is long.
    limits = {"output_mb": output, "per_hand_seconds": 7 if output > 1 else 10**6, "hand_seconds": 10**6}
    fault, _ = fault_of(match_of(tmp_path, caller(tmp_path), flood, limits=limits), tmp_path / "out")
    assert (fault.player, fault.seat, fault.what) == ("flood", 2, "flooded")
    assert re.search(reason, fault.reason)


@pytest.mark.parametrize(
    ("last", "what", "reason"),
    [
        ("seat 2 (b) timed out", "stalled", "did not answer (timed out)"),
        ("seat 2 (b) timed out; lines in this hand that were no answer: 199", "stalled", "did not answer"),
        ("seat 2 (b) ran out of time; lines in this hand that were no answer: 200", "flooded", "line after line"),
        ("seat 1 (a) timed out", "stalled", "did not read"),
    ],
)
def test_nobody_is_charged_with_what_another_did(last: str, what: str, reason: str, tmp_path: Path) -> None:
    """The first player plays on, but each of its raises is too small, and it reads nothing."""
    warnings = ["WARNING: raise of 3 increased to 200"] * 600
    said = [*warnings, "ERROR: seat 1 does not read what it is sent; disconnected", *warnings[:100]]
    (tmp_path / "dealer.err").write_text("\n".join([*said, "ERROR: could not get action from seat 0", ""]))
    (tmp_path / "x.log").write_text(f"# match ended in hand 150: {last}\n")
    match = match_of(tmp_path, "call", "call", "call", game="kuhn.limit.3p")
    players = {number: process(tmp_path / f"{number}.err", None) for number in range(3)}
    fault = FaultFinder(match, [2, 0, 1], "x", tmp_path, process(tmp_path / "dealer.err", 1), players).verdict()
    assert (fault.player, fault.seat, fault.what) == (("call", 2, what) if "seat 2" in last else ("call.3", 1, what))
    assert reason in fault.reason


def process(err: Path, status: int | None) -> GuardedProcess:
    return cast(GuardedProcess, SimpleNamespace(err=err, returncode=status, failed=bool(status), gone=False))


def test_processor_time_is_limited(tmp_path: Path) -> None:
    busy = program(tmp_path / "busy.py", "dealer = connect()\nwhile True:\n    pass\n")
    # Its opponent's start is far from the limit. On a busy machine a second of it takes many.
    limits = {"cpu_seconds": 1, "per_hand_seconds": 600}
    fault, _ = fault_of(match_of(tmp_path, caller(tmp_path), busy, limits=limits), tmp_path / "cpu")
    assert (fault.player, fault.what, fault.signal) == ("busy", "died", "SIGXCPU")
    assert "1 seconds of processor time" in fault.reason


@SLOW
def test_memory_is_limited(tmp_path: Path) -> None:
    fat = program(tmp_path / "fat.py", "dealer = connect()\nplay(dealer, 2)\nbytearray(10**9)\nplay(dealer)\n")
    lean = caller(tmp_path)
    fault, _ = fault_of(match_of(tmp_path, lean, fat, limits={"memory_mb": 500}), tmp_path / "memory")
    assert (fault.player, fault.what, fault.last_words[-1]) == ("fat", "died", "MemoryError")
    # Without the limit it plays to the end.
    run_match(match_of(tmp_path, lean, fat), tmp_path / "free", "tcp", False, lambda logs: None)


@pytest.mark.parametrize("escape", [pytest.param("", marks=SLOW), "os.setsid()"])
@pytest.mark.skipif(sys.platform != "linux", reason="children that left their group are found through /proc")
def test_a_child_does_not_outlive_the_match(escape: str, tmp_path: Path) -> None:
    text = (
        "if os.fork() == 0:\n"
        f"    {escape}\n    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "    print('child', flush=True)\n    time.sleep(600)\n"
        "play(connect())\n"
    )
    parent = program(tmp_path / "parent.py", text)
    run_match(match_of(tmp_path, parent, caller(tmp_path)), tmp_path / "out", "tcp", False, lambda logs: None)
    assert (tmp_path / "out" / "seating-1.parent.out").read_text() == "child\n"
    assert running(tmp_path / "parent.py") == []


@SLOW
def test_a_start_script_may_end_while_its_child_plays(tmp_path: Path) -> None:
    text = "if os.fork():\n    os._exit(0)\nplay(connect())\n"
    script = program(tmp_path / "script.py", text)
    result = run_match(match_of(tmp_path, script, "call"), tmp_path / "out", "tcp", False, lambda logs: None)
    assert result.samples == 50


def test_what_an_earlier_run_said_is_kept(tmp_path: Path) -> None:
    text = "print('run', file=sys.stderr)\ndealer = connect()\nplay(dealer, int(open('hands').read()))\nsys.exit(1)\n"
    player = program(tmp_path / "bad.py", text)
    match, folder = match_of(tmp_path, caller(tmp_path), player), tmp_path / "out"
    (tmp_path / "hands").write_text("7")
    fault, _ = fault_of(match, folder)
    assert fault.hands == 7
    (tmp_path / "hands").write_text("1000")
    run_match(match, folder, "tcp", True, lambda logs: None)
    assert (folder / "seating-1.bad.err").read_text() == (folder / "seating-1.bad.err.1").read_text() == "run\n"
    assert not (folder / FAULT_FILE).exists()


def test_a_log_that_is_put_right_is_read_from_its_start(tmp_path: Path) -> None:
    hands = [f"STATE:{hand}:cc:Qs|Ks:{hand}|-{hand}:A|B\n" for hand in range(4)]
    path = tmp_path / "x.log"
    path.write_text("".join(hands[:2]) + "# match ended in hand 2: seat 1 (A) disconnected\n")
    log = SeatingLog(path, ["A", "B"], 4)
    log.update()
    assert log.played == 2
    fresh = tmp_path / "fresh"
    fresh.write_text("".join(hands) + "SCORE:0|0:A|B\n")
    fresh.replace(path)
    log.update()
    assert log.played == 4 and log.finished and log.values[0].tolist() == [0, 1, 2, 3]


def test_whose_turn_it_is_after_a_transaction_log(tmp_path: Path) -> None:
    match, log = match_of(tmp_path, "call", "call"), tmp_path / "x.tlog"
    stamps = "1.000000 1.000001"
    # Position 0 acts first in Kuhn; seat 0 holds it in hand 0, seat 1 in hand 1.
    for actions, seat in [([], 0), (["c 0"], 1), (["c 0", "r 0"], 0), (["r 0", "f 0"], 1), (["r 0", "f 0", "c 1"], 0)]:
        log.write_text("".join(f"{action} {stamps}\n" for action in actions))
        assert awaited_seat(match, log) == seat, actions
    assert awaited_seat(match, tmp_path / "none.tlog") is None


def test_limits_are_read_from_a_match_config(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text("name: m\nplayers: [call, call]\nlimits: {memory_mb: 500, response_seconds: 2.5}\n")
    match = resolve(load_yaml(path, MatchConfig), tmp_path)
    assert match.config.limits.memory_mb == 500 and match.config.limits.cpu_seconds is None
    assert match.config.limits.dealer_options()[:2] == ["--t_response", "2500"]
    assert json.dumps(match.resolved())
    path.write_text("name: m\nplayers: [call, call]\nlimits: {memory: 500}\n")
    with pytest.raises(ConfigError, match="m.yaml:3: limits.memory: unknown key; did you mean 'memory_mb'"):
        load_yaml(path, MatchConfig)
