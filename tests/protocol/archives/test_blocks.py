"""Texts of hands are the same however the file is cut into pieces."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limpet.protocol.archives.blocks import LONGEST, Blocks
from limpet.protocol.archives.pokerstars_grammar import BEGINNING
from tests.protocol.archives.test_read_pokerstars import FIRST, SECOND

LINES = [*f"{FIRST}\n\n{SECOND}".split("\n"), "PokerStars Hand", "PokerStars Hand #1: no hand", "", "\xa3 5 \u20ac"]


@given(st.lists(st.sampled_from(LINES), max_size=60), st.integers(1, 3000), st.booleans())
@settings(max_examples=100, deadline=None)
def test_pieces_hold_the_blocks_of_the_file(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], size: int, windows: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "pieces.txt"
    path.write_bytes(("\r\n" if windows else "\n").join(["\ufeff", *lines]).encode())
    pieces = list(Blocks(path, BEGINNING).pieces(size))
    assert b"".join(piece.data for piece in pieces) == path.read_bytes()
    assert [block for piece in pieces for block in Blocks(path, BEGINNING, piece)] == list(Blocks(path, BEGINNING))


def test_a_piece_without_an_end_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text(SECOND + FIRST + "no end\n" * (2 * LONGEST // 7) + SECOND)
    pieces = list(Blocks(path, BEGINNING).pieces(1 << 20))
    assert max(len(piece.data) for piece in pieces) < 2 * LONGEST
    parts = [block for piece in pieces for block in Blocks(path, BEGINNING, piece)]
    assert parts == list(Blocks(path, BEGINNING)) and len(parts) == 3
