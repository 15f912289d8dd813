"""The real commands as processes: what they print, and the status they exit with."""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click
import pytest

from limpet.bot.cli import COMMANDS, main
from limpet.strategies.holdem.measures import real_response
from tests.commands import json_of, printed, refused, run

STARTME = Path(__file__).parents[2] / "bot" / "startme.sh"
PLAY = [sys.executable, "-m", "limpet.bot"]
LIMPET = [sys.executable, "-c", "from limpet.bot.cli import main; main(prog_name='limpet')"]


@contextmanager
def started(command: list[str], **more: Any) -> Iterator["subprocess.Popen[str]"]:
    """A process that does not outlive the test."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True, **more) as process:
        try:
            yield process
        finally:
            process.kill()


def ran(command: list[str], **more: Any) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **more)


def dealer() -> socket.socket:
    """A listening socket on a free port of loopback."""
    listening = socket.create_server(("127.0.0.1", 0))
    listening.settimeout(60)
    return listening


def port(listening: socket.socket) -> str:
    return str(listening.getsockname()[1])


def deal(listening: socket.socket, recording: Any, lines: int | None = None) -> bytes:
    """Accept a client, serve the first `lines` of a recorded seat, close. What the client sent."""
    link, _ = listening.accept()
    link.settimeout(60)
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with link, link.makefile("rb") as answers:
        received = answers.readline()
        for line, answer in list(zip(recording.served, recording.answers, strict=True))[:lines]:
            link.sendall(f"{line}\r\n".encode())
            if answer:
                received += answers.readline()
    return received


@pytest.fixture
def seat(recorded: dict[str, Any]) -> Any:
    return recorded["holdem.nolimit.2p.reverse_blinds.wire seat 1"]


def test_a_match_played_to_its_end(seat: Any) -> None:
    with dealer() as table, started([*PLAY, "call", "127.0.0.1", port(table), "--json"]) as process:
        received = deal(table, seat)
        out, err = process.communicate(timeout=60)
    asked = [line for line, answer in zip(seat.served, seat.answers, strict=True) if answer]
    assert received == b"VERSION:2.0.0\r\n" + "".join(f"{line}:c\r\n" for line in asked).encode()
    assert process.returncode == 0, err
    summary = json.loads(out)
    assert (summary["hands"], summary["decisions"], summary["failures"]) == (15, len(asked), 0)
    assert list(summary["decision_ms"]) == ["p50", "p90", "p99", "max"]
    assert [match["state"] for match in summary["matches"]] == ["finished"]
    assert "match over, 15 hands" in err
    assert "trying again" not in err


def test_a_match_lost_in_a_hand_exits_with_1_and_says_where(seat: Any) -> None:
    with dealer() as table, started([*PLAY, "call", "127.0.0.1", port(table), "--json"]) as process:
        deal(table, seat, lines=2)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "match lost in hand 0 after 'r7551', 0 hands finished" in err
    assert json.loads(out)["lost"] == 1


def test_several_endpoints_and_one_of_them_lost(seat: Any) -> None:
    with dealer() as one, dealer() as two:
        places = [f"tcp:127.0.0.1:{port(table)}" for table in (one, two)]
        with started([*LIMPET, "play", "call", *places, "--log-level", "error"]) as process:
            other = threading.Thread(target=deal, args=(one, seat))
            other.start()
            deal(two, seat, lines=2)
            other.join()
            _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert f"{places[1]}: match lost" in err
    assert places[0] not in err
    assert err.splitlines()[-1].startswith("15 hands, ")


def test_nobody_listens() -> None:
    with dealer() as closed:
        free = port(closed)
    result = ran([*PLAY, "call", "127.0.0.1", free, "--tries", "2"])
    assert result.returncode == 1
    assert "no connection: Connection was refused" in result.stderr
    assert result.stderr.count("trying again in 0.25 s") == result.stderr.count("trying again") == 1


def test_a_signal_ends_the_match_as_lost(seat: Any) -> None:
    with dealer() as table, started([*PLAY, "call", "127.0.0.1", port(table), "--json"]) as process:
        link, _ = table.accept()
        with link, link.makefile("rb") as answers:
            assert answers.readline() == b"VERSION:2.0.0\r\n"
            process.terminate()
            out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "interrupted" in err
    assert json.loads(out)["matches"][0]["state"] == "lost"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nosuchbot", "127.0.0.1", "20000"], ["nosuchbot", "call"]),
        (["no/such/bot.yaml", "127.0.0.1", "20000"], ["no/such/bot.yaml"]),
        (["call", "127.0.0.1", "port"], ["port 'port'", "tcp:localhost:20000"]),
        (["call", "tcp:localhost:99999"], ["port 99999", "from 1 to 65535"]),
        (["call", "127.0.0.1:20000"], ["is not an address", "HOST PORT"]),
        (["call"], ["HOST PORT"]),
        (["call", "127.0.0.1", "20000", "--game", "chess"], ["chess", "kuhn.limit.2p"]),
        (["call", "127.0.0.1", "20000", "--log-level", "loud"], ["loud"]),
    ],
)
def test_what_is_wrong_with_the_command_is_told_and_exits_with_2(arguments: list[str], words: list[str]) -> None:
    result = run("play", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    for word in words:
        assert word in result.stderr


@pytest.mark.parametrize(("line", "words"), [("", "no address"), ("nowhere\n", "'nowhere' is not an address")])
def test_a_wrong_address_on_standard_input_exits_with_2(line: str, words: str) -> None:
    result = run("play", "call", "-", text=line)
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr


def test_a_bot_that_cannot_play_the_game_exits_with_2(tmp_path: Path) -> None:
    config = tmp_path / "bot.yaml"
    config.write_text("name: b\nplayer: chart\ngame: kuhn.limit.2p\n")
    result = ran([*PLAY, str(config), "127.0.0.1", "20000"])
    assert result.returncode == 2
    assert result.stderr.splitlines()[-1].startswith(f"limpet: {config}:")
    assert "Traceback" not in result.stderr


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "LIMPET_PYTHON": sys.executable, **more}


def test_the_start_script_fixes_the_config(seat: Any, tmp_path: Path) -> None:
    with dealer() as table:
        command = ["/bin/sh", str(STARTME), "127.0.0.1", port(table)]
        with started(command, env=environment(LIMPET_BOT="call"), cwd=tmp_path) as process:
            deal(table, seat)
            _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert os.access(STARTME, os.X_OK)
    assert re.search("(?m)^BOT=.*blueprint", STARTME.read_text())


def test_the_start_script_passes_on_the_status(tmp_path: Path) -> None:
    assert ran(["/bin/sh", str(STARTME)], env=environment()).returncode == 2
    assert ran(["/bin/sh", str(STARTME), "h", "1"], env=environment(LIMPET_BOT="nosuchbot")).returncode == 2


def test_the_server_of_matches(seat: Any) -> None:
    command = [*LIMPET, "serve", "call", "--control", "tcp:0", "--json"]
    with dealer() as one, dealer() as two, started(command) as process:
        assert process.stdout is not None
        word, host, control_port = process.stdout.readline().split()
        assert (word, host) == ("control", "127.0.0.1")
        with socket.create_connection((host, int(control_port)), 60) as control, control.makefile("r") as replies:
            control.sendall(f"join 127.0.0.1 {port(one)}\njoin tcp:127.0.0.1:{port(two)}\n".encode())
            assert replies.readline() == f"ok 1 joined tcp:127.0.0.1:{port(one)}\n"
            assert replies.readline() == f"ok 2 joined tcp:127.0.0.1:{port(two)}\n"
            second = threading.Thread(target=deal, args=(two, seat))
            second.start()
            deal(one, seat)
            second.join()
            control.sendall(b"quit\n")
            assert replies.readline().startswith("ok ")
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    summary = json.loads(out)
    assert (summary["hands"], summary["lost"], len(summary["matches"])) == (30, 0, 2)


def test_the_server_answers_a_client_that_closes_its_half() -> None:
    with started([*LIMPET, "serve", "call", "--control", "tcp:0"]) as process:
        assert process.stdout is not None
        control_port = process.stdout.readline().split()[2]
        for request in (b"status\n", b"quit"):
            with (
                socket.create_connection(("127.0.0.1", int(control_port)), 60) as control,
                control.makefile() as replies,
            ):
                control.sendall(request)
                control.shutdown(socket.SHUT_WR)
                assert replies.read().startswith("ok 0 matches")
        assert process.wait(60) == 0


def test_the_server_says_when_its_port_is_taken() -> None:
    with dealer() as taken:
        result = ran([*LIMPET, "serve", "call", "--control", f"tcp:{port(taken)}"])
    assert result.returncode == 2
    assert "Choose another port" in result.stderr
    for place in ("tcp:99999", "tcp:0:interface=a..b"):
        result = ran([*LIMPET, "serve", "call", "--control", place])
        assert result.returncode == 2
        assert f"\nlimpet: --control {place}: " in result.stderr and "Traceback" not in result.stderr
    refused("serve", "call", "--control", "20800")


def test_help_comes_at_once_and_without_a_compiler() -> None:
    program = (
        "import sys\nfrom limpet.bot.cli import main\nmain(['--help'], standalone_mode=False)\n"
        "heavy = {'numba', 'numpy', 'twisted', 'yaml', 'rich'} & set(sys.modules)\nassert not heavy, heavy\n"
    )
    began = time.perf_counter()
    result = ran([sys.executable, "-c", program])
    assert result.returncode == 0, result.stderr
    assert time.perf_counter() - began < 3.0  # 0.15 s on an idle machine; the imports above are what makes it so
    for name, line in COMMANDS.items():
        assert re.search(rf"(?m)^  {name} .*{re.escape(line[:20])}", result.stdout)


@pytest.mark.parametrize(
    ("loading", "status", "told"),
    [
        ("limpet.bot.commands.playing.match", 128 + signal.SIGTERM, "limpet match: stopped before it began\n"),
        ("limpet.dealer.matches.matchconfig", 1, "limpet match: stopped; nothing was played\n"),
        ("limpet.dealer.matches.match", 1, "limpet match: stopped; nothing was played\n"),
    ],
)
def test_sigterm_while_a_match_loads_is_told_in_a_line(loading: str, status: int, told: str, tmp_path: Path) -> None:
    program = (
        "import os, signal, sys\n"
        "class Signalling:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {loading!r}:\n"
        "            os.kill(os.getpid(), signal.SIGTERM)\n"
        "sys.meta_path.insert(0, Signalling())\n"
        "from limpet.bot.cli import main\nmain(prog_name='limpet')"
    )
    folder = tmp_path / "out"
    words = ["match", "call", "random", "--hands", "100", "--in-process", "--output", str(folder)]
    result = ran([sys.executable, "-c", program, *words])
    assert (result.returncode, result.stderr, result.stdout) == (status, told, "")
    assert not folder.exists()


def test_the_table_of_commands_is_true() -> None:
    for name in COMMANDS:
        assert "Usage:" in printed(name, "--help")


def test_help_keeps_its_lines_and_has_examples() -> None:
    assert "\n    raw             chips won\n    all-in equity   with" in printed("aivat", "--help")
    assert "Examples:\n    limpet dealer try-out" in printed("dealer", "--help")


def test_version_and_unknown_command() -> None:
    assert re.search(r"\d+\.\d+", printed("--version"))
    assert "deel" in refused("deel")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize(
    ("arguments", "out", "err", "status", "told"),
    [
        (["--version"], "/dev/full", "pipe", 1, "limpet: standard output: No space left on device\n"),
        pytest.param(
            ["range", "77+"],
            "/dev/full",
            "pipe",
            1,
            "limpet: standard output: No space left on device\n",
            marks=pytest.mark.slow,
        ),
        pytest.param(["range", "77+"], "closed pipe", "pipe", 1, "", marks=pytest.mark.slow),
        (["range", "77+"], "pipe", "/dev/full", 0, "77+\n48 of 1326 hands"),
        pytest.param(["range", "7x"], "pipe", "/dev/full", 2, "", marks=pytest.mark.slow),
    ],
)
def test_streams_that_fail(arguments: list[str], out: str, err: str, status: int, told: str) -> None:
    """Standard output that fails is told in a line, unless its reader has gone; standard error that fails is nothing."""
    reading, writing = os.pipe()
    os.close(reading)
    with open("/dev/full", "wb") as full, open(writing, "wb") as closed:
        streams: dict[str, IO[bytes] | int] = {"/dev/full": full, "closed pipe": closed, "pipe": subprocess.PIPE}
        result = subprocess.run(
            [*LIMPET, *arguments], stdout=streams[out], stderr=streams[err], text=True, timeout=60, check=False
        )
    assert result.returncode == status
    printed = result.stderr if err == "pipe" else result.stdout
    assert printed.startswith(told) and bool(printed) == bool(told) and "Traceback" not in printed


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_file_that_takes_no_more_is_named(tmp_path: Path) -> None:
    (tmp_path / "match.game").symlink_to("/dev/full")  # the system does not say which file its error is about
    assert refused("match", "call", "random", "--hands", "2", "--output", tmp_path).endswith(
        f"limpet: {tmp_path / 'match.game'}: No space left on device\n"
    )


def test_players_are_listed_with_their_options() -> None:
    result = printed("players")
    assert "\nrandom  (limpet.strategies.players.simple:Random)\n" in result
    assert "    fold: 0.06\n" in result
    told = json_of("players")
    assert told["random"]["options"]["fold"] == {"default": 0.06} and told["random"]["class"] in result
    assert told["blueprint"]["options"]["strategy"] == {}


def test_warm_up_tells_what_it_did() -> None:
    result = ran([*LIMPET, "warmup", "call", "random"])
    assert result.returncode == 0, result.stderr
    assert re.fullmatch(r"(\w+: loaded in [\d.]+ s, compiled and warm in [\d.]+ s\n){2}", result.stdout)
    assert json_of("warmup", "call")["bot"] == "call"


GUIDE = Path(__file__).parents[2] / "docs" / "connect-to-a-dealer.md"


def guide_commands() -> list[list[str]]:
    """The ``limpet`` commands of the guide."""
    found = re.findall(r"(?m)^    (limpet .*)$", GUIDE.read_text()) + re.findall(r"`(limpet [^`]*)`", GUIDE.read_text())
    return [shlex.split(line)[1:] for line in found]


def test_the_guides_commands_are_accepted() -> None:
    assert len(guide_commands()) >= 10
    for name, *arguments in guide_commands():
        command = main.get_command(click.Context(main), name)
        assert command is not None, name
        if arguments:
            command.make_context(name, arguments)  # raises for what the command does not take


def test_the_guides_match_is_played(tmp_path: Path) -> None:
    """Its three commands with fewer hands, the game by its full path and ports that are free."""
    dealer_command, one, two = [words for words in guide_commands() if {"try-out", "20001", "20002"} & set(words)][:3]
    assert (dealer_command[0], one[0], two[0]) == ("dealer", "play", "play")
    game = STARTME.parents[1] / dealer_command[2]
    dealer_command = [str(game) if word == dealer_command[2] else word for word in dealer_command]
    dealer_command[dealer_command.index("1000")] = "30"
    dealer_command[dealer_command.index("20001,20002")] = "0,0"
    with started([*LIMPET, *dealer_command], cwd=tmp_path) as table:
        assert table.stdout is not None
        ports = table.stdout.readline().split()
        with started([*LIMPET, *one[:-1], ports[0]]) as alice, started([*LIMPET, *two[:-1], ports[1]]) as bob:
            for bot in (alice, bob):
                _, err = bot.communicate(timeout=60)
                assert bot.returncode == 0, err
                assert err.splitlines()[-1].startswith("30 hands, ")
        out, err = table.communicate(timeout=60)
    assert table.returncode == 0, err
    assert out.startswith("SCORE:")
    assert "WARNING" not in err


def test_a_stop_that_a_command_does_not_look_for_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(real_response, "real_response", stop)
    stopped = run("strategy", "exploit", "leduc")
    assert stopped.exit_code == 1 and stopped.output.splitlines()[-1] == "limpet strategy: stopped"
