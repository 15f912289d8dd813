"""Rows of a rule: legal actions, sizes, guards and the style."""

import numpy as np
import pytest

from limpet.protocol.cards import parse_cards
from limpet.protocol.state import CALL, FOLD, Action, State
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.opponents.profile import Guards, ProfileRule, ProfileStyle
from limpet.strategies.players.profile import (
    assumed_equity,
    guarded,
    legal_action,
    legal_rows,
    plan_rows,
)
from tests.strategies.opponents.test_profile_situation import BOARD, after

FREE = Guards()
PLAIN = ProfileStyle()
BET = after("r300c/r600")  # 300 to call, 900 in the pot


@pytest.mark.parametrize(
    ("column", "state", "wanted"),
    [
        ("fold", BET, "f"),
        ("fold", after("r300c/"), "c"),
        ("1.2 bet", BET, "r960"),  # raised by 1.2 times the bet of 300
        ("2 bet", BET, "r1200"),
        ("0.1 bet", BET, "r900"),  # moved up to the least raise
        ("0.5 pot", BET, "r1200"),
        ("1 pot", after("r300c/"), "r900"),
        ("1 bet", after("r300c/"), "r900"),  # where nobody has bet, the pot stands for the bet
        ("min", BET, "r900"),
        ("all-in", BET, "r20000"),
        ("2 bet", after("r300c/r9000"), "r20000"),  # above the stack
        ("1 pot", after("r300c/r20000"), "c"),
    ],
)
def test_columns(column: str, state: State, wanted: str) -> None:
    assert str(legal_action(column, FREE, state)) == wanted


def test_columns_of_the_same_action_are_added() -> None:
    rule = ProfileRule(("fold", "call", "1 pot", "all-in"), ((0.1, 0.2, 0.3, 0.4), (1, 0, 0, 0)))
    actions, table = legal_rows(rule, FREE, PLAIN, after("r300c/r20000"))
    assert actions == (FOLD, CALL)
    assert table == pytest.approx(np.array([[0.1, 1], [0.9, 0]]))
    actions, table = legal_rows(rule, FREE, PLAIN, after("r300c/"))
    assert [str(action) for action in actions] == ["c", "r900", "r20000"]
    assert table[0] == pytest.approx([0.3, 1])


def test_style_moves_odds() -> None:
    rule = ProfileRule(("fold", "call", "1 pot"), ((0.4, 0.4, 0.2), (0, 1, 0)))
    loose = legal_rows(rule, FREE, ProfileStyle(loose=1), BET)[1][:, 0]
    assert loose[0] / loose[1] == pytest.approx(0.25) and loose[2] / loose[1] == pytest.approx(0.5)
    wild = legal_rows(rule, FREE, ProfileStyle(aggressive=1), BET)[1][:, 0]
    assert wild[0] / wild[1] == pytest.approx(1) and wild[2] / wild[1] == pytest.approx(2)
    assert (legal_rows(rule, FREE, ProfileStyle(loose=-1, aggressive=1), BET)[1][:, 1] == [0, 1, 0]).all()


def test_overbets_are_cut_and_large_raises_are_all_in() -> None:
    assert str(legal_action("all-in", Guards(overbet=1.25), after("cc/"))) == "r350"
    assert str(legal_action("3 pot", Guards(overbet=1.25), after("cc/"))) == "r350"
    short = after("r300c/r6000")
    assert str(legal_action("0.5 pot", FREE, short)) == "r12000"
    assert str(legal_action("0.5 pot", Guards(all_in=0.5), short)) == "r20000"
    assert str(legal_action("0.5 pot", Guards(all_in=0.5, overbet=0.8), short)) == "r15600"


def test_nobody_folds_who_is_committed() -> None:
    state = after("r9000c/cr19900")
    state = state.apply(CALL).with_board(BOARD).apply(Action("r", 20000))
    assert guarded(Guards(committed=0.25), state)[0] == 0
    assert guarded(Guards(committed=0.25), BET)[0] > 1
    always = plan_rows(ProfileRule(("fold",), ((1.0,),)), Guards(committed=0.25), PLAIN, state)
    assert (always(state.board).dense(hand_space().blocked(BOARD))[0] == 0).all()


def test_the_price_is_asked_against_the_assumed_range() -> None:
    assert guarded(Guards(pot_odds=1.0, assumed=0.6), BET) == (0.25, 0.6)
    rows = plan_rows(ProfileRule(("fold",), ((1.0,),)), Guards(pot_odds=1.0), PLAIN, BET)(BET.board)
    live = ~hand_space().blocked(BET.board)
    equity = assumed_equity(tuple(sorted(BET.board)), 0.6)
    assert (rows.dense(~live)[1][live] == (equity >= 0.25)[live]).all()
    assert rows.column(hand_space().index(parse_cards("KdKc"))).tolist() == [0, 1]
    assert rows.column(hand_space().index(parse_cards("5c3s"))).tolist() == [1, 0]


def test_the_assumed_range_is_the_strongest_hands() -> None:
    board = tuple(sorted(BOARD))
    wide, narrow = (assumed_equity(board, share) for share in (1.0, 0.1))
    live = ~hand_space().blocked(board)
    assert wide[live].mean() == pytest.approx(0.5)
    assert (narrow[live] <= wide[live] + 1e-9).all()
