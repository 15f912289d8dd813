"""One connection on a transport of strings."""

import socket
from typing import Any

import pytest
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.internet.protocol import Protocol
from twisted.internet.task import Clock
from twisted.internet.tcp import Connection
from twisted.internet.testing import MemoryReactor, StringTransport
from twisted.python.failure import Failure

from limpet.bot.client.client import MAX_REASON, SURE_SECONDS, UNSURE_SECONDS, MatchClient
from limpet.bot.client.protocol import Conversation
from limpet.bot.client.safe_agent import SafeAgent, Tally
from limpet.protocol.gamedef import GameDef
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.strategy import Strategy
from tests.bot.manual_solver import ManualSolver

HAND = [b"MATCHSTATE:1:0::|AsKs\r\n", b"MATCHSTATE:1:0:c:|AsKs\r\n", b"MATCHSTATE:1:0:cc/:|AsKs/2c3c4c\r\n"]


class Seat:
    """A client with everything around it."""

    def __init__(self, strategy: Strategy) -> None:
        self.tally, self.solver, self.transport = Tally(), ManualSolver(), StringTransport()
        self.clock = Clock()
        player = SafeAgent(Agent(strategy, 0), self.tally)
        conversation = Conversation(strategy.game)
        self.client = MatchClient("here", conversation, player, self.tally, self.solver, self.clock)  # type: ignore[arg-type]
        self.client.makeConnection(self.transport)

    def take(self) -> bytes:
        sent: bytes = self.transport.value()
        self.transport.clear()
        return sent


@pytest.fixture
def seat(holdem: GameDef, chosen: Any) -> Seat:
    return Seat(chosen(holdem))


@pytest.fixture
def slow_seat(holdem: GameDef, chosen: Any) -> Seat:
    return Seat(chosen(holdem, is_slow=lambda key, state: True))


def test_the_version_is_said_first(seat: Seat) -> None:
    assert seat.take() == b"VERSION:2.0.0\r\n"


def test_the_recorded_conversations_byte_for_byte(recorded: dict[str, Any], chosen: Any) -> None:
    """A strategy that chooses what the reference's seats chose sends what they sent."""
    for name, recording in recorded.items():
        served = b"".join(f"{line}\r\n".encode() for line in recording.served)
        for size in (1, 997, len(served)):
            seat = Seat(chosen(recording.game, recording.choose))
            for at in range(0, len(served), size):
                seat.client.dataReceived(served[at : at + size])
            assert seat.take() == recording.expected(), name
            assert seat.tally.hands == 15
            assert seat.tally.failures == seat.tally.bad_lines == 0
            assert len(seat.tally.seconds) == seat.tally.decisions > 0


def test_line_feeds_alone_are_read_and_echoed_with_crlf(seat: Seat) -> None:
    seat.take()
    seat.client.dataReceived(b"MATCHSTATE:1:0::|AsKs\n")
    assert seat.take() == b"MATCHSTATE:1:0::|AsKs:c\r\n"


def test_garbage_is_told_and_the_match_goes_on(seat: Seat, log: list[str]) -> None:
    seat.take()
    seat.client.dataReceived(b"\x00garbage\r\n" + HAND[0])
    assert seat.take() == b"MATCHSTATE:1:0::|AsKs:c\r\n"
    assert seat.tally.bad_lines == 1
    assert "here: a line is skipped" in log[0]
    assert not seat.transport.disconnecting


def test_many_unreadable_lines_are_counted_and_seldom_told(seat: Seat, log: list[str]) -> None:
    for _ in range(100):
        seat.client.dataReceived(HAND[0].rstrip() + b"x" * 9000 + b"\r\n" + b"MATCHSTATE:9\n" * 99)
    assert seat.tally.bad_lines == 10_000
    assert len(log) == 3 + 4  # the first three, then every power of ten
    assert "here: 10000 lines are skipped so far, the last one: 'MATCHSTATE:9': not MATCHSTATE" in log[-1]
    assert max(map(len, log)) < MAX_REASON + 200


@pytest.mark.parametrize("behind", [b" ", b"   ", b"\t \r"])
def test_blanks_behind_a_state_are_read_over_and_not_echoed(behind: bytes, seat: Seat) -> None:
    """As the reference's client does, which answers with as much of the line as it has read."""
    seat.take()
    seat.client.dataReceived(HAND[0].replace(b"\r\n", behind + b"\r\n"))
    assert seat.take() == b"MATCHSTATE:1:0::|AsKs:c\r\n"
    assert seat.tally.bad_lines == 0


