"""What rules see of a state, and which rule is taken."""

import pytest

from limpet.configs.loading import load_game
from limpet.protocol.cards import parse_cards
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.opponents.profile import ProfileRule, When, fits, opponents_bets, rule_for, seen
from tests.protocol import walks

HUNL = load_game("holdem.nolimit.2p.reverse_blinds")
THREE = load_game("holdem.nolimit.3p")
BOARD = tuple(parse_cards("Ks8h4d2c9s"))


def after(betting: str, game: GameDef = HUNL, board: tuple[int, ...] = BOARD) -> State:
    return walks.after(game, betting, board)


def test_a_bet_is_a_share_of_the_pot_before_it() -> None:
    assert seen(after("r300c/r600")).bet == 0.5
    assert seen(after("r300c/r600")).facing == "bet"
    assert seen(after("r300c/r600r1500")).facing == "raise"
    assert seen(after("r300c/r600r1500")).bet == 0.75  # 900 to call, and 1,200 in the pot without them
    assert seen(after("r300c/")).facing == "nothing" and seen(after("r300c/")).bet == 0


def test_pots_behind_leave_out_what_there_is_to_call() -> None:
    assert seen(after("r300c/")).behind == pytest.approx((20000 - 300) / 600)
    assert seen(after("r300c/r20000")).behind == pytest.approx(19700 / 600)


def test_position_and_aggressor() -> None:
    """Heads-up position 1 has the button: it acts first before the flop and last after it."""
    out, last = seen(after("r300c/")), seen(after("r300c/c"))
    assert (out.position, out.aggressor) == ("out", "other")
    assert (last.position, last.aggressor) == ("in", "me")
    assert seen(after("cc/")).aggressor == "nobody"
    assert seen(after("r300c/r600c/")).aggressor == "me"
    assert seen(after("r300c/r600")).aggressor == "me", "a bet on this street is no earlier one"


def test_three_players() -> None:
    facts = seen(after("ccc/cc", THREE))
    assert (facts.players, facts.position) == (3, "in")
    assert seen(after("fcc/", THREE)).players == 2


def test_the_opponents_bets_add_up() -> None:
    assert opponents_bets(after("r300c/")) == 0
    assert opponents_bets(after("r300c/r600")) == 1.0
    assert opponents_bets(after("r300c/r900c/r2700")) == 3.0
    assert opponents_bets(after("r300c/cr600")) == 1.0 and opponents_bets(after("r300c/cr600c/")) == 1.0
    assert opponents_bets(after("r300c/cr600c/c")) == 0


def test_the_first_rule_that_fits() -> None:
    small = ProfileRule(("call",), ((1.0,),), "small", When(facing=("bet", "raise"), bet=(0, 0.4)))
    large = ProfileRule(
        ("call",), ((1.0,),), "large", When(facing="bet", bet=(0.4, None), behind=(1, None), players=(2, 2))
    )
    rest = ProfileRule(("call",), ((1.0,),), "rest")
    names = [rule_for((small, large, rest), seen(after(f"r300c/{bet}"))).name for bet in ("r400", "r600", "", "r540")]
    assert names == ["small", "large", "rest", "large"]
    assert not fits(When(streets=("turn",)), seen(after("r300c/")))
    assert not fits(When(position="in"), seen(after("r300c/"))) and fits(When(position="out"), seen(after("r300c/")))
    assert not fits(When(aggressor="me"), seen(after("r300c/")))
