"""``limpet slumbot`` as processes: a local site, a client that is killed and goes on, and what is refused."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from limpet.protocol.archives.hands import read_hands
from tests.commands import printed, refused
from tests.processes import LIMPET


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    command = [*LIMPET, "slumbot", "call", "--serve", "--listen", "tcp:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as site:
        assert site.stdout is not None
        yield site.stdout.readline().split()[1]
        site.terminate()


def client(url: str, folder: Path, hands: int, *more: str) -> list[str]:
    command = [
        *LIMPET,
        "slumbot",
        "raise",
        "--url",
        url,
        "--output",
        str(folder),
        "--hands",
        str(hands),
        "--pause",
        "0",
    ]
    return [*command, "--quiet", "--json", *more]


def test_a_session_is_killed_and_goes_on_to_its_end(url: str, tmp_path: Path) -> None:
    log = tmp_path / "session" / "slumbot.log"
    for number, resume in ((signal.SIGKILL, ()), (signal.SIGTERM, ("--resume",))):
        with subprocess.Popen(
            client(url, log.parent, 100_000, *resume), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            before = log.stat().st_size if log.exists() else 0
            deadline = time.monotonic() + 60
            while (not log.exists() or log.stat().st_size < before + 3_000) and time.monotonic() < deadline:
                time.sleep(0.02)
            process.send_signal(number)
            _, said = process.communicate(timeout=60)
    assert process.returncode == 1 and b"--resume goes on" in said
    assert log.read_text().splitlines()[-1].startswith("SCORE:")
    played = log.read_text().count("STATE:")
    assert "holds a session" in refused(*client(url, log.parent, played)[len(LIMPET) :])
    done = subprocess.run(client(url, log.parent, played + 20, "--resume"), capture_output=True, timeout=60, check=True)
    result = json.loads(done.stdout)
    assert result["hands"] == played + 20 and result["bot"] == "raise"
    assert result["failures"] == result["retries"] == result["given_up"] == 0
    assert result["site"]["hands"] in (played + 20, played + 21), "the hand that the kill cut off"
    assert len(list(read_hands(log))) == played + 20


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["kuhn", "--hands", "1"], "kuhn"),
        (["call", "--url", "slumbot.com"], "--url"),
        (["call", "--serve", "--listen", "nonsense"], "--listen"),
        (["call", "--pause", "nan"], "--pause"),
    ],
)
def test_what_cannot_be_is_refused(arguments: list[str], why: str) -> None:
    assert why in refused("slumbot", *arguments)


def test_a_site_that_does_not_answer(tmp_path: Path) -> None:
    command = client("http://127.0.0.1:9/api", tmp_path / "none", 5, "--tries", "1")
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 1
    assert "limpet slumbot: new_hand: no answer" in result.stderr and "--resume" in result.stderr


def test_the_help_names_the_site() -> None:
    assert "slumbot.com" in printed("slumbot", "--help")


def test_an_accounts_password_comes_from_the_environment(url: str, tmp_path: Path) -> None:
    command = client(url, tmp_path / "mine", 2, "--user", "me")
    environment = {**os.environ, "LIMPET_SLUMBOT_PASSWORD": "secret"}
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, env=environment)
    assert json.loads(result.stdout)["site"]["hands"] == 2
    again = [*client(url, tmp_path / "mine", 3, "--user", "me"), "--resume"]
    result = subprocess.run(again, capture_output=True, text=True, timeout=60, check=True, env=environment)
    assert json.loads(result.stdout)["site"]["hands"] == 1, "a login begins a session"
