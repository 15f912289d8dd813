"""A hand looked into: what the bot played stands in its grids, ranges follow the cards, and other bets get answers."""

import pytest

from limpet.bot.browser.views.inside import LookedInto, SmallHand
from limpet.bot.browser.views.strategy_tree import node_view
from limpet.configs.loading import ConfigError, load_game
from limpet.protocol.messages import parse_match_state
from limpet.strategies.holdem.blueprint.named import open_named

GAME = load_game("holdem.nolimit.2p.reverse_blinds")
HAND = "MATCHSTATE:0:7:r300c/cr450c/cc/r1500c:KsQs|AhTd/Kh7h2d/4c/9s"


@pytest.fixture(scope="module")
def looked() -> LookedInto:
    return LookedInto.of("blueprint", parse_match_state(HAND, GAME))


def test_every_decision_of_both_players_is_there(looked: LookedInto) -> None:
    view = looked.view()
    assert [step["taken"] for step in view["steps"]] == [
        "raise 3 bb", "call", "check", "bet 1.5 bb", "call", "check", "check", "bet 10.5 bb", "call",
    ]  # fmt: skip
    assert [step["is_bot"] for step in view["steps"]] == [False, True, True, False, True, True, False, True, False]


def test_a_decision_has_both_ranges_without_the_board(looked: LookedInto) -> None:
    decision = looked.decision(7)
    assert decision["step"]["street"] == "river" and decision["taken"] is None  # no action of the bot's own menu
    assert looked.decision(8)["taken"] == 1
    assert len(decision["ranges"]) == 2
    for grid in (decision["grid"], *decision["ranges"]):
        assert not any(card in name for name in grid.combos.names for card in ("Kh", "7h", "2d", "4c", "9s"))
    assert decision["held"]["cards"] == "KsQs"
    assert sum(decision["held"]["frequencies"]) == pytest.approx(1, abs=1e-3)
    assert sum(share or 0 for share in decision["equity"]) == pytest.approx(1, abs=2e-3)


def test_values_are_known_on_every_street_and_say_how(looked: LookedInto) -> None:
    first, flop, last = looked.decision(0), looked.decision(2), looked.decision(8)
    assert [decision["grid"].measure for decision in (first, flop, last)] == ["EV", "EV", "EV"]
    assert "25,165,824 deals" in first["how"] and 0.01 < first["error"] < 0.2
    assert "sampled deals" in flop["how"] and 0.05 < flop["error"] < 1
    assert "played out whole" in last["how"] and last["error"] == 0
    fold = last["grid"].actions[0]
    assert (fold.label, fold.ev) == ("fold", 0.0) and last["held"]["evs"][0] == 0.0


def test_another_bet_has_an_answer_and_values(looked: LookedInto) -> None:
    tried = looked.what_if(7, 75)
    assert tried["words"] == "bet 6.75 bb"
    assert tried["answer"]["step"]["betting"] == "r300c/cr450c/cc/r1125"
    assert not tried["answer"]["step"]["is_bot"] and tried["values"] is not None
    assert looked.decision(7)["step"]["taken"] == "bet 10.5 bb"  # the hand itself stays as it was


def test_an_open_decision_is_shown_without_the_others_cards() -> None:
    line = "MATCHSTATE:1:7:r300c/c:|AhTd/Kh7h2d"
    match = parse_match_state(line, GAME)
    looked = LookedInto.of("blueprint", match._replace(position=0))
    steps = looked.view()["steps"]
    assert steps[-1]["taken"] == "" and not steps[-1]["is_bot"]
    assert looked.decision(1)["held"] is None and looked.decision(3)["held"] is not None


def test_a_solving_bot_says_what_it_solved() -> None:
    looked = LookedInto.of("limpet-fast", parse_match_state(HAND, GAME))
    river = looked.decision(7)
    assert looked.decisions[7].iterations == 160
    assert "solved after a raise to 3 bb and a call, on the flop" in river["step"]["source"]
    assert river["grid"].measure == "EV"


def test_other_games_are_refused() -> None:
    game = load_game("leduc.limit.2p")
    with pytest.raises(ConfigError, match="heads-up hold'em"):
        LookedInto.of("leduc", parse_match_state("MATCHSTATE:0:1:r:Ks|", game))


# --- Hands of small games are looked into by what the strategy file does


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
