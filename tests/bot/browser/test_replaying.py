"""The feature that replays: files are listed, opened, paged through and told, and nothing outside the folders is."""

import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from limpet.bot.browser.replaying import Replaying
from limpet.bot.browser.views.messages import Refused
from limpet.protocol.archives.hands import open_hands
from limpet.protocol.errors import ProtocolError
from tests.bot.browser.rooms import answered, room
from tests.dealer.helpers import VECTORS

NAME = "holdem.nolimit.3p.seed0.log"


@pytest.fixture
def replaying(tmp_path: Path) -> Replaying:
    (tmp_path / "logs").mkdir()
    for name in (NAME, "holdem.nolimit.3p.game"):
        shutil.copy(VECTORS / name, tmp_path / "logs")
    return Replaying(room(tmp_path))


def test_files_are_listed(replaying: Replaying, tmp_path: Path) -> None:
    (tmp_path / ".hidden").mkdir()
    for name in ("a.phh.gz", "b.json", ".hidden/c.log", "d.tlog"):
        (tmp_path / name).write_text("")
    (tmp_path / "link.log").symlink_to(tmp_path / "logs" / NAME)
    found = answered(replaying, "replay.files")
    assert {file["path"] for file in found} == {f"logs/{NAME}", "a.phh.gz"}


def test_a_file_is_paged_through(replaying: Replaying) -> None:
    path = f"logs/{NAME}"
    opened = answered(replaying, "replay.open", path=path)
    whole = list(open_hands(VECTORS / NAME).hands())
    assert (opened["hands"], opened["whole"], opened["kind"]) == (len(whole), True, "log")
    rows = answered(replaying, "replay.rows", path=path, first=10, count=20)
    assert [(row["line"], row["hand"]) for row in rows] == [(line.number, hand.hand) for line, hand in whole[10:30]]
    assert answered(replaying, "replay.rows", path=path, first=10**6, count=20) == []
    for line, hand in whole[::9]:
        told = answered(replaying, "replay.hand", path=path, line=line.number)
        assert (told["hand"], told["number"], told["hands"]) == (hand.hand, hand.hand, len(whole))
    with pytest.raises(ProtocolError, match="no hand begins at this line"):
        answered(replaying, "replay.hand", path=path, line=1)


def test_a_hand_is_told_before_its_file_was_opened(replaying: Replaying) -> None:
    assert answered(replaying, "replay.hand", path=f"logs/{NAME}", line=12)["line"] == 12


def test_a_log_that_is_written_meanwhile(replaying: Replaying, tmp_path: Path) -> None:
    path = tmp_path / "logs" / NAME
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:20]))
    few = answered(replaying, "replay.open", path=f"logs/{NAME}")["hands"]
    with path.open("a") as file:
        file.write("".join(lines[20:]))
    assert answered(replaying, "replay.open", path=f"logs/{NAME}")["hands"] == few + len(lines) - 20 - 1
    path.write_text("".join(lines[:10]))  # another match under the same name
    assert answered(replaying, "replay.open", path=f"logs/{NAME}")["hands"] == few - 10


@pytest.mark.parametrize("path", ["../outside.log", "/etc/passwd", "logs/../../outside.log", "missing.log", "", "\0"])
def test_nothing_outside_the_folders_is_opened(path: str, replaying: Replaying, tmp_path: Path) -> None:
    (tmp_path.parent / "outside.log").write_text("STATE:0:f:As|Kd:-50|50:a|b\n")
    questions: dict[str, dict[str, Any]] = {
        "replay.open": {},
        "replay.rows": {"first": 0, "count": 1},
        "replay.hand": {"line": 1},
    }
    for kind, where in questions.items():
        with pytest.raises((Refused, ProtocolError)):
            answered(replaying, kind, path=path, **where)


def test_what_is_no_file_of_hands(replaying: Replaying, tmp_path: Path) -> None:
    (tmp_path / "noise.log").write_bytes(bytes(range(256)) * 500)
    opened = answered(replaying, "replay.open", path="noise.log")
    assert (opened["hands"], opened["why"].partition(";")[0]) == (0, "noise.log: no hands")


def test_a_hand_that_cannot_be_read_says_why(replaying: Replaying, tmp_path: Path) -> None:
    path = tmp_path / "logs" / NAME
    lines = path.read_text().splitlines(keepends=True)
    bad = next(n for n, line in enumerate(lines, 1) if line.startswith("STATE:3:"))
    lines[bad - 1] = lines[bad - 1].replace("STATE:3:", "STATE:3:x")
    path.write_text("".join(lines))
    answered(replaying, "replay.open", path=f"logs/{NAME}")
    rows = answered(replaying, "replay.rows", path=f"logs/{NAME}", first=0, count=10)
    assert len(rows) == 10 and [row["line"] for row in rows if row.get("why")] == [bad]
    assert all(row["line"] < other["line"] for row, other in pairwise(rows))
    with pytest.raises(ProtocolError, match=rf"{NAME}:{bad}: this hand cannot be read: .*x"):
        answered(replaying, "replay.hand", path=f"logs/{NAME}", line=bad)
    (tmp_path / "unknown.log").write_text("# name/game/hands/seed m nowhere.game 1 1\nSTATE:0:f:As|Kd:-50|50:a|b\n")
    with pytest.raises(ProtocolError, match="lies neither beside the log") as error:
        answered(replaying, "replay.rows", path="unknown.log", first=0, count=1) or answered(
            replaying, "replay.hand", path="unknown.log", line=2
        )
    said = replaying.room.words_of(error.value)
    assert said.startswith("unknown.log:1: the game") and said.endswith(
        "drop nowhere.game together with the log, or put it beside the log"
    )
