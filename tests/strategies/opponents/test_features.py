"""What trees see of a decision."""

import numpy as np

from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.opponents.features import (
    BETTING,
    FEATURES,
    HAND,
    NONE,
    betting_features,
    hand_features,
)
from tests.strategies.opponents.made_hands import SIX, cards, state_of


def betting(text: str, board: str = "") -> dict[str, float]:
    return dict(zip(BETTING, betting_features(state_of(text, board, SIX)), strict=True))


def held(hole: str, board: str) -> dict[str, float]:
    row = hand_features(cards(board))[hand_space().index(cards(hole))]
    return dict(zip(HAND, row.tolist(), strict=True))


def test_before_the_flop_there_is_no_board() -> None:
    facts = betting("fr250")
    assert facts["seats"] == 6 and facts["players"] == 5 and facts["raises"] == facts["folds"] == 1
    assert facts["raiser"] == 0 and facts["size"] == facts["first size"] == 2.5
    assert facts["position"] == 1 and facts["raiser's position"] == 2, "seats before the button"
    assert facts["highest rank"] == facts["led street before"] == NONE


def test_a_turn_knows_the_flop() -> None:
    facts = betting("ffffr300c/cr500c/", "2c7dTh3s")
    assert facts["street"] == 2 and facts["players"] == 2 and facts["raises flop"] == 1 and facts["raises"] == 0
    assert facts["size street before"] == 1 / 3 and facts["led street before"] == 0 and facts["may fold"] == 0
    assert facts["pots behind"] == 19.5 and facts["cards of a suit"] == 1


def test_hands_differ_by_what_they_make() -> None:
    flush_draw, pair = held("AcKc", "2c7cTh"), held("AhTd", "2c7cTh")
    assert flush_draw["flush"] == 2 and flush_draw["flush card"] == 12 and flush_draw["overcards"] == 2
    assert pair["pairs"] == 0 and pair["kicker"] == 12 and pair["made quantile"] > flush_draw["made quantile"]
    assert flush_draw["strength before"] == NONE and held("AcKc", "2c7cTh3s")["strength before"] > 500


def test_names_of_suits_do_not_matter() -> None:
    assert held("AcKc", "2c7cTh") == held("AsKs", "2s7sTd")
    assert len(set(FEATURES)) == len(FEATURES) == len(BETTING) + len(HAND) + 1
    assert np.isfinite(hand_features(cards("2c7cTh3s9d"))).all()
