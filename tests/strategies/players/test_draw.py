"""The draw player: legal rows in every state, the same play over TCP and in one process, and never late."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.phases import DRAW
from limpet.protocol.state import Action, State
from limpet.strategies.draw.playing.draw_game import legal_actions
from limpet.strategies.players.draw import DrawPlayer
from limpet.strategies.strategy import HandKey
from tests.strategies.players.draw_strategies import made_up_strategy

GAME = load_game("draw5-pl-hu")
QUICK = {"buckets": 20, "removal": False, "iterations": 30, "seconds": 60}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("draw") / "made-up"
    made_up_strategy(folder)
    return folder


def player(folder: Path, **options: object) -> DrawPlayer:
    given = {"strategy": "./made-up", "solve": QUICK} | options
    return DrawPlayer(GAME, msgspec.convert(given, DrawPlayer.Options), folder.parent)


def states_after(betting: str) -> State:
    """Return the state of a betting string such as ``r300c/d1d3/``."""
    state = State.start(GAME)
    for item in betting.replace("/", "").replace("d", " d").replace("r", " r").replace("c", " c").split():
        state = state.apply(Action(item[0], int(item[1:] or 0)))
    assert state.betting == betting
    return state


@pytest.mark.parametrize(
    ("betting", "rows"),
    [("", 3), ("r300", 3), ("r300r900", 2), ("r300c/", 32), ("r300c/d1", 32), ("r300c/d1d3/", 3), ("cc/d0d5/cr200", 4)],
)
@pytest.mark.parametrize("solve", [QUICK, QUICK | {"gadget": "resolve"}])
def test_rows_are_legal_and_sum_to_one(folder: Path, betting: str, rows: int, solve: dict[str, object]) -> None:
    state = states_after(betting)
    answer = player(folder, solve=solve).start_hand(HandKey(1, 0, state.actor)).rows(state)
    assert len(answer.actions) == rows and all(state.is_legal(action) for action in answer.actions)
    if state.phase is not DRAW:
        assert answer.actions == legal_actions(state)
    np.testing.assert_allclose(answer.probabilities.sum(axis=0), 1, rtol=1e-5)
    assert answer.classes is not None and len(answer.classes) == 2_598_960
    assert answer.classes.max() < answer.probabilities.shape[1]


def test_without_time_the_stored_solution_plays(folder: Path) -> None:
    late = player(folder, solve=QUICK | {"seconds": 1e-9})
    state = states_after("cc/d2d2/c")
    stored = player(folder, second_round="stored")
    np.testing.assert_array_equal(late.rows(state).probabilities, stored.rows(state).probabilities)
    assert late.report() == {"solved": 0, "stored": 1}


def test_both_positions_have_their_own_solve_and_it_is_kept(folder: Path) -> None:
    thinking = player(folder)
    first, second = states_after("cc/d2d2/"), states_after("cc/d2d2/c")
    kept = thinking.rows(first).probabilities
    thinking.rows(second)
    assert thinking.rows(first).probabilities is kept
    assert thinking.report()["solved"] == 2


def test_another_game_is_refused(folder: Path) -> None:
    options = msgspec.convert({"strategy": "./made-up"}, DrawPlayer.Options)
    with pytest.raises(ValueError, match="other rules"):
        DrawPlayer(load_game("draw5-tiny"), options, folder.parent)
    classes = msgspec.convert({"strategy": "./made-up", "solve": {"buckets": 0}}, DrawPlayer.Options)
    with pytest.raises(ValueError, match="removal"):
        DrawPlayer(GAME, classes, folder.parent)
