"""The size of a solve and the time that it takes."""

from pathlib import Path

import numpy as np
import pytest

from limpet.strategies.holdem.resolving.time_bank import CALLS, LAID_OUT, Pace, entries
from limpet.strategies.trees.betting import build_tree
from limpet.strategies.trees.tree_size import board_counts
from tests.oracles.tree_sizes import exact_size, street_counts
from tests.strategies.base.resolve_players import TRUNK, called_to, resolver


def test_the_pace_is_what_was_measured() -> None:
    pace = Pace(1e-9)
    assert pace.seconds(1e6 - CALLS, 10) == pytest.approx(1e-3 * (10 + LAID_OUT))
    pace.measured(5e5, 0, 3.0)  # it never began
    assert pace.seconds_an_entry == 1e-9
    pace.measured(5e5, 40, 2.0)
    assert pace.seconds(5e5, 40) == pytest.approx(2.0)
    before = pace.seconds_an_entry
    pace.measured(5e5, 40, 4.0)
    assert before < pace.seconds_an_entry < 2 * before
    quick = Pace(1.0)
    quick.measured(5e5, 1, 0.01)
    assert quick.seconds(5e5, 1) == pytest.approx(0.01)


@pytest.mark.parametrize("round_", [2, 3])
def test_entries_are_those_of_the_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, round_: int) -> None:
    root = called_to(resolver(tmp_path, monkeypatch), round_)
    tree = build_tree(root, TRUNK)
    expected = exact_size(street_counts(tree), board_counts(len(root.board))).actions
    assert entries(root, TRUNK) == expected
    assert entries(root, TRUNK, expected) == expected
    assert entries(root, TRUNK, expected - 1) == np.inf


def test_the_largest_solve_takes_all_the_time() -> None:
    pace = Pace(3e-9)
    assert pace.seconds(pace.largest(0.7, 40), 40) == pytest.approx(0.7)
