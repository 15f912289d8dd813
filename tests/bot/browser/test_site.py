"""The page on the wire: who may come in, what the headers say, and that a killed table goes on."""

import gc
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from limpet.bot.browser import serving
from tests.bot.browser.wire import LIMPET, RawSocket, Served, cookie_of, get, host_socket


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    made = Served(tmp_path_factory.mktemp("table"), "call")
    yield made
    made.end(signal.SIGINT)


def test_no_garbage_collection_walks_what_is_loaded_for_good() -> None:
    """A full collection over compiled kernels' objects makes the page 80 ms late."""
    gc.unfreeze()
    serving._load_compiler()
    assert gc.get_freeze_count() > 10 * len(gc.get_objects())


def test_the_page_answers_with_a_strict_policy_and_nothing_from_elsewhere(served: Served) -> None:
    status, headers, text = get(served.url)
    assert status == 200 and "default-src 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff" and headers["Cache-Control"] == "no-store"
    assert "HttpOnly; SameSite=Strict" in headers["Set-Cookie"]
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
    socket = RawSocket(served.address, host=host, **headers)
    assert socket.status == 403
    socket.close()


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
    served = Served(tmp_path, "call", "--interface", "0.0.0.0")
    address, _, token = served.url.partition("/?token=")
    assert len(token) > 20
    assert get(f"{address}/")[0] == 403 and get(f"{address}/?token=x")[0] == 403
    status, headers, _ = get(served.url)
    assert status == 200 and "Set-Cookie" not in headers
    here = address.removeprefix("http://")
    for query, wanted in (("", 403), ("?token=x", 403), (f"?token={token}", 101)):
        socket = RawSocket(here, f"/socket{query}", Origin=address)
        assert socket.status == wanted
        socket.close()
    served.end()


def test_a_table_that_is_ended_in_mid_hand_goes_on_with_the_same_cards(tmp_path: Path) -> None:
    check_that_it_goes_on(tmp_path, kind="play.open", bots=["call"])


def test_a_sit_and_go_that_is_ended_in_mid_hand_goes_on_too(tmp_path: Path) -> None:
    check_that_it_goes_on(tmp_path, kind="play.enter", bots=["call", "call"], structure="turbo")


def check_that_it_goes_on(tmp_path: Path, **opening: Any) -> None:
    """Play to the flop, end the command, start it again, and see the same hand."""
    views: list[Any] = []
    for _ in range(2):
        served = Served(tmp_path, "call")
        socket = host_socket(served)
        tables = socket.ask(kind="play.hello", id=1)["value"]["tables"]
        key = tables[0]["key"] if tables else socket.ask(id=2, **opening)["value"]["key"]
        socket.ask(kind="play.sit", id=3, key=key)
        socket.ask(kind="play.deal", id=4, key=key)
        while True:
            event = socket.next()
            hand = event.get("hand")
            if hand and hand["choice"] and (views or hand["street"] == 1):
                break
            if hand and hand["choice"]:
                socket.ask(kind="play.act", id=5, key=key, hand=0, betting=hand["betting"], action="c")
        views.append(hand)
        socket.close()
        said = served.end()
        assert "Traceback" not in said, said
    assert views[0] == views[1]
