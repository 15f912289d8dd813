"""Situations of decisions: positions, who leads, who acts last, sizes."""

import pytest

from limpet.protocol.state import State
from limpet.strategies.opponents.imitation.hand_cells import preflop_groups, strength_cells
from limpet.strategies.opponents.imitation.model import THESIS, ModelOptions, postflop_averaging, preflop_averaging
from limpet.strategies.opponents.imitation.situations import acts_last, betting_facts, position_name, situations
from tests.strategies.opponents.imitation.made_hands import HUNL, SIX, cards, state_of


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
