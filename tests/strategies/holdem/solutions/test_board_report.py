"""Reports over a batch: means of groups make the mean over all, rows come in the order asked for, tables hold them."""

import csv
from io import StringIO
from pathlib import Path

import msgspec
import pytest

from limpet.configs.loading import ConfigError
from limpet.strategies.holdem.solutions.batch import JobResult, summary, write_tables
from limpet.strategies.holdem.solutions.board_report import (
    board_rows,
    group_rows,
    read_results,
    sort_rows,
    write_rows,
)


def result(board: str, weight: float, bet: float, equity: float | None = 0.5) -> JobResult:
    return JobResult(
        mark="", board=board, weight=weight, line=(), iterations=10, seconds=1.0, exploitability_percent=0.5,
        exploitability_mbb=5.0, ev_net_bb=(bet, -bet), ev_share_of_pot=(0.5 + bet / 10, 0.5 - bet / 10),
        actions=("check", "bet 5"), frequencies=(1 - bet, bet), equity=equity,
    )  # fmt: skip


RESULTS = [
    result("KsTh7s", 12.0, 0.25),
    result("7d7h2s", 24.0, 0.5, 0.6),
    result("AsKs2s", 4.0, 0.75),
    result("Kd9h2s", 24.0, 1.0, 0.4),
]


def test_means_of_groups_make_the_mean_over_all() -> None:
    (whole,), groups = group_rows(RESULTS, ()), group_rows(RESULTS, ("suits",))
    assert [(row["suits"], row["boards"], row["weight"]) for row in groups] == [
        ("rainbow", 2, 48), ("two-tone", 1, 12), ("monotone", 1, 4),
    ]  # fmt: skip
    assert groups[0]["bet 5"] == 0.75 and groups[0]["equity_oop"] == 0.5 and groups[0]["of_all"] == 0.75
    for column in ("bet 5", "share_oop", "equity_ip"):
        assert sum(float(row[column] or 0) * float(row["of_all"] or 0) for row in groups) == pytest.approx(
            whole[column]
        )
    assert whole["bet 5"] == summary(RESULTS)["frequencies"]["bet 5"]


def test_groups_of_several_textures_come_in_their_order() -> None:
    rows = group_rows(RESULTS, ("high", "ranks"))
    assert [(row["high"], row["ranks"]) for row in rows] == [("A", "unpaired"), ("K", "unpaired"), ("7", "paired")]
    with pytest.raises(ConfigError, match="not grouped by 'colour'; group them by suits, ranks, high, connected"):
        group_rows(RESULTS, ("colour",))


def test_rows_are_sorted_by_any_column() -> None:
    rows = board_rows(RESULTS)
    assert [row["board"] for row in sort_rows(rows, "bet 5")] == ["Kd9h2s", "AsKs2s", "7d7h2s", "KsTh7s"]
    assert next(row["board"] for row in sort_rows(rows, "bet 5", rising=True)) == "KsTh7s"
    assert [row["board"] for row in sort_rows(rows, "board")] == ["AsKs2s", "KsTh7s", "Kd9h2s", "7d7h2s"]
    assert [row["high"] for row in sort_rows(rows, "high")] == ["A", "K", "K", "7"]
    with pytest.raises(ConfigError, match="there is no column 'nope'; there are board, suits, ranks, high"):
        sort_rows(rows, "nope")


def test_what_is_not_known_comes_last() -> None:
    never = msgspec.structs.replace(RESULTS[2], frequencies=(0.0, 0.0), equity=None)
    rows = board_rows([never, *RESULTS[:2]])
    assert rows[0]["bet 5"] is None and rows[0]["equity_ip"] is None
    for rising in (False, True):
        order = [row["board"] for row in sort_rows(rows, "bet 5", rising)]
        assert order == (["KsTh7s", "7d7h2s"] if rising else ["7d7h2s", "KsTh7s"]) + ["AsKs2s"]
    assert group_rows([never, *RESULTS[:2]], ())[0]["equity_oop"] is None


def test_a_folder_is_read_and_its_rows_are_written(tmp_path: Path) -> None:
    write_tables(tmp_path, RESULTS)
    assert read_results(tmp_path) == RESULTS
    rows = list(csv.DictReader((tmp_path / "table.csv").read_text().splitlines()))
    assert [(row["suits"], row["equity_oop"]) for row in rows][:2] == [
        ("two-tone", "0.500000"),
        ("rainbow", "0.600000"),
    ]
    file = StringIO(newline="")
    write_rows(file, board_rows(RESULTS))
    written = list(csv.DictReader(file.getvalue().splitlines()))
    assert [float(row["bet 5"]) for row in written] == [0.25, 0.5, 0.75, 1.0]


@pytest.mark.parametrize(("text", "message"), [(None, "holds no batch"), ("{", "no summary of a batch")])
def test_a_folder_without_a_batch_is_refused(text: str | None, message: str, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "summary.json").write_text(text)
    with pytest.raises(ConfigError, match=message):
        read_results(tmp_path)
