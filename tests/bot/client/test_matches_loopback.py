"""Whole matches over loopback TCP on the real reactor, against a dealer that follows a recording."""

import socket
import threading
from typing import Any

import pytest
from twisted.internet import reactor as any_reactor
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.endpoints import serverFromString
from twisted.internet.protocol import Factory, Protocol
from twisted.trial.unittest import TestCase

from limpet.bot.client.matches import Matches
from limpet.protocol.messages import parse_match_state, read_action
from limpet.protocol.state import CALL

reactor: Any = any_reactor


class RecordedDealer(Protocol):
    """Serves the lines of one recorded seat; where the reference's seat answered it waits for an answer, and judges it."""

    transport: Any

    def __init__(self, recording: Any, reset: bool) -> None:
        self.lines = list(zip(recording.served, recording.answers, strict=True))
        self.game = recording.game
        self.reset = reset
        self.received = b""
        self.errors: list[str] = []

    def dataReceived(self, data: bytes) -> None:
        self.received += data
        while b"\n" in self.received:
            line, self.received = self.received.split(b"\n", 1)
            self.judge(line)

    def judge(self, line: bytes) -> None:
        if not line.startswith(b"VERSION"):
            state = self.lines.pop(0)[0]
            if not (line.startswith(state.encode() + b":") and line.endswith(b"\r")):
                self.errors.append(f"{line!r} does not echo {state!r}")
            text = line.decode()[len(state) + 1 : -1]
            action, end = read_action(text, 0, self.game)
            if end != len(text) or not parse_match_state(state, self.game).state.is_legal(action):
                self.errors.append(f"{text!r} is not legal in {state}")
        elif line != b"VERSION:2.0.0\r":
            self.errors.append(f"{line!r} is not the version line")
        self.serve()

    def serve(self) -> None:
        while self.lines:
            line, answer = self.lines[0]
            self.transport.write(f"{line}\r\n".encode())
            if answer:
                return
            self.lines.pop(0)
        if self.reset:
            # Closing with a zero linger sends a reset in place of an orderly end; what was written is on its way.
            reactor.callLater(0.01, self.transport.abortConnection)
        else:
            self.transport.loseConnection()


class Room:
    """Dealers on free ports of loopback."""

    def __init__(self) -> None:
        self.dealers: list[RecordedDealer] = []
        self.ports: list[Any] = []

    async def open(self, recording: Any, reset: bool = False) -> str:
        """A dealer for one seat; its endpoint string."""
        dealer = RecordedDealer(recording, reset)
        self.dealers.append(dealer)
        factory = Factory.forProtocol(lambda: dealer)
        factory.noisy = False
        port = await serverFromString(reactor, "tcp:0:interface=127.0.0.1").listen(factory)
        self.ports.append(port)
        return f"tcp:127.0.0.1:{port.getHost().port}"

    async def close(self) -> list[str]:
        """What was wrong with what the dealers received."""
        await gatherResults([port.stopListening() for port in self.ports])
        return [error for dealer in self.dealers for error in dealer.errors]


