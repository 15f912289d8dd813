"""The log: one of Twisted's, in which the standard library's ends too."""

import json
import logging
import re
import subprocess
import sys
from datetime import datetime

import pytest
from twisted.logger import LogEvent, globalLogPublisher

from limpet.bot.client.prepare import TwistedHandler

PROGRAM = """
import logging, sys
from limpet.bot.client.prepare import start_log
start_log(*sys.argv[1:])
strategy = logging.getLogger("limpet.strategies.anybody")
strategy.warning("%s: no space; play goes on", "log.jsonl")
try:
    1 / 0
except ZeroDivisionError:
    strategy.exception("no {braces} are filled in")
"""


def told(*arguments: str) -> str:
    command = [sys.executable, "-c", PROGRAM, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stderr


def test_what_a_strategy_tells_has_a_time_and_a_level() -> None:
    first, second, *rest = told("warn").splitlines()
    time = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4}"
    assert re.fullmatch(time + r" \[limpet\.strategies\.anybody#warn\] log\.jsonl: no space; play goes on", first)
    assert re.fullmatch(time + r" \[limpet\.strategies\.anybody#error\] no \{braces\} are filled in", second)
    assert "ZeroDivisionError" in rest[-1]


def test_what_is_below_the_level_asked_for_is_not_told() -> None:
    assert "no space" not in told("error") and "braces" in told("error")
    assert told("critical") == ""


def test_json_has_a_line_for_each_message_and_its_traceback_inside() -> None:
    first, second = map(json.loads, told("warn", "json").splitlines())
    assert first["level"] == "warn" and first["text"] == "log.jsonl: no space; play goes on"
    assert first["name"] == "limpet.strategies.anybody" and datetime.fromisoformat(first["time"]).tzinfo is not None
    assert second["level"] == "error" and second["text"].splitlines()[-1].startswith("ZeroDivisionError")
    assert set(first) == set(second) == {"time", "level", "name", "text"}


@pytest.mark.parametrize(
    ("theirs", "level"),
    [
        (1, "debug"),
        (10, "debug"),
        (20, "info"),
        (30, "warn"),
        (35, "warn"),
        (40, "error"),
        (50, "critical"),
        (99, "critical"),
    ],
)
def test_levels(theirs: int, level: str) -> None:
    events: list[LogEvent] = []
    globalLogPublisher.addObserver(events.append)  # type: ignore[arg-type]
    TwistedHandler().handle(logging.LogRecord("strategy", theirs, "", 0, "text", None, None))
    globalLogPublisher.removeObserver(events.append)  # type: ignore[arg-type]
    assert [event["log_level"].name for event in events] == [level]
