"""The draw player: legal rows in every state, the same play over TCP and in one process, and never late."""

from pathlib import Path
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.gamedef import DRAW
from limpet.protocol.state import Action, State
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.draw.draw_file import legal_actions
from limpet.strategies.draw.player import DrawPlayer
from limpet.strategies.draw.second_round import FEWEST
from tests.strategies.base.resolve_players import Clock
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
    ("betting", "rows", "solve"),
    [
        *((betting, rows, QUICK) for betting, rows in (("", 3), ("r300", 3), ("r300r900", 2), ("r300c/", 32), ("r300c/d1", 32))),
        *((*asked, solve) for asked in (("r300c/d1d3/", 3), ("cc/d0d5/cr200", 4)) for solve in (QUICK, QUICK | {"gadget": "resolve"})),
    ],
)  # fmt: skip
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


def timed(folder: Path, monkeypatch: pytest.MonkeyPatch, step: float, **solve: object) -> tuple[DrawPlayer, Clock]:
    """A player with a bank, all of whose clocks are one that goes on by `step` seconds at each look."""
    thinking = player(folder, bank={"hands": 100, "seconds_a_hand": 1}, solve=QUICK | solve)
    clock = Clock(step)
    monkeypatch.setattr("limpet.strategies.draw.player.time", SimpleNamespace(monotonic=clock))
    thinking.rounds.clock = clock
    return thinking, clock


def test_what_a_decision_took_is_taken_from_the_bank(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    thinking, clock = timed(folder, monkeypatch, 0.01)
    assert thinking.bank is not None
    saved, began = thinking.bank.saved, clock.now
    thinking.rows(states_after("cc/d2d2/"))
    assert thinking.report() == {"solved": 1, "stored": 0}
    # The first look at the clock begins the decision.
    assert saved - thinking.bank.saved == pytest.approx(clock.now - began - clock.step)
    saved = thinking.bank.saved = 2.0
    thinking.start_hand(HandKey(1, 1, 0))
    assert thinking.bank.saved == pytest.approx(saved + 0.8)  # eight tenths of the seconds of a hand


def test_with_an_empty_bank_the_stored_solution_plays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules of the solve would allow a minute."""
    thinking, _ = timed(folder, monkeypatch, 0.01)
    assert thinking.bank is not None
    thinking.bank.saved = 0.0
    thinking.rows(states_after("cc/d2d2/"))
    assert thinking.report() == {"solved": 0, "stored": 1}


@pytest.mark.parametrize(("iterations", "solved"), [(FEWEST // 2, 0), (FEWEST, 1)])
def test_a_solve_that_was_cut_short_is_played_if_it_had_enough_iterations(
    folder: Path, monkeypatch: pytest.MonkeyPatch, iterations: int, solved: int
) -> None:
    """The clock is looked at once before each iteration."""
    thinking, _ = timed(folder, monkeypatch, 1.0, seconds=iterations + 0.5, iterations=1000, target=0)
    thinking.bank = None
    thinking.rows(states_after("cc/d2d2/"))
    assert thinking.report() == {"solved": solved, "stored": 1 - solved}
