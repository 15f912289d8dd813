"""The match over connections: string transports with a fake clock, real sockets, and the command itself."""

import errno
import os
import random
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from socket import gaierror
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.error import CannotListenError, ConnectionLost, DNSLookupError
from twisted.internet.testing import MemoryReactorClock
from twisted.python.failure import Failure

from limpet.bot.commands.playing.dealer import dealer
from limpet.dealer.table.connection import MAX_UNSENT, PlayerConnection
from limpet.dealer.table.files import LineFile
from limpet.dealer.table.reactor import why_not_listening
from limpet.dealer.table.server import (
    HINT_DELAY,
    HOLD_SECONDS,
    LINGER,
    MAX_WAITING,
    Surroundings,
    play,
)
from limpet.dealer.table.terms import Limits
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import MatchState, read_match_state
from tests.dealer.helpers import (
    VECTORS,
    Hall,
    LineTransport,
    Sitting,
    game_of,
    load,
    recorded_actions,
    recordings,
    terms,
    text_of,
)
from tests.oracles.match_log import read_log
from tests.processes import LIMPET

KUHN = load("kuhn.limit.2p")
NO_LIMIT = load("holdem.nolimit.2p.reverse_blinds")
THREE_PLAYERS = load("holdem.nolimit.3p")
COMMAND = [sys.executable, "-c", "from limpet.bot.commands.playing.dealer import dealer; dealer()"]


# String transports and a fake clock.


def _play(hall: Hall, action: str = "c") -> None:
    """Everybody answers whatever it was sent, until the match is over."""
    while (seat := hall.table.awaited) is not None:
        hall.connections[seat].dataReceived(hall.received(seat)[-1].rstrip() + f":{action}\n".encode())


def _leave(hall: Hall) -> None:
    for connection in hall.connections:
        connection.readConnectionLost()
        if hall.transports[connection.seat].disconnecting:
            connection.connectionLost(Failure(ConnectionLost()))


def test_done_fires_when_everybody_has_left() -> None:
    hall = Hall(terms(KUHN, 3)).connect_all()
    _play(hall)
    assert not hall.outcomes and all(transport.half_closed for transport in hall.transports)
    _leave(hall)
    assert hall.outcomes == [(True, "")]
    assert hall.clock.getDelayedCalls() == [], "no timer is left behind"


def test_who_does_not_leave_is_cut_off() -> None:
    hall = Hall(terms(KUHN, 1)).connect_all()
    _play(hall)
    hall.connections[0].dataReceived(b"unread" * 100)
    hall.clock.advance(LINGER - 0.1)
    assert not any(transport.disconnecting for transport in hall.transports)
    hall.clock.advance(0.1)
    assert all(transport.disconnecting for transport in hall.transports)
    for connection in hall.connections:
        connection.connectionLost(Failure(ConnectionLost()))
    assert hall.outcomes == [(True, "")]


def test_nothing_is_said_before_everybody_is_there() -> None:
    hall = Hall(terms(KUHN, 1))
    hall.connect(1)
    hall.connections[0].dataReceived(b"VERSION:2.0.0\r\n")
    assert hall.table.awaited is None
    first = hall.connect(0)
    assert first is not None and hall.table.awaited == 0
    first.dataReceived(b"VERSION:2.0.0\r\n")
    hall.clock.advance(HOLD_SECONDS)
    assert len(hall.transports[0].value().splitlines()) == 1


def test_a_second_connection_to_a_seat_is_refused() -> None:
    hall = Hall(terms(KUHN, 1))
    assert hall.connect(0) is not None
    assert hall.connect(0) is None
    hall.connect(1)
    for connection in hall.connections:
        connection.dataReceived(b"VERSION:2.0.0\r\n")
    _play(hall)
    assert hall.table.outcome == (True, "")
    assert hall.connect(0) is None, "nobody sits down after the match"


def test_start_timeout_names_the_first_missing_seat(tmp_path: Path) -> None:
    log = LineFile(tmp_path / "m.log", append=False)
    hall = Hall(terms(KUHN, 1), log=log)
    hall.server.limit_start(5)
    hall.connect(0)
    hall.clock.advance(5)
    assert hall.notes() == ["ERROR: timed out waiting for seat 2 (P1) to connect"]
    assert hall.transports[0].half_closed
    _leave(hall)
    assert hall.outcomes == [(False, "timed out waiting for seat 2 (P1) to connect")]
    log.close()
    assert log.path.read_text() == "# match ended in hand 0: timed out waiting for seat 2 (P1) to connect\n"


