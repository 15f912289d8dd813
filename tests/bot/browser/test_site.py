"""The page on the wire: who may come in, what the headers say, and that a killed table goes on."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from twisted.internet import reactor as any_reactor
from twisted.internet.error import ConnectionDone
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from wsproto.utilities import LocalProtocolError

from limpet.bot.browser import serving as server
from limpet.bot.browser.site import MOST_UNREAD, Doors, Tab, site
from limpet.bot.browser.views.messages import No
from tests.bot.browser.memory import playing
from tests.bot.browser.wire import RawSocket, Served, cookie_of, get, host_socket, serving
from tests.processes import LIMPET

reactor: Any = any_reactor


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("table"), "call", number=signal.SIGINT) as made:
        yield made


def test_no_garbage_collection_walks_what_is_loaded_for_good(tmp_path: Path) -> None:
    """A full collection over compiled kernels' objects makes the page 80 ms late."""
    program = (
        "import gc, sys\nfreeze = gc.freeze\n"
        "def frozen():\n    freeze()\n"
        "    print(gc.get_freeze_count() > 10 * len(gc.get_objects()), flush=True)\n    sys.exit()\n"
        "gc.freeze = frozen\nfrom limpet.bot.cli import main\nmain(['table', '--port', '0'])"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert told.stdout.startswith("True\n"), told.stderr


def test_the_page_answers_with_a_strict_policy_and_nothing_from_elsewhere(served: Served) -> None:
    status, headers, text = get(served.url)
    assert status == 200 and headers["Content-Security-Policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "font-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    assert headers["X-Content-Type-Options"] == "nosniff" and headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cross-Origin-Opener-Policy"] == headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Set-Cookie"].endswith("; HttpOnly; SameSite=Strict; Path=/")
    assert "://" not in text and "style=" not in text
    for name in ("app.js", "style.css", "play.css", "cards.js"):
        assert get(f"{served.url}{name}")[0] == 200


@pytest.mark.parametrize(
    "path", ["nothing", "../setup.py", "%2e%2e/%2e%2e/etc/passwd", "page/app.js", "app.js/", "__init__.py"]
)
def test_other_files_are_not_there(served: Served, path: str) -> None:
    assert get(f"{served.url}{path}")[0] == 404


def test_two_commands_do_not_share_a_folder(served: Served, tmp_path: Path) -> None:
    command = [*LIMPET, "table", "call", "--port", "0", "--folder", str(served.folder / "tables")]
    second = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert second.returncode == 2 and "another limpet table plays in this folder" in second.stderr
    assert second.stdout == ""


def test_a_page_of_another_name_gets_nothing(served: Served) -> None:
    status, headers, _ = get(served.url, Host="evil.example")
    assert status == 421 and "Set-Cookie" not in headers


@pytest.mark.parametrize(
    "wrong",
    ["no-token", "wrong-token", "wrong-origin", "no-origin", "null-origin", "other-port", "wrong-host"],
)
def test_hostile_pages_do_not_reach_the_socket(served: Served, wrong: str) -> None:
    here, cookie = f"http://{served.address}", cookie_of(served.url)
    headers = {"Origin": here, "Cookie": cookie}
    match wrong:
        case "no-token":
            del headers["Cookie"]
        case "wrong-token":
            headers["Cookie"] = cookie[:-4] + "AAAA"
        case "wrong-origin":
            headers["Origin"] = "http://evil.example"
        case "no-origin":
            del headers["Origin"]
        case "null-origin":
            headers["Origin"] = "null"
        case "other-port":
            headers["Origin"] = "http://127.0.0.1:1"
        case _:
            headers["Origin"] = "http://evil.example"
    host = "evil.example" if wrong == "wrong-host" else None
    client = RawSocket(served.address, host=host, **headers)
    assert client.status == 403
    client.close()


@pytest.mark.parametrize("target", ["/", "/socket", "/nothing", "/app.js"])
@pytest.mark.parametrize("announced", ["Content-Length: 1000000000", "Transfer-Encoding: chunked"])
def test_a_body_is_refused_before_it_is_sent(served: Served, target: str, announced: str) -> None:
    host, _, port = served.address.rpartition(":")
    for method in ("POST", "GET"):
        with socket.create_connection((host, int(port)), timeout=30) as wire:
            wire.sendall(f"{method} {target} HTTP/1.1\r\nHost: {served.address}\r\n{announced}\r\n\r\n".encode())
            reply = wire.makefile("rb").read()  # to the end of the connection
        assert reply == b"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\n\r\n"


def test_no_part_of_a_body_is_kept(tmp_path: Path) -> None:
    """What came with the headers is not stored either, and asks nothing."""
    _, desk = playing(tmp_path)
    timers = set(reactor.getDelayedCalls())
    made: Any = site(Doors("127.0.0.1", None, lambda key: False), desk).buildProtocol(None)
    wire = StringTransport()
    made.makeConnection(wire)
    made.dataReceived(b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 300000\r\n\r\n" + b"x" * 200_000)
    stored = [request.content.getvalue() for request in made._channel.requests]
    made.connectionLost(Failure(ConnectionDone()))
    assert stored == [b""] and wire.disconnecting and wire.value().count(b"HTTP/1.1") == 1
    assert set(reactor.getDelayedCalls()) <= timers, "what is left would be found by the next test of the reactor"


class FakeWire:
    """The transport of a WebSocket, which counts what is sent."""

    def __init__(self) -> None:
        self.transport, self.sent, self.aborted = self, 0, False

    def sendTextMessage(self, text: str) -> None:
        self.sent += len(text)

    def abortConnection(self) -> None:
        self.aborted = True


def test_a_tab_that_does_not_read_is_disconnected(tmp_path: Path) -> None:
    _, desk = playing(tmp_path)
    tab, wire = Tab(desk, ""), FakeWire()
    tab.negotiationStarted(wire)  # type: ignore[arg-type]
    message = No(id=None, why="x" * 100_000)
    for _ in range(100):
        tab._session.send(message)
    assert wire.sent > MOST_UNREAD and not wire.aborted  # it reads
    for _ in range(3):
        tab.pauseProducing()
        for _ in range(50):
            tab._session.send(message)
        tab.resumeProducing()
    assert not wire.aborted  # it reads from time to time
    tab.pauseProducing()
    before = wire.sent
    for _ in range(100):
        tab._session.send(message)
    assert wire.aborted and wire.sent - before <= MOST_UNREAD


def test_what_is_sent_to_a_tab_that_has_said_goodbye_is_dropped(tmp_path: Path) -> None:
    """An error would end what sent it: a table that was left was never over."""

    class Closed(FakeWire):
        def sendTextMessage(self, text: str) -> None:
            raise LocalProtocolError("cannot be sent in state CLOSED")

    _, desk = playing(tmp_path)
    tab = Tab(desk, "")
    tab.negotiationStarted(Closed())  # type: ignore[arg-type]
    tab._session.send(No(id=None, why="x"))


@pytest.mark.slow
def test_open_pages_of_a_wider_address_come_back_after_a_restart(tmp_path: Path) -> None:
    tokens = []
    for _ in range(2):
        with serving(tmp_path, "call", "--interface", "127.0.0.2") as served:
            tokens.append(served.url.partition("?token=")[2])
    assert len(tokens[0]) > 20 and tokens[0] == tokens[1]


def test_noise_ends_only_the_connection_that_sends_it(served: Served) -> None:
    headers = {"Origin": f"http://{served.address}", "Cookie": cookie_of(served.url)}
    good, bad = (RawSocket(served.address, **headers) for _ in range(2))
    assert good.status == bad.status == 101
    assert bad.ask(kind="play.sit", id=1, key="nobody")["kind"] == "refused"
    bad.send("{" * 1000)
    assert "not a message" in bad.next()["why"]
    bad.send("x" * 200_000)
    with pytest.raises((AssertionError, OSError)):
        bad.next()
    bad.close()
    raw = RawSocket(served.address, **headers)
    raw._socket.sendall(os.urandom(5000))
    raw.close()
    assert good.ask(kind="play.hello", id=2)["value"]["guest"] is False
    good.close()


def test_wider_binding_demands_the_token_of_the_address(tmp_path: Path) -> None:
    """127.0.0.2 is loopback too, but not one of the addresses that need no token: nobody else can reach the test."""
    with serving(tmp_path, "call", "--interface", "127.0.0.2") as served:
        address, _, token = served.url.partition("/?token=")
        assert len(token) > 20 and address.startswith("http://127.0.0.2:")
        assert get(f"{address}/")[0] == 403 and get(f"{address}/?token=x")[0] == 403
        status, headers, _ = get(served.url)
        assert status == 200 and "Set-Cookie" not in headers
        here = address.removeprefix("http://")
        assert (tmp_path / "tables" / "token").stat().st_mode & 0o077 == 0
        for query, wanted in (("", 403), ("?token=x", 403), (f"?token={token}", 101)):
            client = RawSocket(here, f"/socket{query}", Origin=address)
            assert client.status == wanted
            client.close()


@pytest.mark.parametrize(
    ("interface", "shown"),
    [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("localhost", "127.0.0.1"), ("::", "[::1]"), ("::1", "[::1]"),
     ("10.1.2.3", "10.1.2.3")],
)  # fmt: skip
def test_the_printed_address_leads_to_the_page_from_here(interface: str, shown: str) -> None:
    assert server.shown_host(interface) == shown


def test_a_table_that_is_ended_in_mid_hand_goes_on_with_the_same_cards(tmp_path: Path) -> None:
    check_that_it_goes_on(tmp_path, kind="play.open", bots=["call"])


@pytest.mark.slow
def test_a_sit_and_go_that_is_ended_in_mid_hand_goes_on_too(tmp_path: Path) -> None:
    check_that_it_goes_on(tmp_path, kind="play.enter", bots=["call", "call"], structure="turbo")


def check_that_it_goes_on(tmp_path: Path, **opening: Any) -> None:
    """Play to the flop, end the command, start it again, and see the same hand."""
    views: list[Any] = []
    for _ in range(2):
        with serving(tmp_path, "call") as served:
            client = host_socket(served)
            tables = client.ask(kind="play.hello", id=1)["value"]["tables"]
            key = tables[0]["key"] if tables else client.ask(id=2, **opening)["value"]["key"]
            client.ask(kind="play.sit", id=3, key=key)
            client.ask(kind="play.deal", id=4, key=key)
            while True:
                event = client.next()
                hand = event.get("hand")
                if hand and hand["choice"] and (views or hand["street"] == 1):
                    break
                if hand and hand["choice"]:
                    client.ask(kind="play.act", id=5, key=key, hand=0, betting=hand["betting"], action="c")
            views.append(hand)
            client.close()
            said = served.end()
            assert "Traceback" not in said, said
    assert views[0] == views[1]
