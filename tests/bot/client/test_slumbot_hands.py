"""Slumbot's action strings both ways, and what its answers say of cards and chips."""

import random

import msgspec
import pytest

from limpet.bot.client.slumbot_hands import (
    SlumbotAnswer,
    action_text,
    betting_text,
    hand_answer,
    hand_record,
    match_state,
    read_action,
    read_betting,
    slumbot_game,
)
from limpet.dealer.table.deals import Deals
from limpet.protocol.errors import ProtocolError
from limpet.protocol.messages import MatchState
from limpet.protocol.state import CALL, FOLD, State, raise_to


@pytest.mark.parametrize(
    ("slumbot", "acpc"),
    [
        ("", ""),
        ("b200", "r200"),
        ("ck/", "cc/"),
        ("b300c/kb400", "r300c/cr700"),
        ("b250b900c/b600c/kk/b2000f", "r250r900c/r1500c/cc/r3500f"),
        ("cb300c/kk/kb300c/kb1200c", "cr300c/cc/cr600c/cr1800c"),
        ("b20000c///", "r20000c///"),
        ("b200c/kb19800c//", "r200c/cr20000c//"),
        ("b20000f", "r20000f"),
    ],
)
def test_bets_of_the_street_are_read_as_bets_of_the_hand_and_written_back(slumbot: str, acpc: str) -> None:
    state = read_betting(slumbot)
    assert state.betting == acpc
    assert betting_text(state) == slumbot


@pytest.mark.parametrize("text", ["b20000c", "b20000c/", "b200c", "b200c/kk"])
def test_slashes_at_the_end_may_be_missing(text: str) -> None:
    assert betting_text(read_betting(text)).startswith(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("k", "not legal after ''"),
        ("cc", "not legal after 'c'"),
        ("b150", "not legal"),
        ("b20001", "not legal"),
        ("b200c/c", "not legal after 'b200c/'"),
        ("b200c/b50", "not legal"),
        ("b200ck", "other places"),
        ("b/200", "no action"),
        ("b200/c", "other places"),
        ("b200fk", "goes on after the hand's end"),
        ("x", "no action"),
        ("b", "no action"),
        ("b9999999999", "no action|not legal"),
    ],
)
def test_what_cannot_be_played_is_refused(text: str, why: str) -> None:
    with pytest.raises(ProtocolError, match=why):
        read_betting(text)


def test_a_check_and_a_call_are_told_apart() -> None:
    assert action_text(read_betting(""), CALL) == "c"
    assert action_text(read_betting("c"), CALL) == "k"
    assert action_text(read_betting("b200c/b100"), raise_to(500)) == "b300"
    assert action_text(read_betting("b200"), FOLD) == "f"
    with pytest.raises(ProtocolError):
        read_action(read_betting("b200"), "k")


def random_hand(chance: random.Random) -> State:
    state = State.start(slumbot_game())
    while not state.finished:
        bounds = state.raise_bounds()
        kind = chance.choice("ccrrf" if state.can_fold else "ccr")
        if kind == "r" and bounds is not None:
            state = state.apply(raise_to(min(bounds[0] + int(chance.expovariate(1 / 400)), bounds[1])))
        else:
            state = state.apply(FOLD if kind == "f" else CALL)
    return state


def test_any_hand_comes_back_as_it_was_from_both_seats() -> None:
    chance, deals = random.Random(37), Deals(slumbot_game(), 37)
    for hand in range(300):
        deal, state = next(deals), random_hand(chance)
        dealt = state.with_board(deal.board)
        for position in range(2):
            answer = hand_answer(MatchState(position, hand, dealt, deal.holes), "")
            answer = msgspec.json.decode(msgspec.json.encode(answer), type=SlumbotAnswer)
            match = match_state(answer, hand)
            record = hand_record(match, answer, "bot")
            assert (match.state, match.position, match.holes) == (dealt, position, deal.holes)
            assert all(before.board == deal.board[: len(before.board)] for before in match.state.path())
            assert record.names[position] == "bot" and record.values[position] == answer.winnings


SHOWN = SlumbotAnswer(
    action="b300c/kk/kb500c/kk", client_pos=0, hole_cards=["Ah", "5c"], board=["Kd", "9h", "2s", "7c", "7d"],
    bot_hole_cards=["Qs", "Qd"], winnings=-800, won_pot=-1600,
)  # fmt: skip


def test_a_lost_showdown_is_recorded_with_the_opponents_cards() -> None:
    match = match_state(SHOWN, 12)
    record = hand_record(match, SHOWN, "me")
    expected = "STATE:12:r300c/cc/cr800c/cc:Ah5c|QsQd/Kd9h2s/7c/7d:-800|800:me|Slumbot"
    assert str(record) == expected


def test_cards_that_are_not_shown_stay_out_of_the_record() -> None:
    hidden = msgspec.structs.replace(SHOWN, bot_hole_cards=None)
    assert ":Ah5c|/Kd9h2s/7c/7d:-800|800:" in str(hand_record(match_state(hidden, 0), hidden, "me"))


@pytest.mark.parametrize(
    "change",
    [
        {"winnings": 800},
        {"winnings": None},
        {"board": ["Kd", "9h", "2s", "7c"]},
        {"hole_cards": ["Ah"]},
        {"hole_cards": ["Ah", "Kd"]},
        {"hole_cards": ["Ah", "Xx"]},
        {"client_pos": 2},
        {"action": "b300c/kk/kb500c/k"},
    ],
)
def test_an_answer_that_contradicts_itself_is_refused(change: dict[str, object]) -> None:
    answer = msgspec.structs.replace(SHOWN, **change)
    with pytest.raises(ProtocolError):
        hand_record(match_state(answer, 0), answer, "me")
