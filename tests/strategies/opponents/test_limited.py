"""Play within a limit never puts more chips into the pot than that."""

import numpy as np
import pytest

from limpet.protocol.state import CALL, FOLD, State, raise_to
from limpet.strategies.base.strategy import HandKey, Rows
from limpet.strategies.holdem.resolving.beliefs import likelihood
from limpet.strategies.opponents.limited import ENOUGH, Budget, LimitedResponse, raises_within, within
from limpet.strategies.opponents.opponent_model import CALL_KIND, KINDS, Frequencies, ModelHand
from limpet.strategies.players.simple import Call, Raise
from tests.strategies.opponents.test_opponent_model import HUNL, RIVER


def test_raises_beyond_the_limit_are_calls_and_calls_beyond_it_folds() -> None:
    state = State.start(HUNL)
    actions = (FOLD, CALL, raise_to(200), raise_to(600))
    rows = Rows(actions, np.array([[0.1], [0.2], [0.3], [0.4]], np.float32), np.zeros(1326, np.int16))
    limited = within(rows, state, 500)
    assert limited.actions == (FOLD, CALL, raise_to(200))
    assert limited.probabilities[:, 0] == pytest.approx([0.1, 0.6, 0.3])
    faced = state.apply(raise_to(600))
    limited = within(Rows((FOLD, CALL, raise_to(1800)), rows.probabilities[:3], rows.classes), faced, 500)
    assert limited.actions == (FOLD,)
    assert within(rows, state, 600) is rows


@pytest.mark.parametrize("limit", [600, 5000, 20000])
def test_no_line_of_play_exceeds_the_limit(limit: int) -> None:
    caller = Call(HUNL, Call.Options(), None).start_hand(HandKey(1, 0, 0))  # type: ignore[arg-type]
    board = (0, 5, 14, 23, 40)
    model = ModelHand(caller, 0, Frequencies(5), likelihood)
    hand = LimitedResponse(caller, model, 3, limit)
    checked = State.start(HUNL)
    for _ in range(6):
        checked = checked.apply(CALL).with_board(board)
    for state in (checked.apply(CALL), checked.apply(raise_to(500)), checked.apply(raise_to(3000))):
        rows = hand.rows(state)
        assert state.actor == 1
        assert rows.dense(np.zeros(1326, np.bool_)).sum(axis=0) == pytest.approx(np.ones(1326))
        for action, row in zip(rows.actions, rows.probabilities, strict=True):
            if row.any():
                assert state.apply(action).spent[1] <= max(limit, state.spent[1])


def test_answers_to_each_size_of_bet_earn_the_next() -> None:
    caller = Call(HUNL, Call.Options(), None).start_hand(HandKey(1, 0, 0))  # type: ignore[arg-type]
    frequencies = Frequencies(5)
    largest = []
    for _ in range(3):
        model = ModelHand(caller, 1 - RIVER.actor, frequencies, likelihood)
        actions = LimitedResponse(caller, model, 3, 20000).rows(RIVER).actions
        largest.append(actions[-1].size)
        bet = RIVER.apply(raise_to(largest[-1]))
        for _ in range(ENOUGH):
            frequencies.observe(bet, CALL_KIND, np.eye(KINDS)[CALL_KIND])
    assert largest == [RIVER.max_spent + 2 * RIVER.pot, RIVER.max_spent + 4 * RIVER.pot, 20000]


def test_a_hand_that_waits_calls_cheap_bets_before_its_street_with_any_cards() -> None:
    raiser = Raise(HUNL, Raise.Options(), None).start_hand(HandKey(1, 0, 0))  # type: ignore[arg-type]
    model = ModelHand(raiser, 1, Frequencies(5), likelihood)
    waiting = LimitedResponse(raiser, model, 2, 20000, waits=True)
    raised = State.start(HUNL).apply(raise_to(300))
    assert raised.actor == 0 and waiting.rows(raised).actions == (CALL,)
    dear = State.start(HUNL).apply(raise_to(2200))
    assert waiting.rows(dear) == within(raiser.rows(dear), dear, 20000)
    assert LimitedResponse(raiser, model, 2, 20000).rows(raised).actions != (CALL,)


def test_raises_that_are_considered_end_at_the_limit() -> None:
    assert RIVER.pot == 200 and RIVER.max_spent == 100
    assert raises_within(RIVER, (0.5, 4.0), 500) == [raise_to(200), raise_to(500)]
    assert raises_within(RIVER, (0.5,), 199) == []


# --- The account: exploiting hands never lose more together than the stake and the allowances


def test_whatever_hands_lose_the_promise_holds() -> None:
    random = np.random.default_rng(2)
    for seed in range(50):
        budget, won = Budget(allowance=10, least=2000, stake=20_000), 0.0
        for hand in range(1, 2000):
            limit = budget.limit()
            lost_all = random.random() < 0.1 + seed / 60
            net = -limit if lost_all else float(random.integers(-limit, limit + 1)) if limit else 0.0
            budget.settle(limit > 0, net)
            won += net
            assert budget.chips >= 0
            assert won >= -(20_000 + 10 * hand)


def test_a_match_of_any_length_loses_no_more_than_its_bound() -> None:
    random = np.random.default_rng(3)
    for stake, most in ((0, 3000), (20_000, 30_000), (20_000, 5000)):
        budget = Budget(allowance=50, least=2000, stake=stake, most=most)
        for hand in range(1, 3000):
            limit = budget.limit()
            net = -limit if random.random() < 0.7 else float(random.integers(0, limit + 1))
            budget.settle(limit > 0, net)
            assert budget.allowed == min(stake + 50 * hand, most)
            assert budget.won >= -budget.allowed
        assert budget.won < 0


def test_nothing_is_risked_where_too_little_is_left() -> None:
    budget = Budget(allowance=10, least=2000, stake=1999)
    assert budget.limit() == 0
    budget.settle(False, -500)  # the blueprint's hands are none of the account's
    assert budget.chips == 2009
    assert budget.limit() == 2000
