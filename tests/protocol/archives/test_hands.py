"""Hands of files of any format, and real hands where they are there."""

import gzip
import os
from collections import Counter
from pathlib import Path

import pytest

from limpet.protocol.archives.hand_file import Skip
from limpet.protocol.archives.hands import open_hands, read_hands
from limpet.protocol.errors import ProtocolError
from tests.protocol.archives.test_read_pokerstars import FIRST, SECOND

ARCHIVE = Path(os.environ.get("LIMPET_ARCHIVE", Path(__file__).parents[4] / "shared" / "archive")) / "six-player"
"""Real hands, which are no part of the repository."""


def test_skipped_hands_are_told_with_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "hands.txt.gz"
    bad = SECOND.replace("collected 40", "collected 41")
    path.write_bytes(gzip.compress(f"\ufeff\n{FIRST}\n\n{bad}\n{SECOND}".replace("\n", "\r\n").encode()))
    skipped: list[Skip] = []
    hands = list(read_hands([path], skipped=skipped, aliases={"Kebolord": "author"}))
    assert [hand.hand for hand in hands] == [66874490233, 66874506978]
    assert hands[0].names == ("playazhate", "author")
    assert [(skip.path, skip.line) for skip in skipped] == [(path, 27)]
    with pytest.raises(ProtocolError, match=r"hands.txt.gz:27: .*were collected"):
        list(read_hands([path]))


def test_outlines_are_the_hands(tmp_path: Path) -> None:
    path = tmp_path / "hands.txt"
    path.write_text(f"{SECOND}\n{SECOND.replace('raises 30 to 50', 'raises 30 to 51')}\n{FIRST}")
    aliases = {"Kebolord": "author"}
    outlines, hands = (open_hands(path, None, True, aliases=aliases) for _ in range(2))
    found = [(line.number, hand) for line, hand in outlines.outlines()]
    assert found == [(line.number, hand) for line, hand in hands.hands()] and len(found) == 2
    assert list(outlines.remarks()) == list(hands.remarks()) and outlines.bad == 1


@pytest.mark.skipif(not ARCHIVE.is_dir(), reason="the archive of real hands is not beside the checkout")
def test_real_hands_are_all_read() -> None:
    skipped: list[Skip] = []
    names = Counter(name for hand in read_hands(sorted(ARCHIVE.iterdir()), skipped=skipped) for name in hand.names)
    assert not skipped and names.total() == 6 * 7853 and names["Pluribus"] == 7853
