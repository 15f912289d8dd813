"""Gains that are kept between changes of ranges, against gains computed anew."""

import numpy as np
import pytest

from limpet.strategies.shortstacks.algorithms import OrderedRanges, affects
from limpet.strategies.shortstacks.game import Game
from limpet.strategies.shortstacks.spot import ShortSpot, slots
from tests.oracles.push_or_fold_twin import random_showdowns, random_tables

CLASSES = 3
ORDERS = (np.arange(CLASSES), np.arange(CLASSES)[::-1])


def test_kept_gains_are_those_of_the_ranges_at_hand() -> None:
    tables = random_tables(random_showdowns(CLASSES, 1), 2)
    game = Game(ShortSpot((9.0, 2.5, 6.0, 4.0, 5.0), payouts=(5.0, 3.0, 2.0)), tables)
    ranges = OrderedRanges(game, ORDERS, {}, 2)
    random = np.random.default_rng(3)
    all_slots = slots(game.players)
    for _ in range(25):
        ranges.resize(all_slots[random.integers(len(all_slots))], int(random.integers(CLASSES + 1)))
        anew = OrderedRanges(game, ORDERS, {})
        for slot, size in ranges.sizes.items():
            anew.resize(slot, size)
        for slot in all_slots:
            assert ranges.gains(slot, 0.5) == pytest.approx(anew.gains(slot, 0.5), abs=1e-6)
    assert ranges.evaluations < anew.evaluations * 25


def test_an_overcall_does_not_see_later_calls_and_a_push_sees_all_behind() -> None:
    assert not affects((0, 2), (0, 1, 3)) and not affects((0, 2, 3), (0, 1, 3)) and affects((0, 1), (0, 2, 3))
    assert not affects((0, 1, 2), (0, 2)) and affects((0, 2, 3), (0, 1))
    assert affects((1, 2, 3), (0,)) and not affects((0, 1), (1,)) and not affects((0,), (0,))
