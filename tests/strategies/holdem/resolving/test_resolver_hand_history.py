"""A hand's history is a chain of states that never changes: lines of play share what they have in common."""

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.cards import parse_cards
from limpet.protocol.state import CALL, FOLD, State, raise_to
from limpet.strategies.base.strategy import Rows
from limpet.strategies.holdem.resolving.beliefs import likelihood, on_board, starting_ranges, updated
from limpet.strategies.holdem.resolving.resolver import HandHistory

HUNL = load_game("holdem.nolimit.2p.reverse_blinds")
BOARD = parse_cards("KsTh7s4d2c")


def rows_of(state: State) -> Rows:
    """Rows that depend on the hand: fold where that is legal, call, and a raise to four times the bet."""
    actions = ([FOLD] if state.can_fold else []) + [CALL, raise_to(4 * state.max_spent)]
    weights = np.random.default_rng(len(state.betting)).random((len(actions), 1326))
    return Rows(tuple(actions), (weights / weights.sum(axis=0)).astype(np.float32))


def test_ranges_follow_each_action_by_bayes() -> None:
    start = State.start(HUNL)
    flop = start.apply(CALL).apply(CALL).with_board(BOARD)
    called = HandHistory.start(start).after(rows_of(start), start.apply(CALL), 0.1)
    checked = called.after(rows_of(called.state), flop, 0.0)
    ranges = starting_ranges()
    for state, mix in ((start, 0.1), (called.state, 0.0)):
        ranges = updated(ranges, state.actor, likelihood(rows_of(state), state, CALL, ranges[state.actor]), mix)
    np.testing.assert_allclose(checked.ranges, on_board(ranges, flop.board))
    assert checked.before is called and called.before is not None and called.before.before is None
    np.testing.assert_array_equal(called.before.ranges, starting_ranges())


def test_two_lines_share_their_past() -> None:
    start = State.start(HUNL)
    history = HandHistory.start(start)
    for action in (raise_to(400), CALL, CALL):
        history = history.after(rows_of(history.state), history.state.apply(action).with_board(BOARD), 0.0)
    flop = start.apply(raise_to(400)).apply(CALL).with_board(BOARD)
    assert history.on_path(list(flop.apply(CALL).path())) is history
    shared = history.on_path([past.with_board(flop.board) for past in flop.apply(raise_to(1600)).path()])
    assert shared is history.before and shared is not None and shared.state == flop
    other = flop.with_board(BOARD[::-1])
    before = history.on_path([past.with_board(other.board) for past in other.path()])
    assert before is not None and before.state.betting == "r400"
    assert history.on_path(list(State.start(HUNL).path())) is not None


def test_a_history_cannot_be_changed() -> None:
    history = HandHistory.start(State.start(HUNL))
    with pytest.raises(AttributeError):
        history.subgame = None  # type: ignore[misc]