def test_start_timeout_lets_a_match_go_that_began() -> None:
    hall = Hall(terms(KUHN, 1))
    hall.server.limit_start(5)
    hall.connect_all()
    hall.clock.advance(5)
    assert hall.table.outcome is None
    _play(hall)
    assert hall.table.outcome == (True, "")


class Listening:
    """A port on an address."""

    def __init__(self, host: str) -> None:
        self.host, self.port = host, 20000

    def getHost(self) -> "Listening":
        return self

    def stopListening(self) -> None:
        pass


@pytest.mark.parametrize(
    ("interface", "address", "connects", "hinted"),
    [
        ("127.0.0.1", "10.0.0.7", False, True),
        ("127.0.0.1", "127.0.1.1", False, True),
        ("127.0.0.1", "127.0.0.1", False, False),
        ("0.0.0.0", "10.0.0.7", False, False),
        ("10.0.0.7", "10.0.0.7", False, False),
        ("127.0.0.1", None, False, False),
        ("127.0.0.1", "10.0.0.7", True, False),
    ],
)
def test_a_dealer_that_this_machines_name_does_not_lead_to_gives_a_hint(
    interface: str, address: str | None, connects: bool, hinted: bool
) -> None:
    hall = Hall(terms(KUHN, 1))
    hall.clock.listenTCP = lambda *_, interface: Listening(interface)  # type: ignore[attr-defined]
    hall.server.listen((20000, 20001), interface)
    asked: list[str] = []

    def resolve(name: str) -> Deferred[str]:
        asked.append(name)
        return succeed(address) if address else fail(DNSLookupError(name))

    hall.server.hint_at_name("table7", resolve)
    if connects:
        hall.connect(0)
    hall.clock.advance(HINT_DELAY - 0.1)
    assert not asked and not hall.notes()
    hall.clock.advance(0.1)
    told = hall.notes()
    assert [line.split(".")[0] for line in told] == ["HINT: nobody has connected for 5 seconds"] * hinted
    if hinted:
        assert "name table7 is " + str(address) in told[0] and told[0].endswith("--interface 0.0.0.0")
    hall.clock.advance(100)
    assert len(hall.notes()) == hinted


def test_a_match_that_waits_gives_the_hint(capsys: pytest.CaptureFixture[str]) -> None:
    reactor: Any = MemoryReactorClock()
    reactor.resolve = lambda name: succeed("10.0.0.7")
    reactor.listenTCP = lambda *_, interface: Listening(interface)
    playing = play(reactor, terms(KUHN, 1), Surroundings(write_log=False, quiet=True))
    playing.send(None)
    reactor.advance(HINT_DELAY)
    reactor.advance(1)
    assert (
        f"\nHINT: nobody has connected for 5 seconds. This machine's name {socket.gethostname()} is 10.0.0.7, but the "
        "dealer listens on 127.0.0.1;" in capsys.readouterr().err
    )
    playing.close()


def test_the_hint_is_forgotten_with_the_match() -> None:
    hall = Hall(terms(KUHN, 1))
    hall.server.hint_at_name("table7", lambda name: succeed("10.0.0.7"))
    hall.server.shut_down("the dealer was stopped")
    assert hall.outcomes and not hall.clock.getDelayedCalls()


def test_response_time_runs_from_the_send(tmp_path: Path) -> None:
    log = LineFile(tmp_path / "m.log", append=False)
    hall = Hall(terms(KUHN, 100, limits=Limits(response=2_000_000, version=50_000_000)), log=log)
    hall.connect_all()
    for _ in range(3):  # a timer that fires early is set again
        hall.clock.advance(1.5)
        assert hall.table.outcome is None
        seat = hall.table.awaited
        assert seat is not None
        hall.connections[seat].dataReceived(hall.received(seat)[-1].rstrip() + b":c\n")
    hall.clock.pump([0.5] * 3)
    assert hall.table.outcome is None
    hall.clock.advance(0.6)
    assert hall.notes() == ["ERROR: could not get action from seat 1", "2.1 seconds spent waiting; timeout 2.0"]
    _leave(hall)
    log.close()
    assert log.path.read_text().splitlines()[-1] == "# match ended in hand 1: seat 1 (P0) timed out"
    assert log.path.read_text().startswith("STATE:0:cc:")


def test_a_silent_seat_at_the_handshake() -> None:
    hall = Hall(terms(KUHN, 1, limits=Limits(version=3_000_000))).connect_all(version=None)
    hall.clock.advance(3)
    assert hall.notes() == ["ERROR: could not read version string from seat 1"]
    assert hall.table.outcome is not None and not hall.table.outcome.finished


