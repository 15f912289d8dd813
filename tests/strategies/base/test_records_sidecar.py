"""Rows on their way to a file and back: what was drawn from is what is read."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.configs.loading import load_game
from limpet.protocol.cards import parse_cards
from limpet.protocol.state import CALL, FOLD, State, raise_to
from limpet.strategies.base.records import (
    LEVELS,
    MOST_BYTES,
    RowsFile,
    RowsWriter,
    decode_rows,
    encode_rows,
    round_rows,
)
from limpet.strategies.base.strategy import Rows
from limpet.strategies.cards.handspace import hand_space

GAME = load_game("holdem.nolimit.2p.reverse_blinds")
ACTIONS = (FOLD, CALL, raise_to(300), raise_to(1000), raise_to(20_000))
FLOP = (0, 21, 38)


def random_rows(seed: int, peaked: float = 3.0) -> Rows:
    weights = np.random.default_rng(seed).random((len(ACTIONS), 1326)) ** peaked
    return Rows(ACTIONS, (weights / weights.sum(axis=0)).astype(np.float32))


@pytest.mark.parametrize("levels", LEVELS)
def test_shares_are_whole_and_close(levels: int) -> None:
    rows = random_rows(1)
    blocked = hand_space().blocked(FLOP)
    shares = round_rows(rows, blocked, levels)
    assert (shares.sum(axis=0, dtype=np.int64) == np.where(blocked, 0, levels)).all()
    live = ~blocked
    assert np.abs(shares / levels - rows.probabilities)[:, live].max() < 1 / levels
    pure = Rows(ACTIONS, np.eye(5, dtype=np.float32)[:, np.arange(1326) % 5])
    assert (round_rows(pure, blocked, levels)[:, live] == levels * pure.probabilities[:, live]).all()


def test_an_action_never_played_stays_so() -> None:
    rows = random_rows(2)
    rows.probabilities[2] = 0
    assert not round_rows(rows, hand_space().blocked(()), 255)[2].any()


@pytest.mark.parametrize("peaked", [0.0, 1.0, 20.0])
def test_rows_take_four_kilobytes_at_most(peaked: float) -> None:
    blocked = hand_space().blocked(FLOP)
    rows = random_rows(3, peaked)
    coded = encode_rows(rows, blocked)
    assert len(coded) <= MOST_BYTES
    back = decode_rows(coded, blocked)
    assert back.actions == ACTIONS
    assert np.abs(back.probabilities - rows.probabilities)[:, ~blocked].max() < 1 / 15
    assert not back.probabilities[:, blocked].any()
    with pytest.raises(ValueError, match="another board"):
        decode_rows(coded, hand_space().blocked((0, 21, 38, 5)))


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    blocked = hand_space((0, 1, 2), 1).blocked(())
    try:
        rows = decode_rows(data, blocked)
    except ValueError:
        return
    assert rows.probabilities.sum(axis=0) == pytest.approx(1)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "match.rows"
    start = State.start(GAME)
    flop = start.apply(CALL).apply(CALL)._replace(board=FLOP)
    writer = RowsWriter(path, GAME)
    writer.record(4, 1, start, random_rows(8))
    first = writer.record(4, 1, start, random_rows(9))  # a resumed match decides again: the later one counts
    later = RowsWriter(path, GAME).record(4, 1, flop, random_rows(10))
    path.write_bytes(path.read_bytes() + b"\x05cut off")
    found = RowsFile(path, GAME)
    assert len(found) == 2
    for state, rows in ((start, first), (flop, later)):
        row = found.played(4, state, 1, (44, 48), raise_to(300))
        assert row.actions == ACTIONS and row.chosen == 2
        np.testing.assert_allclose(row.probabilities, rows.probabilities, atol=1e-6)
    with pytest.raises(ValueError, match="another log"):
        found.played(4, flop._replace(board=(1, 21, 38)), 1, (44, 48), CALL)
    with pytest.raises(ValueError, match="no rows for position 0"):
        found.played(4, flop, 0, (44, 48), CALL)
    RowsWriter(path, GAME).record(5, 0, start, random_rows(11))  # what was cut off is gone
    assert len(RowsFile(path, GAME)) == 3
    (tmp_path / "other").write_bytes(b"# no rows")
    for kind in (RowsFile, RowsWriter):
        with pytest.raises(ValueError, match="not a file of rows"):
            kind(tmp_path / "other", GAME)


def test_rows_of_one_action_are_read_too(tmp_path: Path) -> None:
    state = State.start(GAME)
    only = Rows((CALL,), np.ones((1, 1326), np.float32))
    RowsWriter(tmp_path / "rows", GAME).record(3, 1, state, only)
    read = RowsFile(tmp_path / "rows", GAME).played(3, state, 1, parse_cards("AhKd"), CALL)
    assert read.actions == (CALL,) and (read.probabilities == 1).all()


def test_a_file_taken_away_is_begun_anew(tmp_path: Path) -> None:
    """By a server, which goes from match to match."""
    path, start = tmp_path / "match.rows", State.start(GAME)
    writer = RowsWriter(path, GAME)
    writer.record(0, 1, start, random_rows(12))
    path.rename(tmp_path / "first.rows")
    writer.record(0, 1, start, random_rows(13))
    writer.record(1, 1, start, random_rows(14))
    assert (len(RowsFile(tmp_path / "first.rows", GAME)), len(RowsFile(path, GAME))) == (1, 2)


def test_misses_are_kept(tmp_path: Path) -> None:
    """By class on the way in, by hand on the way out."""
    classes = (np.arange(1326) % 3).astype(np.int16)
    probabilities = np.array([[0.2, 0.5, 1.0], [0.8, 0.5, 0.0]], np.float32)
    rows = Rows((FOLD, CALL), probabilities, classes, np.array([False, True, False]))
    rounded = RowsWriter(tmp_path / "match.rows", GAME).record(0, 1, State.start(GAME), rows)
    assert rounded.missed is not None
    assert rounded.missed.tolist() == (classes == 1).tolist()
    assert rounded.column(4).tolist() == pytest.approx([0.5, 0.5], abs=0.003)
