"""The count over all boards: it goes on where it was stopped."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from limpet.configs.loading import ConfigError
from limpet.strategies.cards import showdown_counting
from limpet.strategies.cards.isomorphism import canonical_boards
from limpet.strategies.cards.preflop_tables import ALL_BOARDS
from limpet.strategies.cards.showdown_counting import Counts

PIECES = 3


def counted(piece: int) -> tuple[int, Counts]:
    """Return counts that tell the piece, in place of many boards."""
    return piece, np.stack([np.full((2, 2, 2), 10**piece * each) for each in range(1, 5)])


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Make the work small, and do it in this process; return the list of the pieces that are begun."""
    pieces_begun: list[int] = []

    def one_by_one(
        work: Callable[[int], object], pieces: list[int], processes: int, stop: Callable[[], bool]
    ) -> Iterator[object]:
        for piece in pieces:
            if stop():
                return
            pieces_begun.append(piece)
            yield work(piece)

    monkeypatch.setattr(showdown_counting, "PIECES", PIECES)
    monkeypatch.setattr(showdown_counting, "_count_piece", counted)
    monkeypatch.setattr(showdown_counting, "each_on_one_core", one_by_one)
    monkeypatch.setattr(showdown_counting, "tables_from_counts", lambda counts, boards, error: (counts, boards, error))
    return pieces_begun


def test_stopped_work_goes_on(begun: list[int], tmp_path: Path) -> None:
    kept = tmp_path / "counts"
    assert showdown_counting.exact_tables(kept, 1, stop=lambda: len(begun) == 2) is None
    seen: list[int] = []
    made = showdown_counting.exact_tables(kept, 1, lambda done, total: seen.append(done))
    assert begun == [0, 1, 2] and seen == [2, 3]
    counts, boards, error = cast(tuple[Counts, int, float], made)
    assert (boards, error) == (2_598_960, 0)
    for factor, of_order in enumerate(counts, start=1):
        assert (of_order == 111 * factor).all()


def test_the_pieces_are_all_boards_once() -> None:
    pieces = [canonical_boards(5).orbit[piece :: showdown_counting.PIECES] for piece in range(showdown_counting.PIECES)]
    assert sum(int(orbits.sum(dtype=np.int64)) for orbits in pieces) == ALL_BOARDS
    assert max(map(len, pieces)) - min(map(len, pieces)) <= 1


@pytest.mark.parametrize("damage", [b"", b"no archive", None])
def test_counts_that_cannot_be_read_are_named(begun: list[int], tmp_path: Path, damage: bytes | None) -> None:
    kept = tmp_path / "counts"
    if damage is None:
        with kept.open("wb") as file:
            np.savez(file, done=np.zeros(PIECES, dtype=np.bool_))
    else:
        kept.write_bytes(damage)
    with pytest.raises(ConfigError, match="counts: no counts to go on with .*; delete it"):
        showdown_counting.exact_tables(kept, 1)
    assert begun == []
