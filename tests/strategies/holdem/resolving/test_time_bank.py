"""The seconds that a bank gives away in a match."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.protocol.cards import parse_cards
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.cards.boards import Merge
from limpet.strategies.holdem.resolving.time_bank import CALLS, LAID_OUT, BankRules, Pace, TimeBank, entries
from tests.oracles.tree_sizes import exact_size, street_counts
from tests.strategies.base.resolve_players import TRUNK, called_to, resolver


@given(
    st.lists(st.lists(st.tuples(st.floats(1, 400), st.floats(0, 1)), max_size=6), min_size=1, max_size=60),
    st.floats(0.01, 20),
    st.integers(0, 3),
)
def test_a_match_never_takes_more_than_nine_tenths_of_its_time(
    hands: list[list[tuple[float, float]]], seconds: float, earlier: int
) -> None:
    """Whatever pots come, however much of each share is used, and however many matches came before."""
    bank = TimeBank(BankRules(seconds_a_hand=seconds, hands=len(hands)))
    for match in range(earlier + 1):
        taken = 0.0
        for decisions in hands:
            bank.hand_begins()
            for pot, used in decisions:
                share = bank.share(pot)
                assert 0 <= share <= 300
                bank.take(share * (used if match == earlier else 0))
                taken += share * used
        assert bank.saved >= 0
    assert taken <= 0.9 * seconds * len(hands) * (1 + 1e-9)


def test_shares_follow_the_bank_and_the_pot() -> None:
    bank = TimeBank(BankRules())
    assert bank.saved == pytest.approx(2100)
    assert bank.share(12) == pytest.approx(28)
    assert bank.share(48) == pytest.approx(56)
    assert bank.share(1e6) == pytest.approx(84)
    assert bank.share(0.1) == pytest.approx(14)
    bank.take(1050)
    assert bank.share(12) == pytest.approx(14)
    bank.take(2000)
    assert bank.share(12) == 0
    bank.hand_begins()
    assert bank.saved == pytest.approx(-950 + 5.6)


def test_no_decision_takes_more_than_half_of_what_one_may() -> None:
    assert TimeBank(BankRules(seconds_a_decision=10)).share(400) == 5


def test_matches_at_once_share_the_time() -> None:
    bank = TimeBank(BankRules(matches=4))
    assert bank.share(12) == pytest.approx(7)
    bank.take(525)
    assert bank.saved == pytest.approx(0)
    bank.hand_begins()
    assert bank.saved == pytest.approx(0.8 * 7 / 4)


# --- The size of a solve and the time that it takes


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


@pytest.mark.parametrize(("merge", "boards"), [("suits", (1, 48)), ("groups", (1, 24)), ("suits", (1,))])
def test_entries_are_those_of_the_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, merge: Merge, boards: tuple[int, ...]
) -> None:
    root = called_to(resolver(tmp_path, monkeypatch), 4 - len(boards), parse_cards("KsTh7s4d2c"))
    expected = exact_size(street_counts(build_tree(root, TRUNK)), boards).actions
    assert entries(root, TRUNK, merge=merge) == expected
    assert entries(root, TRUNK, expected, merge) == expected
    assert entries(root, TRUNK, expected - 1, merge) == np.inf


def test_the_largest_solve_takes_all_the_time() -> None:
    pace = Pace(3e-9)
    assert pace.seconds(pace.largest(0.7, 40), 40) == pytest.approx(0.7)
