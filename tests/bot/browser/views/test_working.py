"""The process that works for the page: it answers orders, names mistakes, reports progress, can be stopped, and ends."""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from limpet.bot.browser.views.working import CALLS, MOST_TABS, Work

SPOT = {"board": "AhKd8h4c", "pot": 10, "stack": 20, "threads": 1, "target": 0, "iterations": 10**7}


class Process:
    """A process that works, asked by hand."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "limpet.bot.browser.views.working"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def order(self, job: int, name: str = "", *arguments: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"job": job, "name": name, "arguments": arguments}) + "\n")
        self.process.stdin.flush()

    def reply(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())


@pytest.fixture
def process() -> Iterator[Process]:
    made = Process()
    yield made
    assert made.process.stdin is not None and made.process.stdout is not None
    made.process.stdin.close()
    assert made.process.wait(30) == 0
    made.process.stdout.close()


def test_an_order_is_answered(process: Process) -> None:
    process.order(1, "icm", [5000, 3000, 2000], [50, 30, 20])
    reply = process.reply()
    assert reply["job"] == 1 and round(reply["value"]["equity"][0], 2) == 38.39


def test_a_mistake_is_a_sentence_and_the_process_goes_on(process: Process) -> None:
    process.order(1, "spot_node", "check")
    process.order(2, "open_strategy", "../nothing")
    process.order(3, "no_such_call")
    process.order(4, "icm", [1], [1])
    assert process.reply() == {"job": 1, "why": "no spot is solved; solve one first"}
    assert "there is no trained strategy" in process.reply()["why"]
    assert "KeyError" in process.reply()["why"]
    assert process.reply()["value"]["equity"] == [1.0]


def test_a_solve_reports_progress_until_it_is_stopped(process: Process) -> None:
    process.order(7, "solve_spot", SPOT)
    reply = process.reply()
    assert reply["job"] == 7 and reply["progress"]["iteration"] > 0
    process.order(7)
    while "progress" in (reply := process.reply()):
        pass
    assert reply["value"]["answer"]["reason"] == "interrupted"
    process.order(8, "spot_node", "check")
    assert process.reply()["value"]["position"] == 1


def test_a_few_tabs_keep_their_charts() -> None:
    work = Work()
    for tab in range(MOST_TABS + 1):
        work.pushfold(tab, [10.0, 10.0], (0.5, 1.0), 0.0, [], [])
    with pytest.raises(ValueError, match="no push-or-fold spot"):
        work.pushfold_slot(0, "SB")
    assert work.pushfold_slot(MOST_TABS, "SB") is not None


def test_calls_are_those_of_the_class() -> None:
    assert "warm_up" in CALLS and "_file" not in CALLS
