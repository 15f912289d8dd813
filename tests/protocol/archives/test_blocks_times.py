"""Times of hands by clocks of several zones become UTC, whatever the format; without time zones a hand has no time."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from limpet.protocol.archives import blocks, read_phh
from limpet.protocol.archives.hands import open_hands
from limpet.protocol.archives.quick_pokerstars import QuickPokerStars
from limpet.protocol.archives.read_pokerstars import read_hand
from limpet.protocol.archives.write_phh import hand_text
from limpet.protocol.archives.write_pokerstars import PokerStarsTable
from tests.protocol.archives.test_read_pokerstars import SECOND

ZONES = pytest.mark.skipif(blocks.seconds_of(datetime(2024, 1, 1), blocks.EASTERN) is None, reason="no time zones here")
OLD = "2011/09/01 23:22:00 [2011/09/01 17:22:00 ET]"
CLOCKS = [
    (OLD, "2011-09-01 21:22:00"),
    ("2024/01/03 3:30:00 CET [2024/01/02 21:30:00 ET]", "2024-01-03 02:30:00"),
    ("2024/01/02 21:30:00 ET", "2024-01-03 02:30:00"),
    ("2024/07/02 21:30:00 ET", "2024-07-03 01:30:00"),
    ("2024/01/02 21:30:00 UTC", "2024-01-02 21:30:00"),
    ("2024/01/02 21:30:00", "2024-01-02 21:30:00"),
]


def utc(seconds: float | None) -> str:
    return "" if seconds is None else f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S}"


@ZONES
@pytest.mark.parametrize(("clock", "right"), CLOCKS)
def test_texts_are_timed_by_new_yorks_clock_where_it_is_told(clock: str, right: str) -> None:
    text = SECOND.replace(OLD, clock)
    hand, table, time = read_hand(text)
    assert utc(time) == right and QuickPokerStars().read(text) == (hand, table, time)
    phh = read_phh.read_hand(hand_text(hand, table, time))
    assert phh is not None and phh[2] == time
    assert read_hand(PokerStarsTable().hand_text(hand, table, time))[2] == time


@ZONES
def test_phh_is_timed_by_its_time_zone() -> None:
    text = hand_text(read_hand(SECOND)[0], "", read_hand(SECOND)[2])
    zone = 'time_zone = "UTC"'
    assert "time = 21:22:00" in text and zone in text
    for other, right in (
        (zone, "2011-09-01 21:22:00"),
        ("", "2011-09-01 21:22:00"),
        ('time_zone = "Europe/Berlin"', "2011-09-01 19:22:00"),
        ('time_zone_abbreviation = "ET"', "2011-09-02 01:22:00"),
        ('time_zone = "Nowhere/At all"', ""),
        ('time_zone = "../x"', ""),
    ):
        read = read_phh.read_hand(text.replace(zone, other))
        assert read is not None and utc(read[2]) == right


def test_without_time_zones_a_hand_has_no_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def unknown(zone: str) -> None:
        raise KeyError(zone)

    monkeypatch.setattr(blocks, "ZoneInfo", unknown)
    blocks._hour.cache_clear()
    (path := tmp_path / "hands.txt").write_text(SECOND + "\n\n" + SECOND.replace(OLD, "2024/01/02 21:30:00"))
    assert [utc(line.time) for line, _ in open_hands(path).hands()] == ["", "2024-01-02 21:30:00"]
    blocks._hour.cache_clear()
