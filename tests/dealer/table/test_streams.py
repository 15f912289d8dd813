"""Standard streams: a standard error that nobody reads costs no time."""

import os
import subprocess
import sys
from pathlib import Path

from limpet.dealer.table.streams import MAX_UNWRITTEN, _Messages
from limpet.protocol.messages import read_match_state
from tests.dealer.table.test_server import KUHN, Client


def test_a_full_pipe_is_never_waited_for_and_what_is_missing_is_told() -> None:
    reading, writing = os.pipe()
    with open(reading, "rb") as pipe, _Messages(writing, "wb") as messages:
        messages.waits = False
        line = b"x" * 99 + b"\n"
        lines = 3 * MAX_UNWRITTEN // len(line)
        for _ in range(lines):
            assert messages.write(line) == len(line)  # would wait for ever
        read = b""
        while messages._unwritten:
            read += os.read(reading, 1 << 16)
            messages.write_on(0)
        messages.write(b"the last one\n")
        messages.close()
        read += pipe.read()
    *kept, missing, last = read.splitlines()
    assert set(kept) == {line[:-1]} and len(kept) * len(line) >= MAX_UNWRITTEN
    assert missing == b"(%d lines are missing here: nobody read them)" % (lines - len(kept))
    assert last == b"the last one"


def test_a_reader_that_keeps_up_gets_everything_in_order() -> None:
    reading, writing = os.pipe()
    with open(reading, "rb") as pipe, _Messages(writing, "wb") as messages:
        messages.waits = False
        sent = [b"%d\n" % number * 1000 for number in range(200)]
        read = b""
        for text in sent:
            messages.write(text)
            read += os.read(reading, 1 << 16)
        while messages._unwritten:
            messages.write_on(0)
            read += os.read(reading, 1 << 16)
        messages.close()
        assert read + pipe.read() == b"".join(sent)


def test_a_reader_that_has_gone_costs_nothing() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with _Messages(writing, "wb") as messages:
        for messages.waits in (True, False):
            assert messages.write(b"nobody\n") == 7


def test_a_match_is_played_although_nobody_reads_its_dealers_messages(tmp_path: Path) -> None:
    hands = 500
    command = [
        sys.executable,
        "-c",
        "from limpet.bot.cli import main; main()",
        "dealer",
        "m",
        "kuhn.limit.2p",
        str(hands),
    ]
    pipe = subprocess.PIPE
    with subprocess.Popen([*command, "0", "A", "B"], cwd=tmp_path, stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None and process.stderr is not None
        clients = [Client(int(port)) for port in process.stdout.readline().split()]
        assert process.stdout.readline().startswith(b"SCORE:")
        for client in clients:
            client.join(timeout=30)
        told = process.stderr.read()
    assert len(told) > 1 << 17, "more than a pipe holds"
    assert told.count(b"\nTO ") == sum(client.data.count(b"MATCHSTATE") for client in clients)
    assert read_match_state(clients[0].data.decode().splitlines()[-1], KUHN)[0].hand == hands - 1


def test_a_bot_goes_on_although_nobody_reads_its_log() -> None:
    program = """
from limpet.dealer.table.streams import guard_standard_streams
guard_standard_streams()
import sys
from limpet.dealer.table.reactor import install_reactor, run
reactor = install_reactor()
from twisted.logger import Logger
from limpet.bot.client.prepare import start_log
start_log("info")
async def main():
    for number in range(2000):
        Logger().info("line {number} {text}", number=number, text="x" * 100)
    print("played", flush=True)
    return 0
sys.exit(run(reactor, main))
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == b"played\n"
        told = process.stderr.read()
    assert process.returncode == 0
    assert told.count(b"\n") == 2000 and b"line 1999 " in told
