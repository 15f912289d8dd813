"""``limpet showdowns``: what it writes and prints, and how it ends early."""

from functools import partial
from pathlib import Path

import pytest

from limpet.common.verified import file_digest
from limpet.strategies.cards import showdown_counting
from limpet.strategies.cards.preflop_tables import open_tables
from tests import commands
from tests.commands import json_of, printed
from tests.strategies.base.made_up_showdowns import smooth_tables

ran = partial(commands.run, "showdowns", "--quiet")


@pytest.mark.slow
def test_a_sampled_table_is_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[object] = []

    def draw(boards: int, seed: int, processes: int, _progress: object) -> object:
        asked.append((boards, seed, processes))
        return smooth_tables()

    monkeypatch.setattr(showdown_counting, "sampled_tables", draw)
    path = tmp_path / "new folder" / "small"
    found = json_of("showdowns", "--quiet", "--output", path, "--boards", 1234, "--seed", 7, "--jobs", 3)
    assert asked == [(1234, 7, 3)]
    assert found == {
        "file": str(path),
        "bytes": path.stat().st_size,
        "sha256": file_digest(path),
        "boards": 1234,
        "standard_error": 0.0125,
    }
    assert open_tables(path, tmp_path / "mapped").boards == 1234


def test_the_exact_table_drops_its_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kept = tmp_path / "tables.counts"

    def count(path: Path, *_: object) -> object:
        assert path == kept
        path.write_bytes(b"counts")
        return smooth_tables()

    monkeypatch.setattr(showdown_counting, "exact_tables", count)
    assert "tables: 1,234 boards, standard error at most 0.013; " in printed(
        "showdowns", "--quiet", "--output", tmp_path / "tables"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["tables"]


def test_stopped_it_says_how_to_go_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(showdown_counting, "exact_tables", lambda *_: None)
    result = ran("--output", str(tmp_path / "tables"))
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"stopped; the same command goes on ({tmp_path / 'tables.counts'})" in result.stderr


def test_too_few_boards_are_a_mistake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*_: object) -> None:
        raise ValueError("2 boards are too few: 5 triples of classes were never dealt; ask for more")

    monkeypatch.setattr(showdown_counting, "sampled_tables", refuse)
    result = ran("--output", str(tmp_path / "tables"), "--boards", "2")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "2 boards are too few" in result.stderr
    assert not list(tmp_path.iterdir())
