"""Tables from boards drawn at random: their standard error, and what is too few."""

import numpy as np
import pytest

from limpet.strategies.cards.showdown_counting import (
    random_boards,
    sampled_tables,
    standard_error_bound,
    tables_from_counts,
)
from limpet.strategies.cards.showdown_tables import ORDERINGS, shipped_tables


@pytest.mark.slow
def test_errors_of_sampled_tables_are_within_the_standard_error() -> None:
    number = 128
    sampled, exact = sampled_tables(number, seed=1), shipped_tables()
    assert sampled.boards == number
    assert sampled.standard_error == standard_error_bound(number) == pytest.approx(0.689 / number**0.5, rel=1e-3)
    assert (sampled.triple_weights == exact.triple_weights).all()
    for name in {ordering.array for ordering in ORDERINGS}:
        errors = (getattr(sampled, name) - getattr(exact, name))[exact.triple_weights > 0].astype(np.float64)
        assert np.abs(errors).max() < 6 * sampled.standard_error
        assert np.sqrt((errors**2).mean()) < sampled.standard_error


def test_boards_are_fixed_by_the_seed() -> None:
    boards = random_boards(7, 0, 50)
    assert (boards[:40] == random_boards(7, 0, 40)).all()
    assert (boards != random_boards(8, 0, 50)).any() and (boards != random_boards(7, 1, 50)).any()
    assert (np.diff(boards, axis=1) > 0).all() and boards.min() >= 0 and boards.max() < 52


def test_too_few_boards_are_refused() -> None:
    nothing = np.zeros((4, 169, 169, 169), dtype=np.int64)
    with pytest.raises(
        ValueError, match="1 boards are too few: 4,825,860 triples of classes were never dealt; ask for more"
    ):
        tables_from_counts(nothing, 1, 0.5)
    with pytest.raises(ValueError, match="0 boards are too few"):
        sampled_tables(0, seed=1)
