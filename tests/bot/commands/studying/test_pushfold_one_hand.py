"""``limpet pushfold`` about one hand, and by depth."""

from functools import partial
from pathlib import Path

import pytest

from tests import commands
from tests.commands import json_of, printed, refused

run = partial(commands.run, "pushfold")


def test_one_hand_is_answered_in_one_line() -> None:
    words = ("--stacks", "10,10", "--seat", "SB", "--hand", "K2o")
    ran = printed("pushfold", *words)
    assert len(ran.splitlines()) == 1
    assert ran.startswith("SB with K2o: all-in 100.0 %; all-in ")
    data = json_of("pushfold", *words)
    answer = data["answer"]
    assert (answer["decision"], answer["hand"], answer["frequency"]) == ("SB", "K2o", 1.0)
    assert answer["gain"] == pytest.approx(answer["all_in"] - answer["fold"]) and answer["fold"] == pytest.approx(-0.5)
    assert f"all-in wins {answer['gain']:.4f} more" in ran
    hands = json_of("pushfold", "--stacks", "10,10", "--hands", "SB")["hands"]["SB"]["K2o"]
    assert {name: answer[name] for name in hands} == hands
    call = run("--stacks", "10,10", "--seat", "sb,bb", "--hand", "32o").output
    assert call.startswith("SB,BB with 32o: all-in 0.0 %") and "fold wins" in call
    assert run("--stacks", "10,10", "--seat", "SB", "--hand", "43s").output.endswith("both win the same\n")
    never = run("--stacks", "10,10", "--lock", "SB=random:0", "--seat", "SB,BB", "--hand", "AA").output
    assert never == "SB,BB with AA: the hand never comes to this decision\n"


def test_charts_by_depth_are_printed_and_written(tmp_path: Path) -> None:
    path = tmp_path / "new" / "nash.svg"
    ran = printed("pushfold", "--stacks", "1,1", "--depths", "9-10", "--seat", "SB,BB", "--output", path)
    lines = ran.splitlines()
    assert "SB,BB: deepest all-in, in big blinds" in ran and lines[-13].startswith("AA 10+")
    assert path.read_text().startswith("<svg ")
    data = json_of("pushfold", "--stacks", "1,1", "--depths", "9,10")
    assert data["depths"] == [9, 10] and list(data["charts"]) == ["SB", "SB,BB"]
    assert data["charts"]["SB"]["AA"] == {"deepest": 10, "gap": False, "frequencies": [1, 1]}


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--hand", "AA"], "--seat UTG"),
        (["--seat", "SB"], "--hand HAND or --depths"),
        (["--seat", "SB", "--hand", "AA", "--depths", "2-3"], "--hand HAND or --depths"),
        (["--seat", "SB", "--hand", "AKx"], "not a starting hand class"),
        (["--seat", "BB", "--hand", "AA"], "names no decision"),
        (["--depths", "3-2"], "write whole depths"),
        (["--depths", "0-5"], "write whole depths"),
        (["--depths", "x"], "is not a number"),
        (["--depths", "1-1000"], "up to 200"),
        (["--depths", "2-3", "--grids"], "leave them out"),
        (["--output", "a.svg"], "--depths FROM-TO"),
    ],
)
def test_mistakes_are_one_line(words: list[str], text: str) -> None:
    assert text in refused("pushfold", "--stacks", "10,10", *words)
