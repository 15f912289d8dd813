"""Drills on the page: each tab's own process, names that the page may open, and questions without their answers."""

from pathlib import Path

import msgspec
import pytest
from twisted.internet.testing import MemoryReactorClock

from limpet.bot.browser.drilling import Drilling
from limpet.bot.browser.site import Desk, Session
from limpet.bot.browser.views import room
from limpet.bot.browser.views.room import MOST_WORKERS, Room
from limpet.bot.browser.views.working import Work
from limpet.configs.loading import ConfigError
from tests.bot.browser.memory import Tab
from tests.bot.browser.test_solving import MADE, FakeWorker


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    MADE.clear()
    made = Room(MemoryReactorClock(), tmp_path, folders=[tmp_path])
    monkeypatch.setattr(room, "Worker", FakeWorker)
    return Desk([Drilling(made)])


def test_each_tab_drills_in_a_process_of_its_own(desk: Desk, tmp_path: Path) -> None:
    tab = Tab(desk)
    tab.ask("drill.next")
    assert "no drill has begun" in str(tab.got[-1])
    (tmp_path / "mine.yaml").touch()
    for name in ("rivers", "pushfold-12", "pushfold-8,12,10+0.1:50,30", "mine.yaml"):
        tab.ask("drill.begin", name=name)
    tab.ask("drill.answer", action=1)
    tab.ask("drill.next")
    assert [words[1:] for words in MADE[0].calls[:3]] == [
        ("rivers",),
        ("pushfold-12",),
        ("pushfold-8,12,10+0.1:50,30",),
    ]
    assert MADE[0].calls[3:] == [("drill_begin", str(tmp_path / "mine.yaml")), ("drill_answer", 1), ("drill_next",)]
    tab.ask("drill.begin", name="/etc/passwd")
    assert "no such file below the folders" in str(tab.got[-1])
    assert len(MADE) == 1


def test_guests_are_refused(desk: Desk) -> None:
    said: list[str] = []
    Session(desk, said.append, guest="seat").receive('{"kind":"drill.begin","id":1,"name":"rivers"}')
    assert "you are invited to one seat" in said[0]
    assert not MADE


def test_a_few_tabs_drill_at_once(desk: Desk) -> None:
    tabs = [Tab(desk) for _ in range(MOST_WORKERS + 1)]
    for tab in tabs:
        tab.ask("drill.begin", name="rivers")
    assert len(MADE) == MOST_WORKERS
    assert "close one of them" in str(tabs[-1].got[-1])


def test_questions_hide_their_answers_until_answered_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path))
    work = Work()
    with pytest.raises(ConfigError, match="no drill has begun"):
        work.drill_next()
    asked = msgspec.to_builtins(work.drill_begin("pushfold-10"))
    assert not {"values", "frequencies", "ranges"} & set(asked)
    judged = msgspec.to_builtins(work.drill_answer(0))
    assert [action["taken"] for action in judged["actions"]] == [True, False]
    assert judged["score"]["answers"] == 1
    with pytest.raises(ConfigError, match="no such question"):
        work.drill_answer(0)
    work.drill_next()
    with pytest.raises(ConfigError, match="no such question or action"):
        work.drill_answer(2)
