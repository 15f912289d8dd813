"""Values of a best response on the river equal those of the exact solver's best response in the same betting."""

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.protocol.state import CALL, FOLD, Action, State, raise_to
from limpet.strategies.base.strategy import HandStrategy, Rows
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.holdem.resolving.beliefs import likelihood, on_board
from limpet.strategies.holdem.resolving.subgame import FixedPlay
from limpet.strategies.opponents.limited import LimitedResponse
from limpet.strategies.opponents.opponent_model import Frequencies, ModelHand
from tests.strategies.opponents.test_opponent_model import HUNL, RIVER, Fixed, Raiser

SPACE = game_hands(HUNL)
LIVE = ~SPACE.blocked(RIVER.board)
POT = raise_to(RIVER.max_spent + RIVER.pot)


class Caller(HandStrategy):
    """Checks and bets the pot equally often with every hand, and folds or calls equally often to a bet."""

    def rows(self, state: State) -> Rows:
        actions: tuple[Action, ...] = (FOLD, CALL) if state.can_fold else (CALL, POT)
        return Rows(actions, np.full((2, 1), 0.5, np.float32), np.zeros(1326, np.int16))


def response(known: HandStrategy, limit: int = 20000) -> LimitedResponse:
    model = ModelHand(known, 1 - RIVER.actor, Frequencies(5), likelihood)
    return LimitedResponse(known, model, 0, limit)


def without_doubt(known: HandStrategy) -> NDArray[np.float64]:
    """Return float64 ``[hand]``: what a best response to the known rows wins on the river beyond folding."""
    weights = np.where(LIVE, 1.0, 0.0)
    total = SPACE.compatible(weights)
    value = response(known)._values_after(RIVER, weights)
    return np.divide(value, total, out=np.zeros(1326), where=total > 0) + RIVER.spent[RIVER.actor]


def test_on_the_river_values_are_those_of_the_exact_best_response() -> None:
    hands = (Fixed(), Caller()) if RIVER.actor == 0 else (Caller(), Fixed())
    ranges = on_board(np.full((2, 1326), 1 / 1326), RIVER.board)
    exact = FixedPlay(RIVER, ranges, hands).hand_values(RIVER.actor, best=True) * HUNL.big_blind
    assert without_doubt(Caller())[LIVE] == pytest.approx(exact[LIVE] + RIVER.spent[RIVER.actor], abs=0.01 * RIVER.pot)


def test_a_raise_by_a_player_who_raises_every_bet_all_in_costs_the_bet() -> None:
    actions, values = response(Raiser(), limit=1000).values(RIVER, [POT])
    assert actions == (CALL, POT)
    assert values[1][LIVE] == pytest.approx(np.full(LIVE.sum(), -float(RIVER.pot)), rel=0.05)


def test_a_large_bluff_needs_evidence() -> None:
    """The opponent was never seen to answer such a bet, and folds half of its hands to it by the known strategy."""
    large = raise_to(RIVER.max_spent + 10 * RIVER.pot)
    actions, values = response(Caller()).values(RIVER, [large])
    weakest = np.flatnonzero(LIVE)[values[0][LIVE].argmin()]
    assert actions[values[:, weakest].argmax()] == CALL


def test_a_raise_has_the_lesser_of_what_it_wins_if_the_opponent_folds_rarely_and_often() -> None:
    weights = np.where(LIVE, 1.0, 0.0)
    asked = response(Caller())
    bet = RIVER.apply(POT)
    rare, often = (asked._answered(bet, weights, rows) for rows in asked.model.doubtful_rows(bet))
    _, values = asked.values(RIVER, [POT])
    found = (values[1] - RIVER.spent[RIVER.actor]) * SPACE.compatible(weights)
    assert (rare[LIVE] < often[LIVE] - 1).any() and (often[LIVE] < rare[LIVE] - 1).any()  # bluffs, and strong hands
    np.testing.assert_allclose(found[LIVE], np.minimum(rare, often)[LIVE], rtol=1e-9)
