"""Ranges on the page: text is read for the editor, written for other programs, and kept by name."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limpet.bot.browser import ranging
from limpet.bot.browser.ranging import Ranging, range_view
from limpet.bot.browser.site import Desk
from limpet.bot.browser.views.messages import Refused
from limpet.protocol.errors import ProtocolError
from limpet.strategies.cards.ranges import RangeError
from tests.bot.browser.memory import Tab
from tests.bot.browser.rooms import answered, room


def view(text: str, **more: Any) -> Any:
    return range_view(text, **more)


@pytest.fixture
def feature(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ranging:
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path / "data"))
    return Ranging(room(tmp_path))


def test_a_range_is_read_for_the_editor(feature: Ranging) -> None:
    seen = answered(feature, "range.ask", text="77+, AKs:0.5, KhJd", board="Kd7c2h")
    assert (seen.text, seen.unit, seen.combos, seen.possible) == ("77+,KhJd,AKs:0.5", "", 44.5, 1176)
    weights = dict(zip(seen.grid.cells.names, seen.grid.cells.weight, strict=True))
    assert (weights["AA"], weights["AKs"], weights["AKo"]) == (1, 0.5, 0)
    hands = dict(zip(seen.grid.combos.names, seen.grid.combos.weight, strict=True))
    assert hands["KhJd"] == 1 and hands["AsKs"] == 0.5 and "AdKd" not in hands
    assert sum(seen.grid.held) == pytest.approx(1, abs=0.01)


def test_no_text_is_no_hands() -> None:
    assert (view(" ").text, view("").combos, max(view("").grid.cells.weight)) == ("", 0, 0)


def test_weights_that_could_be_either_are_asked_about() -> None:
    assert (view("AA:1").unit, view("AA:1").combos) == (None, 6)
    assert (view("AA:1", unit="percent").combos, view("AA:1", unit="share").combos) == (pytest.approx(0.06), 6)
    assert (view("AA:50,KK:0.5").unit, view("AA:50").text) == ("percent", "AA:0.5")
    assert view("AA:1,KK:0.5").unit == ""


@settings(max_examples=10)
@given(
    cells=st.lists(st.tuples(st.integers(0, 168), st.sampled_from([0.25, 0.5, 1])), min_size=1),
    notation=st.sampled_from(["limpet", "pio", "gto+"]),
)
def test_what_is_painted_comes_back_in_every_notation(cells: list[tuple[int, float]], notation: Any) -> None:
    """The editor appends an item for each painted cell; the last one of a cell counts."""
    names = view("random").grid.cells.names
    painted = {names[cell]: weight for cell, weight in cells}
    text = ",".join(f"{names[cell]}:{weight}" for cell, weight in cells)
    seen = view(view(text, unit="", notation=notation).text)
    assert {name: weight for name, weight in zip(names, seen.grid.cells.weight, strict=True) if weight} == painted


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"text": "77+, KQx"}, "at character 6, item 'KQx'"),
        ({"text": "AA", "board": "Kx"}, "is not a card"),
        ({"text": "AA", "board": "KsKs"}, "once only"),
        ({"text": "AA:0.5", "notation": "equilab"}, "no weights"),
    ],
)
def test_what_is_wrong_is_named(feature: Ranging, asked: dict[str, Any], why: str) -> None:
    with pytest.raises((ProtocolError, Refused), match=why):
        answered(feature, "range.ask", **asked)


def test_ranges_are_kept_by_name(feature: Ranging, tmp_path: Path) -> None:
    assert answered(feature, "range.list") == []
    assert answered(feature, "range.save", name="steal", text="AKs:50%, 22, 33") == ["steal"]
    assert answered(feature, "range.save", name="Button, 3-bet", text="QQ+") == ["Button, 3-bet", "steal"]
    assert Ranging(feature.room).shelf.text("steal") == "33-22,AKs:0.5"
    answered(feature, "range.save", name="steal", text="AA")
    assert answered(feature, "range.open", name="steal") == "AA"
    assert answered(feature, "range.forget", name="Button, 3-bet") == ["steal"]
    with pytest.raises(Refused, match="'Button, 3-bet' is kept"):
        answered(feature, "range.open", name="Button, 3-bet")
    with pytest.raises(RangeError, match="item 'ABC'"):
        answered(feature, "range.save", name="wrong", text="ABC")
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["ranges.json"]


def test_the_file_of_ranges_may_be_damaged_full_or_not_writable(
    feature: Ranging, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered(feature, "range.save", name="a", text="AA")
    monkeypatch.setattr(ranging, "MOST_RANGES", 1)
    answered(feature, "range.save", name="a", text="KK")
    with pytest.raises(Refused, match="forget one first"):
        answered(feature, "range.save", name="b", text="AA")
    for damaged in (b'{"a": 1}', b"{", b"\xff", b'["a"]'):
        feature.shelf.path.write_bytes(damaged)
        with pytest.raises(Refused, match="repair the file"):
            answered(feature, "range.save", name="a", text="AA")
        assert feature.shelf.path.read_bytes() == damaged
    feature.shelf.path.unlink()
    feature.shelf.path.parent.rmdir()
    feature.shelf.path.parent.write_text("a file")
    with pytest.raises(Refused, match="ranges cannot be"):
        answered(feature, "range.save", name="a", text="AA")


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "range.ask", "text": "A" * 30_001},
        {"kind": "range.ask", "text": "AA", "board": "AsKsQsJsTs9s"},
        {"kind": "range.ask", "text": "AA", "unit": "other"},
        {"kind": "range.ask", "text": "AA", "notation": "other"},
        {"kind": "range.save", "name": "", "text": "AA"},
        {"kind": "range.save", "name": " x", "text": "AA"},
        {"kind": "range.save", "name": "x\ny", "text": "AA"},
        {"kind": "range.save", "name": "x" * 61, "text": "AA"},
    ],
)
def test_wrong_messages_are_refused(feature: Ranging, wrong: dict[str, Any]) -> None:
    tab = Tab(Desk([feature]))
    tab.ask(**wrong)
    assert '"kind":"refused","id":1' in tab.got[-1] and "failed in the server" not in tab.got[-1]


def test_guests_see_no_ranges(feature: Ranging) -> None:
    assert "invited to one seat" in Tab(Desk([feature]), guest="key").ask("range.list")
