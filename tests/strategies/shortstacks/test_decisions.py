"""Real betting before the flop as a push-or-fold tree reads it."""

from limpet.strategies.shortstacks.decisions import posted_all_in, read_betting
from tests.protocol.walks import after
from tests.strategies.players.short_games import short_game

FOUR = short_game((1000,) * 4)
"""Positions: small blind 0, big blind 1, first seat 2, button 3."""


def test_raises_and_calls_are_all_in_from_a_third_of_what_can_be_lost() -> None:
    assert read_betting(after(FOUR, "r333")) == ([], {2}, True)
    assert read_betting(after(FOUR, "r334")) == ([2], set(), False)
    assert read_betting(after(FOUR, "r300 r600")) == ([3], {2}, True)
    deep = short_game((1000, 1000, 9000))
    assert read_betting(after(deep, "r400"))[0] == [2]  # nobody else has more than 1,000


def test_calls_are_limps_until_somebody_is_all_in() -> None:
    assert read_betting(after(FOUR, "c f")) == ([], {2}, False)
    assert read_betting(after(FOUR, "c r1000 c")) == ([3, 0], {2}, False)
    tiny = short_game((1000, 1000, 250))
    assert read_betting(after(tiny, "c"))[0] == [2]


def test_blinds_that_take_a_stack() -> None:
    assert posted_all_in(after(short_game((40, 1000, 1000, 1000)), "")) == [0]
