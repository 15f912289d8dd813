"""The index of a file's hands: any part of any kind of file is read as the whole file would be."""

import gzip
import time
from pathlib import Path

import pytest

from limpet.dealer.reports import hand_index
from limpet.dealer.reports.hand_index import HandIndex
from limpet.protocol.archives.acpc import LogWriter
from limpet.protocol.archives.convert import Converted
from limpet.protocol.archives.hands import open_hands
from limpet.protocol.errors import ProtocolError
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.settlement import settle
from limpet.protocol.situation import holdem
from tests.protocol.walks import play, random_deal

VECTORS = Path(__file__).parents[2] / "vectors"
LOG = VECTORS / "holdem.nolimit.3p.seed0.log"


def uneven(path: Path) -> Path:
    """A log in which a comment before most hands says which stacks the hand has."""
    writer, text = LogWriter(), ""
    for number in range(30):
        game = holdem((400 + number // 3, 900, 700), (50, 100, 0), ())
        holes, board = random_deal(game, number)
        state = play(game, bytes([number, 3 * number]) + b"\0" * 400, board)
        text += writer.hand_text(
            HandRecord(number, state, holes, settle(state, holes), ("a", "b", "c")), "uneven", None
        )
    path.write_text(text)
    return path


def written(kind: str, folder: Path) -> Path:
    if kind == "uneven":
        return uneven(folder / "uneven.log")
    if kind in ("log", "log.gz"):
        data = LOG.read_bytes()
    else:
        target = "pokerstars" if kind.startswith("pokerstars") else "phh"
        data = "".join(text for _, text in Converted([open_hands(LOG)], target)).encode()  # type: ignore[arg-type]
    if kind.endswith("crlf"):
        data = b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n")
    path = folder / (kind if "." in kind else f"{kind}.txt")
    path.write_bytes(gzip.compress(data) if kind.endswith(".gz") else data)
    return path


@pytest.mark.parametrize("kind", ["log", "log.gz", "uneven", "phh", "phh-crlf", "pokerstars", "pokerstars-crlf"])
def test_any_part_is_that_of_the_whole_file(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand_index, "CHUNK", 700)
    path = written(kind, tmp_path)
    whole = [(line.number, hand) for line, hand in open_hands(path).hands()]
    index = HandIndex(path)
    for _ in index.extend():
        pass
    assert len(index) == len(whole) > 20 and index.kind.lower() in ("log", kind.partition("-")[0])
    for first in (0, 1, 7, len(whole) - 3):
        part = [(line.number, hand) for line, hand in index.hands(first, 5)]
        assert part == whole[first : first + 5]
    assert [index.number_at(line) for line, _ in whole] == list(range(len(whole)))
    with pytest.raises(ProtocolError, match="no hand begins at this line"):
        index.number_at(whole[-1][0] + 1)
    assert list(index.hands(len(whole), 5)) == list(index.hands(-1, 5)) == []


def test_a_log_that_grows(tmp_path: Path) -> None:
    data, path = LOG.read_bytes(), tmp_path / "grows.log"
    whole = [hand for _, hand in open_hands(LOG).hands()]
    path.write_bytes(b"")
    index = HandIndex(path)
    for upto in range(0, len(data), 311):
        with path.open("ab") as file:
            file.write(data[path.stat().st_size : upto])
        assert list(index.extend()) or upto < 400
        if len(index):
            ((_, last),) = index.hands(len(index) - 1, 1)
            assert last == whole[len(index) - 1]
    assert len(index) > len(whole) - 3


def test_a_large_log_is_indexed_fast(tmp_path: Path) -> None:
    path, lines = tmp_path / "large.log", LOG.read_bytes()
    path.write_bytes(lines * (20_000_000 // len(lines)))
    index = HandIndex(path)
    began = time.perf_counter()
    longest = 0.0
    for _ in index.extend():
        longest, began = max(longest, time.perf_counter() - began), time.perf_counter()
    assert longest < 0.5  # a chunk; 5 ms on a quiet machine
    began = time.perf_counter()
    assert len(list(index.hands(len(index) - 50, 50))) == 50
    assert time.perf_counter() - began < 1
