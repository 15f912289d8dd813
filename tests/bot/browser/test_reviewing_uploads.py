"""Files that a page sends: whole and in order, of hands only, under plain names in one folder, and not too many."""

from pathlib import Path

import pytest

from limpet.bot.browser import reviewing
from limpet.bot.browser.reviewing import Uploads, plain_name
from limpet.bot.browser.views.messages import Refused
from tests.bot.browser.rooms import FakeTab


@pytest.fixture
def sent(tmp_path: Path) -> Uploads:
    return Uploads(tmp_path)


def test_a_file_is_there_once_it_is_whole(sent: Uploads, tmp_path: Path) -> None:
    tab, other = FakeTab(), FakeTab()
    assert sent.add(tab, "../../a b.log", 5, 0, b"abc") is None
    assert sent.add(other, "../../a b.log", 4, 0, b"wxyz") == tmp_path / "2" / "a b.log"
    assert sent.add(tab, "../../a b.log", 5, 3, b"de") == tmp_path / "1" / "a b.log"
    assert (tmp_path / "1" / "a b.log").read_bytes() == b"abcde"
    # The same file is kept once, another one of its name beside it.
    assert sent.add(tab, "a b.log", 5, 0, b"abcde") == tmp_path / "1" / "a b.log"
    assert sent.add(tab, "a b.log", 5, 0, b"other") == tmp_path / "1" / "2-a b.log"


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("HH20260101 Halley - $0.01-$0.02 - USD No Limit Hold'em.txt", "HH20260101 Halley - _0.01-_0.02 - USD No Limit Hold_em.txt"),
        ("/etc/passwd", "passwd"), ("..\\..\\x.log.gz", "x.log.gz"), (".hidden.log", "hidden.log"), ("ä" * 300 + ".phh", "_.phh"),
        ("a\0b.log", "a_b.log"), ("x" * 300 + ".log", "x" * 76 + ".log"), ("..", ""),
    ],
)  # fmt: skip
def test_names_lead_nowhere_else(name: str, plain: str) -> None:
    assert plain_name(name) == plain


def test_what_is_no_file_of_hands_or_too_large_is_refused(
    sent: Uploads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = FakeTab()
    for name in ("evil.py", "..", "jobs.sqlite"):
        with pytest.raises(Refused, match="files of hands end in"):
            sent.add(tab, name, 5, 0, b"abcde")
    with pytest.raises(Refused, match="more than 64 MB"):
        sent.add(tab, "a.log", 2**40, 0, b"abc")
    monkeypatch.setattr(reviewing, "MOST_KEPT_BYTES", 8)
    assert sent.add(tab, "a.log", 5, 0, b"abcde")
    with pytest.raises(Refused, match="delete files there"):
        sent.add(tab, "b.log", 5, 0, b"abcde")
    assert [path.name for path in tmp_path.rglob("*.*")] == ["a.log"]


def test_parts_out_of_order_end_the_file(sent: Uploads, tmp_path: Path) -> None:
    tab = FakeTab()
    for offset, data in ((4, b"e"), (2, b"c"), (3, b"deeee"), (3, b"")):
        sent.add(tab, "a.log", 5, 0, b"abc")
        with pytest.raises(Refused, match="send the file again"):
            sent.add(tab, "a.log", 5, offset, data)
    sent.add(tab, "a.log", 5, 0, b"abc")
    sent.leave(tab)
    with pytest.raises(Refused, match="send the file again"):
        sent.add(tab, "a.log", 5, 3, b"de")
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
