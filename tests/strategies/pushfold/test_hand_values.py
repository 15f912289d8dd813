"""Sampled values of all-ins beside the tree, against exact ones."""

import numpy as np

from limpet.strategies.cards.isomorphism import class_number
from limpet.strategies.cards.preflop_matrix import class_matrix
from limpet.strategies.pushfold.hand_values import AllIn, all_in_gain
from limpet.strategies.pushfold.orders import orders
from limpet.strategies.pushfold.profile import ordered_range
from limpet.strategies.pushfold.spot import Spot


def test_one_opponent_is_answered_as_exact_equities_have_it() -> None:
    pushes = ordered_range(orders().push, 60)
    matrix = class_matrix()
    equity = (matrix.equities * matrix.pairs) @ pushes / (matrix.pairs @ pushes)
    gain = all_in_gain(Spot((10.0, 10.0)), (0.5, 1.0), 1, [AllIn(0, pushes)])
    exact = 20 * equity - 10 + 1  # the pot's share less the stack, and the big blind that folding loses
    assert np.abs(gain - exact).max() < 1.2  # bb; a few standard errors of 1,000 deals for a pot of 20
    assert np.abs(gain - exact).mean() < 0.3


def test_a_fourth_player_wins_most_with_aces_and_goes_all_in_less_for_prizes() -> None:
    opponents = [AllIn(seat, ordered_range(orders().push, 40)) for seat in range(3)]
    paid = (0.0, 0.0, 0.0, 0.5, 1.0)
    chips, prizes = (
        all_in_gain(Spot((10.0,) * 5, payouts=payouts), paid, 4, opponents) for payouts in (None, (1.0, 1.0, 1.0))
    )
    assert chips.argmax() == prizes.argmax() == class_number("AA")
    assert chips[class_number("72o")] < 0
    assert (prizes > 0).sum() < (chips > 0).sum()