class LoopbackTests(TestCase):
    """What the fixtures of `conftest.py` give, handed to the test case before each test."""

    recorded: dict[str, Any]
    chosen: Any

    @pytest.fixture(autouse=True)
    def _fixtures(self, recorded: dict[str, Any], chosen: Any) -> None:
        self.recorded, self.chosen = recorded, chosen

    def a_recording(self) -> Any:
        return self.recorded["holdem.nolimit.2p.reverse_blinds.wire seat 1"]

    async def test_one_match(self) -> None:
        room, recording = Room(), self.a_recording()
        matches = Matches(self.chosen(recording.game, recording.choose), 0, reactor)
        matches.join(await room.open(recording))
        await matches.all_over()
        self.assertEqual(await room.close(), [])
        match = matches.by_number[1]
        self.assertEqual((match.progress, match.tally.hands, match.tally.failures), ("finished", 15, 0))
        self.assertEqual(match.tally.decisions, sum(answer is not None for answer in recording.answers))
        self.assertEqual(matches.lost, 0)
        await matches.stop("over")

    async def test_a_reset_after_the_final_state_is_the_end_too(self) -> None:
        room, recording = Room(), self.a_recording()
        matches = Matches(self.chosen(recording.game), 0, reactor)
        matches.join(await room.open(recording, reset=True))
        await matches.all_over()
        self.assertEqual(await room.close(), [])
        self.assertEqual((matches.lost, matches.tally().hands), (0, 15))
        await matches.stop("over")

    async def test_many_matches_at_once_share_a_strategy(self) -> None:
        room, recording = Room(), self.a_recording()
        strategy = self.chosen(recording.game)
        matches = Matches(strategy, 0, reactor)
        seats = [f"holdem.nolimit.2p.reverse_blinds.wire seat {1 + n % 2}" for n in range(12)]
        for seat in seats:
            matches.join(await room.open(self.recorded[seat]))
        self.assertEqual(matches.playing, 12)
        await matches.all_over()
        self.assertEqual(await room.close(), [])
        self.assertEqual((matches.lost, matches.tally().hands), (0, 12 * 15))
        self.assertEqual(set(strategy.threads), {threading.current_thread().name})
        await matches.stop("over")

    async def test_the_reactor_stays_free_while_a_slow_decision_is_made(self) -> None:
        """Match 1 thinks about hand 3 until match 2, which starts meanwhile, has been played to its end."""
        room, recording = Room(), self.a_recording()
        go_on = threading.Event()
        thinking: Deferred[None] = Deferred()
        busy = threading.Lock()

        def choose(key: Any, state: Any) -> Any:
            if is_slow(key, state):
                assert busy.acquire(blocking=False), "two decisions at once in the solver queue"
                if not go_on.is_set():
                    reactor.callFromThread(thinking.callback, None)
                    assert go_on.wait(60)
                busy.release()
            return CALL

        def is_slow(key: Any, state: Any) -> bool:
            return bool(key.hand == 3 and key.position == 0)

        strategy = self.chosen(recording.game, choose, is_slow)
        matches = Matches(strategy, 0, reactor)
        other = self.recorded["holdem.nolimit.2p.reverse_blinds.wire seat 2"]
        position_in_hand_3 = {
            name: parse_match_state(next(line for line in seat.served if line.split(":")[2] == "3"), seat.game).position
            for name, seat in (("one", recording), ("two", other))
        }
        slow, quick = (recording, other) if position_in_hand_3["one"] == 0 else (other, recording)
        matches.join(await room.open(slow))
        await thinking
        matches.join(await room.open(quick))
        while matches.by_number[2].outcome is None:
            turn: Deferred[None] = Deferred()
            reactor.callLater(0.001, turn.callback, None)
            await turn
        self.assertEqual(matches.by_number[2].progress, "finished")
        self.assertEqual((matches.by_number[1].progress, matches.by_number[1].tally.hands), ("playing", 3))
        go_on.set()
        await matches.all_over()
        self.assertEqual(await room.close(), [])
        self.assertEqual((matches.lost, matches.tally().hands, matches.tally().failures), (0, 30, 0))
        self.assertEqual(len(set(strategy.threads)), 2)  # the reactor's and the solver's
        await matches.stop("over")

    async def test_the_connection_sends_without_delay_and_notices_a_dead_peer(self) -> None:
        room, recording = Room(), self.a_recording()
        seen: list[int] = []

        def choose(key: Any, state: Any) -> Any:
            sock = matches.by_number[1]._client._wire.socket  # type: ignore[union-attr]
            seen.append(sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            seen.append(sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE))
            return CALL

        matches = Matches(self.chosen(recording.game, choose), 0, reactor)
        matches.join(await room.open(recording))
        await matches.all_over()
        await room.close()
        self.assertEqual(matches.tally().failures, 0)
        self.assertEqual(set(seen), {1})
        await matches.stop("over")
