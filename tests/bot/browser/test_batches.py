"""Batches are jobs of the queue, say how far they are, and go on where they were stopped."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from limpet.bot.browser.batches import Batches, batch_names, batch_spot, batch_view
from limpet.bot.browser.views.messages import Refused
from limpet.bot.browser.views.spot_form import shipped_form
from limpet.configs.loading import ConfigError
from limpet.strategies.holdem.solutions.batch import JobResult, write_tables
from limpet.strategies.holdem.solutions.spot import load_spot
from tests.bot.browser.rooms import HereRoom, answered
from tests.bot.browser.test_queue import Processes, started_queue

BEGIN: dict[str, Any] = {
    "name": "rivers",
    "boards": 25,
    "spot": shipped_form("river-bluffcatch") | {"stack": 15},
    "line": "check",
}


@pytest.fixture
def processes() -> Processes:
    return Processes()


@pytest.fixture
def feature(processes: Processes, tmp_path: Path) -> Batches:
    made = HereRoom(processes, tmp_path / "tables", folders=[tmp_path])
    return Batches(made, started_queue(processes, made.folder))


def begun(feature: Batches, **more: Any) -> Any:
    return answered(feature, "boards.begin", **(BEGIN | more))


def test_a_batch_begins_as_the_command_would_and_says_how_far_it_is(
    feature: Batches, processes: Processes, tmp_path: Path
) -> None:
    assert begun(feature) == "tables/batches/rivers"
    folder = tmp_path / "tables" / "batches" / "rivers"
    words = ["solve", str(folder / "spot.yaml"), "--batch", "25", "--output", str(folder), "--at", "check"]
    assert processes.commands == [[str(folder), *words]]
    spot = load_spot(str(folder / "spot.yaml"))
    assert spot == msgspec.structs.replace(load_spot("river-bluffcatch"), stack=15)
    processes.protocol.errReceived(b"1 of 25: AhKd8h4c2s, 0.3 % of the pot\n2 of 25: QhKd8h4c2s, 0.4 %\n")
    job = answered(feature, "boards.list")["jobs"]["tables/batches/rivers"]
    assert job["said"] == "2 of 25: QhKd8h4c2s, 0.4 %" and job["state"] == "running" and job["active"]


def test_batches_wait_for_each_other_and_go_on_after_a_stop(
    feature: Batches, processes: Processes, tmp_path: Path
) -> None:
    name = begun(feature)
    begun(feature, name="others")
    assert len(processes.commands) == 1
    with pytest.raises(Refused, match="batches/rivers is there already"):
        begun(feature)
    processes.end(well=False)
    processes.end()
    assert answered(feature, "boards.continue", folder=name) == name
    assert [command[0].rpartition("/")[2] for command in processes.commands] == ["rivers", "others", "rivers"]
    assert processes.commands[0] == processes.commands[2]


def test_batches_are_listed_with_those_that_a_page_may_go_on_with(feature: Batches, tmp_path: Path) -> None:
    name = begun(feature)
    (tmp_path / "mine" / "boards").mkdir(parents=True)
    for folder in (tmp_path / "mine", tmp_path / name):
        (folder / "summary.json").write_text("{}")
    listed = answered(feature, "boards.list")
    assert sorted(listed["names"]) == ["mine", name] and list(listed["jobs"]) == [name]


def test_a_batch_may_say_all_that_the_command_may(feature: Batches, processes: Processes, tmp_path: Path) -> None:
    listed = "AhKd8h4c2s 3\nQhJd8h4c2s\n"
    begun(feature, line="check, bet 75%", seed=7, processes=2, listed=listed)
    folder = tmp_path / "tables" / "batches" / "rivers"
    ((_, *words),) = processes.commands
    assert words[2:] == [
        "--batch", str(folder / "listed.txt"), "--output", str(folder), "--at", "check, bet 75%", "--seed", "7", "--jobs", "2",
    ]  # fmt: skip
    assert (folder / "listed.txt").read_text() == listed
    for wrong in ({"line": "bet 1000, check"}, {"listed": "AhAh8h"}, {"processes": 10**6}):
        with pytest.raises(ValueError):
            begun(feature, name="wrong", **wrong)
    assert [entry.name for entry in folder.parent.iterdir()] == ["rivers"]


def test_what_cannot_be_solved_leaves_nothing_behind(feature: Batches, processes: Processes, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="pot"):
        begun(feature, spot={"pot": -1})
    assert not processes.commands and not (tmp_path / "tables" / "batches").exists()


@pytest.mark.parametrize("name", ["../out", "", "a/b", ".hidden"])
def test_a_name_leads_nowhere_else(feature: Batches, name: str) -> None:
    with pytest.raises(msgspec.ValidationError, match="name"):
        begun(feature, name=name)


def test_a_folder_that_no_page_has_begun_is_not_gone_on_with(feature: Batches, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    with pytest.raises(Refused, match="go on with it by the command that began it"):
        answered(feature, "boards.continue", folder="mine")


# --- Batches as the page shows them: where they are, rows and means, and the spot of a board


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "runs" / "flops"
    (folder / "boards").mkdir(parents=True)
    bets = {"KsTh7s": 0.25, "Kd9h2s": 0.75}
    results = [
        JobResult(
            "", board, 2.0, (), 10, 1.0, 0.5, 5.0, (0.0, 0.0), (0.5, 0.5), ("check", "bet 5"), (1 - bet, bet), 0.5
        )
        for board, bet in bets.items()
    ]
    write_tables(folder, results)
    (folder / "spot.yaml").write_text("board: KsTh7s\npot: 10\nstack: 20\nranges: [AA, KK]\n")
    return folder


def test_folders_with_batches_are_found(folder: Path, tmp_path: Path) -> None:
    files = [(tmp_path, path) for path in tmp_path.rglob("*") if path.is_file()]
    assert batch_names([*files, (tmp_path, tmp_path / "summary.json")]) == ["runs/flops"]


def test_rows_of_boards_or_of_textures(folder: Path) -> None:
    view = batch_view(folder, ())
    assert [row["board"] for row in view["rows"]] == ["KsTh7s", "Kd9h2s"] and view["opens"]
    assert [(action.label, action.frequency) for action in view["actions"]] == [("check", 0.5), ("bet 5", 0.5)]
    grouped = batch_view(folder, ("suits",))["rows"]
    assert [(row["suits"], row["bet 5"]) for row in grouped] == [("rainbow", 0.75), ("two-tone", 0.25)]


def test_the_spot_of_a_board_fills_the_form(folder: Path) -> None:
    spot = batch_spot(folder, "Kd9h2s")
    assert (spot["board"], spot["pot"], spot["ranges"]) == ("Kd9h2s", 10, ("AA", "KK"))
    with pytest.raises(ConfigError, match="there is no board 'AhKhQh' in flops"):
        batch_spot(folder, "AhKhQh")
