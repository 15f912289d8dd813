"""What the local site answers, refuses and counts, asked as programs ask it: over HTTP, and without a network."""

import json
from typing import Any

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.testing import StringTransport

from limpet.bot.client.slumbot_hands import SlumbotAnswer, slumbot_game
from limpet.bot.client.slumbot_server import SlumbotHost, Wrong, http_site
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import load_bot
from tests.bot.manual_solver import ManualSolver


def host(bot: str = "call") -> SlumbotHost:
    strategy = load_bot(bot, slumbot_game()).build()
    return SlumbotHost(lambda: Agent(strategy, 1), ManualSolver(), seed=5)  # type: ignore[arg-type]


def ask(site: SlumbotHost, path: str, **body: Any) -> SlumbotAnswer:
    results: list[Any] = []
    Deferred.fromCoroutine(site.answer(path, body)).addBoth(results.append)
    if hasattr(results[0], "raiseException"):
        results[0].raiseException()
    answer: SlumbotAnswer = results[0]
    return answer


def test_a_hand_is_played_to_a_showdown() -> None:
    site = host()
    dealt = ask(site, "new_hand")
    assert (dealt.client_pos, dealt.action, dealt.old_action, dealt.board) == (0, "c", "", [])
    assert dealt.token and len(dealt.hole_cards) == 2 and dealt.bot_hole_cards is None
    answer = ask(site, "act", token=dealt.token, incr="k")
    assert (answer.action, answer.old_action, len(answer.board), answer.winnings) == ("ck/", "c", 3, None)
    answer = ask(site, "act", token=dealt.token, incr="b300")
    assert answer.action == "ck/b300c/"
    for _ in range(2):
        answer = ask(site, "act", token=dealt.token, incr="k")
    assert answer.action == "ck/b300c/kk/kk"
    assert abs(answer.winnings or 0) in (0, 400) and abs(answer.won_pot or 0) in (0, 800)
    assert answer.bot_hole_cards and (answer.session_num_hands, answer.session_total) == (1, answer.winnings)


def test_the_seats_alternate_and_a_hand_that_is_left_counts_as_folded() -> None:
    site = host()
    token = ask(site, "new_hand").token
    ask(site, "act", token=token, incr="b500")
    answer = ask(site, "new_hand", token=token)
    assert (answer.client_pos, answer.action) == (1, "")
    answer = ask(site, "act", token=token, incr="f")
    assert (answer.winnings, answer.session_num_hands, answer.session_total) == (-50, 2, -550)


def test_an_all_in_is_dealt_to_the_end() -> None:
    site = host()
    token = ask(site, "new_hand").token
    answer = ask(site, "act", token=token, incr="b20000")
    assert answer.action == "cb20000c///" and len(answer.board) == 5


@pytest.mark.parametrize(
    ("incr", "message"),
    [
        ("c", "Illegal action: 'c' is not legal after 'c'"),
        ("f", "Illegal action"),
        ("b150", "Illegal action"),
        ("b20001", "Illegal action"),
        ("b", "is no action"),
        ("kk", "is no action"),
        ("", "is no action"),
        (None, "Missing incr"),
        (3, "Missing incr"),
    ],
)
def test_an_action_that_is_not_legal_is_refused_and_the_hand_goes_on(incr: Any, message: str) -> None:
    site = host()
    token = ask(site, "new_hand").token
    with pytest.raises(Wrong, match=message):
        ask(site, "act", token=token, incr=incr)
    assert ask(site, "act", token=token, incr="k").action == "ck/"


def test_what_belongs_to_no_hand_is_refused() -> None:
    site = host()
    for path, body, message in (
        ("act", {"token": "x", "incr": "k"}, "Bad token"),
        ("act", {"token": 3, "incr": "k"}, "Bad token"),
        ("new_hand", {"token": "x"}, "Bad token"),
        ("login", {"username": "me"}, "password"),
        ("status", {}, "Unknown request"),
    ):
        with pytest.raises(Wrong, match=message):
            ask(site, path, **body)
    token = ask(site, "login", username="me", password="secret").token
    with pytest.raises(Wrong, match="no hand"):
        ask(site, "act", token=token, incr="k")


def test_a_second_request_waits_for_the_first() -> None:
    strategy = load_bot("call", slumbot_game()).build()
    solver = ManualSolver()

    class SlowAgent(Agent):
        def slow(self, match: object) -> bool:
            return True

    site = SlumbotHost(lambda: SlowAgent(strategy, 1), solver, seed=5)  # type: ignore[arg-type]
    token = ask(site, "login", username="me", password="secret").token
    first: list[Any] = []
    Deferred.fromCoroutine(site.answer("new_hand", {"token": token})).addBoth(first.append)
    with pytest.raises(Wrong, match="not answered yet"):
        ask(site, "new_hand", token=token)
    assert not first
    solver.step()
    assert first[0].action == "c"


def post(site: SlumbotHost, path: str, body: bytes, kind: str = "application/json") -> tuple[int, dict[str, Any]]:
    channel = http_site(site).buildProtocol(None)
    transport = StringTransport()
    channel.makeConnection(transport)
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
    channel.dataReceived(f"{head}Connection: close\r\n\r\n".encode() + body)
    answer, _, content = transport.value().partition(b"\r\n\r\n")
    if b"chunked" in answer:
        content = content.split(b"\r\n")[1]
    channel.connectionLost(None)
    return int(answer.split()[1]), json.loads(content)


def test_the_api_over_http() -> None:
    site = host()
    status, dealt = post(site, "/slumbot/api/new_hand", b"{}")
    assert status == 200
    assert set(dealt) == {"token", "old_action", "action", "client_pos", "hole_cards", "board"}
    body = json.dumps({"token": dealt["token"], "incr": "k"}).encode()
    assert post(site, "/api/act", body)[1]["action"] == "ck/"
    fold = json.dumps({"token": dealt["token"], "incr": "f"}).encode()
    assert set(post(site, "/api/act", fold)[1]) == {"error_msg"}
    login = json.dumps({"username": "me", "password": "secret"}).encode()
    assert set(post(site, "/api/login", login)[1]) == {"token"}


@pytest.mark.parametrize(
    ("path", "body", "kind"),
    [
        ("/slumbot/api/new_hand", b"{", "application/json"),
        ("/slumbot/api/new_hand", b"[]", "application/json"),
        ("/slumbot/api/new_hand", b"{}", "text/plain"),
        ("/other/new_hand", b"{}", "application/json"),
        ("/slumbot/api/new_hand", b'{"token": "' + b"x" * 20_000 + b'"}', "application/json"),
    ],
)
def test_requests_of_another_shape_are_refused(path: str, body: bytes, kind: str) -> None:
    assert set(post(host(), path, body, kind)[1]) == {"error_msg"}
