"""Rows worked out again are those that were played by, or it is noticed."""

from itertools import islice

import numpy as np
import pytest

from limpet.dealer.matches.inprocess import play_hands
from limpet.dealer.table.deals import Deals
from limpet.protocol.state import CALL, RAISE
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.records import Recomputed, played_row
from limpet.strategies.base.strategy import Rows


def test_every_decision_of_a_match_comes_out_again() -> None:
    leduc = load_bot("leduc")
    strategy = leduc.build()
    agents = [Agent(strategy, 1), Agent(load_bot("random", leduc.game).build(), 2)]
    again, other_seed = Recomputed(strategy, 1), Recomputed(strategy, 7)
    decisions = noticed = 0
    for hand in play_hands(leduc.game, agents, islice(Deals(leduc.game, 3), 200), fixed_button=True):
        for after in islice(hand.state.path(), 1, None):
            state = after.parent
            assert state is not None and after.action is not None
            state = state.with_board(hand.state.board)
            if state.actor != 0:
                continue
            asked = (hand.hand, state, 0, hand.holes[0], after.action)
            row = again.played(*asked)
            assert row.actions[row.chosen] == after.action
            dealt = row.probabilities.sum(axis=0)
            assert ((np.abs(dealt - 1) < 1e-12) | (dealt == 0)).all()
            decisions += 1
            try:
                other_seed.played(*asked)
            except ValueError as error:
                assert "the strategy and the seed" in str(error)
                noticed += 1
    assert decisions > 300
    assert noticed > 10


def test_rows_without_the_played_action_are_refused() -> None:
    rows = Rows((CALL,), np.ones((1, 3), np.float32))
    with pytest.raises(ValueError, match="r was played, but the rows know only c"):
        played_row(rows, np.zeros(3, np.bool_), RAISE)
