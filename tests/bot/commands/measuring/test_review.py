"""What ``limpet review`` takes, keeps and prints."""

import csv
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from limpet.dealer.measures import review as work
from limpet.dealer.measures.review import JudgedHand
from tests import commands
from tests.commands import json_of, printed, refused

HANDS = 6


run = partial(commands.run, "review", "--quiet", columns=250)


told = partial(json_of, "review", "--quiet")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("matches") / "expert"
    words = [
        "match",
        "blueprint",
        "expert",
        "--hands",
        str(HANDS),
        "--seed",
        "1",
        "--in-process",
        "--output",
        str(folder),
    ]
    printed(*words)
    return folder / "seating-1.log"


@pytest.fixture(scope="module")
def kept(log: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kept") / "expert.jsonl"
    printed("review", log, "--hero", "expert", "--jobs", 1, "--output", path, "--quiet")
    return path


def test_what_is_kept_is_not_judged_again(log: Path, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "judge", None)
    data = told(log, "--hero", "expert", "--output", kept)
    assert data["bot"] == "limpet-fast" and data["hands"] == HANDS and data["left_out"] == {}
    every = data["streets"]["all"]
    assert every["valued"] == every["decisions"] == len(data["decisions"])
    low, high = every["interval_95"]
    assert low < every["lost_per_100"] < high
    lost = [row["lost"] for row in data["decisions"]]
    assert lost == sorted(lost, reverse=True)
    assert "another hero" in refused("review", log, "--hero", "blueprint", "--output", kept, "--quiet")


def test_a_stopped_review_goes_on_to_the_same_answer(
    log: Path, kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, judge, judged = tmp_path / "stopped.jsonl", work.judge, []

    def stopped(*arguments: Any) -> Any:
        judged.append(1)
        if len(judged) == 4:
            raise KeyboardInterrupt
        return judge(*arguments)

    monkeypatch.setattr(work, "judge", stopped)
    words = (log, "--hero", "expert", "--output", path, "--jobs", 1)
    ran = run(*words)
    assert ran.exit_code == 1 and "the same command goes on" in ran.output
    assert len(path.read_text().splitlines()) >= 4  # the terms and three hands
    assert told(*words) == told(log, "--hero", "expert", "--output", kept)


@pytest.mark.slow
def test_processes_share_the_hands(log: Path, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "HANDS", HANDS // 2)  # so that there is work for two
    assert told(log, "--hero", "expert", "--jobs", 2) == told(log, "--hero", "expert", "--output", kept)


@pytest.mark.parametrize("form", [pytest.param("pokerstars", marks=pytest.mark.slow), "phh"])
def test_formats_give_the_same_losses(log: Path, kept: Path, tmp_path: Path, form: str) -> None:
    path = tmp_path / f"hands.{form}"
    printed("hands", "convert", log, "--to", form, "-o", path)
    rows, same = (told(*words)["decisions"] for words in (
        (log, "--hero", "expert", "--output", kept), (path, "--hero", "expert", "--jobs", 1)
    ))  # fmt: skip
    assert [row["taken"] for row in same] == [row["taken"] for row in rows]
    exact = [
        row for row in rows if row["street"] == "preflop"
    ]  # later bets may be read by another draw of the hand's number
    assert [row["lost"] for row in same if row["street"] == "preflop"] == pytest.approx([row["lost"] for row in exact])


def test_decisions_are_filtered_and_written_as_a_table(log: Path, kept: Path, tmp_path: Path) -> None:
    path = tmp_path / "all.csv"
    words = (log, "--hero", "expert", "--output", kept)
    some = told(*words, "--street", "preflop", "--street", "turn", "--position", "BB", "--min-pot", 2, "--csv", path)
    rows = [row for row in told(*words)["decisions"] if row["street"] in ("preflop", "turn")]
    rows = [row for row in rows if row["position"] == "BB" and row["pot"] >= 2]
    assert some["decisions"] == rows and 0 < some["streets"]["all"]["decisions"] == len(rows)
    with path.open(newline="") as file:
        table = list(csv.DictReader(file))
    assert [float(row["lost"]) for row in table] == pytest.approx([row["lost"] for row in rows])
    assert "c=" in table[0]["actions"]
    assert told(*words, "--max-pot", 1)["decisions"] == []


def test_the_table_for_people(log: Path, kept: Path) -> None:
    text = run(log, "--hero", "expert", "--output", kept, "--shown", 3).stdout
    assert f"limpet-fast judges {len(told(log, '--hero', 'expert', '--output', kept)['decisions'])} decisions" in text
    assert "lost in 100 hands" in text and "The costliest decisions" in text
    assert sum("seating-1.log:" in line for line in text.splitlines()) == 3


def test_hands_of_three_name_a_bot_that_judges_them(tmp_path: Path) -> None:
    (tmp_path / "ring.log").write_text("STATE:0:r300ff:AcAd|KcKd|7h2c:-50|-100|150:a|b|us\n")
    words = tmp_path / "ring.log", "--hero", "us", "--game", "holdem.nolimit.3p", "--quiet"
    assert "bot 'expert' plays with any number of players" in refused("review", *words)
    assert "left out: 1 decisions in hands of three and more" in printed("review", *words, "--bot", "expert")


def test_mistakes_are_one_line(log: Path) -> None:
    for words, part in (
        ((log, "--hero", "nobody"), "nobody plays no hand"),
        ((log, "--hero", "expert", "--bot", "leduc"), "can judge no hand of expert"),
        ((log, "--hero", "expert", "--bot", "no-such-bot"), "no-such-bot"),
    ):
        assert part in refused("review", *words, "--quiet")


def test_hands_are_kept_as_they_are_judged(kept: Path) -> None:
    terms, *lines = kept.read_text().splitlines()
    assert json.loads(terms)["hero"] == "expert"
    assert sorted(json.loads(line)["number"] for line in lines) == [*range(HANDS)]
    assert set(json.loads(lines[0])) == set(JudgedHand.__struct_fields__)