def test_a_line_ends_with_the_connection() -> None:
    hall = Hall(terms(KUHN, 1)).connect_all()
    hall.connections[0].dataReceived(hall.received(0)[-1].rstrip() + b":r")
    assert hall.table.awaited == 0
    hall.connections[0].readConnectionLost()
    assert hall.table.awaited == 1
    hall.connections[1].dataReceived(hall.received(1)[-1].rstrip() + b":f")
    hall.connections[1].connectionLost(Failure(ConnectionLost()))
    assert hall.table.outcome == (True, "")
    assert hall.received(0)[-1] == b"MATCHSTATE:0:0:rf:As|\r\n", "who cannot speak any more still hears"


def test_disconnection_keeps_the_hands_played(tmp_path: Path) -> None:
    log = LineFile(tmp_path / "m.log", append=False)
    hall = Hall(terms(KUHN, 100), log=log).connect_all()
    for _ in range(5):
        seat = hall.table.awaited
        assert seat is not None
        hall.connections[seat].dataReceived(hall.received(seat)[-1].rstrip() + b":c\n")
    hall.connections[0].connectionLost(Failure(ConnectionLost()))
    assert hall.table.awaited == 1, "it is missed when its turn comes"
    _play(hall)
    assert hall.table.outcome == (False, "seat 1 (P0) disconnected")
    log.close()
    states = read_log(log.path.read_text(), KUHN)
    assert len(states.hands) == 3 and states.score is None
    assert states.entries[-1] == "# match ended in hand 3: seat 1 (P0) disconnected"


def test_long_lines_cost_one_warning_and_no_memory() -> None:
    hall = Hall(terms(KUHN, 1)).connect_all()
    for _ in range(160):
        hall.connections[0].dataReceived(b"M" * 65536)
        assert len(hall.connections[0]._splitter._part) <= 65536
    hall.connections[0].dataReceived(b"\n")
    assert hall.notes() == ["WARNING: ignoring a line from seat 1 that is too long"]
    _play(hall)
    assert hall.table.outcome == (True, "")


def test_a_version_line_without_end_is_refused_before_the_clock_runs_out() -> None:
    hall = Hall(terms(KUHN, 1)).connect_all(version=None)
    for _ in range(2):
        assert hall.table.outcome is None
        hall.connections[0].dataReceived(b"VERSION:2.0.0 " * 2500)
    assert hall.table.outcome == (False, "seat 1 (P0) sent no valid version line")


def test_who_speaks_out_of_turn_is_not_read() -> None:
    hall = Hall(terms(KUHN, 2)).connect_all()
    transport = hall.transports[1]
    hall.connections[1].dataReceived(b"junk\n" * MAX_WAITING)
    assert transport.producerState == "producing"
    hall.connections[1].dataReceived(b"junk\n")
    assert transport.producerState == "paused"
    hall.connections[0].dataReceived(hall.received(0)[-1].rstrip() + b":c\n")
    assert transport.producerState == "producing", "its turn has come"
    assert hall.notes() == ["WARNING: bad state format in response"] * (MAX_WAITING + 1)
    _play(hall)
    assert hall.table.outcome == (True, "")


@given(st.data())
@settings(max_examples=60)
def test_garbage_never_costs_a_hand(data: st.DataObject) -> None:
    """Whatever is said between the answers, the match is the one that is played without it."""
    game, hands = KUHN, 4
    quiet = Sitting(terms(game, hands)).play(lambda match: "crf"[(match.hand + len(match.state.betting)) % 3])
    hall = Hall(terms(game, hands)).connect_all()
    noise = st.binary(max_size=40).filter(lambda line: b"\n" not in line and not line.startswith(b"MATCHSTATE"))
    while (seat := hall.table.awaited) is not None:
        asked = hall.received(seat)[-1].rstrip()
        match = read_match_state(asked.decode(), game)[0]
        action = "crf"[(match.hand + len(match.state.betting)) % 3].encode()
        stale = hall.received(seat)[data.draw(st.integers(0, len(hall.received(seat)) - 1))].rstrip()
        before = [data.draw(noise), b"x" + stale + b":f", *([stale + b":f"] if stale != asked else [])]
        hall.connections[seat].dataReceived(b"\n".join([*before, asked + b":" + action]) + b"\n")
    assert str(hall.table.score) == quiet.log[-1]


