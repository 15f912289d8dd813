"""Sampled values of all-ins beside the tree, against exact ones."""

import numpy as np
import pytest

from limpet.strategies.cards.isomorphism import class_number
from limpet.strategies.cards.preflop_matrix import class_matrix
from limpet.strategies.shortstacks.decisions import DEALS, all_in_gain, sampled_deals
from limpet.strategies.shortstacks.evaluation import StopCheck
from limpet.strategies.shortstacks.spot import ShortSpot, ordered_range, strength_order


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