KUHN_STATE = b"MATCHSTATE:0:0::As|\r\n"
UNKNOWN_STATE = b"MATCHSTATE:0:0::AsKsQsJsTs9s|\r\n"


@pytest.mark.parametrize(("state", "seconds"), [(KUHN_STATE, SURE_SECONDS), (UNKNOWN_STATE, UNSURE_SECONDS)])
def test_in_another_game_the_client_leaves(state: bytes, seconds: float, seat: Seat) -> None:
    seat.client.dataReceived(state)
    seat.clock.advance(seconds / 2)
    seat.client.dataReceived(state)  # says nothing new
    seat.clock.advance(seconds / 2 - 0.1)
    assert not seat.transport.disconnecting
    seat.clock.advance(0.1)
    assert seat.transport.disconnecting
    seat.client.connectionLost(Failure(ConnectionDone()))
    assert seat.clock.getDelayedCalls() == []


def test_once_the_game_is_known_the_client_does_not_wait_long(seat: Seat) -> None:
    seat.client.dataReceived(UNKNOWN_STATE + b"\x00garbage\r\n")
    seat.clock.advance(UNSURE_SECONDS / 2)
    seat.client.dataReceived(KUHN_STATE)
    seat.clock.advance(SURE_SECONDS)
    assert seat.transport.disconnecting
    assert "look like kuhn.limit.2p" in str(seat.client.conversation.stray)


def test_a_state_of_another_game_among_those_of_the_right_one_costs_nothing(seat: Seat) -> None:
    seat.client.dataReceived(HAND[0] + KUHN_STATE)
    seat.clock.advance(SURE_SECONDS - 0.1)
    seat.client.dataReceived(HAND[1])
    seat.clock.advance(10 * UNSURE_SECONDS)
    assert not seat.transport.disconnecting and seat.tally.bad_lines == 1
    assert seat.client.conversation.stray is None


def test_garbage_is_no_other_game(seat: Seat) -> None:
    seat.client.dataReceived(b"\x00garbage\r\nHELLO\r\n")
    seat.clock.advance(10 * UNSURE_SECONDS)
    assert not seat.transport.disconnecting


def test_a_connection_lost_in_another_game_leaves_no_timer(seat: Seat) -> None:
    seat.client.dataReceived(KUHN_STATE)
    seat.client.connectionLost(Failure(ConnectionLost()))
    assert seat.clock.getDelayedCalls() == []


def test_a_failing_strategy_keeps_the_link(holdem: GameDef, chosen: Any, log: list[str]) -> None:
    def fail(*_: object) -> Any:
        raise ZeroDivisionError

    seat = Seat(chosen(holdem, choose=fail))
    seat.take()
    seat.client.dataReceived(b"".join(HAND))
    assert seat.take() == b"MATCHSTATE:1:0::|AsKs:c\r\n"  # of these states only the first is position 1's turn
    assert seat.tally.failures == 1
    assert not seat.transport.disconnecting
    assert log


def test_a_slow_decision_waits_in_the_queue_and_its_match_in_order(slow_seat: Seat) -> None:
    slow_seat.take()
    slow_seat.client.dataReceived(HAND[0])
    assert slow_seat.take() == b""
    slow_seat.client.dataReceived(b"MATCHSTATE:1:0:cc/c:|AsKs/2c3c4c\r\nMATCHSTATE:1:0:cc/cr300f:|AsKs/2c3c4c\r\n")
    assert len(slow_seat.solver.queue) == 1  # an agent decides one thing at a time
    slow_seat.solver.step()
    assert slow_seat.take() == b"MATCHSTATE:1:0::|AsKs:c\r\n"
    assert slow_seat.tally.hands == 0
    slow_seat.solver.step()
    assert slow_seat.take() == b"MATCHSTATE:1:0:cc/c:|AsKs/2c3c4c:c\r\n"
    assert slow_seat.tally.hands == 1
    assert slow_seat.tally.decisions == 2


