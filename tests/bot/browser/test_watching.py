"""The feature that watches: news every second while somebody looks, and none afterwards."""

from pathlib import Path

import pytest

from limpet.bot.browser.views.messages import Refused
from limpet.bot.browser.views.room import Room
from limpet.bot.browser.watching import MOST_WATCHED, FolderNews, Trouble, Watching
from limpet.configs.loading import ConfigError
from limpet.protocol.errors import ProtocolError
from tests.bot.browser.rooms import FakeTab, HereRoom, answered, room
from tests.bot.browser.test_following import played


def half(folder: Path) -> bytes:
    """Play a match, cut its second log, and return what was cut."""
    played(folder)
    (folder / "result.json").unlink()
    log = folder / "seating-2.log"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:30]))
    return b"".join(lines[30:])


def test_folders_are_listed(tmp_path: Path) -> None:
    played(tmp_path / "matches" / "a")
    half(tmp_path / "b")
    played(tmp_path / "t" / "x+y" / "match-1")
    (tmp_path / "t" / "tournament.json").write_text("{}")
    found = answered(Watching(room(tmp_path)), "watch.folders")
    assert {(folder["folder"], folder["kind"], folder["over"]) for folder in found} == {
        ("matches/a", "match", True),
        ("b", "match", False),
        ("t", "tournament", False),
    }


def test_news_come_until_everybody_has_left(tmp_path: Path) -> None:
    rest = half(tmp_path / "m")
    here: HereRoom = room(tmp_path)
    feature, one, two = Watching(here), FakeTab(), FakeTab()
    first = answered(feature, "watch.follow", folder="m", tab=one)
    assert isinstance(first, FolderNews) and first.progress.hands < 120 and first.speed is None
    answered(feature, "watch.follow", folder="m", tab=two)
    one.sent.clear()
    here.reactor.advance(1)
    assert one.sent == []  # nothing is new
    with (tmp_path / "m" / "seating-2.log").open("ab") as log:
        log.write(rest)
    here.reactor.advance(1)
    (news,) = one.sent
    assert isinstance(news, FolderNews) and news.progress.hands == 120 and two.sent == [news]
    answered(feature, "watch.leave", folder="m", tab=one)
    feature.left(two)
    assert here.reactor.getDelayedCalls() == []


def test_a_damaged_log_ends_the_news_with_a_reason(tmp_path: Path) -> None:
    half(tmp_path / "m")
    here, tab = room(tmp_path), FakeTab()
    feature = Watching(here)
    answered(feature, "watch.follow", folder="m", tab=tab)
    with (tmp_path / "m" / "seating-2.log").open("a") as log:
        log.write("STATE:99:nonsense\n")
    here.reactor.advance(1)
    assert isinstance(tab.sent[-1], Trouble) and "is not a hand of this match" in tab.sent[-1].why
    assert here.reactor.getDelayedCalls() == []
    with pytest.raises(ProtocolError):
        answered(feature, "watch.follow", folder="m", tab=tab)


def test_what_cannot_be_watched(tmp_path: Path) -> None:
    here: Room = room(tmp_path)
    feature = Watching(here)
    (tmp_path / "empty").mkdir()
    for folder, why in (("empty", ConfigError), ("../../", Refused), ("nowhere", Refused)):
        with pytest.raises(why):
            answered(feature, "watch.follow", folder=folder)
    for number in range(MOST_WATCHED):
        (tmp_path / str(number)).mkdir()
        half(tmp_path / str(number)) if not number else (tmp_path / str(number) / "match.json").write_bytes(
            (tmp_path / "0" / "match.json").read_bytes()
        )
        answered(feature, "watch.follow", folder=str(number), tab=FakeTab())
    with pytest.raises(Refused, match="at once at most"):
        answered(feature, "watch.follow", folder="empty")
