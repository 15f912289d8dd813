"""Equities by the independent chip model, against the thesis, its direct recursion and each other."""

from itertools import count

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from limpet.strategies.shortstacks.icm import (
    MOST_BY_SETS,
    _sets,
    all_ins,
    equities,
    equities_by_clocks,
    equities_of_many,
)
from tests.oracles import direct_icm
from tests.oracles.direct_icm import calls_needed, direct_equities

DON_STACKS = [3000, 2500, 2000, 1800, 1500, 1300, 1100, 900, 600, 300]
"""Ten players of a double-or-nothing tournament, which pays five equal prizes."""


def test_section_5_3_1_three_players() -> None:
    assert equities([5000, 3000, 2000], [50, 30, 20]) == pytest.approx([38.392857, 32.75, 28.857143], abs=5e-7)


def test_section_5_3_1_four_players_three_prizes() -> None:
    expected = [0.336032, 0.294881, 0.235873, 0.133214]
    assert equities([4000, 3000, 2000, 1000], [0.5, 0.3, 0.2]) == pytest.approx(expected, abs=5e-7)


def test_section_5_3_2_double_or_nothing_of_ten() -> None:
    expected = [0.157867, 0.145918, 0.129869, 0.121992, 0.108310, 0.097818, 0.086152, 0.073270, 0.051622, 0.027182]
    assert equities(DON_STACKS, [0.2] * 5) == pytest.approx(expected, abs=5e-7)


def test_section_5_1_1_doubling_up_in_a_double_or_nothing() -> None:
    assert equities([1500] * 6, [0.2] * 5) == pytest.approx([1 / 6] * 6, abs=1e-15)
    assert equities([3000, 1500, 1500, 1500, 1500, 0], [0.2] * 5) == pytest.approx([0.2] * 5 + [0], abs=1e-15)


def test_section_5_3_operation_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    calls, prize = count(), direct_icm.mean_prize
    monkeypatch.setattr(direct_icm, "mean_prize", lambda *arguments: (next(calls), prize(*arguments))[1])
    expected = direct_equities(DON_STACKS, [0.2] * 5)
    sets, sizes = _sets(10, 5)
    assert next(calls) == calls_needed(10, 5) == 36_100
    assert sum(10 - sizes) == 2_560  # pairs of a set and a player outside of it
    assert len(sets) == 386
    assert equities(DON_STACKS, [0.2] * 5) == pytest.approx(expected, abs=1e-15)


STACKS = st.lists(st.integers(0, 20_000), min_size=1, max_size=7).filter(any)
PAYOUTS = st.lists(st.integers(0, 1000), min_size=1, max_size=7)


@settings(max_examples=300, deadline=None)
@given(STACKS, PAYOUTS)
@example([0, 700, 700, 20_000], [5, 0, 2, 1])
def test_equals_the_direct_recursion(stacks: list[int], payouts: list[int]) -> None:
    payouts = payouts[: len(stacks)]
    expected = direct_equities([float(stack) for stack in stacks], payouts)
    result = equities(stacks, payouts)
    scale = max(sum(payouts), 1)
    assert result / scale == pytest.approx(np.array(expected) / scale, abs=1e-12)
    live = sum(stack > 0 for stack in stacks)
    assert sum(result) == pytest.approx(sum(payouts[:live]), rel=1e-12)
    assert equities([stack * 0.37 for stack in stacks], payouts) == pytest.approx(result, rel=1e-12, abs=1e-12)
    assert all(
        abs(result[i] - result[j]) <= 1e-12 * scale
        for i, own in enumerate(stacks)
        for j, other in enumerate(stacks)
        if own == other
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=9), PAYOUTS)
def test_integration_equals_the_sets(stacks: list[float], payouts: list[int]) -> None:
    prizes = np.array(payouts[: len(stacks)], float)
    shares = np.array(stacks) / sum(stacks)
    expected = equities(stacks, prizes)
    assert equities_by_clocks(shares, prizes) == pytest.approx(expected, rel=1e-11, abs=1e-12 * max(prizes.sum(), 1))


@pytest.mark.parametrize("players", [MOST_BY_SETS, MOST_BY_SETS + 1, 200])
def test_many_players(players: int) -> None:
    prizes = np.arange(20, 0, -1.0)[:players]
    assert equities([1500] * players, prizes) == pytest.approx([prizes.sum() / players] * players, rel=1e-12)
    stacks = np.arange(players, dtype=float) ** 2  # the first has busted
    result = equities(stacks, prizes)
    assert result[0] == 0 and (np.diff(result) > 0).all()
    assert result.sum() == pytest.approx(prizes[: players - 1].sum(), rel=1e-12)


def test_both_methods_meet_where_the_sets_end() -> None:
    generator = np.random.default_rng(1)
    stacks, prizes = generator.integers(1, 10_000, MOST_BY_SETS).astype(float), np.arange(MOST_BY_SETS, 0, -1.0)
    expected = equities(stacks, prizes)
    assert equities_by_clocks(stacks / stacks.sum(), prizes) == pytest.approx(expected, rel=1e-12)


def test_a_row_does_not_depend_on_the_other_rows() -> None:
    generator = np.random.default_rng(2)
    stacks = generator.integers(0, 3, (137, 6)) * generator.integers(1, 5000, (137, 6)) + [1, 0, 0, 0, 0, 0]
    many = equities_of_many(stacks, [5, 3, 2])
    assert all((many[row] == equities(stacks[row], [5, 3, 2])).all() for row in range(len(stacks)))


def test_extreme_stacks() -> None:
    assert equities([1e308, 1e308, 0], [2, 1]) == pytest.approx([1.5, 1.5, 0])
    result = equities([1e12, 1, 1], [50, 30, 20])
    assert result == pytest.approx([50, 25, 25], rel=1e-9)
    assert equities([7], [10]).tolist() == [10]
    assert equities([7, 0, 0], [5, 3, 2]).tolist() == [5, 0, 0]


def test_prizes_of_those_who_bust_in_this_hand() -> None:
    stacks = [[6000, 0, 0, 0, 4000], [10_000, 0, 0, 0, 0], [2000, 3000, 3000, 2000, 0]]
    before = [3000, 2000, 1000, 2000, 2000]
    worth = equities_of_many(stacks, [50, 30, 10, 6, 4], before)
    assert worth[0] == pytest.approx([42, 8, 4, 8, 38]), "equal stacks share the third and fourth prize"
    assert worth[1] == pytest.approx([50, 46 / 3, 4, 46 / 3, 46 / 3])
    assert worth[2, 4] == 4
    assert worth.sum(axis=1) == pytest.approx([100, 100, 100])
    out_before = [3000, 0, 1000, 2000, 4000]
    assert equities_of_many([[6000, 0, 0, 0, 4000]], [50, 30, 20], out_before)[0] == pytest.approx([42, 0, 0, 20, 38])


@pytest.mark.parametrize(
    "stacks, payouts, message",
    [
        ([1, -1], [1], "a stack of -1 does not fit"),
        ([1, float("nan")], [1], "a stack of nan does not fit"),
        ([1, 1], [float("inf")], "a payout of inf does not fit"),
        ([1, 1], [3, 2, 1], "3 payouts are more than the 2 players"),
        ([0, 0], [1], "no player has chips"),
        ([1, 1], [], "at least one prize"),
    ],
)
def test_refuses(stacks: list[float], payouts: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        equities(stacks, payouts)


# --- Bubble factors: what an all-in costs and gains in prize money


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
