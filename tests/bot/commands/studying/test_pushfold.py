"""What ``limpet pushfold`` takes and prints."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from limpet.bot.commands.studying.pushfold import SOLVERS as NAMES
from limpet.strategies.cards import preflop_tables
from limpet.strategies.shortstacks import game
from limpet.strategies.shortstacks.solve import SOLVERS
from tests import commands
from tests.commands import json_of, printed, refused

run = partial(commands.run, "pushfold")


def answer(*words: str) -> dict[str, Any]:
    data: dict[str, Any] = json_of("pushfold", *words)
    return data


def test_heads_up_is_exact() -> None:
    data = answer("--stacks", "10,10", "--blinds", "0.5,1")
    assert data["solver"] == "linear-program"
    assert list(data["push"]) == ["SB"] and list(data["call"]) == ["SB,BB"] and data["overcall"] == {}
    assert len(data["push"]["SB"]) == 169
    assert data["push"]["SB"]["43s"] == pytest.approx(0.711, abs=1e-3)
    assert data["push"]["SB"]["72o"] == 0
    assert data["push_text"]["SB"].startswith("22+,A2+,K2+,Q2s+")
    assert data["epsilon"] < 1e-6
    assert data["epsilon_unit"] == "bb"
    assert data["ev"] == pytest.approx([-0.045371, 0.045371], abs=1e-6)
    assert 0 < data["seconds"] < 10


def test_prizes_are_the_unit_of_epsilon() -> None:
    data = answer("--stacks", "1000,1000", "--blinds", "50,100", "--payouts", "65,35", "--solver", "classes")
    assert data["epsilon_unit"] == "payouts"
    assert data["payouts"] == [65, 35]
    assert data["epsilon_percent"] == pytest.approx(data["epsilon"])
    assert sum(data["ev"]) == pytest.approx(0, abs=1e-5)


def test_three_players_have_overcalls() -> None:
    data = answer("--stacks", "5000,3000,2000", "--blinds", "200,400", "--ante", "50", "--payouts", "50,30,20")
    assert list(data["push"]) == ["BTN", "SB"]
    assert list(data["call"]) == ["BTN,SB", "BTN,BB", "SB,BB"]
    assert list(data["overcall"]) == ["BTN,SB,BB"]
    assert data["overcall"]["BTN,SB,BB"]["AA"] == 1
    assert data["epsilon_percent"] < 0.002
    assert data["solver"] == "classes"


def test_the_model_of_folded_cards_is_said_beside_epsilon_where_somebody_may_fold_before_an_all_in() -> None:
    assert "puts folded cards back" in run("--stacks", "10,10,10").output
    assert "folded cards" not in run("--stacks", "10,10").output


def test_a_missing_table_is_a_mistake_of_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    game.three_player_tables.cache_clear()
    preflop_tables.shipped_tables.cache_clear()
    monkeypatch.setattr(preflop_tables, "shipped_file", lambda: tmp_path / "tables.safetensors")
    assert "install limpet again" in refused("pushfold", "--stacks", "10,10,10")


def test_a_locked_range_stays_and_the_rest_answers_it() -> None:
    data = answer("--stacks", "10,10", "--lock", "SB=22+,A2+", "--hands", "sb,bb")
    assert data["push_text"]["SB"] == "22+,A2+"
    assert data["locked"] == ["SB"]
    assert data["epsilon"] == pytest.approx(0, abs=1e-5)
    wins = {name: values["gain"] for name, values in data["hands"]["SB,BB"].items()}
    assert wins["AA"] > 0 > wins["72o"]
    called = data["call"]["SB,BB"]
    assert all((wins[name] > 0) == (called[name] > 0.5) for name in wins if abs(wins[name]) > 1e-3)
    passive = answer("--stacks", "10,10", "--lock", "BB=random:0")
    assert set(passive["push"]["SB"].values()) == {1.0}, "against one who never calls every hand pushes"


def test_the_answer_for_people() -> None:
    result = printed("pushfold", "--stacks", "10,10", "--hands", "SB", "--grids")
    assert "SB pushes 58.28 %" in result
    assert "  BB calls 37.38 %" in result
    assert "epsilon" in result and "linear-program" in result
    assert "K2s" in result and "difference" in result


def test_every_decision_is_answered_well_once_the_hand_has_come_to_it() -> None:
    """Epsilon of 0.05 % let UTG push A8s one time in six, and the big blind call it with K5s: 1 % of the prizes was lost there."""
    data = answer("--stacks", "10,10,10,10,10,10", "--payouts", "65,35")
    assert data["conditional_loss_percent"] <= 0.001
    assert len(data["conditional_losses"]) == 5 + 15 + 20
    assert max(data["conditional_losses"].values()) == data["conditional_loss"]
    pushes, calls = data["push"]["UTG"], data["call"]["UTG,BB"]
    assert min(pushes[name] for name in ("AA", "77", "AKo", "ATs", "A9s", "KQs")) > 0.9
    assert max(calls[name] for name in ("K5s", "J9s", "A8o", "K9s")) == 0 and min(calls["TT"], calls["AKo"]) == 1
    coarse = answer("--stacks", "10,10,10,10,10,10", "--payouts", "65,35", "--target", "0.5")
    assert 0.001 < coarse["conditional_loss_percent"] <= 0.5


def test_a_decision_that_nobody_comes_to_gives_no_advice() -> None:
    words = ("--stacks", "10,10,10", "--lock", "BTN=random:0")
    lines = run(*words).output.splitlines()
    assert any(line.startswith("BTN pushes 0.00 %") and line.endswith("nothing") for line in lines)
    unreached = [line.split() for line in lines if line.endswith("never reached")]
    assert unreached == [
        [seat, verb, "never", "reached"] for seat, verb in (("SB", "calls"), ("BB", "overcalls"), ("BB", "calls"))
    ]
    assert any("at SB, where 100 % of the hands come" in line for line in lines)
    assert answer(*words)["chances"]["SB,BB"] > 0.5


@pytest.mark.parametrize("solver", ["classes", pytest.param("shrinking", marks=pytest.mark.slow)])
def test_decisions_behind_a_seat_that_always_goes_all_in_are_answered_well(solver: str) -> None:
    """The small blind calls with everything. What rounding left of its folds was taken for 7 % of ten big blinds lost behind them."""
    data = answer("--stacks", "5,20,1,8", "--solver", solver)
    assert data["chances"]["BTN,BB"] < 1e-8
    assert data["conditional_loss_percent"] <= {"classes": 0.001, "shrinking": 0.05}[solver]
    if solver == "classes":
        calls = data["call"]["BTN,BB"]
        assert min(calls[name] for name in ("22", "A9o", "KJs")) == 1
        assert max(calls[name] for name in ("72o", "K2o", "Q5s", "J7s")) == 0


def test_the_solvers_that_help_names_are_there() -> None:
    assert set(NAMES) == set(SOLVERS)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--stacks", "10"], "2 to 10 players"),
        (["--stacks", "10,0"], "stack of 0"),
        (["--stacks", "10,x"], "is not a number"),
        (["--stacks", "10,10", "--blinds", "1"], "write the small blind"),
        (["--stacks", "10,10", "--blinds", "2,1"], "more than the big blind"),
        (["--stacks", "10,10", "--payouts", "30,50"], "pays more than a better one"),
        (["--stacks", "10,10", "--lock", "SB"], "write seats"),
        (["--stacks", "10,10", "--lock", "BTN=AA"], "names no decision"),
        (["--stacks", "10,10", "--lock", "SB=KJx"], "KJx"),
        (["--stacks", "10,10", "--hands", "BB"], "names no decision"),
        (["--stacks", "10,10", "--lock", "SB=AA", "--lock", "SB=KK"], "locked twice"),
        (["--stacks", "10,10", "--lock", "BB=AA", "--lock", "SB,BB=KK"], "locked twice"),
        (["--stacks", "10,10", "--payouts", "50,30,20,10"], "4 prizes for 2 players"),
        (["--stacks", "10,10,10", "--payouts", "5,5,5"], "nothing is at stake"),
        (["--stacks", "1e300,10"], "more than 1,000,000 big blinds"),
        (["--stacks", "10,10", "--payouts", "1e308,1e307"], "a payout of 1e+308 is more than 1e+15"),
        (["--stacks", "10,10", "--target", "0"], "0"),
        (["--stacks", "10,10", "--lock", "SB=AA", "--solver", "linear-program"], "without locks"),
    ],
)
def test_mistakes_are_one_line(words: list[str], text: str) -> None:
    assert text in refused("pushfold", *words)
