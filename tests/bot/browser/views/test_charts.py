"""Charts of short stacks are those of `limpet pushfold`."""

import numpy as np
import pytest

from limpet.bot.browser.views.charts import hand_view, push_fold_view, slot_grid
from limpet.strategies.shortstacks.solve import Solution, pushfold


@pytest.fixture(scope="module")
def solution() -> Solution:
    return pushfold((10.0, 10.0))


def test_ten_big_blinds_heads_up(solution: Solution) -> None:
    view = push_fold_view(solution)
    assert [(slot["name"], slot["kind"]) for slot in view["slots"]] == [("SB", "push"), ("SB,BB", "call")]
    assert view["slots"][0]["percent"] == pytest.approx(58.28, abs=0.01)
    assert view["slots"][1]["percent"] == pytest.approx(37.38, abs=0.01)
    assert view["epsilon"] < 1e-6 and sum(view["ev"]) == pytest.approx(0, abs=1e-9)


def test_a_class_takes_the_better_of_all_in_and_fold(solution: Solution) -> None:
    grid = slot_grid(solution, "SB")
    fold, act = (np.array(row, float) for row in grid.cells.evs)
    pushes = np.array(grid.cells.frequencies[1])
    assert (pushes[act > fold + 0.002] > 0.99).all() and (pushes[act < fold - 0.002] < 0.01).all()


@pytest.mark.parametrize("hand", ["K2o", "k2O", "Kh2c", "2cKh"])
def test_one_hand_has_a_line(solution: Solution, hand: str) -> None:
    view = hand_view(solution, "SB", hand)
    assert view["hand"] == "K2o" and view["line"].startswith("SB with K2o: all-in 100.0 %; all-in -0.")


@pytest.mark.parametrize("hand", ["AK", "22+", "", "AA:0", "nonsense"])
def test_other_than_one_hand_is_refused(solution: Solution, hand: str) -> None:
    with pytest.raises(ValueError, match="write one hand|names no hand|is no hand"):
        hand_view(solution, "SB", hand)


def test_given_ranges_and_prizes() -> None:
    view = push_fold_view(pushfold((10.0, 10.0), payouts=(70.0, 30.0), locks=("SB=AA",)))
    assert view["unit"] == "payouts" and view["slots"][0]["locked"] and view["slots"][0]["range"] == "AA"


@pytest.mark.parametrize("locks", [("SB",), ("CO=AA",), ("SB=nonsense",)])
def test_a_wrong_range_is_refused(locks: tuple[str, ...]) -> None:
    with pytest.raises(ValueError):
        pushfold((10.0, 10.0), locks=locks)