def test_it_thinks_on_while_others_decide(slow_seat: Seat) -> None:
    slow_seat.client.dataReceived(HAND[0])
    assert not slow_seat.solver.pondering
    slow_seat.solver.step()
    assert slow_seat.solver.pondering
    slow_seat.client.dataReceived(b"MATCHSTATE:1:0:cc/c:|AsKs/2c3c4c\r\n")
    assert not slow_seat.solver.pondering
    slow_seat.solver.step()
    assert slow_seat.solver.pondering
    slow_seat.client.dataReceived(b"MATCHSTATE:1:0:cc/cr300f:|AsKs/2c3c4c\r\n")  # the hand is over
    assert not slow_seat.solver.pondering
    slow_seat.client.dataReceived(b"MATCHSTATE:1:1::|AsKs\r\n" + b"MATCHSTATE:1:1:cc/c:|AsKs/2c3c4c\r\n")
    slow_seat.solver.step()
    assert not slow_seat.solver.pondering  # the next decision waits already


def test_a_connection_lost_in_a_slow_decision(slow_seat: Seat) -> None:
    slow_seat.take()
    slow_seat.client.dataReceived(HAND[0] + b"MATCHSTATE:1:0:f:|AsKs\r\n" + b"MATCHSTATE:1:1:f:AsKs|")
    reasons: list[str] = []
    slow_seat.client.lost.addCallback(reasons.append)
    slow_seat.client.connectionLost(Failure(ConnectionLost()))
    assert slow_seat.tally.hands == 2 - 1  # the last line lacks its position's own cards
    assert slow_seat.tally.bad_lines == 1
    assert len(reasons) == 1
    slow_seat.solver.step()
    assert slow_seat.take() == b""
    assert slow_seat.tally.decisions == 0


def test_a_last_line_without_its_end_counts_but_gets_no_answer(seat: Seat) -> None:
    seat.take()
    seat.client.dataReceived(HAND[0][:-2])
    seat.client.connectionLost(Failure(ConnectionDone()))
    assert seat.take() == b""
    assert seat.client.conversation.whereabouts == "in hand 0 before any action"


class Socket:
    """A socket that takes so many bytes of each of its sends, and none once the numbers are used up."""

    def __init__(self, *rooms: int) -> None:
        self.rooms, self.sent = list(rooms), b""
        self.options: list[tuple[int, ...]] = []

    def send(self, data: bytes) -> int:
        room = self.rooms.pop(0) if self.rooms else 0
        if not room:
            raise BlockingIOError(11, "full")
        self.sent += bytes(data[:room])
        return min(room, len(data))

    def fileno(self) -> int:
        return 99

    def setblocking(self, blocking: bool) -> None: ...

    def setsockopt(self, *option: int) -> None:
        self.options.append(option)


@pytest.mark.parametrize("rooms", [(1000, 1000, 0, 1000), (1000, 4, 1000, 1000), (0, 7, 1000), (1000, 1000, 1000)])
def test_what_a_socket_does_not_take_follows_in_order(rooms: tuple[int, ...], holdem: GameDef, chosen: Any) -> None:
    """A client hears and speaks past the layers of endpoint and service where it holds a plain socket."""
    client, layer, wire = Seat(chosen(holdem)).client, Protocol(), Socket(*rooms)
    transport: Any = Connection(wire, layer, MemoryReactor())  # type: ignore[arg-type]
    transport.connected = True
    client.makeConnection(transport)
    turns = [HAND[0], b"MATCHSTATE:1:0:cc/c:|AsKs/2c3c4c\r\n"]
    for turn in turns:
        layer.dataReceived(turn)
    for _ in range(3):
        transport.doWrite()
    assert wire.sent == b"VERSION:2.0.0\r\n" + b"".join(turn.replace(b"\r", b":c\r") for turn in turns)


@pytest.mark.skipif(
    not hasattr(socket, "TCP_QUICKACK"), reason="systems without TCP_QUICKACK choose when to acknowledge"
)
def test_a_line_without_an_answer_is_acknowledged_at_once(holdem: GameDef, chosen: Any) -> None:
    """A dealer that sends line by line without TCP_NODELAY would else play an action in 40 ms: its system keeps lines back."""
    client, layer, wire = Seat(chosen(holdem)).client, Protocol(), Socket(*[1000] * 4)
    transport: Any = Connection(wire, layer, MemoryReactor())  # type: ignore[arg-type]
    transport.connected = True
    client.makeConnection(transport)
    acknowledged = (socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
    told = []
    for part in (HAND[1], HAND[0][:5], HAND[0][5:], b"# a comment\r\n"):
        layer.dataReceived(part)
        told.append(wire.options.count(acknowledged))
    assert told == [1, 2, 2, 3], "an answer says so itself"
