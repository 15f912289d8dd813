"""Batches as the page shows them: where they are, rows and means, and the spot of a board."""

from pathlib import Path

import pytest

from limpet.bot.browser.background.batches import batch_names, batch_spot, batch_view
from limpet.configs.loading import ConfigError
from limpet.strategies.holdem.solutions.batch import JobResult, write_tables


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "runs" / "flops"
    (folder / "boards").mkdir(parents=True)
    bets = {"KsTh7s": 0.25, "Kd9h2s": 0.75}
    results = [
        JobResult(
            "", board, 2.0, (), 10, 1.0, 0.5, 5.0, (0.0, 0.0), (0.5, 0.5), ("check", "bet 5"), (1 - bet, bet), 0.5
        )
        for board, bet in bets.items()
    ]
    write_tables(folder, results)
    (folder / "spot.yaml").write_text("board: KsTh7s\npot: 10\nstack: 20\nranges: [AA, KK]\n")
    return folder


def test_folders_with_batches_are_found(folder: Path, tmp_path: Path) -> None:
    files = [(tmp_path, path) for path in tmp_path.rglob("*") if path.is_file()]
    assert batch_names([*files, (tmp_path, tmp_path / "summary.json")]) == ["runs/flops"]


def test_rows_of_boards_or_of_textures(folder: Path) -> None:
    view = batch_view(folder, ())
    assert [row["board"] for row in view["rows"]] == ["KsTh7s", "Kd9h2s"] and view["opens"]
    assert [(action.label, action.frequency) for action in view["actions"]] == [("check", 0.5), ("bet 5", 0.5)]
    grouped = batch_view(folder, ("suits",))["rows"]
    assert [(row["suits"], row["bet 5"]) for row in grouped] == [("rainbow", 0.75), ("two-tone", 0.25)]


def test_the_spot_of_a_board_fills_the_form(folder: Path) -> None:
    spot = batch_spot(folder, "Kd9h2s")
    assert (spot["board"], spot["pot"], spot["ranges"]) == ("Kd9h2s", 10, ("AA", "KK"))
    with pytest.raises(ConfigError, match="there is no board 'AhKhQh' in flops"):
        batch_spot(folder, "AhKhQh")
