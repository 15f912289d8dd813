"""When a match is over, when it is lost, and when to connect again; no network, and a clock that the test turns."""

import gc
import weakref
from typing import Any

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone, ConnectionLost, ConnectionRefusedError
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.python.failure import Failure

from limpet.bot.client.matches import ClientSeat, SeatResult, endpoint
from limpet.protocol.gamedef import GameDef
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.strategy import Strategy
from tests.bot.manual_solver import ManualSolver

FINAL = b"MATCHSTATE:0:0:crc:As|Ks\r\n"
OPEN = b"MATCHSTATE:0:0:cr:As|\r\n"
DONE, RESET = ConnectionDone(), ConnectionLost("Connection reset by peer")


class Table:
    """A match, and the dealer's side of its connections."""

    def __init__(self, strategy: Strategy) -> None:
        self.reactor = MemoryReactorClock()
        place = "tcp:127.0.0.1:20000"
        solver, dealer = ManualSolver(), endpoint(self.reactor, place)
        self.match = ClientSeat(place, dealer, lambda: Agent(strategy, 0), solver, self.reactor, 3)  # type: ignore[arg-type]
        self._outcome: list[SeatResult] = []
        self.over: Deferred[SeatResult] = self.match.play()
        self.over.addCallback(self._outcome.append)

    @property
    def outcome(self) -> list[SeatResult]:
        """The outcome, once there is one."""
        self.reactor.advance(0)
        return self._outcome

    @property
    def attempts(self) -> int:
        return len(self.reactor.tcpClients)

    def refuse(self) -> None:
        factory = self.reactor.tcpClients[-1][2]
        factory.clientConnectionFailed(self.reactor.connectors[-1], Failure(ConnectionRefusedError()))

    def accept(self) -> "Link":
        return Link(self.reactor.tcpClients[-1][2].buildProtocol(None))

    def wait(self, seconds: float = 10.0) -> None:
        self.reactor.advance(0)  # what is due at once
        self.reactor.advance(seconds)


class Link:
    """A connection as the dealer holds it."""

    def __init__(self, protocol: Any) -> None:
        self.protocol, self.transport = protocol, StringTransport()
        protocol.makeConnection(self.transport)

    def send(self, data: bytes) -> None:
        self.protocol.dataReceived(data)

    def close(self, why: Exception = DONE) -> None:
        self.protocol.connectionLost(Failure(why))


@pytest.fixture
def table(kuhn: GameDef, chosen: Any) -> Table:
    return Table(chosen(kuhn))


@pytest.mark.parametrize("why", [DONE, RESET], ids=["closed", "reset"])
def test_a_close_after_a_finished_hand_is_the_end_of_the_match(table: Table, why: Exception) -> None:
    link = table.accept()
    link.send(OPEN)
    assert table.match.progress == "playing"
    link.send(FINAL)
    link.close(why)
    assert table.outcome == [SeatResult(True, "match over, 1 hands")]
    assert table.match.progress == "finished"
    table.wait(1000)
    assert table.attempts == 1


@pytest.mark.parametrize("why", [DONE, RESET], ids=["closed", "reset"])
def test_a_close_inside_a_hand_loses_the_match_for_good(table: Table, why: Exception) -> None:
    link = table.accept()
    link.send(FINAL + b"MATCHSTATE:1:1::|Qs\r\nMATCHSTATE:1:1:c:|Qs\r\n")
    link.close(why)
    [outcome] = table.outcome
    assert not outcome.finished
    assert outcome.reason.startswith("match lost in hand 1 after 'c', 1 hands finished: Connection")
    assert table.match.progress == "lost"
    table.wait(1000)
    assert table.attempts == 1  # never again: a match cannot be resumed


