"""The files that a page may name."""

from pathlib import Path

import pytest
from twisted.internet.task import Clock

from limpet.bot.browser.views.messages import Refused
from limpet.bot.browser.views.room import Room


def test_only_files_below_the_folders_of_the_command_are_opened(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / "a.log").write_text("x")
    (inside / "link.log").symlink_to(outside / "a.log")
    (inside / ".ssh").mkdir()
    (inside / ".ssh" / "a.log").write_text("x")
    (inside / "keys.log").symlink_to(inside / ".ssh" / "a.log")
    (inside / "notes").write_text("x")
    room = Room(Clock(), inside / "tables", folders=[inside])
    assert room.hands("a.log").path == inside / "a.log" and room.file("notes") == inside / "notes"
    with pytest.raises(Refused, match="files of hands end in"):
        room.hands("notes")
    assert room.file("a.log") == room.file(str(inside / "a.log")) == inside / "a.log"
    for name in (
        "../out/a.log",
        str(outside / "a.log"),
        "link.log",
        ".ssh/a.log",
        "keys.log",
        "/etc/passwd",
        "nothing.log",
        "~/.ssh",
        "a\0b",
        "x" * 300,
    ):
        with pytest.raises(Refused):
            room.file(name)
