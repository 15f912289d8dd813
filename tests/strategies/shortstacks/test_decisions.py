"""Real betting before the flop as a push-or-fold tree reads it."""

import numpy as np
import pytest

from limpet.strategies.cards.isomorphism import class_number
from limpet.strategies.cards.preflop_tables import class_matrix
from limpet.strategies.shortstacks.decisions import DEALS, all_in_gain, posted_all_in, read_betting, sampled_deals
from limpet.strategies.shortstacks.evaluation import StopCheck
from limpet.strategies.shortstacks.spot import ShortSpot, ordered_range, strength_order
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


# --- Sampled values of all-ins beside the tree, against exact ones


def test_one_opponent_is_answered_as_exact_equities_have_it() -> None:
    pushes = ordered_range(strength_order(), 60)
    matrix = class_matrix()
    equity = (matrix.equities * matrix.pairs) @ pushes / (matrix.pairs @ pushes)
    gain = all_in_gain(ShortSpot((10.0, 10.0)), (0.5, 1.0), 1, {0: pushes})
    exact = 20 * equity - 10 + 1  # the pot's share less the stack, and the big blind that folding loses
    assert np.abs(gain - exact).max() < 1.2  # bb; a few standard errors of 1,000 deals for a pot of 20
    assert np.abs(gain - exact).mean() < 0.3


def test_a_fourth_player_wins_most_with_aces_and_goes_all_in_less_for_prizes() -> None:
    opponents = dict.fromkeys(range(3), ordered_range(strength_order(), 40))
    paid = (0.0, 0.0, 0.0, 0.5, 1.0)
    chips, prizes = (
        all_in_gain(ShortSpot((10.0,) * 5, payouts=payouts), paid, 4, opponents) for payouts in (None, (1.0, 1.0, 1.0))
    )
    assert chips.argmax() == prizes.argmax() == class_number("AA")
    assert chips[class_number("72o")] < 0
    assert (prizes > 0).sum() < (chips > 0).sum()


class StopAfter(StopCheck):
    """A stop that comes when it has been asked so often."""

    def __init__(self, times: int) -> None:
        self.left = times

    def __call__(self) -> bool:
        self.left -= 1
        return self.left <= 0


def test_deals_end_at_the_stop_and_the_first_ones_tell_aces_from_the_worst_hand() -> None:
    opponents = dict.fromkeys(range(8), ordered_range(strength_order(), 40))
    stop = StopAfter(2)
    gain = all_in_gain(ShortSpot((10.0,) * 9), (0.0,) * 7 + (0.5, 1.0), 8, opponents, stop)
    assert stop.left == 0
    assert gain[class_number("AA")] > 0 > gain[class_number("72o")]


@pytest.mark.parametrize("players", [1, 3, 8])
def test_batches_hold_all_deals_and_no_card_twice(players: int) -> None:
    batches = list(sampled_deals([ordered_range(strength_order(), 20)] * players))
    assert sum(len(dealt) for dealt, _ in batches) == DEALS
    for _, own in batches:
        live = (own >= 0).sum(axis=1)
        # Cards of the board and of the opponents leave this many cards for a hand.
        assert set(live) == {(47 - 2 * players) * (46 - 2 * players) // 2}
