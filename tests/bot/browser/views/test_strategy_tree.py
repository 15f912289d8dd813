"""The tree of a strategy file, decision by decision, as `limpet strategy grid` shows it."""

import pytest

from limpet.bot.browser.views.strategy_tree import choice_folder, facts_view, node_view, strategy_choices
from limpet.configs.loading import ConfigError
from limpet.protocol.cards import parse_cards
from limpet.strategies.holdem.blueprint.look import look
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile


def opened(name: str) -> StrategyFile:
    return StrategyFile.open(choice_folder(name))


def test_strategies_with_a_tree_can_be_chosen() -> None:
    why_not = {choice.name: choice.why_not for choice in strategy_choices()}
    assert {choice.name for choice in strategy_choices() if choice.heads_up} >= {"hunl-200bb", "hulh"}
    assert not any(choice.heads_up for choice in strategy_choices() if choice.name in ("kuhn", "holdem-limit-3p"))
    assert not any(why_not[name] for name in ("kuhn", "leduc", "hunl-200bb", "holdem-limit-3p"))
    assert "a solved spot" in why_not["limped-flop"] and list(why_not)[-1] != "kuhn"
    assert all("five-card draw" in why for name, why in why_not.items() if name.startswith("draw5"))
    with pytest.raises(ConfigError, match="limped-flop is a solved spot"):
        choice_folder("limped-flop")


@pytest.mark.parametrize("name", ["../kuhn", "/etc", "kuhn/", "nobody", ""])
def test_no_other_folder_can_be_opened(name: str) -> None:
    with pytest.raises(ConfigError, match="there is no trained strategy"):
        choice_folder(name)


def test_every_action_leads_on_until_the_hand_is_over() -> None:
    file = opened("leduc")
    lines, seen = [""], 0
    while lines:
        line = lines.pop()
        node = node_view(file, line, "Kh")
        assert node.line == line and node.grid is not None
        seen += 1
        lines += [edge.line for edge in node.edges if edge.line is not None]
    assert seen == facts_view(file)["decisions"]


def test_the_grid_is_that_of_the_strategy_file() -> None:
    file = opened("leduc")
    node, seen = node_view(file, "r", ""), look(file, "r")
    assert node.grid is not None
    assert [edge.frequency for edge in node.edges] == pytest.approx(seen.frequencies.tolist(), abs=1e-5)
    assert len(node.grid.cells.names) == 6


def test_a_decision_whose_cards_are_not_known_asks_for_them() -> None:
    node = node_view(opened("hunl-200bb"), "r300c/", "")
    assert (node.cards_missing, node.grid, node.street) == (3, None, "flop")
    assert [(step.label, step.line) for step in node.path] == [("raise 3 bb", ""), ("call", "r300")]


def test_sizes_are_in_big_blinds() -> None:
    node = node_view(opened("hunl-200bb"), "", "")
    assert [edge.label for edge in node.edges][:3] == ["fold", "call", "raise 2 bb (50 %)"]
    assert node.edges[0].line is None and node.edges[1].line == "c"
    assert len(node.ranges) == 2


def test_three_players_have_a_grid_and_three_ranges() -> None:
    node = node_view(opened("holdem-limit-3p"), "", "")
    assert node.grid is not None and node.grid.columns == 13 and len(node.ranges) == 3
    assert sum(edge.frequency for edge in node.edges) == pytest.approx(1, abs=1e-3)


def test_a_line_off_the_tree_says_what_there_is() -> None:
    with pytest.raises(ValueError, match="the tree has no"):
        node_view(opened("leduc"), "f", "")
    with pytest.raises(ValueError, match="Qd"):
        node_view(opened("leduc"), "cc/", "Qd")
    assert parse_cards("Qh")[0] in opened("leduc").game.card_set
