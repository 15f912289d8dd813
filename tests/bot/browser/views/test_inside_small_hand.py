"""Hands of small games are looked into by what the strategy file does."""

import pytest

from limpet.bot.browser.views.inside import SmallHand
from limpet.bot.browser.views.strategy_tree import node_view
from limpet.configs.loading import ConfigError, load_game
from limpet.protocol.messages import parse_match_state
from limpet.strategies.holdem.blueprint.named import open_named

LEDUC = load_game("leduc.limit.2p")


def test_each_decision_shows_what_the_file_does_with_each_hand() -> None:
    hand = SmallHand.of("leduc", parse_match_state("MATCHSTATE:1:4:crc/rc:Ks|Qs/Kh", LEDUC))
    view = hand.view()
    assert [(step["position"], step["taken"], step["board"], step["is_bot"]) for step in view["steps"]] == [
        (0, "check", "", False),
        (1, "bet", "", True),
        (0, "call", "", False),
        (0, "bet", "Kh", False),
        (1, "call", "Kh", True),
    ]
    assert (view["name"], view["bot"], view["holes"]) == ("leduc", 1, ["Ks", "Qs"]) and view["steps"][4][
        "to_call_bb"
    ] == 4
    seen = hand.decision(4)
    grid = node_view(open_named("leduc"), "crc/r", "Kh").grid
    assert grid is not None and seen["grid"] == grid and seen["ranges"] == []
    assert seen["taken"] == 1 and grid.actions[1].label == "call"
    assert seen["held"]["cards"] == "Qs"
    column = grid.cells.names.index("Qs")
    assert seen["held"]["frequencies"] == [row[column] for row in grid.cells.frequencies]
    with pytest.raises(ValueError, match="other bets"):
        hand.what_if(4, 75)


def test_an_open_decision_and_a_hidden_hand() -> None:
    hand = SmallHand.of(
        "kuhn", parse_match_state("MATCHSTATE:0:0:c:Qs|", load_game("kuhn.limit.2p"))._replace(position=1)
    )
    steps = hand.view()["steps"]
    assert [step["taken"] for step in steps] == ["check", ""]
    assert hand.decision(0)["held"] is not None
    assert hand.decision(1)["held"] is None and hand.decision(1)["taken"] is None


def test_bots_without_a_strategy_file_are_refused() -> None:
    with pytest.raises(ConfigError, match="from which formula does not play"):
        SmallHand.of("formula", parse_match_state("MATCHSTATE:0:0:c:Qs|", LEDUC))
