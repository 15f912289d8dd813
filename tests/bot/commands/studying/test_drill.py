"""`limpet drill` asks, judges, keeps answers, and shows what lost most."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from tests.commands import run


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path))
    return tmp_path / "drills"


def drill(*words: str, answers: str = "") -> Result:
    return run("drill", *words, text=answers)


def test_answers_are_judged_kept_and_summed_up(data: Path) -> None:
    result = drill("pushfold-10", "--seed", "1", "--hands", "3", answers="what\n1\nf\n2\n")
    assert result.exit_code == 0, result.output
    for words in (
        "1/3: Jd5c, preflop, SB, pot 1.5 bb",
        "'what' is no action here",
        "best: 0.0000 bb",
        "3 answers,",
        "± ",
    ):
        assert words in result.output
    kept = json.loads((data / "pushfold-10.json").read_text())
    assert len(kept["answers"]) == 3
    stats = drill("pushfold-10", "--stats", "--json")
    assert json.loads(stats.output)["score"]["answers"] == 3


def test_answers_of_a_file_are_json_lines(data: Path) -> None:
    result = drill("rivers", "--seed", "1", "--json", "--answers", "-", answers="1\n2\n")
    assert result.exit_code == 0, result.output
    *asked, last = [json.loads(line) for line in result.output.splitlines()]
    assert len(asked) == 2
    question: Any = asked[0]["question"]
    assert question["facing"]
    assert question["street"] == "river"
    assert asked[0]["answer"]["lost_bb"] == max(question["values"]) - question["values"][0]
    assert last["score"]["answers"] == 2
    assert Path(last["file"]).parent == data


def test_json_lines_come_after_questions_that_a_person_can_see() -> None:
    result = drill("pushfold-10", "--seed", "1", "--hands", "1", "--json", answers="1\n")
    assert "1/1: Jd5c, preflop, SB, pot 1.5 bb" in result.stderr and "1/1" not in result.stdout
    assert json.loads(result.stdout.splitlines()[0])["answer"]["lost_bb"] == 0


def test_ctrl_c_keeps_what_was_answered(data: Path) -> None:
    result = drill("pushfold-8", answers="1\n")
    assert result.exit_code == 130
    assert "all answers are kept" in result.output
    assert len(json.loads((data / "pushfold-8.json").read_text())["answers"]) == 1


def test_wrong_wishes_take_one_line(data: Path) -> None:
    for words, message in (
        (["nothing"], "nothing: no drill and no spot has this name"),
        (["pushfold-1"], "nobody decides anything 1 big blinds deep"),
        (["pushfold-10", "--street", "flop"], "streets and positions are for drills of solved spots"),
    ):
        result = drill(*words)
        assert result.exit_code == 2
        assert message in result.output
    data.mkdir()
    (data / "pushfold-10.json").write_text("{")
    result = drill("pushfold-10")
    assert result.exit_code == 2
    assert "pushfold-10.json: these answers cannot be read" in result.output
