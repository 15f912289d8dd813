"""Questions about strategies and charts go to their processes, and wrong ones are refused before that."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.defer import Deferred, succeed
from twisted.internet.testing import MemoryReactorClock

from limpet.bot.browser.browsing import WARM_UP_SECONDS, Browsing
from limpet.bot.browser.site import Desk
from limpet.bot.browser.views.room import Room
from tests.bot.browser.memory import Tab


class NearRoom(Room):
    """A room whose threads are done at once."""

    def in_thread(self, work: Any, *args: Any, **kwargs: Any) -> "Deferred[Any]":
        return succeed(work(*args, **kwargs))


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Browsing, Tab, list[Any]]]:
    calls: list[Any] = []

    def call(self: Any, *words: Any, **more: Any) -> "Deferred[Any]":
        calls.append((self, words))
        return succeed(7)

    monkeypatch.setattr("limpet.bot.browser.views.worker.Worker.call", call)
    feature = Browsing(NearRoom(MemoryReactorClock(), tmp_path))
    yield feature, Tab(Desk([feature])), calls


def test_the_list_needs_no_process(asked: tuple[Browsing, Tab, list[Any]]) -> None:
    _, tab, calls = asked
    assert "leduc" in [choice["name"] for choice in tab.ask("strategy.list")]
    assert not calls


def test_each_question_goes_to_its_process(asked: tuple[Browsing, Tab, list[Any]]) -> None:
    feature, tab, calls = asked
    assert tab.ask("strategy.open", name="kuhn") == 7
    tab.ask("strategy.node", name="kuhn", betting="c", board="")
    tab.ask("icm.ask", stacks=[1, 2], payouts=[3])
    tab.ask("pushfold.ask", stacks=[10, 10], ante=0.1)
    tab.ask("pushfold.slot", name="SB")
    tab.ask("pushfold.hand", name="SB", hand="A8s")
    tab.ask("pushfold.depths", name="SB", first=2, last=4, stacks=[10, 10], payouts=[3, 1])
    assert [worker is feature.worker for worker, _ in calls] == [True, True, False, False, False, False, False]
    assert calls[-1][1] == ("pushfold_depths", "SB", (2, 3, 4), (10, 10), (0.5, 1.0), 0.0, (3, 1), ())
    assert calls[1][1] == ("strategy_node", "kuhn", "c", "")
    name, _, *form = calls[3][1]
    assert name == "pushfold" and form == [(10, 10), (0.5, 1.0), 0.1, (), ()]


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "strategy.open"},
        {"kind": "strategy.open", "name": "x" * 301},
        {"kind": "icm.ask", "stacks": [-1], "payouts": [1]},
        {"kind": "icm.ask", "stacks": [1] * 201, "payouts": [1]},
        {"kind": "pushfold.ask", "stacks": ["ten"]},
        {"kind": "pushfold.depths", "name": "SB", "first": 0, "last": 4, "stacks": [10, 10]},
    ],
)
def test_wrong_messages_are_refused(asked: tuple[Browsing, Tab, list[Any]], wrong: dict[str, Any]) -> None:
    _, tab, calls = asked
    kind = wrong.pop("kind")
    tab.ask(kind, **wrong)
    assert '"kind":"refused","id":1' in tab.got[-1] and "failed in the server" not in tab.got[-1] and not calls


def test_the_process_begins_before_it_is_asked(asked: tuple[Browsing, Tab, list[Any]]) -> None:
    feature, _, calls = asked
    feature.room.reactor.advance(WARM_UP_SECONDS)
    assert [words for _, words in calls] == [("warm_up",)]


def test_closing_ends_the_processes_and_their_timer(asked: tuple[Browsing, Tab, list[Any]]) -> None:
    feature, _, calls = asked
    with pytest.raises(StopIteration):
        feature.close().send(None)
    feature.room.reactor.advance(2 * WARM_UP_SECONDS)
    assert not calls


def test_a_field_that_cannot_be_read_is_named_to_who_asked(asked: tuple[Browsing, Tab, list[Any]]) -> None:
    """Where the page reads no number it sends null, and it waits for an answer."""
    _, tab, calls = asked
    assert tab.ask("icm.ask", stacks=[None, 2], payouts=[1]).startswith(
        "stacks: there is no number, or none that can be read"
    )
    assert tab.ask("pushfold.ask", stacks=["ten"]) == "stacks: this needs a number, got str"
    tab.session.receive('{"kind": "icm.ask"')
    assert '"id":null,"why":"not a message of this page: ' in tab.got[-1] and not calls
