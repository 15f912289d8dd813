"""What ``limpet aivat`` keeps of each deal, and how it goes on there."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from limpet.common.folders import MeasureFile
from limpet.configs.loading import ConfigError
from limpet.dealer.measures.luck_job import LuckJob
from limpet.dealer.measures.match_luck import ESTIMATORS, DealEvaluator, DealLuck
from tests import commands
from tests.commands import json_of, printed, refused

HANDS = 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("matches") / "leduc"
    printed("match", "leduc", "random", "--hands", HANDS, "--duplicate", "--in-process", "--output", path)
    return path


run = partial(commands.run, "aivat", "--bot", "leduc", "--json", "--quiet")


def test_each_deal_is_a_line_and_their_means_are_the_result(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "new" / "deals.jsonl"
    found = json_of("aivat", folder, "--output", path, "--jobs", 1, "--bot", "leduc", "--quiet")
    terms, *deals = [json.loads(line) for line in path.read_text().splitlines()]
    assert terms["learning"] is True and len(terms["logs"]) == 2
    assert [deal["deal"] for deal in deals] == [*range(HANDS)]
    assert deals[5]["hands"][1]["where"].startswith(str(folder / "seating-2.log:"))
    for row in found["estimators"]:
        samples = [sum(hand["estimators"][row["estimator"]] for hand in deal["hands"]) / 2 for deal in deals]
        assert sum(samples) / HANDS == pytest.approx(row["mbb_per_game"])
    hand = deals[0]["hands"][0]
    assert set(hand["estimators"]) == set(ESTIMATORS)
    assert sum(hand["parts"].values()) == pytest.approx(hand["estimators"]["AIVAT"])


def test_one_deal_has_no_spread(folder: Path) -> None:
    words = ("aivat", folder, "--bot", "leduc", "--hands", 1, "--quiet")
    one = json_of(*words, "--player", "leduc")
    assert {(row["sd"], row["deals_for_50_mbb"]) for row in one["estimators"]} == {(None, None)}
    assert " 0.00 " not in printed(*words)


def test_a_stopped_one_goes_on(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also behind a line that a kill has torn; nothing is evaluated twice, and the result is that of an unbroken run."""
    whole, path = run(folder, "--jobs", "1"), tmp_path / "deals.jsonl"
    take, taken = DealEvaluator.evaluate, []

    def stopped(taker: DealEvaluator, deal: int) -> Any:
        taken.append(deal)
        if deal == 40:
            raise KeyboardInterrupt
        return take(taker, deal)

    monkeypatch.setattr(DealEvaluator, "evaluate", stopped)
    ran = run(folder, "--output", path, "--jobs", "1")
    assert ran.exit_code == 1 and "stopped; the same command goes on" in ran.output
    monkeypatch.setattr(DealEvaluator, "evaluate", lambda taker, deal: taken.append(deal) or take(taker, deal))  # type: ignore[func-returns-value]
    with path.open("ab") as file:
        file.write(b'{"deal":40,"hands":[{"wh')
    taken.clear()
    ran = run(folder, "--output", path, "--jobs", "1")
    assert ran.output == whole.output and taken == [*range(40, HANDS)]
    taken.clear()
    assert run(folder, "--output", path).output == whole.output and not taken


def test_without_a_file_the_way_to_go_on_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(DealEvaluator, "evaluate", stopped)
    ran = run(folder)
    assert ran.exit_code == 1 and "--output FILE would let it go on" in ran.output


def test_what_does_not_belong_together_is_refused(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    printed("aivat", folder, "--output", path, "--bot", "leduc", "--json", "--quiet")
    for words, named in [
        (["--player", "random", "--frozen", "--hands", "7"], "another player and learning and hands;"),
        (["--also-known", "random", "--baseline", "equity"], "another also_known and baseline;"),
    ]:
        said = refused("aivat", folder, "--bot", "leduc", "--output", path, *words)
        assert f"deals.jsonl:1: measured with {named} delete it, or name another --output" in said
    question = LuckJob((folder,), "call", game="leduc.limit.2p")
    with pytest.raises(ConfigError, match="another bot and logs;"):
        MeasureFile(path, question._replace(logs=(folder / "seating-2.log",)).terms(), DealLuck)
    said = refused("aivat", folder, "--bot", "leduc", "--output", path / "below")
    assert "is a file; name another folder" in said