class FullSocket:
    """A socket whose player does not read: it takes so many bytes and no more."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.taken = b""
        self.options: list[tuple[int, int, int]] = []

    def setsockopt(self, level: int, option: int, value: int) -> None:
        self.options.append((level, option, value))

    def send(self, data: bytes) -> int:
        if not self.room:
            raise BlockingIOError(errno.EAGAIN, "full")
        taken = data[: self.room]
        self.room -= len(taken)
        self.taken += taken
        return len(taken)


class SocketTransport(LineTransport):
    """A transport with a socket. What is written to it counts as sent when the test calls `drain`."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self.socket = FullSocket(room)
        self.aborted = False

    def getHandle(self) -> Any:
        return self.socket

    def setTcpNoDelay(self, enabled: bool) -> None:
        self.no_delay = enabled

    def registerProducer(self, producer: Any, streaming: bool) -> None:
        super().registerProducer(producer, streaming)
        assert not streaming
        producer.resumeProducing()  # as Twisted does with a pull producer

    def drain(self) -> None:
        if self.producer is not None:
            self.producer.resumeProducing()

    def abortConnection(self) -> None:
        self.aborted = True


class Heard:
    """A listener that writes down what it hears."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def connected(self, connection: PlayerConnection) -> None:
        self.events.append("connected")

    def lines_received(self, connection: PlayerConnection, lines: Sequence[str | None]) -> None:
        self.events += [line or "too long" for line in lines]

    def ended(self, connection: PlayerConnection) -> None:
        self.events.append("ended")

    def closed(self, connection: PlayerConnection) -> None:
        self.events.append("closed")

    def does_not_read(self, connection: PlayerConnection) -> None:
        self.events.append("does not read")


def _connection(room: int) -> tuple[PlayerConnection, SocketTransport, Heard]:
    heard = Heard()
    connection, transport = PlayerConnection(0, heard), SocketTransport(room)
    connection.makeConnection(transport)
    return connection, transport, heard


@pytest.mark.parametrize("game", [NO_LIMIT, THREE_PLAYERS], ids=["two", "three"])
def test_who_is_asked_is_sent_all_its_lines_at_once_and_nobody_else(
    game: GameDef, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[int] = []
    send = PlayerConnection.send

    def noted(connection: PlayerConnection, lines: Sequence[str]) -> None:
        served.append(connection.seat)
        send(connection, lines)

    monkeypatch.setattr(PlayerConnection, "send", noted)
    hall = Hall(terms(game, 3)).connect_all()
    while (asked := hall.table.awaited) is not None:
        assert served == [asked]
        served.clear()
        hall.connections[asked].dataReceived(hall.received(asked)[-1].rstrip() + b":c\n")
    assert served == [*range(len(hall.connections))], "the end is for everybody"
    assert len({len(hall.received(seat)) for seat in served}) == 1


def test_who_must_not_act_is_sent_its_line_soon() -> None:
    hall = Hall(terms(NO_LIMIT, 3)).connect_all()
    asked = hall.table.awaited
    assert asked is not None and hall.received(1 - asked) == []
    hall.clock.advance(0.9 * HOLD_SECONDS)
    assert hall.received(1 - asked) == []
    hall.clock.advance(0.1 * HOLD_SECONDS)
    assert len(hall.received(1 - asked)) == 1
    hall.connections[asked].dataReceived(hall.received(asked)[-1].rstrip() + b":c\n")
    hall.clock.advance(HOLD_SECONDS)
    assert [len(hall.received(seat)) for seat in (0, 1)] == [2, 2]


def test_lines_that_nobody_asked_for_are_acknowledged_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that answers every line would else play a hand in 80 ms: its system keeps the next answer back."""
    served: list[int] = []
    monkeypatch.setattr(PlayerConnection, "acknowledge", lambda connection: served.append(connection.seat))
    hall = Hall(terms(NO_LIMIT, 3)).connect_all()
    asked = hall.table.awaited
    assert asked is not None
    hall.clock.advance(HOLD_SECONDS)
    served.clear()
    state = {seat: hall.received(seat)[-1].rstrip() for seat in (0, 1)}
    hall.connections[1 - asked].dataReceived(state[1 - asked] + b":c\n")  # whose turn it is not
    hall.connections[asked].dataReceived(state[1 - asked] + b":c\n")  # whose turn it is, with another line
    assert served == [1 - asked, asked]
    hall.connections[asked].dataReceived(state[asked] + b":c\n")
    assert served == [1 - asked, asked], "what is sent next says so"


