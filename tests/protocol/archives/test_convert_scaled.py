"""Hands at other blinds are the same hands with other chips."""

import random
from dataclasses import replace

import pytest

from limpet.protocol.archives.convert import scaled
from limpet.protocol.settlement import settle
from tests.protocol.random_hands import random_hand


@pytest.mark.parametrize("times", [2, 10])
def test_scaling_up_and_back_is_the_identity(times: int) -> None:
    source = random.Random(times)
    for number in range(50):
        hand = random_hand(source, number, uneven=True)
        game = hand.state.game
        table = replace(game, blind=tuple(times * chips for chips in game.blind), stack=(10**6,) * 6)
        large = scaled(hand, table)
        assert large is not None
        assert large.state.game.stack == tuple(times * chips for chips in game.stack)
        assert large.values == tuple(times * chips for chips in hand.values) == settle(large.state, large.holes)
        back = scaled(large, game)
        assert back == hand and [state.spent for state in back.state.path()] == [s.spent for s in hand.state.path()]


def test_other_blinds_and_broken_chips_are_not_scaled() -> None:
    hand = random_hand(random.Random(1), 0, uneven=True)
    game = hand.state.game
    assert scaled(hand, replace(game, blind=(100, 300, 0, 0, 0, 0))) is None
    odd = hand._replace(state=hand.state._replace(game=replace(game, stack=(9999, *game.stack[1:]))))
    assert scaled(odd, replace(game, blind=(25, 50, 0, 0, 0, 0))) is None
