"""The progress that commands show while they work."""

import io

from rich.console import Console

from limpet.bot.commands.progress import LINE_SECONDS, progress


class HandClock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def shown(quiet: bool) -> list[str]:
    """Of 1,200 boards, 100 in ten seconds."""
    out, clock = io.StringIO(), HandClock()
    with progress("playing", "boards", quiet, Console(file=out), clock=clock) as report:
        for done in range(0, 1201, 100):
            report(done, 1200)
            clock.now += LINE_SECONDS / 3
    return out.getvalue().splitlines()


def test_plain_lines_say_how_far_it_is_and_how_long_it_takes() -> None:
    assert shown(quiet=False) == [
        "playing: 300 of 1,200 boards, 0:01:30 left",
        "playing: 600 of 1,200 boards, 0:01:00 left",
        "playing: 900 of 1,200 boards, 0:00:30 left",
        "playing: 1,200 of 1,200 boards, 0:00:00 left",
    ]


def test_who_wants_quiet_gets_it() -> None:
    assert shown(quiet=True) == []


def test_what_has_not_moved_says_nothing_of_the_end() -> None:
    out, clock = io.StringIO(), HandClock()
    with progress("solving", "spots", False, Console(file=out), clock=clock) as report:
        report(0, 5)
        clock.now += LINE_SECONDS
        report(0, 5)
    assert out.getvalue() == "solving: 0 of 5 spots\n"


def test_a_terminal_has_a_bar() -> None:
    out = io.StringIO()
    with progress("solving", "spots", False, Console(file=out, force_terminal=True, width=80)) as report:
        report(3, 5)
    assert "solving" in out.getvalue() and "3 of 5 spots" in out.getvalue()