@pytest.mark.skipif(
    not hasattr(socket, "TCP_QUICKACK"), reason="systems without TCP_QUICKACK choose when to acknowledge"
)
def test_a_part_of_a_line_is_acknowledged_at_once() -> None:
    connection, transport, heard = _connection(room=15)
    connection.dataReceived(b"half a ")
    assert transport.socket.options == [(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)]
    connection.dataReceived(b"line\r\nand ")
    assert heard.events == ["connected", "half a line\r"] and len(transport.socket.options) == 1
    connection.connectionLost()
    connection.acknowledge()
    assert len(transport.socket.options) == 1


def test_what_a_socket_does_not_take_follows_in_order() -> None:
    connection, transport, _ = _connection(room=15)
    assert transport.no_delay
    lines = [f"line {number}" for number in range(9)]
    connection.send(lines[:2])
    assert transport.socket.taken == b"line 0\r\nline 1\r"
    assert transport.value() == b"\n"
    connection.send(lines[2:4])
    connection.send(lines[4:5])
    assert transport.value() == b"\n", "one piece at a time"
    transport.drain()
    transport.drain()
    transport.socket.room = 1000
    connection.send(lines[5:6])
    assert transport.socket.taken.endswith(b"line 5\r\n"), "directly again"
    transport.socket.room = 0
    connection.send(lines[6:7])
    connection.send(lines[7:8])
    connection.finish()
    connection.send(lines[8:])
    assert transport.producer is None and transport.half_closed
    assert transport.value() == b"\nline 2\r\nline 3\r\nline 4\r\nline 6\r\nline 7\r\n"


def test_who_never_reads_is_disconnected() -> None:
    connection, transport, heard = _connection(room=0)
    sent = 0
    while not transport.aborted:
        connection.send(["x" * 998] * 10)
        sent += 10_000
        assert sent < MAX_UNSENT + 30_000
    assert heard.events == ["connected", "does not read"]
    connection.send(["more"])
    connection.connectionLost(Failure(ConnectionLost()))
    assert heard.events[2:] == ["ended", "closed"]


def test_a_full_disk_ends_the_match_before_anybody_sees_the_action() -> None:
    class FullDisk(LineFile):
        def __init__(self) -> None: ...

        def write(self, lines: Any) -> None:
            raise OSError(errno.ENOSPC, "No space left on device", "m.tlog")

    hall = Hall(terms(KUHN, 1), transactions=FullDisk()).connect_all()
    hall.clock.advance(HOLD_SECONDS)
    before = hall.received(0), hall.received(1)
    hall.connections[0].dataReceived(hall.received(0)[-1].rstrip() + b":r\n")
    assert (hall.received(0), hall.received(1)) == before
    assert hall.notes() == ["ERROR: could not write m.tlog: No space left on device"]
    assert hall.table.outcome == (False, "could not write m.tlog: No space left on device")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_log_that_takes_no_more_is_named(tmp_path: Path) -> None:
    (tmp_path / "m.log").symlink_to("/dev/full")
    log = LineFile(tmp_path / "m.log", append=False)
    hall = Hall(terms(KUHN, 1), log=log).connect_all()
    _play(hall)
    assert hall.notes()[-1] == f"ERROR: could not write {tmp_path}/m.log: No space left on device"
    log.close()


# Real sockets and the command.


class Client(threading.Thread):
    """A player with a blocking socket. Keeps every byte it is sent."""

    def __init__(self, port: int, actions: str = "c") -> None:
        super().__init__(daemon=True)
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.actions = actions
        self.data = b""
        self.start()

    def run(self) -> None:
        self.socket.sendall(b"VERSION:2.0.0\r\n")
        part = b""
        while received := self.socket.recv(65536):
            self.data += received
            *lines, part = (part + received).split(b"\r\n")
            for line in lines:
                match = read_match_state(line.decode(), KUHN)[0]
                if match.my_turn:
                    self.socket.sendall(line + b":" + self.answer(match))
        self.socket.close()

    def answer(self, match: MatchState) -> bytes:
        """The action and a line end."""
        return self.actions[match.hand % len(self.actions)].encode() + b"\n"


