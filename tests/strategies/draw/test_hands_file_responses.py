"""Best responses to a made-up strategy file."""

from pathlib import Path

import numpy as np

from limpet.strategies.draw.draw_file import DrawStrategyFile
from limpet.strategies.draw.hands import CanonicalDraws, draw_chances
from limpet.strategies.solvers.round_solver import Ordered
from tests.oracles.draw_file_responses import FilePlay, best_responses, stored_rows
from tests.oracles.draw_values import game_value, second_rounds
from tests.strategies.players.draw_strategies import made_up_strategy


def test_a_best_response_wins_more_than_the_strategy_from_itself(tmp_path: Path) -> None:
    made_up_strategy(tmp_path / "made-up")
    file = DrawStrategyFile.open(tmp_path / "made-up")
    showdown, play, rows = Ordered(file.manifest.buckets), FilePlay(file), stored_rows(file)
    assert rows.shape == (180, 86, file.manifest.buckets)
    np.testing.assert_allclose(play.draw_strategy(1, 2).sum(axis=1), 1, rtol=1e-5)
    rounds = second_rounds(file.trees.second, showdown, (rows, rows))
    value = game_value(file.trees.first, CanonicalDraws(draw_chances(file.buckets)), (play, play), rounds, 0)
    small, big = best_responses(file, showdown)
    assert small > value + 1 and big > -value + 1  # random bets and draws lose a blind and more
