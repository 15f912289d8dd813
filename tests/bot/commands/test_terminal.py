"""What commands share to print: tables, notes, estimates, and the end of a command that was stopped."""

import io
import os
import signal
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from rich.console import Console

from limpet.bot.commands.terminal import (
    STOPPED,
    estimate_data,
    estimate_text,
    notice,
    print_json,
    print_table,
    stoppable,
    writing,
)
from limpet.common.statistics import Estimate
from limpet.configs.loading import ConfigError


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_command_says_what_to_do_and_exits(number: signal.Signals) -> None:
    after: list[str] = []

    @click.group()
    def limpet() -> None:
        pass

    @limpet.command()
    def play() -> None:
        with stoppable() as stop:
            os.kill(os.getpid(), number)
            after.append("it went on")
        notice("it is over")
        stop.exit("play again")

    before = signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # shells ignore it for what they run in the background
    try:
        result = CliRunner().invoke(limpet, ["play"])
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.exit_code == STOPPED and not after
    assert result.stderr == "limpet play: it is over\nlimpet play: stopped; play again\n"


def test_a_command_that_was_not_stopped_goes_on() -> None:
    with stoppable() as stop:
        pass
    stop.exit("play again")


def test_tables_print_names_as_they_are() -> None:
    out = io.StringIO()
    print_table(("name", "[b]"), [("m[/y]", "1"), ("n", "10")], console=Console(file=out, width=60))
    lines = [line.split() for line in out.getvalue().splitlines()]
    assert ["┃", "name", "┃", "[b]", "┃"] in lines
    assert ["│", "m[/y]", "│", "1", "│"] in lines and "│  10 │" in out.getvalue()


def test_estimates_have_their_unit() -> None:
    assert estimate_text(Estimate(1500.0, 250.0, 9)) == "+1,500.0 ± 250.0"
    assert estimate_text(Estimate(-5.0, 0.0, 1)) == "-5.0"


def test_json_has_null_for_what_is_not_finite(capsys: pytest.CaptureFixture[str]) -> None:
    print_json([estimate_data(Estimate(10.0, float("inf"), 1)), float("nan"), "NaN"])
    assert capsys.readouterr().out == '[{"mean": 10.0, "half_width": null}, null, "NaN"]\n'


def test_a_file_that_cannot_be_written_is_a_mistake(tmp_path: Path) -> None:
    path = tmp_path / "no" / "such"
    with pytest.raises(ConfigError, match="such: No such file or directory; name a file in a folder"), writing(path):
        path.write_text("")