def _start(folder: Path, *arguments: str) -> "tuple[subprocess.Popen[str], list[int]]":
    process = subprocess.Popen(
        [*COMMAND, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, [int(port) for port in process.stdout.readline().split()]


def _finish(process: "subprocess.Popen[str]") -> tuple[int, str, str]:
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_the_command_plays_the_recorded_match(tmp_path: Path) -> None:
    """Real players that give the recorded answers: same log, same score, everything seen up to the end of file."""
    log = VECTORS / "kuhn.limit.2p.seed0.log"
    actions = iter(recorded_actions(log))
    text = read_log(log.read_text(), game_of(log))
    plan = {(hand.hand, len(state.betting)): state for hand in text.hands for state in hand.state.path()}
    (tmp_path / "kuhn.limit.2p.game").write_text((VECTORS / "kuhn.limit.2p.game").read_text())
    process, ports = _start(tmp_path, "gv", "kuhn.limit.2p.game", "40", "0", "P0", "P1", "--start_timeout", "20000")

    class Scripted(Client):
        def answer(self, match: MatchState) -> bytes:
            return f"{next(actions)}\r\n".encode()

    clients = [Scripted(port) for port in ports]
    code, out, err = _finish(process)
    for client in clients:
        client.join(timeout=30)
        assert client.data.count(b"\r\n") == sum(1 for _ in plan), "every state of every hand, then the end"
    assert code == 0
    assert (tmp_path / "gv.log").read_text() == log.read_text()
    assert out == log.read_text().splitlines()[-1] + "\n"
    assert not (tmp_path / "gv.tlog").exists()
    lines = err.split("\n")
    assert lines[:4] == log.read_text().splitlines()[:4]
    assert lines[4].startswith("STARTED at ") and lines[-3].startswith("FINISHED at ")
    assert lines[-2] == out.strip() and not any("WARNING" in line or "ERROR" in line for line in lines)
    assert sum(line.startswith("TO ") for line in lines) == 2 * len(plan)
    assert sum(line.startswith("FROM ") for line in lines) == len(plan) - 40


def test_the_command_survives_abuse(tmp_path: Path) -> None:
    """Real sockets: a second connection, junk of all kinds, a reset. Hands played are kept; the exit code is 1."""
    process, ports = _start(tmp_path, "m", "kuhn.limit.2p", "1000", "0", "A", "B", "-q", "--start_timeout", "20000")
    good = Client(ports[1])
    bad = socket.create_connection(("127.0.0.1", ports[0]), timeout=30)
    bad.sendall(b"VERSION:2.0.0\n")
    reader = bad.makefile("rb")
    generator = random.Random(1)
    for turn in range(12):
        while not (match := read_match_state((line := reader.readline()).decode(), KUHN)[0]).my_turn:
            pass
        if turn == 0:
            with pytest.raises(OSError), socket.create_connection(("127.0.0.1", ports[0]), timeout=5) as second:
                if not second.recv(1):
                    raise ConnectionResetError
        if turn == 3:
            bad.sendall(b"x" * 10_000_000 + b"\n")
        if turn == 6:
            bad.sendall(generator.randbytes(100_000) + b"\n")
        if turn == 9:
            for byte in b"half a line: " + line[:-2]:
                bad.sendall(bytes([byte]))
            bad.sendall(b"\n" * 50)
        bad.sendall(line[:-2] + b":c\n")
    last = match.hand
    bad.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
    reader.close()
    bad.close()  # with a reset
    code, out, err = _finish(process)
    good.join(timeout=30)
    assert code == 1 and out == ""
    log = read_log((tmp_path / "m.log").read_text(), KUHN)
    assert len(log.hands) >= last and [hand.hand for hand in log.hands] == list(range(len(log.hands)))
    assert str(log.entries[-1]).endswith("seat 1 (A) disconnected")
    assert "WARNING: ignoring a line from seat 1 that is too long" in err
    assert "Traceback" not in err and "Unhandled" not in err


def test_ports_are_those_of_the_seed_unless_taken(tmp_path: Path) -> None:
    process, first = _start(tmp_path, "m", "kuhn.limit.2p", "1", "77", "A", "B", "--start_timeout", "30000")
    try:
        again, second = _start(tmp_path, "n", "kuhn.limit.2p", "1", "77", "A", "B", "--start_timeout", "0")
        code, _, err = _finish(again)
        assert code == 1 and "ERROR: timed out waiting for seat 1 (A) to connect" in err
        assert len(first) == len(second) == 2 and not set(first) & set(second)
        taken, none = _start(tmp_path, "o", "kuhn.limit.2p", "1", "77", "A", "B", "-p", f"0,{first[0]}")
        code, _, err = _finish(taken)
        assert (code, none) == (1, []) and f"ERROR: could not listen on port {first[0]}" in err
    finally:
        process.terminate()
        code, _, err = _finish(process)
    assert code == 1 and "ERROR: the dealer was stopped" in err
    assert (tmp_path / "m.log").read_text().endswith("# match ended in hand 0: the dealer was stopped\n")


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT], ids=str)
def test_a_signal_that_comes_with_the_ports_ends_the_match_in_order(sent: signal.Signals, tmp_path: Path) -> None:
    """The signal comes while the ports are being printed: earlier than anybody who reads them could send it."""
    program = f"""
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it in background jobs
from limpet.bot.commands.playing.dealer import dealer
class Output:
    def write(self, text): os.kill(os.getpid(), {sent.value})
    def flush(self): pass
sys.stdout = Output()
dealer()
"""
    command = [sys.executable, "-c", program, "m", "kuhn.limit.2p", "1", "0", "A", "B"]
    result = subprocess.run(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert (result.returncode, result.stderr.splitlines()[-1:]) == (1, ["ERROR: the dealer was stopped"])
    assert "Traceback" not in result.stderr
    assert (tmp_path / "m.log").read_text().endswith("# match ended in hand 0: the dealer was stopped\n")


@pytest.mark.parametrize("played", [False, True])
def test_a_score_that_cannot_be_printed_is_told_in_a_line(played: bool, tmp_path: Path) -> None:
    """Standard output closes before the ports are printed, or after them."""
    reading, writing = os.pipe()
    clients = []
    main = "from limpet.bot.cli import main; main()"
    command = [sys.executable, "-c", main, "dealer", "m", "kuhn.limit.2p", "2", "0", "A", "B", "-q"]
    if not played:
        os.close(reading)
    with subprocess.Popen(command, cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, text=True) as process:
        os.close(writing)
        if played:
            with open(reading, "rb") as ports:
                clients = [Client(int(port)) for port in ports.readline().split()]
        _, err = process.communicate(timeout=60)
    for client in clients:
        client.join(timeout=30)
    assert process.returncode == 1
    assert err.splitlines()[-1] == "ERROR: could not write to standard output: Broken pipe", err
    last = (tmp_path / "m.log").read_text().splitlines()[-1]
    wanted = "SCORE:" if played else "# match ended in hand 0: could not write to standard output: Broken pipe"
    assert last.startswith(wanted)


# The command line.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["m", "kuhn.limit.2p", "0", "1", "A", "B"], "HANDS"),
        (["m", "kuhn.limit.2p", "x", "1", "A", "B"], "HANDS"),
        (["m", "kuhn.limit.2p", "5", "x", "A", "B"], "SEED"),
        (["m", "kuhn.limit.2p", "5", "1"], "PLAYER"),
        (["m", "kuhn.limit.2p", "5", "1", "A"], "1 player names, but kuhn.limit.2p has 2 players"),
        (["m", "kuhn.limt.2p", "5", "1", "A", "B"], "did you mean 'kuhn.limit.2p'"),
        (["m", "./none.game", "5", "1", "A", "B"], "none.game"),
        (["m", "kuhn.limit.2p", "5", "1", "A", "B", "-p", "1,x"], "bad port string 1,x"),
        (["m", "kuhn.limit.2p", "5", "1", "A", "B", "--t_hand", "-1"], "--t_hand"),
        (["m", "kuhn.limit.2p", "5", "1", "A", "B\n"], "line end"),
        (["m", "kuhn.limit.2p", "5", "1", "A", "B", "--nonsense"], "--nonsense"),
        (
            ["no/such/m", "kuhn.limit.2p", "5", "1", "A", "B"],
            "no/such/m.log: there is no folder no/such; make it first",
        ),
    ],
)
def test_misuse_exits_with_1(arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limpet.dealer.table.server.run", _run_without_a_reactor)
    result = CliRunner().invoke(dealer, arguments)
    assert result.exit_code == 1
    assert message in result.output


@pytest.mark.parametrize(
    ("cause", "says"),
    [
        (
            gaierror(-2, "Name or service not known"),
            "interface nosuch: [Errno -2] Name or service not known; name an address",
        ),
        (OSError(errno.EADDRNOTAVAIL, "Cannot assign"), "interface nosuch: [Errno 99] Cannot assign; name an address"),
        (OSError(errno.EADDRINUSE, "in use"), "port 5: [Errno 98] in use; choose others with -p"),
    ],
)
def test_an_interface_that_is_none_is_not_blamed_on_its_port(cause: OSError, says: str) -> None:
    assert why_not_listening(CannotListenError("nosuch", 5, cause), "-p").startswith(f"could not listen on {says}")


def test_a_match_whose_ports_nobody_can_read_is_not_played(tmp_path: Path) -> None:
    words = ["dealer", "m", "kuhn.limit.2p", "5", "1", "A", "B"]
    command = ["sh", "-c", '"$@" >&-', "sh", *LIMPET, *words]
    closed = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, timeout=60)
    assert closed.returncode == 1
    assert b"could not write to standard output: Bad file descriptor" in closed.stderr


