"""Two decisions side by side: the same one changes nothing, other solves and other actions are told apart."""

import json

import msgspec
import numpy as np
import pytest

from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.cards.isomorphism import class_number
from limpet.strategies.holdem.solutions.answer import Decision, decision
from limpet.strategies.holdem.solutions.decision_reports import Comparison, comparison_data
from limpet.strategies.holdem.solutions.lines import find_node
from limpet.strategies.holdem.solutions.solve import prepare
from limpet.strategies.holdem.solutions.spot import Spot

SPOT = Spot(
    board="AhKd8h4c2s", pot=10, stack=20, ranges=("AK,88,44,QhJh", "AQ,KQ,JJ"), iterations=60, target=0, threads=1,
    menu=BetMenu(sizes=(((0.5,),),)),
)  # fmt: skip


def first_decision(spot: Spot) -> Decision:
    solve = prepare(spot)
    solve.run()
    return decision(solve, find_node(spot.tree, ()))


@pytest.fixture(scope="module")
def here() -> Decision:
    return first_decision(SPOT)


def test_a_decision_beside_itself_does_not_change(here: Decision) -> None:
    same = Comparison(here, here)
    assert same.actions == here.actions
    assert np.nanmax(same.moved) == 0 and (same.frequencies[0] == same.frequencies[1]).all()
    assert np.isnan(same.moved[class_number("72o")]), "nobody holds it"


def test_another_menu_and_another_range(here: Decision) -> None:
    changed = msgspec.structs.replace(SPOT, menu=BetMenu(sizes=(((1.0,),),)), ranges=("AK,88,55,QhJh", SPOT.ranges[1]))
    compared = Comparison(here, first_decision(changed))
    assert compared.actions == ("check", "bet 5", "all-in", "bet 10")
    assert compared.frequencies[0, 3] == compared.frequencies[1, 1] == 0
    assert compared.frequencies.sum(axis=1) == pytest.approx([1, 1], abs=1e-5)
    moved = compared.moved
    assert np.isnan(moved[[class_number("44"), class_number("55")]]).all(), "held in one of them alone"
    king = class_number("AKo")
    least = compared.classes[0, 1, king]  # what bets 5 in the one can only do something else in the other
    assert least - 1e-9 <= moved[king] <= 1 + 1e-9
    data = json.loads(json.dumps(comparison_data(compared), allow_nan=False))
    assert set(data["classes"]) == {"AKo", "AKs", "88", "QJs"}
    shifts = [entry["moved"] * sum(entry["happens"]) for entry in data["classes"].values()]
    assert shifts == sorted(shifts, reverse=True)
