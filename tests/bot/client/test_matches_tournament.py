"""A seat that connects for every hand of a tournament: no network, and a clock that the test turns."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.defer import Deferred, ensureDeferred
from twisted.internet.error import ConnectionDone, ConnectionLost, ConnectionRefusedError
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.python.failure import Failure

from limpet.bot.client.matches import LONGEST_PAUSE, PAUSE, TournamentSeat, endpoint
from limpet.configs.loading import ConfigError
from limpet.dealer.contests.sng_rules import TournamentState, load_structure, next_hand
from limpet.protocol.situation import definition_text
from limpet.strategies.base.botconfig import Entrant, load_bot

WHERE = "tcp:127.0.0.1:20000"


class Hall:
    """A dealer's side of a seat's connections."""

    def __init__(self, folder: Path, bot: str = "jam-any") -> None:
        self.reactor = MemoryReactorClock()
        self.file = folder / "hand.game"
        self.seat = TournamentSeat(
            WHERE, endpoint(self.reactor, WHERE), Entrant(load_bot(bot)), self.file, self.reactor
        )
        self.ended: list[Any] = []
        self.over: Deferred[None] = ensureDeferred(self.seat.play())
        self.over.addBoth(self.ended.append)

    def write(self, *stacks: int) -> None:
        hand = next_hand(load_structure("turbo", len(stacks)), TournamentState(0, stacks, 1, ()), 0)
        self.file.write_text(definition_text(hand.game))

    def refuse(self) -> None:
        self.reactor.tcpClients[-1][2].clientConnectionFailed(
            self.reactor.connectors[-1], Failure(ConnectionRefusedError())
        )
        self.reactor.advance(LONGEST_PAUSE)

    def accept(self) -> "tuple[Any, StringTransport]":
        protocol: Any = self.connected()
        transport = StringTransport()
        protocol.makeConnection(transport)
        return protocol, transport

    def connected(self) -> Any:
        return self.reactor.tcpClients[-1][2].buildProtocol(None)


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    hall = Hall(tmp_path)
    yield hall
    hall.seat.stop()


def test_a_seat_asks_less_often_the_longer_it_waits(hall: Hall) -> None:
    clients = hall.reactor.tcpClients
    hall.refuse()
    for number in range(2, 60):
        hall.refuse()
        assert len(clients) == number + 1  # no pause is longer
    hall.reactor.tcpClients[-1][2].clientConnectionFailed(
        hall.reactor.connectors[-1], Failure(ConnectionRefusedError())
    )
    hall.reactor.advance(LONGEST_PAUSE - PAUSE)
    assert len(clients) == 60


def test_each_hand_is_played_by_the_definition_that_the_file_holds_then(hall: Hall) -> None:
    hall.refuse()
    hall.refuse()  # no hand yet, and no file
    for number, stack in enumerate((500, 730), 1):
        hall.write(stack, 300, 400)
        protocol, transport = hall.accept()
        protocol.dataReceived(b"MATCHSTATE:0:0:c:AsAd||\r\n")
        assert transport.value().endswith(f"MATCHSTATE:0:0:c:AsAd||:r{stack}\r\n".encode())
        protocol.dataReceived(f"MATCHSTATE:0:0:cr{stack}ff:AsAd||\r\n".encode())
        protocol.connectionLost(Failure(ConnectionDone()))
        hall.reactor.advance(0)
        assert hall.seat.tally.hands == number and hall.seat.lost == 0
    hall.refuse()  # out of the tournament, or nobody has a decision
    assert not hall.ended
    hall.file.write_text("# tournaments over\n")
    hall.refuse()
    assert hall.ended == [None]


def test_a_hand_that_breaks_off_is_counted_and_played_again(hall: Hall) -> None:
    hall.write(500, 500, 500)
    protocol, _ = hall.accept()
    protocol.dataReceived(b"MATCHSTATE:1:0::|AsAd|\r\n")
    protocol.connectionLost(Failure(ConnectionLost()))
    hall.reactor.advance(0)
    assert hall.seat.lost == 1 and not hall.ended and len(hall.reactor.tcpClients) == 2


def test_a_hand_that_the_bot_cannot_play_ends_it(tmp_path: Path) -> None:
    hall = Hall(tmp_path, "kuhn")
    hall.write(500, 500, 500)
    assert hall.connected() is None
    assert isinstance(hall.ended[0], Failure) and hall.ended[0].check(ConfigError)
    assert "kuhn cannot play hold'em of 3 players with stacks of 500 500 500" in hall.ended[0].getErrorMessage()
    hall.seat.stop()
