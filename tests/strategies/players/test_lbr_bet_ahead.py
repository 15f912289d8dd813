"""Values one bet ahead: a raise that is raised again counts as called."""

from pathlib import Path

import numpy as np
import pytest

from limpet.strategies.opponents.opponent_model import best_rows
from limpet.strategies.players.lbr import LocalBestResponse, LocalBestResponseHand
from tests.strategies.opponents.test_opponent_model import HUNL, RIVER, Raiser


def test_a_raise_that_is_raised_again_counts_as_called() -> None:
    player = LocalBestResponse(HUNL, LocalBestResponse.Options(opponent="call", sizes=(1.0,)), Path())
    actions, called = LocalBestResponseHand(player, RIVER.actor, Raiser()).values(RIVER)
    assert actions[1].size == RIVER.max_spent + RIVER.pot
    assert called[1].max() == pytest.approx(2 * RIVER.pot, rel=0.02)


def test_the_first_of_equal_actions_is_taken() -> None:
    rows = best_rows(np.array([[1.0, 0.0], [1.0, 2.0]]))
    assert rows.tolist() == [[1, 0], [0, 1]]
