"""Grids have every class once, frequencies that sum to 1, and the combos that get there."""

import numpy as np
import pytest

from limpet.bot.browser.views.grid import HandGrid, decision_grid, json_number, list_grid, range_grid
from limpet.protocol.cards import parse_cards
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.cards.ranges import parse_range
from limpet.strategies.holdem.solutions.answer import decision
from limpet.strategies.holdem.solutions.lines import find_node
from limpet.strategies.holdem.solutions.solve import prepare
from limpet.strategies.holdem.solutions.spot import Spot

SPOT = Spot("AhKd8h4c2s", 10, 20, ("AK,88,QJs", "AQ,KQ,JJ"), BetMenu(sizes=(((0.75,),),)), iterations=40, threads=1)


@pytest.fixture(scope="module")
def solved() -> HandGrid:
    solve = prepare(SPOT)
    solve.run()
    return decision_grid(decision(solve, find_node(SPOT.tree, ())))


def test_the_classes_lie_as_poker_players_know_them(solved: HandGrid) -> None:
    names = solved.cells.names
    assert solved.columns == 13 and len(set(names)) == 169
    assert (names[0], names[1], names[13], names[-1]) == ("AA", "AKs", "AKo", "22")


def test_frequencies_of_classes_and_combos_sum_to_one(solved: HandGrid) -> None:
    for hands in (solved.cells, solved.combos):
        total = np.sum(hands.frequencies, axis=0)[np.array(hands.weight) > 0]
        assert total == pytest.approx(1, abs=2e-3)
    assert sum(action.frequency for action in solved.actions) == pytest.approx(1, abs=1e-3)
    assert sum(solved.held) == pytest.approx(1, abs=0.01)


def test_combos_that_the_board_blocks_are_left_out(solved: HandGrid) -> None:
    assert len(solved.combos.names) == 9 + 3 + 4
    assert not any("Ah" in name or "8h" in name for name in solved.combos.names)
    cells = {solved.cells.names[cell] for cell in solved.cell_of}
    assert cells == {"AKs", "AKo", "88", "QJs"}


def test_values_are_shares_of_the_pot(solved: HandGrid) -> None:
    assert solved.measure == "EV"
    by_name = dict(zip(solved.cells.names, solved.cells.ev, strict=True))
    assert by_name["72o"] is None
    assert by_name["88"] is not None and by_name["88"] >= 9.99
    at = solved.cells.names.index("88")
    mean = sum(row[at] * (ev[at] or 0) for row, ev in zip(solved.cells.frequencies, solved.cells.evs, strict=True))
    assert mean == pytest.approx(by_name["88"], abs=0.01)


def test_kinds_of_hands_are_the_means_of_their_hands(solved: HandGrid) -> None:
    made = solved.made
    assert made is not None and solved.draws is None  # no card is to come
    kinds = {name: at for at, name in enumerate(made.names) if made.share[at]}
    assert set(kinds) == {"two pair", "set", "nothing"} and sum(made.share) == pytest.approx(1, abs=1e-3)
    assert {name for name, share in zip(made.names, made.other, strict=True) if share} == {
        "top pair", "second pair", "lower pocket pair",
    }  # fmt: skip
    of_class = dict(
        zip(solved.cells.names, zip(solved.held, solved.cells.ev, *solved.cells.frequencies, strict=True), strict=True)
    )
    for kind, names in (("set", ["88"]), ("nothing", ["QJs"]), ("two pair", ["AKs", "AKo"])):
        at = kinds[kind]
        share = sum(of_class[name][0] for name in names)
        assert made.share[at] == pytest.approx(share, abs=1e-3)
        for place, column in enumerate((made.ev, *made.frequencies), 1):
            mean = sum(of_class[name][0] * of_class[name][place] for name in names if of_class[name][0]) / share
            assert column[at] == pytest.approx(mean, abs=5e-3)


def test_a_range_has_one_action() -> None:
    grid = range_grid(parse_range("AA,KK:0.5"), parse_cards("AsKs2c"))
    assert [action.label for action in grid.actions] == ["held"]
    assert len(grid.combos.names) == 3 + 3
    weights = dict(zip(grid.cells.names, grid.cells.weight, strict=True))
    assert (weights["AA"], weights["KK"], weights["QQ"]) == (1, 0.5, 0)


def test_hands_of_other_games_are_a_list() -> None:
    hands = [(parse_cards("As"), 0.25), (parse_cards("Ks"), 0.75)]
    grid = list_grid(("check", "bet"), (None, 1.0), hands, np.array([[1.0, 0.0], [0.0, 1.0]]))
    assert grid.columns == 0 and grid.cells.names == ("As", "Ks")
    assert [action.frequency for action in grid.actions] == [0.25, 0.75]


def test_a_value_that_does_not_exist_is_none() -> None:
    assert json_number(float("nan")) is None and str(json_number(-0.0001)) == "0.0"
