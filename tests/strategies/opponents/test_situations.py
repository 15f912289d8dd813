"""Situations of decisions: positions, who leads, who acts last, sizes."""

import numpy as np
import pytest

from limpet.protocol.state import State
from limpet.strategies.opponents.hand_cells import preflop_groups, strength_cells
from limpet.strategies.opponents.imitation import THESIS, ModelOptions, postflop_averaging, preflop_averaging
from limpet.strategies.opponents.situations import (
    CellSample,
    acts_last,
    betting_facts,
    fit,
    position_name,
    situations,
)
from tests.strategies.opponents.made_hands import HUNL, SIX, cards, state_of


def test_positions_have_names() -> None:
    start = State.start(SIX)
    assert [position_name(start, position) for position in range(6)] == ["SB", "BB", "EP", "HJ", "CO", "BTN"]
    assert [position_name(State.start(HUNL), position) for position in range(2)] == ["BB", "SB"]


def test_the_betting_before_a_decision() -> None:
    state = state_of("r300fcffc/cr600", "2c7dTh", SIX)
    facts = betting_facts(state)
    assert facts.raises == (1, 1) and facts.callers == 0 and facts.raiser == 2 and facts.leader == 2
    assert facts.size == pytest.approx(600 / 950 - 300 / 950) and not facts.quiet
    facts = betting_facts(state_of("cc/cc/", "2c7dTh3s"))
    assert facts.quiet and facts.leader == -1 and facts.own == "-"


def test_who_acts_last_after_the_flop() -> None:
    assert not acts_last(state_of("cc/", "2c7dTh")) and acts_last(state_of("cc/c", "2c7dTh"))
    assert acts_last(state_of("r300ffffc/c", "2c7dTh", SIX)), "the button folded"


@pytest.mark.parametrize("betting", ["", "r300", "r300c/", "cc/r200", "r300c/cc/r600r1800"])
def test_every_level_has_a_situation(betting: str) -> None:
    state = state_of(betting, "2c7dTh3s")
    levels = (postflop_averaging if state.round else preflop_averaging)(ModelOptions())
    assert len(situations(state)) == len(levels)


def test_cells_are_equal_parts_from_weak_to_strong() -> None:
    board = cards("2c7dTh")
    found = strength_cells(board, 10)
    counts = [int((found == cell).sum()) for cell in range(10)]
    assert sum(counts) == 1176 and min(counts) > 100 and (found < 0).sum() == 150
    from limpet.strategies.cards.handspace import hand_space

    assert found[hand_space().index(cards("TsTd"))] == 9 and found[hand_space().index(cards("4h3d"))] <= 1
    assert strength_cells(cards("7d2cTh"), 10).tolist() == found.tolist()
    groups = preflop_groups(THESIS.grid)
    assert groups[-1] == 2 and groups[1] == 0


# --- Levels of situations: a single level is Dirichlet smoothing, a second one corrects the first


ALONE = np.eye(2)
EQUAL = np.full(3, 1 / 3)


def samples(*rows: tuple[tuple[str, ...], int, int]) -> list[CellSample]:
    return [CellSample(*row, 1.0, EQUAL) for row in rows]


def test_one_level_adds_the_weight_as_decisions_that_went_as_expected() -> None:
    made = samples(*[(("s",), 2, 0)] * 3, *[(("s",), 0, 0)] * 1)
    rows = fit(made, [ALONE], 6.0).scaled(np.full((3, 2), 1 / 3), ("s",))
    assert rows[:, 0] == pytest.approx(np.array([1 + 2, 2, 3 + 2]) / 10)
    assert rows[:, 1] == pytest.approx(EQUAL), "no hand of this cell was seen"


def test_cells_that_are_averaged_over_teach_each_other() -> None:
    made = samples(*[(("s",), 2, 0)] * 8)
    rows = fit(made, [np.full((2, 2), 0.5)], 0.0).scaled(np.full((3, 2), 1 / 3), ("s",))
    assert rows == pytest.approx(np.array([[0, 0], [0, 0], [1, 1]]))


def test_an_unknown_situation_is_played_as_the_coarser_one() -> None:
    made = samples(*[(("all", "a"), 0, 0)] * 50, *[(("all", "b"), 2, 0)] * 50)
    levels = fit(made, [ALONE, ALONE], 1.0)
    start = np.full((3, 2), 1 / 3)
    assert levels.scaled(start, ("all", "c"))[:, 0] == pytest.approx([0.5, 0, 0.5], abs=0.01)
    assert levels.scaled(start, ("all", "a"))[0, 0] > 0.95 < levels.scaled(start, ("all", "b"))[2, 0]


def test_what_is_illegal_stays_so() -> None:
    made = samples(*[(("s",), 1, 0)] * 5)
    start = np.array([[0.0, 0.0], [0.5, 0.5], [0.5, 0.5]])
    assert fit(made, [ALONE], 1.0).scaled(start, ("s",))[0].tolist() == [0, 0]


def test_a_level_that_tells_nothing_new_changes_nothing() -> None:
    """Each level corrects what the levels before it expect, and is not counted a second time."""
    decisions: list[tuple[tuple[str, ...], int, int]] = [(("all", "same"), kind, 0) for kind in [2] * 90 + [0] * 30]
    start = np.full((3, 2), 1 / 3)
    one = fit(samples(*((names[:1], kind, column) for names, kind, column in decisions)), [ALONE], 1.0).scaled(
        start, ("all",)
    )
    two = fit(samples(*decisions), [ALONE, ALONE], 1.0).scaled(start, ("all", "same"))
    assert one[:, 0] == pytest.approx([0.25, 0, 0.75], abs=0.01)
    assert two == pytest.approx(one, abs=0.01)
