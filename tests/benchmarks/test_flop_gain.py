"""The benchmark of flops alone: the blueprint in its own place wins nothing more than it does."""

import pytest
from flop_gain import Flop

from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.holdem.measures.full_ranges import build_without_clock, sampled_spots
from limpet.strategies.players.resolve import Resolve


@pytest.mark.slow
def test_the_blueprint_wins_from_itself_what_the_walk_over_runouts_says() -> None:
    player = build_without_clock(load_bot("limpet"))
    assert isinstance(player, Resolve)
    spots = sampled_spots((player.blueprint, player.blueprint), 1, seed=1)
    spot = next(spot for spot in spots if not spot.state.finished)
    flop, won = Flop(spot, player, runouts=7), []
    for position in (0, 1):
        hand = player.blueprint.start_hand(HandKey(1, spot.hand, position))
        won.append(flop.won(position, hand, spot.state))
        chips = float(flop.values[position, 0].sum())
        assert won[-1] == pytest.approx(chips / flop.met / spot.state.game.big_blind, abs=1e-4)
    assert abs(won[0]) > 0.01
    assert sum(won) == pytest.approx(0, abs=1e-4)
