"""The known equilibria of three-player Kuhn: every member is one exactly, none beyond the ranges is, and files are told."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kuhn3p import facts
from numpy.typing import NDArray

from limpet.configs.loading import load_game
from limpet.strategies.abstraction.betting import BettingTree, build_tree
from limpet.strategies.solvers.deals import enumerate_deals
from limpet.strategies.solvers.tabular import nash_conv, values
from tests.oracles.kuhn3p_family import Bets, Member, fit, read_bets, situation_rows
from tests.strategies.base.strategy_files import random_strategy

GAME = load_game("kuhn.limit.3p")
TREE, DEALS = build_tree(GAME), enumerate_deals(GAME)
SHARE = st.floats(0, 1)


def bets_table(tree: BettingTree, bets: Bets) -> NDArray[np.float64]:
    """Return the strategy table with these bets, the inverse of `read_bets`."""
    table = np.empty(96)
    for position, situation, start in situation_rows(tree):
        of_cards = bets[position, :, situation]
        table[start : start + 8] = np.column_stack([1 - of_cards, of_cards]).reshape(-1)
    return table


@st.composite
def members(draw: st.DrawFn) -> Member:
    """Any member."""
    sub_family = draw(st.sampled_from((1, 2, 3)))
    b11, b23 = draw(SHARE) / 4, 0.0
    if sub_family == 1:
        c11, b21 = 0.0, b11 + draw(SHARE) * (0.25 - b11)
        room = 3 * b11 + 4 * b21
    elif sub_family == 2:
        c11, b21 = 0.5, draw(SHARE) * min(b11, 0.5 - 2 * b11)
        b23 = draw(SHARE) * (b11 - b21) / (2 * (1 - b21))
        room = 4 * b11 + 3 * b21
    else:
        c11 = draw(st.floats(0.001, 0.999)) * min(0.5, (2 - b11) / (3 + 4 * b11))
        b21, room = b11, 7 * b11
    b32 = draw(SHARE) * (2 + room) / 4
    low = max(0.0, 0.5 - b32)
    high = max(low, min(1.0, 0.5 - b32 + room / 4))  # no lower, not even by rounding
    return Member(c11, b11, b21, b23, b32, low + draw(SHARE) * (high - low), draw(SHARE))


def gap(bets: Bets) -> float:
    return nash_conv(TREE, DEALS, bets_table(TREE, bets))


@given(members())
def test_members_are_exact_equilibria_with_the_published_values_and_recognised(member: Member) -> None:
    bets = member.bets()
    assert ((bets >= 0) & (bets <= 1)).all()
    table = bets_table(TREE, bets)
    assert nash_conv(TREE, DEALS, table) < 1e-12
    assert values(TREE, DEALS, table) == pytest.approx(member.values, abs=1e-12)
    found = fit(read_bets(TREE, table))
    assert found.distance < 1e-9
    assert found.member.values == pytest.approx(member.values, abs=1e-9)


@pytest.mark.parametrize(
    "beyond",
    [
        Member(0.0, 0.2, 0.1, 0.0, 0.4, 0.3, 0.0),  # b11 > b21 without c11
        Member(0.0, 0.1, 0.3, 0.0, 0.4, 0.3, 0.0),  # b21 > 1/4
        Member(0.5, 0.1, 0.2, 0.0, 0.4, 0.3, 0.0),  # b21 > b11 with c11
        Member(0.5, 0.22, 0.15, 0.0, 0.4, 0.3, 0.0),  # b21 > 1/2 - 2 b11
        Member(0.5, 0.2, 0.05, 0.15, 0.4, 0.3, 0.0),  # b23 too large
        Member(0.25, 0.1, 0.15, 0.0, 0.4, 0.3, 0.0),  # b21 != b11 with c11 in between
        Member(0.25, 0.28, 0.28, 0.0, 0.4, 0.3, 0.0),  # both > 1/4
        Member(0.47, 0.24, 0.24, 0.0, 0.4, 0.3, 0.0),  # c11 > (2 - b11) / (3 + 4 b11)
        Member(0.0, 0.1, 0.1, 0.0, 0.7, 0.0, 0.0),  # b32 too large
        Member(0.0, 0.1, 0.1, 0.0, 0.2, 0.2, 0.0),  # c33 too small
        Member(0.0, 0.1, 0.1, 0.0, 0.4, 0.4, 0.0),  # c33 too large
    ],
)
def test_beyond_the_ranges_nothing_is_an_equilibrium_or_recognised(beyond: Member) -> None:
    assert gap(beyond.bets()) > 1e-4
    found = fit(beyond.bets())
    assert found.distance > 0.01
    assert gap(found.member.bets()) < 1e-12


@given(st.lists(SHARE, min_size=48, max_size=48))
def test_whatever_it_is_shown_it_answers_with_a_true_member(shares: list[float]) -> None:
    bets = np.array(shares).reshape(3, 4, 4)
    found = fit(bets)
    assert gap(found.member.bets()) < 1e-12
    place = "abc".index(found.where[0]), int(found.where[1]) - 1, int(found.where[2]) - 1
    assert abs(bets - found.member.bets())[place] == found.distance == abs(bets - found.member.bets()).max()


def test_the_shipped_strategy_is_told_to_be_a_member() -> None:
    told = facts("kuhn3p", 0.005)
    assert told["member"]
    assert told["distance"] < 1e-3
    assert told["nash_conv_chips"] < 1e-5
    assert told["values_chips"] == pytest.approx(told["values_of_member_chips"], abs=1e-5)


def test_another_strategy_is_told_not_to_be_one(tmp_path: Path) -> None:
    random_strategy(tmp_path / "random", "kuhn.limit.3p", 1)
    assert not facts(str(tmp_path / "random") + "/", 0.005)["member"]
    with pytest.raises(ValueError, match="another game"):
        facts("leduc", 0.005)