def _run_without_a_reactor(terms: Any, room: Any) -> int:
    """What `run` does up to listening."""

    class Deaf:
        def listenTCP(self, port: int, factory: Any, interface: str) -> Any:
            raise CannotListenError(interface, port, OSError(errno.EADDRINUSE, "in use"))

    try:
        play(Deaf(), terms, room).send(None)
    except StopIteration as end:
        print("ERROR")
        return int(end.value)
    raise AssertionError("it should have ended at once")


def test_options_stand_anywhere_and_have_the_references_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def remember(terms: Any, room: Any) -> int:
        seen.append((terms, room))
        return 0

    monkeypatch.setattr("limpet.dealer.table.server.run", remember)
    runner = CliRunner()
    assert runner.invoke(dealer, ["m", "kuhn.limit.2p", "5", "1", "A", "B"]).exit_code == 0
    words = "-q m --t_response 1500 kuhn.limit.2p -fT 5 4294967297 -p 20000,20001 A --t_hand=2 B --t_per_hand 3 -a -l"
    assert runner.invoke(dealer, words.split() + ["C", "--start_timeout", "-5"]).exit_code == 0
    (plain, hall), (terms, room) = seen
    assert plain.limits == Limits() and (plain.hands, plain.seed, plain.players) == (5, 1, ("A", "B"))
    assert (hall.write_log, hall.write_transactions, hall.append, hall.quiet) == (True, False, False, False)
    assert (hall.ports, hall.interface, hall.start_timeout, plain.fixed_button) == ((), "127.0.0.1", None, False)
    assert terms.limits == Limits(1_500_000, 2_000, 3_000, 1_500_000)
    assert (terms.seed, terms.players, terms.fixed_button) == (1, ("A", "B"), True)
    assert (room.write_log, room.write_transactions, room.append, room.quiet) == (False, True, True, True)
    assert (room.ports, room.start_timeout) == ((20000, 20001), None)
    assert str(terms.header).split("\n")[0] == "# name/game/hands/seed m kuhn.limit.2p 5 1"


