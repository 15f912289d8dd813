"""Charts of short stacks and prize money are those of `limpet pushfold` and `limpet icm`."""

import numpy as np
import pytest

from limpet.bot.browser.views.charts import icm_view, push_fold_view, slot_grid, solve_push_fold
from limpet.strategies.shortstacks.solve import Solution
from limpet.strategies.shortstacks.spot import ShortSpot


@pytest.fixture(scope="module")
def solution() -> Solution:
    return solve_push_fold(ShortSpot((10.0, 10.0)))


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


def test_given_ranges_and_prizes() -> None:
    view = push_fold_view(solve_push_fold(ShortSpot((10.0, 10.0), payouts=(70.0, 30.0)), ("SB=AA",)))
    assert view["unit"] == "payouts" and view["slots"][0]["locked"] and view["slots"][0]["range"] == "AA"


@pytest.mark.parametrize("locks", [("SB",), ("CO=AA",), ("SB=nonsense",)])
def test_a_wrong_range_is_refused(locks: tuple[str, ...]) -> None:
    with pytest.raises(ValueError):
        solve_push_fold(ShortSpot((10.0, 10.0)), locks)


def test_prize_money() -> None:
    data = icm_view((5000.0, 3000.0, 2000.0), (50.0, 30.0, 20.0))
    assert data["equity"] == pytest.approx([38.39, 32.75, 28.86], abs=0.01)
    assert data["bubble_factor"][0][0] is None
