"""When the bots' processes begin and end. The processes are stand-ins, which print their control port at once."""

from pathlib import Path
from typing import Any

import pytest
from twisted.internet.defer import Deferred, ensureDeferred, succeed
from twisted.internet.task import Clock

from limpet.bot.browser.tables import bots
from limpet.bot.browser.tables.bots import IDLE_SECONDS, Bots, opponents, styled
from limpet.configs.loading import shipped_names
from limpet.strategies.base.botconfig import load_bot
from tests.bot.browser.memory import HEADS_UP
from tests.bot.browser.rooms import HereRoom


class StandIn:
    """A process that runs until it is ended."""

    started: "list[StandIn]"

    def __init__(self, command: list[str], home: Path, output: Path) -> None:
        self.command, self.returncode = command, None
        self.out = output.with_suffix(".out")
        self.out.write_text("control 127.0.0.1 20800\n")
        self.ended = False
        StandIn.started.append(self)

    def end(self) -> None:
        self.ended = True


@pytest.fixture
def seated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Has a bot sit down and returns what fires when the table is over; also the clock and the processes started."""
    clock = Clock()
    StandIn.started = []
    monkeypatch.setattr(bots, "GuardedProcess", StandIn)
    monkeypatch.setattr(bots, "_ask", lambda reactor, port, line: succeed("ok 1"))
    running = Bots(HereRoom(clock, tmp_path), tmp_path / "bots")

    def sit(config: str = "call", rows: Path | None = None) -> "Deferred[None]":
        over: Deferred[None] = Deferred()
        ensureDeferred(running.join(config, HEADS_UP, tmp_path / "g.game", 20000, over, rows))
        return over

    return sit, clock, StandIn.started, running


def test_a_process_ends_some_time_after_its_last_table(seated: Any) -> None:
    sit, clock, started, _ = seated
    first, second = sit(), sit()
    assert len(started) == 1
    first.callback(None)
    clock.advance(2 * IDLE_SECONDS)
    assert not started[0].ended  # one table is still played
    second.callback(None)
    clock.advance(0.9 * IDLE_SECONDS)
    third = sit()  # a new table takes the process that is there
    clock.advance(2 * IDLE_SECONDS)
    assert len(started) == 1 and not started[0].ended
    third.callback(None)
    clock.advance(IDLE_SECONDS)
    assert started[0].ended
    sit()
    assert len(started) == 2 and not started[1].ended


def test_a_process_that_has_ended_by_itself_is_not_ended_in_its_successors_place(seated: Any) -> None:
    sit, clock, started, _ = seated
    sit().callback(None)
    started[0].returncode = 1
    sit()
    clock.advance(2 * IDLE_SECONDS)
    assert [process.ended for process in started] == [True, False]
    sit()
    assert len(started) == 2


def test_tables_that_keep_rows_have_processes_of_their_own_which_the_end_of_the_command_ends(
    seated: Any, tmp_path: Path
) -> None:
    sit, _, started, running = seated
    for rows in (None, tmp_path / "a", tmp_path / "b"):
        sit("limpet", rows)
    assert [process.command[-2:] for process in started[1:]] == [["--rows", str(tmp_path / name)] for name in "ab"]
    assert "--rows" not in started[0].command
    running.close()
    assert all(process.ended for process in started)


# --- The knob from tight to loose


def test_a_style_lies_between_the_experts_own_and_that_of_a_loose_player(tmp_path: Path) -> None:
    assert styled("expert", 0, tmp_path) == "expert"
    assert styled("blueprint", 1, tmp_path) == "blueprint"
    shares = []
    for style in (-1.0, -0.5, 0.5, 1.0):
        bot = load_bot(styled("expert", style, tmp_path))
        options = bot.options()
        shares.append(options.style.preflop.open)  # type: ignore[attr-defined]
        bot.build()
    assert shares == sorted(shares) and len(set(shares)) > 2


@pytest.mark.parametrize("name", shipped_names("bots"))
def test_a_bot_that_ships_says_in_a_sentence_what_it_is(name: str) -> None:
    """What it plays, at which stacks, how strong and how quick, as long as a list beside the bot's name shows."""
    (view,) = [bot for bot in opponents([]) if bot.config == name]
    assert 20 < len(view.about) <= 100 and view.about.endswith(".")
    assert name == "lbr" or ";" in view.about


def test_a_bot_of_ones_own_says_itself_what_it_is(tmp_path: Path) -> None:
    own = tmp_path / "mine.yaml"
    own.write_text("# Calls when the moon is full. Folds else.\nname: moon\nplayer: call\ngame: leduc.limit.2p\n")
    (view, *_) = opponents([str(own)])
    assert (view.name, view.about) == ("moon", "Calls when the moon is full.")
