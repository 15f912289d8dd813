"""``limpet boards`` as a user meets it, on a batch that ``limpet solve --batch`` made."""

import csv
from functools import partial
from pathlib import Path

import pytest

from limpet.strategies.holdem.solutions.batch import Batch, BatchJob
from limpet.strategies.holdem.solutions.spot import Spot, load_spot
from tests import commands
from tests.commands import json_of, printed, refused

SPOT = Spot(
    board="AhKd8h4c2s", pot=10, stack=20, ranges=("AK,88,44,QhJh", "AQ,KQ,JJ"), iterations=30, target=0, threads=1
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("batch")
    weights = {"AhKd8h4c2s": 1.0, "QsJs9d4h2c": 2.0, "7s7h9d4h2c": 1.0}
    Batch(tuple(BatchJob(SPOT, board, weight) for board, weight in weights.items()), folder).run()
    return folder


run = partial(commands.run, "boards")


def test_boards_are_listed_sorted_and_grouped(folder: Path, tmp_path: Path) -> None:
    listed = printed("boards", folder, "--sort", "equity_oop", "--rows", 2)
    assert listed.startswith("3 boards; shares in %\n") and "2 of 3 rows; --rows 3 shows all" in listed
    data = json_of("boards", folder, "--group", "ranks", "--csv", tmp_path / "a.csv")
    assert [(row["ranks"], row["boards"], row["of_all"]) for row in data["rows"]] == [
        ("unpaired", 2, 0.75),
        ("paired", 1, 0.25),
    ]
    assert data["all"]["boards"] == 3 and 0 < data["all"]["equity_oop"] < 1
    with (tmp_path / "a.csv").open(newline="") as file:
        assert [row["ranks"] for row in csv.DictReader(file)] == ["unpaired", "paired"]


@pytest.mark.parametrize(
    ("words", "message"), [(("--sort", "x"), "there is no column 'x'"), (("--group", "x"), "not grouped by 'x'")]
)
def test_mistakes_are_named(folder: Path, words: tuple[str, ...], message: str) -> None:
    assert message in refused("boards", folder, *words)


def test_the_spot_of_a_batch_lies_beside_it(folder: Path) -> None:
    assert load_spot(str(folder / "spot.yaml")) == SPOT
