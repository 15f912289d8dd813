"""Messages of a hostile page: nothing is accepted that is not a message, and nobody else is disturbed."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.testing import MemoryReactorClock

from limpet.bot.browser.site import MOST_OPEN, Desk
from limpet.bot.browser.views.messages import MOST_BYTES, Listener, question
from limpet.bot.browser.views.room import Feature, Room
from limpet.configs.loading import ConfigError
from tests.bot.browser.memory import StillRoom, Tab, at_table

GOOD: list[dict[str, Any]] = [
    {"kind": "play.hello", "id": 1},
    {"kind": "play.sit", "id": 2, "key": "key-0"},
    {"kind": "play.deal", "id": 3, "key": "key-0"},
    {"kind": "play.act", "id": 4, "key": "key-0", "hand": 0, "betting": "c", "action": "c", "size": 0},
    {"kind": "play.act", "id": 5, "key": "key-0", "hand": 0, "betting": "c", "action": "r", "size": 300},
    {"kind": "play.open", "id": 6, "bots": ["call"], "stack": 100},
    {"kind": "play.enter", "id": 7, "structure": "turbo", "bots": ["call"]},
    {"kind": "play.leave", "id": 8, "key": "key-0"},
    {"kind": "play.reset", "id": 9},
]
VALUES: list[Any] = [
    None,
    True,
    -1,
    2**70,
    1e308,
    "",
    "\x00",
    "../../etc/passwd",
    "key-1",
    [],
    {},
    [[]],
    "f" * 500,
    ["x"] * 20,
]


def hostile(draw: random.Random) -> str:
    """A message like a good one, with something wrong in it, or no message at all."""
    message = dict(draw.choice(GOOD))
    text = json.dumps(message)
    match draw.randrange(6):
        case 0:
            message[draw.choice(list(message))] = draw.choice(VALUES)
        case 1:
            message[draw.choice(["admin", "token", "__proto__", "seat"])] = draw.choice(VALUES)
        case 2:
            del message[draw.choice(list(message))]
        case 3:
            at = draw.randrange(len(text))
            return text[:at] + draw.choice('{}[]",:\\\x00é0-e ') * draw.randrange(3) + text[at + draw.randrange(3) :]
        case 4:
            return draw.choice(["", "null", "[]", "[" * 5000, '"' * 10, text[: draw.randrange(len(text))], text * 2])
        case _:
            message["kind"] = draw.choice(["play", "play.", "answer", "look.grid", 7, None])
    return json.dumps(message)


def fuzz(folder: Path, messages: int) -> None:
    """A stranger's tab, invited to a seat that is gone, sends noise while the host plays on undisturbed."""
    table, feature, desk = at_table(folder)
    host, stranger, draw = Tab(desk), Tab(desk, "gone"), random.Random(21)
    host.ask("play.sit", key="key-0")
    host.ask("play.deal", key="key-0")
    before = [*host.got]
    for _ in range(messages):
        stranger.got.clear()
        stranger.session.receive(hostile(draw))
        replies = [json.loads(text) for text in stranger.got]
        assert len(replies) == 1
        if replies[0]["kind"] == "answer":  # only a greeting, which shows nothing
            assert replies[0]["value"] == {"tables": [], "opponents": [], "structures": [], "guest": True}
    assert host.got == before and list(feature.tables) == ["memory"]
    assert host.ask("play.act", key="key-0", hand=0, betting="c", action="c") is None
    table.pump()


def test_noise_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    fuzz(tmp_path, 3_000)


@pytest.mark.slow
def test_a_hundred_thousand_messages_of_noise(tmp_path: Path) -> None:
    fuzz(tmp_path, 100_000)


def test_the_hosts_own_noise_ends_nothing(tmp_path: Path) -> None:
    _, feature, desk = at_table(tmp_path)
    tab, draw = Tab(desk), random.Random(22)
    for _ in range(2_000):
        text = hostile(draw)
        if '"play.open"' not in text and '"play.enter"' not in text and '"play.leave"' not in text:
            tab.session.receive(text)
    assert not [text for text in tab.got if "failed in the server" in text]
    assert list(feature.tables) == ["memory"]


def test_long_messages_are_refused(tmp_path: Path) -> None:
    _, _, desk = at_table(tmp_path)
    tab = Tab(desk)
    tab.session.receive("x" * (MOST_BYTES + 1))
    assert "more than" in tab.got[-1]


class SlowFeature(Feature):
    """Answers when the test says so."""

    def __init__(self, room: Room) -> None:
        super().__init__(room)
        self.open: list[Deferred[int]] = []

    @question("slow.ask")
    def ask(self, tab: Listener) -> "Deferred[int]":
        """Return something that takes long."""
        self.open.append(Deferred())
        return self.open[-1]


def test_one_tab_may_wait_for_so_many_answers_and_no_more(tmp_path: Path) -> None:
    feature = SlowFeature(StillRoom(MemoryReactorClock(), tmp_path))
    desk = Desk([feature])
    tab, other = Tab(desk), Tab(desk)
    for _ in range(MOST_OPEN):
        assert tab.ask("slow.ask") is None
    for _ in range(3):
        assert "too many questions at once" in tab.ask("slow.ask")
    assert len(feature.open) == MOST_OPEN
    assert other.ask("slow.ask") is None  # another tab is not in its way
    feature.open[0].callback(7)
    assert '"value":7' in tab.got[-1]
    assert tab.ask("slow.ask") is None
    assert "too many questions at once" in tab.ask("slow.ask")


def test_errors_name_files_as_the_page_does(tmp_path: Path) -> None:
    feature = SlowFeature(StillRoom(MemoryReactorClock(), tmp_path))
    tab = Tab(Desk([feature]))
    assert tab.ask("slow.ask") is None
    feature.open[0].errback(ConfigError(f"{tmp_path.resolve()}/uploads/a.txt:3: no hand; see {tmp_path.resolve()}/b"))
    assert '"why":"uploads/a.txt:3: no hand; see b"' in tab.got[-1]
