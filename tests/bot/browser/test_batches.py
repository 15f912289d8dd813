"""Batches begin in a process of their own, one at a time, say how far they are, and go on where they were stopped."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from twisted.internet.defer import Deferred, ensureDeferred, succeed

from limpet.bot.browser.base.messages import Refused
from limpet.bot.browser.base.room import Room
from limpet.bot.browser.batches import Batches, BeginBatch, ContinueBatch, ListBatches, StopBatch
from limpet.configs.loading import ConfigError
from limpet.strategies.holdem.solutions.spot import load_spot

BEGIN = BeginBatch(id=1, name="rivers", boards=25, spot={"stack": 15}, base="river-bluffcatch", line="check")


class Processes:
    """Takes down the processes that a server begins and the signals that they get."""

    def __init__(self) -> None:
        self.commands: list[list[str]] = []
        self.signals: list[str] = []
        self.protocol: Any = None

    def spawnProcess(self, protocol: Any, _program: str, command: list[str], _env: Any) -> None:
        self.commands.append(command)
        self.protocol = protocol
        protocol.transport = SimpleNamespace(signalProcess=self.signals.append)


@pytest.fixture
def processes() -> Processes:
    return Processes()


@pytest.fixture
def feature(processes: Processes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Batches:
    def at_once(self: Room, work: Callable[..., Any], *words: Any) -> Deferred[Any]:
        return succeed(work(*words))

    monkeypatch.setattr(Room, "in_thread", at_once)
    return Batches(Room(processes, tmp_path / "tables", folders=[tmp_path]))


def ask(feature: Batches, request: Any) -> Any:
    """Return the answer, or raise why there is none."""
    got: list[Any] = []
    answer: Any = feature.answer(request, SimpleNamespace())
    if not hasattr(answer, "__await__"):
        return answer
    ensureDeferred(answer).addBoth(got.append)
    if hasattr(got[0], "raiseException"):
        got[0].raiseException()
    return got[0]


def test_a_batch_begins_as_the_command_would_and_says_how_far_it_is(
    feature: Batches, processes: Processes, tmp_path: Path
) -> None:
    assert ask(feature, BEGIN) == "tables/batches/rivers"
    folder = tmp_path / "tables" / "batches" / "rivers"
    words = processes.commands[0]
    assert words[3:] == ["solve", str(folder / "spot.yaml"), "--batch", "25", "--output", str(folder), "--at", "check"]
    spot = load_spot(str(folder / "spot.yaml"))
    assert spot == msgspec.structs.replace(load_spot("river-bluffcatch"), stack=15)
    processes.protocol.errReceived(b"1 of 25: AhKd8h4c2s, 0.3 % of the pot\n2 of 25: QhKd8h4c2s, 0.4 %\n")
    now = ask(feature, ListBatches(id=1))["now"]
    assert now == {"name": "tables/batches/rivers", "said": "2 of 25: QhKd8h4c2s, 0.4 %", "running": True}


def test_one_batch_runs_at_a_time_and_goes_on_after_a_stop(feature: Batches, processes: Processes) -> None:
    name = ask(feature, BEGIN)
    with pytest.raises(Refused, match="rivers is being solved; stop it first"):
        ask(feature, msgspec.structs.replace(BEGIN, name="others"))
    ask(feature, StopBatch(id=1))
    assert processes.signals == ["INT"]
    processes.protocol.processEnded(None)
    with pytest.raises(Refused, match="there is a batch rivers already"):
        ask(feature, BEGIN)
    assert ask(feature, ContinueBatch(id=1, folder=name)) == name
    assert processes.commands[0] == processes.commands[1]


def test_batches_are_listed_with_those_that_a_page_may_go_on_with(feature: Batches, tmp_path: Path) -> None:
    name = ask(feature, BEGIN)
    (tmp_path / "mine" / "boards").mkdir(parents=True)
    for folder in (tmp_path / "mine", tmp_path / name):
        (folder / "summary.json").write_text("{}")
    listed = ask(feature, ListBatches(id=1))
    assert sorted(listed["names"]) == ["mine", name] and listed["begun"] == [name]


def test_a_batch_ends_with_the_server(feature: Batches, processes: Processes) -> None:
    ask(feature, BEGIN)
    ensureDeferred(feature.close())
    assert processes.signals == ["TERM"]


def test_what_cannot_be_solved_leaves_nothing_behind(feature: Batches, processes: Processes, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="pot"):
        ask(feature, msgspec.structs.replace(BEGIN, spot={"pot": -1}))
    assert not processes.commands and not (tmp_path / "tables").exists()


@pytest.mark.parametrize("name", ["../out", "", "a/b", ".hidden"])
def test_a_name_leads_nowhere_else(name: str) -> None:
    with pytest.raises(msgspec.ValidationError, match="name"):
        msgspec.json.decode(
            json.dumps({"kind": "boards.begin", "id": 1, "name": name, "boards": 3, "spot": {}}), type=BeginBatch
        )


def test_a_folder_that_no_page_has_begun_is_not_gone_on_with(feature: Batches, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    with pytest.raises(Refused, match="go on with it by the command that began it"):
        ask(feature, ContinueBatch(id=1, folder="mine"))
