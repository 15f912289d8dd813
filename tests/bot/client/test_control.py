"""The control port, in memory: requests, and whatever else may come."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IHalfCloseableProtocol
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.python.failure import Failure

from limpet.bot.client.control import HELP, MAX_REQUEST, PATIENCE, ControlPort, ControlSession
from limpet.bot.client.matches import KEPT, Matches
from limpet.protocol.gamedef import GameDef


class Server:
    """A server of matches and one connection to its control port."""

    def __init__(self, game: GameDef, chosen: Any) -> None:
        self.reactor = MemoryReactorClock()
        self.matches = Matches(chosen(game), 0, self.reactor, tries=1)
        self.ended = 0
        self.port = ControlPort(self.matches, self.end, self.reactor)
        self.replied_before_the_end = b""
        self.transport = StringTransport()
        session = self.port.buildProtocol(None)
        assert isinstance(session, ControlSession)
        self.session = session
        self.session.makeConnection(self.transport)

    def end(self) -> None:
        self.ended += 1
        self.replied_before_the_end = self.transport.value()
        self.matches.close()

    def ask(self, request: bytes) -> list[str]:
        self.transport.clear()
        self.session.dataReceived(request)
        reply: str = self.transport.value().decode()
        assert reply == "" or reply.endswith("\r\n")
        return reply.split("\r\n")[:-1]

    def dealer(self, number: int) -> Any:
        """The client's protocol of the attempt `number`, connected."""
        protocol: Any = self.reactor.tcpClients[number][2].buildProtocol(None)
        protocol.makeConnection(StringTransport())
        return protocol


@pytest.fixture
def server(kuhn: GameDef, chosen: Any) -> Iterator[Server]:
    server = Server(kuhn, chosen)
    yield server
    stopped = server.matches.stop("the test is over")
    server.reactor.advance(0)
    del stopped


def test_join_play_and_status(server: Server) -> None:
    assert server.ask(b"status\r\n") == ["ok 0 matches, 0 not over, 0 lost, 0 hands, 0 decisions"]
    assert server.ask(b"join 10.0.0.1 20000\n") == ["ok 1 joined tcp:10.0.0.1:20000"]
    assert server.ask(b"JOIN tcp:10.0.0.2:20001\r\n") == ["ok 2 joined tcp:10.0.0.2:20001"]
    assert [client[:2] for client in server.reactor.tcpClients] == [("10.0.0.1", 20000), ("10.0.0.2", 20001)]
    one, two = server.dealer(0), server.dealer(1)
    one.dataReceived(b"MATCHSTATE:0:0::As|\r\nMATCHSTATE:0:0:cc:As|Ks\r\n")
    two.dataReceived(b"MATCHSTATE:1:0::|Ks\r\n")
    assert server.ask(b"status\n") == [
        "ok 2 matches, 2 not over, 0 lost, 1 hands, 1 decisions",
        "1 playing tcp:10.0.0.1:20000 hands=1 decisions=1",
        "2 playing tcp:10.0.0.2:20001 hands=0 decisions=0",
    ]
    for dealer in (one, two):
        dealer.connectionLost(Failure(ConnectionDone()))
        server.reactor.advance(0)
    first, second = server.ask(b"status 1\nstatus 2\n")
    assert first == "ok 1 finished tcp:10.0.0.1:20000 hands=1 decisions=1 match over, 1 hands"
    assert second.startswith("ok 2 lost tcp:10.0.0.2:20001 hands=0 decisions=0 match lost in hand 0 before any action")
    assert server.ask(b"status\n")[0] == "ok 2 matches, 0 not over, 1 lost, 1 hands, 1 decisions"


def test_help_lists_every_request(server: Server) -> None:
    first, *rest = server.ask(b"help\n")
    assert first == f"ok {len(rest)} requests"
    assert tuple(rest) == HELP


def test_a_request_may_have_so_many_bytes_and_no_more(server: Server) -> None:
    longest = b"help" + b" " * (MAX_REQUEST - 4)
    assert server.ask(longest + b"\n")[0].startswith("ok")
    assert server.ask(longest + b" ") == [f"error a request of more than {MAX_REQUEST} bytes"]  # its end need not come
    assert server.ask(b"quit " * 2 * MAX_REQUEST) == []  # and the rest of it is not kept
    assert server.ask(b"\nstatus\n")[0].startswith("ok 0 matches") and not server.ended


