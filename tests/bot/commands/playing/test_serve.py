"""``limpet serve`` as a process: what becomes of its matches when it is told to end."""

import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from tests.processes import LIMPET

STATE = b"MATCHSTATE:0:0::Ks|\r\n"


class Served:
    """A server that plays one match of Kuhn poker, at a dealer that the test is."""

    def __init__(self, folder: Path) -> None:
        command = [*LIMPET, "serve", "call", "--game", "kuhn.limit.2p", "--control", "tcp:0"]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert self.process.stdout is not None and self.process.stderr is not None
        self.said: IO[bytes] = self.process.stderr
        _, host, port = self.process.stdout.readline().decode().split()
        with socket.create_server(("127.0.0.1", 0)) as listening:
            listening.settimeout(60)
            with socket.create_connection((host, int(port)), timeout=60) as control:
                control.sendall(b"join 127.0.0.1 %d\n" % listening.getsockname()[1])
                assert control.recv(100).startswith(b"ok 1 joined")
            self.dealer = listening.accept()[0]
        self.dealer.settimeout(60)
        assert self.dealer.recv(100) == b"VERSION:2.0.0\r\n"
        assert self.answer() == STATE.rstrip() + b":c\r\n"

    def answer(self) -> bytes:
        self.dealer.sendall(STATE)
        return self.dealer.recv(100)

    def wait_for(self, text: bytes) -> None:
        for line in self.said:
            if text in line:
                return
        raise AssertionError(f"it never said {text!r}")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    served = Served(tmp_path)
    try:
        yield served
    finally:
        served.process.kill()
        served.process.communicate()
        served.dealer.close()


def test_a_server_that_is_told_to_end_plays_its_matches_on(served: Served) -> None:
    served.process.send_signal(signal.SIGTERM)
    served.wait_for(b"limpet serve: 1 matches are being played; the server ends after them")
    assert served.answer() == STATE.rstrip() + b":c\r\n", "no more than the echo and the answer"
    served.dealer.sendall(b"MATCHSTATE:0:0:cc:Ks|Qs\r\n")
    served.dealer.shutdown(socket.SHUT_WR)
    assert served.process.wait(60) == 0


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_it_at_once(served: Served, second: signal.Signals) -> None:
    served.process.send_signal(signal.SIGTERM)
    served.wait_for(b"the server ends after them")
    served.process.send_signal(second)
    assert served.process.wait(60) == 1
