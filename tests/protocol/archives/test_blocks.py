"""Texts of hands are the same however many bytes of the file are read at a time."""

from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limpet.protocol.archives import blocks as reading
from limpet.protocol.archives.blocks import CHUNK, MOST_CHARACTERS, blocks
from limpet.protocol.archives.pokerstars_grammar import BEGINNING
from tests.protocol.archives.test_read_pokerstars import FIRST, SECOND

LINES = [*f"{FIRST}\n\n{SECOND}".split("\n"), "PokerStars Hand", "PokerStars Hand #1: no hand", "", "\xa3 5 \u20ac"]


@given(st.lists(st.sampled_from(LINES), max_size=60), st.integers(1, 3000), st.booleans())
@settings(max_examples=100, deadline=None)
def test_the_blocks_do_not_depend_on_the_size_of_a_chunk(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], size: int, windows: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "chunks.txt"
    path.write_bytes(("\r\n" if windows else "\n").join(["\ufeff", *lines]).encode())
    whole = list(blocks(path, BEGINNING))
    text = "\n".join(["", *lines])
    starts = [match.start() for match in BEGINNING.finditer(text)]
    parts = pairwise([*starts, len(text)])
    assert whole == [(1 + text.count("\n", 0, start), text[start:end]) for start, end in parts]
    with patch.object(reading, "CHUNK", size):
        assert list(blocks(path, BEGINNING)) == whole


def test_a_block_without_an_end_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    end = "no end\n" * (4 * (MOST_CHARACTERS + CHUNK) // 7)
    path.write_text(SECOND + FIRST + end + SECOND)
    (_, first), (_, cut), (line, last) = blocks(path, BEGINNING)
    assert (first, last) == (SECOND, SECOND)
    assert cut == (FIRST + end)[:MOST_CHARACTERS]
    assert line == 1 + (SECOND + FIRST + end).count("\n")