def test_quit_lets_matches_end_and_takes_no_more(server: Server) -> None:
    server.ask(b"join 10.0.0.1 20000\n")
    assert server.ask(b"quit\n") == ["ok 1 matches are being played; the server ends after them"]
    assert server.ended == 1
    assert server.replied_before_the_end.startswith(b"ok 1 matches")
    assert server.ask(b"join 10.0.0.1 20000\n") == ["error the server is ending and takes no more matches"]
    assert server.matches.playing == 1
    over: list[None] = []
    server.matches.close().addCallback(over.append)
    assert over == []
    dealer = server.dealer(0)
    dealer.dataReceived(b"MATCHSTATE:0:0:cc:As|Ks\r\n")
    dealer.connectionLost(Failure(ConnectionDone()))
    server.reactor.advance(0)
    assert over == [None]


@pytest.mark.parametrize("reads", [True, False], ids=["reads its replies", "does not read"])
def test_the_server_ends_after_the_last_reply_is_sent(server: Server, reads: bool) -> None:
    ended: list[object] = []
    server.ask(b"quit\n")
    server.port.close().addCallback(ended.append)
    assert server.transport.disconnecting and ended == []
    if reads:
        server.session.connectionLost(Failure(ConnectionDone()))
    else:
        server.reactor.advance(PATIENCE)
        assert len(ended) == 1
        server.session.connectionLost(Failure(ConnectionDone()))
    assert len(ended) == 1
    assert server.reactor.getDelayedCalls() == []
    again: list[object] = []
    server.port.close().addCallback(again.append)
    assert len(again) == 1


@pytest.mark.parametrize("end", [b"\n", b""], ids=["a line end", "no line end"])
def test_a_client_that_sends_no_more_gets_its_reply(server: Server, end: bytes) -> None:
    assert IHalfCloseableProtocol.providedBy(server.session)
    replies = server.ask(b"join 10.0.0.1 20000" + end)
    assert not server.transport.disconnecting
    server.session.readConnectionLost()
    assert server.transport.value() == b"ok 1 joined tcp:10.0.0.1:20000\r\n"
    assert server.transport.disconnecting  # which sends what is written first
    assert len(replies) == len(end)


@pytest.mark.parametrize(
    "request_",
    [
        b"join\n",
        b"join a b c\n",
        b"join localhost port\n",
        b"join localhost:20000\n",
        b"join a..b 20000\n",
        b"join tcp:a:1 tcp:b:2\n",
        b"status 7\n",
        b"status \xd9\xa3\n",
        b"status 1 2\n",
        b"dance\n",
        b"quit now\n",
        b"\xff\xfe\x00\n",
        b"j" * 5000 + b"\n",
    ],
)
def test_a_wrong_request_is_one_error_line_and_changes_nothing(server: Server, request_: bytes) -> None:
    [reply] = server.ask(request_)
    assert reply.startswith("error ")
    assert len(reply) < 300
    assert (server.matches.by_number, server.ended, server.transport.disconnecting) == ({}, 0, False)
    assert server.ask(b"help\n")[0].startswith("ok")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.binary(max_size=300))
def test_any_bytes_are_survived(server: Server, data: bytes) -> None:
    server.ask(data.replace(b"quit", b"").replace(b"join", b""))
    server.ask(b"\n")
    assert server.ask(b"help\n")[0] == "ok 4 requests"


def test_blank_lines_get_no_reply(server: Server) -> None:
    assert server.ask(b"\n\r\n   \n") == []


def test_matches_long_over_are_forgotten_but_stay_counted(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    assert KEPT >= 100
    monkeypatch.setattr("limpet.bot.client.matches.KEPT", 2)
    for number in range(6):
        server.ask(b"join 10.0.0.1 20000\n")
        dealer = server.dealer(number)
        dealer.dataReceived(b"MATCHSTATE:0:0:cc:As|Ks\r\n")
        dealer.connectionLost(Failure(ConnectionDone()))
        server.reactor.advance(0)
    head, *rows = server.ask(b"status\n")
    assert head == f"ok {len(rows)} matches, 0 not over, 0 lost, 6 hands, 0 decisions"
    assert 2 <= len(rows) <= 3
    assert rows[-1].startswith("6 finished")