def test_before_the_first_state_it_connects_again(table: Table) -> None:
    table.refuse()
    assert table.match.progress == "connecting"
    assert table.attempts == 1
    table.wait(0.2)
    assert table.attempts == 1
    table.wait(0.1)  # 0.25 s after the first failure
    assert table.attempts == 2
    link = table.accept()
    link.send(b"# a comment is no state\r\n")
    link.close()
    assert table.outcome == []
    table.wait()
    assert table.attempts == 3
    link = table.accept()
    assert link.transport.value() == b"VERSION:2.0.0\r\n"
    link.send(OPEN)
    assert link.transport.value().endswith(b"MATCHSTATE:0:0:cr:As|:c\r\n")
    link.send(FINAL)
    link.close()
    assert table.outcome == [SeatResult(True, "match over, 1 hands")]


def test_it_gives_up_when_nobody_answers(table: Table) -> None:
    for _ in range(3):
        assert table.outcome == []
        table.refuse()
        table.wait()
    [outcome] = table.outcome
    assert not outcome.finished
    assert outcome.reason.startswith("no connection: Connection was refused")
    assert table.attempts == 3
    table.wait(1000)
    assert table.attempts == 3


def test_it_gives_up_when_the_dealer_hangs_up_each_time(table: Table) -> None:
    for _ in range(3):
        assert table.outcome == []
        table.accept().close(RESET)
        table.wait()
    [outcome] = table.outcome
    assert not outcome.finished
    assert outcome.reason.startswith("match lost before the first hand: the dealer closed 3 connections: ")
    table.wait(1000)
    assert table.attempts == 3


@pytest.mark.parametrize("waits", [True, False])
def test_a_match_of_another_game_is_lost_with_its_name(waits: bool, table: Table) -> None:
    """It is not tried again: the dealer plays that game the next time too. Nor does it matter who hangs up."""
    link = table.accept()
    link.send(b"MATCHSTATE:0:0::AsKd|\r\n")
    if waits:
        table.wait(3)
        assert link.transport.disconnecting
    link.close()
    [outcome] = table.outcome
    assert not outcome.finished
    assert outcome.reason.startswith(
        "match lost before the first hand, 0 hands finished: the dealer plays another game"
    )
    assert (
        "like holdem.limit.2p.reverse_blinds or holdem.nolimit.2p.reverse_blinds, as in 'MATCHSTATE" in outcome.reason
    )
    table.wait(1000)
    assert table.attempts == 1


def test_pauses_grow(table: Table) -> None:
    table.refuse()
    table.wait(0.26)
    table.refuse()
    table.wait(0.3)
    assert table.attempts == 2
    table.wait(0.3)
    assert table.attempts == 3


def test_stopped_while_playing(table: Table) -> None:
    link = table.accept()
    link.send(FINAL)
    table.match.stop("interrupted")
    assert link.transport.disconnecting
    link.close()
    assert table.outcome == [SeatResult(False, "match lost after hand 0, 1 hands finished: interrupted")]


def test_stopped_while_connecting(table: Table) -> None:
    table.refuse()
    table.match.stop("interrupted")
    assert table.outcome == [SeatResult(False, "interrupted before the first hand")]
    table.wait(1000)
    assert table.attempts == 1


def test_stopped_in_the_middle_of_an_attempt(table: Table) -> None:
    table.match.stop("interrupted")
    assert table.outcome == [SeatResult(False, "interrupted before the first hand")]


def test_what_was_solved_in_a_match_goes_when_it_is_over(kuhn: GameDef, chosen: Any) -> None:
    strategy = chosen(kuhn)
    hands = weakref.WeakSet[Any]()

    class Hand(type(strategy.start_hand(None))):  # type: ignore[misc]
        __hash__ = object.__hash__

    def start_hand(key: Any) -> Any:
        hand = Hand(strategy, key)
        hands.add(hand)
        return hand

    strategy.start_hand = start_hand
    table = Table(strategy)
    link = table.accept()
    link.send(OPEN + FINAL)
    assert len(hands) == 1
    link.close()
    [outcome] = table.outcome
    table.reactor.tcpClients.clear()  # a reactor that is none keeps what was connected
    table.reactor.connectors.clear()
    del link
    gc.collect()
    assert len(hands) == 0
    assert (table.match.progress, table.match.tally.hands, table.match.outcome) == ("finished", 1, outcome)
    table.match.stop("interrupted")  # changes nothing
    assert table.match.progress == "finished"
