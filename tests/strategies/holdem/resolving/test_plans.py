"""Menus of subgames that no bot could build are refused when the bot is made."""

import pytest

from limpet.configs.fitting import Misfit
from limpet.configs.loading import load_game
from limpet.strategies.holdem.resolving.plans import DepthMenu, ResolvingPlan, check_plans
from limpet.strategies.trees.menu import BetMenu

GAME = load_game("holdem.nolimit.2p.reverse_blinds")
WIDE = BetMenu(sizes=(((0.33, 0.5, 0.75, 1.0, 1.5),),))
NARROW = DepthMenu(BetMenu(sizes=(((1.0,), ()),)))


def test_a_menu_that_makes_too_large_a_tree_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limpet.strategies.solvers.vector.memory.MOST_NODES", 20_000)
    check_plans(GAME, {"turn": ResolvingPlan(menus=(NARROW,))}, has_bank=False)
    check_plans(GAME, {"turn": ResolvingPlan(menus=(DepthMenu(WIDE, spr=2), NARROW))}, has_bank=False)
    with pytest.raises(Misfit, match="in an unraised pot the menu makes a betting tree of") as first:
        check_plans(GAME, {"turn": ResolvingPlan(menus=(DepthMenu(WIDE, spr=40), NARROW))}, has_bank=False)
    with pytest.raises(Misfit, match="in an unraised pot .* of more than 2,000,000 nodes; use") as second:
        check_plans(GAME, {"turn": ResolvingPlan(menus=(NARROW, DepthMenu(WIDE, spr=2)))}, has_bank=False)
    assert first.value.keys == ("streets", "turn", "menus", 0) and second.value.keys == ("streets", "turn", "menus", 1)
