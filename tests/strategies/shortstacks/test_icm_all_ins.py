"""Bubble factors: what an all-in costs and gains in prize money."""

import numpy as np
import pytest

from limpet.strategies.shortstacks.icm import all_ins, equities


def test_section_5_1_1_break_even_call_in_a_double_or_nothing() -> None:
    result = all_ins([1500] * 6, [0.2] * 5)
    assert result.equity[0] == pytest.approx(1 / 6)
    assert result.wins[0, 1] == pytest.approx(1 / 5)
    assert result.loses[0, 1] == 0
    assert result.break_even[0, 1] == pytest.approx(5 / 6)
    assert result.bubble_factors[0, 1] == pytest.approx(5)


def test_chips_are_money_where_the_winner_takes_all() -> None:
    result = all_ins([5000, 3000, 2000], [1])
    off_diagonal = ~np.eye(3, dtype=bool)
    assert result.bubble_factors[off_diagonal] == pytest.approx(1)
    assert np.isnan(result.bubble_factors.diagonal()).all()


def test_each_entry_is_the_equity_of_the_stacks_after_the_all_in() -> None:
    result = all_ins([5000, 3000, 2000], [50, 30, 20])
    assert result.wins[1, 0] == pytest.approx(equities([2000, 6000, 2000], [50, 30, 20])[1])
    assert result.loses[0, 1] == pytest.approx(equities([2000, 6000, 2000], [50, 30, 20])[0])
    assert result.wins[0, 2] == pytest.approx(equities([7000, 3000, 0], [50, 30])[0])
    assert result.loses[1, 0] == 20, "who busts gets the prize of the last live place"


def test_where_nothing_is_at_stake() -> None:
    result = all_ins([500, 500, 0], [1, 1])
    assert np.isnan(result.bubble_factors).all()
    rich = all_ins([900, 90, 10], [1, 1])
    assert rich.bubble_factors[1, 2] > 1
