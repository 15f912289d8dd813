"""The line splitter against splitting the whole stream at once."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.protocol.messages import LineSplitter


def chunks(data: bytes, cuts: list[int]) -> list[bytes]:
    """`data` cut at the places that `cuts` names (modulo its length), in order."""
    at = sorted({cut % (len(data) + 1) for cut in cuts} | {0, len(data)})
    return [data[a:b] for a, b in pairwise(at)]


def whole(data: bytes) -> list[bytes]:
    """Oracle: every line of the stream, the unfinished last one too."""
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


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
    expected = [b"one\r", b"two", b"three\r\r", b""]
    slow, fast = LineSplitter(), LineSplitter()
    assert [line for byte in data for line in slow.feed(bytes([byte]))] == expected
    assert fast.feed(data) == expected
    assert slow.end() == fast.end() == [b"four"]


@pytest.mark.parametrize("size", [1, 7, 100, 1000])
def test_an_overlong_line_is_dropped_and_the_next_one_is_read(size: int) -> None:
    data = b"x" * 250 + b"\r\nnext\n" + b"y" * 101
    splitter = LineSplitter(100)
    lines = [line for at in range(0, len(data), size) for line in splitter.feed(data[at : at + size])]
    assert lines == [None, b"next", None]
    assert splitter.end() == []


def test_an_overlong_line_is_reported_once_and_at_once_and_does_not_pile_up() -> None:
    splitter = LineSplitter(10)
    assert splitter.feed(b"0123456789\n01234567890\nab") == [b"0123456789", None]
    assert splitter.feed(b"c\n") == [b"abc"]
    assert [splitter.feed(b"x" * 7) for _ in range(50)] == [[], [None]] + [[]] * 48
    assert len(splitter._part) <= 10
    assert splitter.feed(b"end\nnext\n") == [b"next"]
