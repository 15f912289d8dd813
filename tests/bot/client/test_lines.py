"""The line splitter against splitting the whole stream at once."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.bot.client.lines import LineSplitter, OverlongLine


def chunks(data: bytes, cuts: list[int]) -> list[bytes]:
    """`data` cut at the places that `cuts` names (modulo its length), in order."""
    at = sorted({cut % (len(data) + 1) for cut in cuts} | {0, len(data)})
    return [data[a:b] for a, b in pairwise(at)]


def whole(data: bytes) -> list[bytes]:
    """Oracle: every line of the stream, the unfinished last one too."""
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix(b"\r") for line in lines]


@given(
    st.lists(st.sampled_from([b"a", b"MATCHSTATE:0:0::AsKs|", b"\r", b"\n", b"\r\n", b"\x00\xff", b"#"])).map(b"".join),
    st.lists(st.integers(0, 10_000)),
)
def test_any_chunking_gives_the_same_lines(data: bytes, cuts: list[int]) -> None:
    splitter = LineSplitter()
    lines = [line for chunk in chunks(data, cuts) for line in splitter.feed(chunk)]
    assert lines + splitter.end() == whole(data)
    assert splitter.end() == []


def test_one_byte_at_a_time_and_all_at_once() -> None:
    data = b"one\r\ntwo\nthree\r\r\n\nfour"
    expected = [b"one", b"two", b"three\r", b""]
    slow, fast = LineSplitter(), LineSplitter()
    assert [line for byte in data for line in slow.feed(bytes([byte]))] == expected
    assert fast.feed(data) == expected
    assert slow.end() == fast.end() == [b"four"]


@pytest.mark.parametrize("size", [1, 7, 100, 1000])
def test_an_overlong_line_is_dropped_and_the_next_one_is_read(size: int) -> None:
    data = b"x" * 250 + b"\r\nnext\n" + b"y" * 101
    splitter = LineSplitter(limit=100)
    lines = [line for at in range(0, len(data), size) for line in splitter.feed(data[at : at + size])]
    assert lines == [OverlongLine(b"x" * 80, 251), b"next"]
    assert splitter.end() == [OverlongLine(b"y" * 80, 101)]


def test_an_overlong_line_does_not_pile_up_in_memory() -> None:
    splitter = LineSplitter(limit=100)
    for _ in range(1000):
        assert splitter.feed(b"z" * 1000) == []
    assert sum(map(len, splitter._pieces)) <= 100
    assert splitter.feed(b"\n") == [OverlongLine(b"z" * 80, 1_000_000)]
