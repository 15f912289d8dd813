"""Values one bet ahead: a raise that is raised again counts as called."""

import numpy as np
import pytest

from limpet.protocol.state import raise_to
from limpet.strategies.opponents.opponent_model import best_rows, exact_likelihood
from limpet.strategies.players.lbr import BetAhead
from tests.strategies.opponents.test_opponent_model import HUNL, RIVER, Raiser


def test_a_raise_that_is_raised_again_counts_as_called() -> None:
    bet = raise_to(RIVER.max_spent + RIVER.pot)
    called = BetAhead(HUNL, RIVER.actor, Raiser(), exact_likelihood, None).values(RIVER, [bet])[1]
    assert called[1].max() == pytest.approx(2 * RIVER.pot, rel=0.02)


def test_the_first_of_equal_actions_is_taken() -> None:
    rows = best_rows(np.array([[1.0, 0.0], [1.0, 2.0]]))
    assert rows.tolist() == [[1, 0], [0, 1]]
