"""Each tab solves in a process of its own, sees its own progress, and leaves nothing running."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from twisted.internet.defer import Deferred
from twisted.internet.testing import MemoryReactorClock

from limpet.bot.browser.site import Desk
from limpet.bot.browser.solving import Solving
from limpet.bot.browser.views import room
from limpet.bot.browser.views.room import MOST_WORKERS, Room
from limpet.bot.browser.views.working import CALLS
from tests.bot.browser.memory import Tab

MADE: "list[FakeWorker]" = []
"""Processes that a test has begun."""


class FakeWorker:
    """Takes down what it is asked."""

    def __init__(self, _reactor: Any) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.progress: Callable[[msgspec.Raw], None] | None = None
        self.stopped, self.ended = 0, False
        MADE.append(self)

    def call(self, *words: Any, progress: Any = None) -> "Deferred[Any]":
        self.calls.append(words)
        self.progress = progress
        return Deferred()

    def stop(self) -> None:
        self.stopped += 1

    def end(self) -> None:
        self.ended = True


@pytest.fixture
def feature(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Solving:
    MADE.clear()
    made = Room(MemoryReactorClock(), tmp_path)
    monkeypatch.setattr(room, "Worker", FakeWorker)
    return Solving(made)


def test_progress_comes_to_the_tab_that_asked(feature: Solving) -> None:
    desk = Desk([feature])
    one, two = Tab(desk), Tab(desk)
    one.ask("solve.start", spot={"pot": 1})
    two.ask("solve.start", spot={"pot": 2})
    first, second = MADE
    assert first.calls == [("solve_spot", {"pot": 1})]
    assert second.progress is not None
    second.progress(msgspec.Raw(b'{"iteration":10}'))
    assert msgspec.json.decode(two.got[-1]) == {"kind": "solve.progress", "value": {"iteration": 10}}
    assert not one.got


def test_a_new_solve_and_a_stop_end_the_old_one(feature: Solving) -> None:
    tab = Tab(Desk([feature]))
    tab.ask("solve.start", spot={})
    tab.ask("solve.what_if", line="check", percent=75)
    tab.ask("solve.stop")
    (worker,) = MADE
    assert worker.stopped == 3 and worker.calls[-1] == ("solve_with_bet", "check", 75)


def test_plain_questions_are_answered_by_the_process_that_solved(feature: Solving) -> None:
    tab = Tab(Desk([feature]))
    for kind in ("node", "cards", "equity", "lock"):
        tab.ask(f"solve.{kind}", line="check")
    tab.ask("solve.form", name="river")
    tab.ask("solve.write", spot={"pot": 1})
    tab.ask("solve.read", text="pot: 1")
    (worker,) = MADE
    of_lines = [(call, "check") for call in ("spot_node", "next_cards", "by_equity", "lock_of")]
    assert worker.calls == [*of_lines, ("shipped_form", "river"), ("spot_text", {"pot": 1}), ("read_form", "pot: 1")]
    assert {call for call, _ in worker.calls} <= CALLS.keys()


def test_solves_are_kept_opened_and_compared_by_their_folders(feature: Solving, tmp_path: Path) -> None:
    tab = Tab(Desk([feature]))
    (tmp_path / "solves/old").mkdir(parents=True)
    feature.room.folders = [tmp_path]
    tab.ask("solve.keep", name="new one")
    assert "solves/old is there already" in tab.ask("solve.keep", name="old")
    tab.ask("solve.open", folder="solves/old")
    tab.ask("solve.compare", folders=["", "solves/old"], lines=["check", ""])
    assert "no such file" in tab.ask("solve.compare", folders=["", "/etc"], lines=["", ""])
    tab.ask("solve.compare", folders=["", "strategy:kuhn"], lines=["", ""])
    (worker,) = MADE
    old = str(tmp_path / "solves/old")
    kept = ("keep_solve", str(tmp_path / "solves/new one"))
    compared = ("compare_nodes", ["", old], ("check", "")), ("compare_nodes", ["", "strategy:kuhn"], ("", ""))
    assert worker.calls == [kept, ("open_solve", old), *compared]


def test_a_tab_that_goes_frees_its_process(feature: Solving) -> None:
    desk = Desk([feature])
    tabs = [Tab(desk) for _ in range(MOST_WORKERS + 1)]
    for tab in tabs[:-1]:
        tab.ask("solve.start", spot={})
    assert "close one of them" in tabs[-1].ask("solve.node", line="")
    tabs[0].session.lost()
    assert MADE[0].ended
    assert tabs[-1].ask("solve.node", line="") is None
    assert len(MADE) == MOST_WORKERS + 1


def test_a_tab_that_has_solved_nothing_makes_room(feature: Solving) -> None:
    desk = Desk([feature])
    tabs = [Tab(desk) for _ in range(MOST_WORKERS + 1)]
    tabs[0].ask("solve.start", spot={})
    for tab in tabs[1:]:
        tab.ask("solve.cost", spot={}, processes=1)
    assert [worker.ended for worker in MADE] == [False, True, False, False, False]
