"""Requests that are tried again, sessions that go on, and what becomes of lost answers; no network, and a clock of the test's."""

from collections.abc import Coroutine, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionLost
from twisted.internet.task import Clock

from limpet.bot.client.safe_agent import SafeAgent, Tally
from limpet.bot.client.slumbot import RequestRefused, SiteDown, SlumbotLog, SlumbotSession, SlumbotSite, sender
from limpet.bot.client.slumbot_hands import SlumbotAnswer, slumbot_game
from limpet.bot.client.slumbot_server import SlumbotHost, Wrong
from limpet.configs.loading import ConfigError
from limpet.protocol.errors import ProtocolError
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import load_bot
from tests.bot.manual_solver import ManualSolver

LOST = ConnectionLost("cut off")


def agent(bot: str, seed: int = 1) -> Agent:
    return Agent(load_bot(bot, slumbot_game()).build(), seed)


OPENED: list[SlumbotLog] = []


@pytest.fixture(autouse=True)
def _logs_are_closed() -> Iterator[None]:
    yield
    while OPENED:
        OPENED.pop()._file.close()  # without the score: most sessions here are cut off


class Net:
    """Sends to a local site. `faults` come first, one a request: an exception, or (status, body), or "late" for an exception
    after the site has taken the request."""

    def __init__(self, bot: str = "random") -> None:
        self.host = SlumbotHost(lambda: agent(bot), ManualSolver(), seed=7)  # type: ignore[arg-type]
        self.clock = Clock()
        self.faults: list[Any] = []
        self.asked: list[tuple[str, dict[str, Any], float]] = []

    async def send(self, path: str, body: bytes) -> tuple[int, bytes]:
        request = msgspec.json.decode(body)
        self.asked.append((path, request, self.clock.seconds()))
        fault = self.faults.pop(0) if self.faults else None
        if isinstance(fault, tuple):
            return fault
        if isinstance(fault, Exception):
            raise fault
        if fault == "never":
            await Deferred()
        try:
            answer = await self.host.answer(path, request)
        except Wrong as error:
            answer = SlumbotAnswer(error_msg=str(error))
        if fault == "late":
            raise LOST
        return 200, msgspec.json.encode(answer)

    def site(self, pause: float = 0.0, tries: int = 4) -> SlumbotSite:
        return SlumbotSite(self.send, self.clock, pause, tries)

    def session(self, folder: Path, bot: str = "call", account: tuple[str, str] | None = None) -> SlumbotSession:
        log = SlumbotLog(folder, bot, 1, 10)
        OPENED.append(log)
        return SlumbotSession(self.site(), log, SafeAgent(agent(bot), Tally()), ManualSolver(), account)  # type: ignore[arg-type]

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Return what the work comes to, with the clock turned as far as that takes."""
        results: list[Any] = []
        Deferred.fromCoroutine(work).addBoth(results.append)
        for _ in range(10_000):
            if results:
                break
            self.clock.advance(0.5)
        (result,) = results
        if hasattr(result, "raiseException"):
            result.raiseException()
        return result

    def play(self, session: SlumbotSession, hands: int) -> None:
        self.run(session.play(hands, lambda log: None))


BUSY = (200, b'{"error_msg": "Server error, try later"}')


@pytest.mark.parametrize("fault", [LOST, (503, b"<html>busy"), (200, b"not JSON"), (429, b"{}"), BUSY, "never"])
def test_a_request_is_made_again_with_growing_pauses(fault: Any) -> None:
    net = Net()
    net.faults = [fault] * 3
    site = net.site()
    assert net.run(site.ask("new_hand")).token
    times = [at for _, _, at in net.asked]
    pauses = [after - before for before, after in pairwise(times)]
    waited = 60 if fault == "never" else 0
    assert pauses == [waited + 1, waited + 2, waited + 4]
    assert site.retries == 3


def test_a_site_that_never_answers_is_given_up() -> None:
    net = Net()
    net.faults = [LOST] * 9
    with pytest.raises(SiteDown, match="new_hand: no answer .*cut off.* in 4 tries"):
        net.run(net.site().ask("new_hand"))
    assert len(net.asked) == 4


def test_a_wrong_request_is_made_once() -> None:
    net = Net()
    with pytest.raises(RequestRefused, match="Bad token"):
        net.run(net.site().ask("act", token="x", incr="k"))
    assert len(net.asked) == 1


def test_requests_keep_their_distance() -> None:
    net = Net()
    site = net.site(pause=2.0)
    for _ in range(3):
        net.run(site.ask("new_hand"))
    first, *others = [at for _, _, at in net.asked]
    assert others == [first + 2, first + 4]


def test_a_session_is_logged_and_its_totals_are_the_sites(tmp_path: Path) -> None:
    net = Net()
    session = net.session(tmp_path)
    net.play(session, 10)
    log = session.log
    assert [record.hand for record in log.records] == list(range(10))
    assert {record.names for record in log.records} == {("call", "Slumbot"), ("Slumbot", "call")}
    assert all(all(record.holes) for record in log.records), "the site shows its cards"
    assert (log.notes[-1].hands, log.notes[-1].total) == (10, sum(log.winnings))
    assert log.estimate().mean == pytest.approx(sum(log.winnings))
    assert log.estimate_over_baseline() is None
    paths = [path for path, _, _ in net.asked]
    assert paths.count("new_hand") == 10 and paths.count("act") > 10


def test_the_baseline_is_compared_hand_by_hand(tmp_path: Path) -> None:
    net = Net()
    final = {
        "action": "f", "client_pos": 0, "hole_cards": ["Ah", "Kh"], "board": [], "winnings": 50, "won_pot": 150, "token": "t",
    }  # fmt: skip
    net.faults = [(200, msgspec.json.encode(final | {"baseline_winnings": won})) for won in (50, -150)]
    session = net.session(tmp_path)
    net.play(session, 2)
    over = session.log.estimate_over_baseline()
    assert over is not None and over.mean == pytest.approx(1000), "100 chips a hand"
    assert net.session(tmp_path).log.estimate_over_baseline() == over


def test_a_killed_session_goes_on_where_its_log_ends(tmp_path: Path) -> None:
    whole, net = Net(), Net()
    session = whole.session(tmp_path / "whole", "random")
    whole.play(session, 8)
    session.log.close()
    killed = net.session(tmp_path / "killed", "random")
    net.play(killed, 5)
    path = killed.log.path
    with path.open("a") as file:
        file.write('# slumbot {"hands":6}\nSTATE:5:r200c/k')  # what a kill leaves
    again = net.session(tmp_path / "killed", "random")
    assert len(again.log.records) == 5 and again.log.token == killed.log.token
    net.play(again, 8)
    again.log.close()
    assert path.read_text() == session.log.path.read_text()
    longer = net.session(tmp_path / "killed", "random")
    net.play(longer, 9)
    longer.log.close()
    assert path.read_text().count("SCORE") == 1


def test_another_bots_log_is_refused(tmp_path: Path) -> None:
    net = Net()
    net.play(net.session(tmp_path), 1)
    with pytest.raises(ConfigError, match="name another folder"):
        SlumbotLog(tmp_path, "blueprint", 1, 10)


def test_a_session_that_the_site_has_forgotten_is_begun_anew(tmp_path: Path) -> None:
    net = Net()
    net.play(net.session(tmp_path), 2)
    net.host = Net().host
    session = net.session(tmp_path)
    net.play(session, 4)
    assert [note.hands for note in session.log.notes] == [1, 2, 1, 2]


def test_a_session_under_an_account(tmp_path: Path) -> None:
    net = Net()
    session = net.session(tmp_path, account=("me", "secret"))
    net.run(session.log_in())
    net.play(session, 1)
    assert net.asked[0][:2] == ("login", {"username": "me", "password": "secret"})
    assert net.asked[1][1] == {"token": session.log.token}
    assert "secret" not in "".join(path.read_text() for path in tmp_path.iterdir())
    with pytest.raises(RequestRefused, match="password"):
        net.run(net.session(tmp_path, account=("me", "")).log_in())


def test_an_action_that_may_have_been_taken_is_noticed(tmp_path: Path) -> None:
    """The answer to the first act is lost. The client's check is then taken twice, or the hand is given up."""
    for bot, given_up, repeated in (("call", 0, 1), ("raise", 1, 0)):
        net = Net(bot)
        session = net.session(tmp_path / bot)
        net.faults = [None, "late"]
        net.play(session, 3)
        assert (session.given_up, session.repeated) == (given_up, repeated)
        assert len(session.log.records) == 3


def test_an_answer_to_another_hand_ends_the_session(tmp_path: Path) -> None:
    net = Net("call")
    other = b'{"action": "b300", "client_pos": 0, "hole_cards": ["Ah", "Kh"]}'
    net.faults = [None, (200, other)]
    with pytest.raises(ProtocolError, match="after 'cc/' the site goes on with 'b300'"):
        net.play(net.session(tmp_path), 1)


def test_https_without_tls_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "OpenSSL", None)
    with pytest.raises(ConfigError, match="extra slumbot"):
        sender(Clock(), "https://slumbot.com/slumbot/api")
