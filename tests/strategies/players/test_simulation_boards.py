"""Boards that are drawn, and when a simulation may stop."""

from pathlib import Path

import numpy as np
import pytest

from limpet.protocol.state import CALL, FOLD, Action, State
from limpet.strategies.cards.equity import range_equity
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.players.simple import Call
from limpet.strategies.players.simulation import FEWEST, RIVERS, Policies, completed_boards, is_settled, simulate
from tests.strategies.opponents.test_profile_situation import HUNL, after

CALLS = Call(HUNL, Call.Options(), Path("."))


def draws() -> np.random.Generator:
    return np.random.default_rng(1)


@pytest.mark.parametrize(
    ("betting", "asked", "drawn"), [("cc/", 40, 40), ("cc/", 10**6, 49 * RIVERS), ("cc/cc/", 100, 48)]
)
def test_boards_are_different_and_begin_with_the_states(betting: str, asked: int, drawn: int) -> None:
    state = after(betting)
    boards = completed_boards(state, asked, draws())
    assert len(set(boards)) == len(boards) == drawn
    assert all(board[: len(state.board)] == state.board and len(set(board)) == 5 for board in boards)


def test_a_river_has_one_board() -> None:
    state = after("cc/cc/cc/")
    assert completed_boards(state, 40, draws()) == [state.board]


def simulated(state: State, boards: int, late: bool) -> tuple[np.ndarray, int]:
    live = ~hand_space().blocked(state.board)
    actions = (FOLD, CALL) if state.can_fold else (CALL, Action("r", 700))
    return simulate(state, actions, live / live.sum(), Policies((CALLS, CALLS)), boards, 0.0, draws(), lambda: late)


def test_calling_a_turn_bet_is_worth_its_equity_over_all_rivers() -> None:
    """Against a player who checks down, over all 48 rivers, the sampled value is the exact one."""
    state = after("cc/cc/r300")
    values, boards = simulated(state, 48, False)
    live = ~hand_space().blocked(state.board)
    equity = range_equity(HUNL, state.board, live.astype(float))
    exact = equity * (state.pot + state.to_call) - state.to_call
    assert not values[0].any()
    if boards == 48:
        assert values[1][live] == pytest.approx(exact[live])
    else:  # it stopped early, with little error
        assert np.abs(values[1] - exact)[live].mean() < 100


def test_the_fewest_boards_are_played_however_late() -> None:
    assert simulated(after("cc/"), 48, True)[1] == FEWEST
    assert simulated(after("cc/"), 2, True)[1] == 2


def test_clear_actions_end_it() -> None:
    draws = np.random.default_rng(0)
    noise = draws.normal(size=(16, 2, 100))
    clear = noise + np.array([0.0, 50.0])[None, :, None]
    weights = np.full(100, 16.0)
    assert is_settled(clear, weights, alike=0.1)
    assert not is_settled(noise, weights, alike=0.1)
    assert is_settled(noise, weights, alike=10.0)
    assert is_settled(np.zeros((16, 2, 100)), weights, alike=0.0)
