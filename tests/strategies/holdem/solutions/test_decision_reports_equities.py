"""Hands by equity at a decision: both players' ranges, their equities against each other, and EVs that make the pot."""

import numpy as np
import pytest

from limpet.protocol.cards import parse_cards
from limpet.strategies.cards.equity import equity
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.solutions.answer import Decision, decision, hand_text
from limpet.strategies.holdem.solutions.decision_reports import equity_data, mean_equity, ranked_hands
from limpet.strategies.holdem.solutions.lines import find_node
from limpet.strategies.holdem.solutions.solve import prepare
from limpet.strategies.holdem.solutions.spot import Spot

RANGES = ("AA,KQs,T9s,KcKd", "QQ,AKs,87s,AcAd:0.5")


@pytest.fixture(scope="module")
def first() -> Decision:
    spot = Spot(board="KsTh7s2d", pot=20, stack=30, ranges=RANGES, iterations=20, target=0, threads=1)
    solve = prepare(spot)
    solve.run()
    return decision(solve, find_node(spot.tree, ()))


def test_hands_come_by_rising_equity_with_the_weight_of_being_held(first: Decision) -> None:
    for position in (0, 1):
        ranked = ranked_hands(first, position)
        assert (np.diff(ranked.equity) >= 0).all() and ranked.weight.sum() == pytest.approx(1)
        for hand, own in zip(ranked.hands.tolist(), ranked.equity.tolist(), strict=True):
            assert own == pytest.approx(equity(hand_text(hand), RANGES[1 - position], "KsTh7s2d").equity, abs=1e-6)


def test_the_means_are_those_of_the_ranges_and_of_the_decision(first: Decision) -> None:
    ranked = [ranked_hands(first, position) for position in (0, 1)]
    whole = equity(*RANGES, "KsTh7s2d").equity
    assert mean_equity(first) == pytest.approx((whole, 1 - whole), abs=1e-6)
    assert [float(r.weight @ r.equity) for r in ranked] == pytest.approx(mean_equity(first), abs=1e-6)
    assert [float(r.weight @ r.share) for r in ranked] == pytest.approx(first.share, abs=1e-4)
    assert sum(first.share) == pytest.approx(20, abs=1e-4)


def test_programs_get_columns_of_both_players(first: Decision) -> None:
    data = equity_data(first)
    assert [side["position"] for side in data] == ["out of position", "in position"]
    for position, side in enumerate(data):
        assert len({len(side[name]) for name in ("hands", "weight", "equity", "share_bb")}) == 1
        best = hand_space().index(parse_cards(side["hands"][-1]))
        assert best == ranked_hands(first, position).hands[-1]
    assert data[0]["hands"][-1] == "KdKc"
