"""Rows moved to frequencies: the frequencies come out, and classes keep their order."""

import numpy as np
import pytest

from limpet.strategies.opponents.opponent_model import nearest_rows


def test_the_range_takes_actions_with_the_wanted_frequencies() -> None:
    random = np.random.default_rng(1)
    rows = random.dirichlet(np.ones(4), 50).T.astype(np.float32)
    weights = random.random(50)
    target = np.array([0.1, 0.6, 0.25, 0.05, 0.0])
    moved = nearest_rows(rows, weights, np.array([0, 1, 2, 3]), target)
    assert moved @ weights / weights.sum() == pytest.approx(target[:4], abs=2e-3)
    assert moved.sum(axis=0) == pytest.approx(np.ones(50), abs=1e-5)


def test_odds_between_hands_stay_so_that_those_that_folded_more_still_do() -> None:
    rows = np.array([[0.9, 0.5, 0.1], [0.1, 0.5, 0.9]], np.float32)
    moved = nearest_rows(rows, np.ones(3), np.array([0, 1]), np.array([0.2, 0.8, 0, 0, 0]))
    assert moved[0, 0] > moved[0, 1] > moved[0, 2]


def test_an_action_never_taken_can_become_certain_and_missing_kinds_go_to_the_nearest() -> None:
    rows = np.array([[1.0, 1.0], [0.0, 0.0]], np.float32)
    moved = nearest_rows(rows, np.ones(2), np.array([0, 1]), np.array([0.0, 0.0, 0.0, 1.0, 0.0]))
    assert moved[1] == pytest.approx([1, 1], abs=1e-3)


def test_an_empty_range_leaves_the_rows_nearly_as_they_are() -> None:
    rows = np.array([[0.25, 1.0], [0.75, 0.0]], np.float32)
    assert nearest_rows(rows, np.zeros(2), np.array([0, 1]), np.full(5, 0.2)) == pytest.approx(rows, abs=0.01)