@pytest.mark.parametrize(
    ("words", "limits"),
    [
        ("--t_resp 5", (5, 600_000, 7_000, 5)),
        ("--t_r=5 --t_h 6 --t_p=7", (5, 6, 7, 5)),
        ("--t_v 3 --interf 127.0.0.1 --start=-1", (600_000, 600_000, 7_000, 3)),
        ("-p 0 --t_hand 4 -- A B", (600_000, 4, 7_000, 60_000)),
    ],
)
def test_long_options_may_be_cut_short(
    words: str, limits: tuple[int, int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    def run_nothing(terms: Any, room: object) -> int:
        seen.append(terms)
        return 0

    monkeypatch.setattr("limpet.dealer.table.server.run", run_nothing)
    players = [] if "--" in words.split() else ["A", "B"]
    result = CliRunner().invoke(dealer, ["m", "kuhn.limit.2p", "5", "1", *players, *words.split()])
    assert result.exit_code == 0, result.output
    assert seen[0].limits == Limits(*(1000 * limit for limit in limits))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--t_ 5", "Option '--t_' is ambiguous: it may be --t_response, --t_hand, --t_per_hand, --t_version."),
        ("--t=5", "Option '--t' is ambiguous"),
        ("--t_x 5", "No such option"),
        ("--t_resp", "requires an argument"),
        ("--t_resp --t_", "'--t_' is not a valid integer"),
        ("A B -- --t_", "ignoring '--t_'"),
    ],
)
def test_options_cut_too_short_are_refused_by_name(words: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limpet.dealer.table.server.run", lambda terms, room: 0)
    result = CliRunner().invoke(dealer, ["m", "kuhn.limit.2p", "5", "1", "A", "B", *words.split()])
    assert told in result.output
    assert result.exit_code == (0 if "ignoring" in told else 1)


@pytest.mark.parametrize("log", recordings(".seed0.log")[:1])
def test_append_without_transactions_appends(log: Path, tmp_path: Path) -> None:
    """As the reference: a second match follows the first in the same file."""
    for _ in range(2):
        process, ports = _start(tmp_path, "m", "kuhn.limit.2p", "2", "0", "A", "B", "-a", "-q")
        clients = [Client(port) for port in ports]
        assert _finish(process)[0] == 0
        for client in clients:
            client.join(timeout=30)
    text = (tmp_path / "m.log").read_text()
    assert text == text_of(text.splitlines()[:7]) * 2 and text.count("SCORE") == 2
