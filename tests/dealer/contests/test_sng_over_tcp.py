"""Tournaments at our dealer: with a program that shares no code with Limpet, killed and gone on with."""

import json
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.processes import LIMPET, program

GUEST = Path(__file__).with_name("guest.py")
SHORT = "name: short\nstart_stack: 200\nlevels: [{hands: 3, small_blind: 10, big_blind: 20}]\npayouts: [2, 1]\n"


def free_ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


STARTED: "list[subprocess.Popen[str]]" = []


@pytest.fixture(autouse=True)
def _no_process_outlives_its_test() -> Iterator[None]:
    yield
    for process in STARTED:
        process.kill()
        process.communicate()
    STARTED.clear()


def start(*command: object, **options: Any) -> "subprocess.Popen[str]":
    STARTED.append(subprocess.Popen([*map(str, command)], text=True, **options))
    return STARTED[-1]


def sng(folder: Path, *words: str) -> "subprocess.Popen[str]":
    command = [*LIMPET, "sng", *words, "--seed", "4", "--json", "--quiet", "--start-seconds", "60", "--output", folder]
    return start(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def ended(process: "subprocess.Popen[str]", told: str = "") -> dict[str, Any]:
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0 and told in err, err
    result: dict[str, Any] = json.loads(out)
    for key in ("how", "seconds", "tournaments_per_second"):
        del result[key]
    return result


def kept(folder: Path) -> tuple[bytes, bytes]:
    return (folder / "hands.jsonl").read_bytes(), (folder / "hands.log").read_bytes()


def test_bots_play_over_tcp_as_in_one_process(tmp_path: Path) -> None:
    here, there = (
        ended(sng(tmp_path / how, "jam", "random", "call", "--tournaments", "2", *options))
        for how, options in (("here", ["--in-process", "--log"]), ("tcp", []))
    )
    assert here == there and kept(tmp_path / "here") == kept(tmp_path / "tcp")
    assert (tmp_path / "tcp" / "hand.game").read_text() == "# tournaments over\n"
    assert "WARNING" not in (tmp_path / "tcp" / "dealer.err").read_text()


def test_a_program_without_limpet_plays_and_a_killed_tournament_goes_on(tmp_path: Path) -> None:
    program(tmp_path / "guest.py", GUEST.read_text())
    once = f"exec:{tmp_path / 'guest.py'} {{game}} {{host}} {{port}} once"
    short = tmp_path / "short.yaml"
    short.write_text(SHORT)
    ends = []
    for kills in (0, 1):
        folder = tmp_path / str(kills)
        ports = free_ports(3)
        guest = start(sys.executable, GUEST, folder / "hand.game", "127.0.0.1", ports[2])
        words = ("raise", once, "join:guest", "--ports", ",".join(map(str, ports)), "--structure", str(short))
        for hands in range(1, kills + 1):
            killed = sng(folder, *words)
            wait_for_lines(folder / "hands.jsonl", hands, killed)
            time.sleep(0.03 * hands)  # somewhere in the next hand
            killed.send_signal(signal.SIGKILL)
            killed.communicate()
        ends.append(ended(sng(folder, *words), f"guest.2 may connect to 127.0.0.1 {ports[2]}"))
        assert guest.wait(20) == 0
        assert "WARNING" not in (folder / "dealer.err").read_text()
        assert [player["name"] for player in ends[-1]["players"]] == ["raise", "guest", "guest.2"]
    assert ends[0] == ends[1] and kept(tmp_path / "0") == kept(tmp_path / "1")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_a_program_in_c_plays_as_the_one_in_python(tmp_path: Path) -> None:
    program = tmp_path / "guest"
    subprocess.run(
        ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-o", program, GUEST.with_suffix(".c")], check=True
    )
    short = tmp_path / "short.yaml"
    short.write_text(SHORT)
    ends = []
    for name, command in (("c", [program]), ("python", [sys.executable, GUEST])):
        folder, ports = tmp_path / name, free_ports(3)
        address = [*([] if name == "c" else ["127.0.0.1"]), str(ports[2])]
        guest = start(*command, folder / "hand.game", *address)
        words = ("jam", "random", "join:guest", "--ports", ",".join(map(str, ports)), "--structure", str(short))
        ends.append(ended(sng(folder, *words)))
        assert guest.wait(20) == 0
        assert "WARNING" not in (folder / "dealer.err").read_text()
    assert ends[0] == ends[1] and kept(tmp_path / "c") == kept(tmp_path / "python")


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_ten_kills_at_random_moments_change_nothing(tmp_path: Path) -> None:
    short, draw, ends = tmp_path / "short.yaml", random.Random(18), []
    short.write_text(SHORT)
    for kills in (0, 10):
        folder, ports = tmp_path / str(kills), free_ports(3)
        address = ["127.0.0.1", str(ports[2])]
        guest = start(sys.executable, GUEST, folder / "hand.game", *address)
        options = ("--ports", ",".join(map(str, ports)), "--structure", str(short), "--tournaments", "6")
        words = ("jam", "random", "join:guest", *options)
        for _ in range(kills):
            played = (folder / "hands.jsonl").read_bytes().count(b"\n") if folder.exists() else 0
            killed = sng(folder, *words)
            wait_for_lines(folder / "hands.jsonl", played + draw.randrange(3), killed, seconds=600)
            time.sleep(0.3 * draw.random())
            killed.send_signal(signal.SIGKILL)
            killed.communicate()
            assert killed.returncode == -signal.SIGKILL
        ends.append(ended(sng(folder, *words)))
        assert guest.wait(60) == 0
        assert "WARNING" not in (folder / "dealer.err").read_text()
    assert ends[0] == ends[1] and kept(tmp_path / "0") == kept(tmp_path / "10")


def wait_for_lines(path: Path, lines: int, process: "subprocess.Popen[str]", seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not path.exists() or path.read_bytes().count(b"\n") < lines:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < until
        time.sleep(0.005)


def test_a_program_that_dies_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('I never learnt to play')\n")
    broken.chmod(0o755)
    process = sng(tmp_path / "out", "jam", f"exec:{broken}")
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "broken ended with status 1" in err and "I never learnt to play" in err and "the same command goes on" in err


@pytest.mark.parametrize(
    ("number", "way"),
    [
        (signal.SIGINT, ()),
        pytest.param(signal.SIGTERM, ("--in-process", "--jobs", "1"), marks=pytest.mark.slow),
        pytest.param(signal.SIGTERM, (), marks=pytest.mark.slow),
        pytest.param(signal.SIGINT, ("--in-process", "--jobs", "1"), marks=pytest.mark.slow),
    ],
    ids=["int-tcp", "term-here", "term-tcp", "int-here"],
)
def test_stopped_tournaments_keep_what_is_done(number: signal.Signals, way: tuple[str, ...], tmp_path: Path) -> None:
    process = sng(tmp_path / "out", "call", "random", "--tournaments", "5000", *way)
    wait_for_lines(tmp_path / "out" / "hands.jsonl", 2, process)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1 and "stopped; the same command goes on" in err
