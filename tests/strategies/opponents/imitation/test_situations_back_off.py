"""Levels of situations: a single level is Dirichlet smoothing, a second one corrects the first."""

import numpy as np
import pytest

from limpet.strategies.opponents.imitation.situations import Samples, fit

ALONE = np.eye(2)
EQUAL = np.full(3, 1 / 3)


def samples(*rows: tuple[tuple[str, ...], int, int]) -> Samples:
    situations, kinds, cells = zip(*rows, strict=True)
    return Samples(list(situations), list(kinds), list(cells), [1.0] * len(rows), [EQUAL] * len(rows))


def test_one_level_adds_the_weight_as_decisions_that_went_as_expected() -> None:
    made = samples(*[(("s",), 2, 0)] * 3, *[(("s",), 0, 0)] * 1)
    rows = fit(made, [ALONE], 6.0).scaled(np.full((3, 2), 1 / 3), ("s",))
    assert rows[:, 0] == pytest.approx(np.array([1 + 2, 2, 3 + 2]) / 10)
    assert rows[:, 1] == pytest.approx(EQUAL), "no hand of this cell was seen"


def test_cells_that_are_averaged_over_teach_each_other() -> None:
    made = samples(*[(("s",), 2, 0)] * 8)
    rows = fit(made, [np.full((2, 2), 0.5)], 0.0).scaled(np.full((3, 2), 1 / 3), ("s",))
    assert rows == pytest.approx(np.array([[0, 0], [0, 0], [1, 1]]))


def test_an_unknown_situation_is_played_as_the_coarser_one() -> None:
    made = samples(*[(("all", "a"), 0, 0)] * 50, *[(("all", "b"), 2, 0)] * 50)
    levels = fit(made, [ALONE, ALONE], 1.0)
    start = np.full((3, 2), 1 / 3)
    assert levels.scaled(start, ("all", "c"))[:, 0] == pytest.approx([0.5, 0, 0.5], abs=0.01)
    assert levels.scaled(start, ("all", "a"))[0, 0] > 0.95 < levels.scaled(start, ("all", "b"))[2, 0]


def test_what_is_illegal_stays_so() -> None:
    made = samples(*[(("s",), 1, 0)] * 5)
    start = np.array([[0.0, 0.0], [0.5, 0.5], [0.5, 0.5]])
    assert fit(made, [ALONE], 1.0).scaled(start, ("s",))[0].tolist() == [0, 0]


def test_a_level_that_tells_nothing_new_changes_nothing() -> None:
    """Each level corrects what the levels before it expect, and is not counted a second time."""
    decisions: list[tuple[tuple[str, ...], int, int]] = [(("all", "same"), kind, 0) for kind in [2] * 90 + [0] * 30]
    start = np.full((3, 2), 1 / 3)
    one = fit(samples(*((names[:1], kind, column) for names, kind, column in decisions)), [ALONE], 1.0).scaled(
        start, ("all",)
    )
    two = fit(samples(*decisions), [ALONE, ALONE], 1.0).scaled(start, ("all", "same"))
    assert one[:, 0] == pytest.approx([0.25, 0, 0.75], abs=0.01)
    assert two == pytest.approx(one, abs=0.01)
