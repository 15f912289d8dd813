"""The model games have the textbook's values, thresholds and frequencies, by the linear program."""

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.strategies.cards.isomorphism import class_name, class_number
from tests.oracles.model_games import (
    ace_king_queen,
    clairvoyance,
    clairvoyant_river,
    jam_fold,
    jam_fold_shares,
    unit_interval,
)
from tests.oracles.type_game import nash_conv, uniform, value
from tests.oracles.type_game_program import solve_type_game

DIGITS = 5e-5
BET, RESPONSE = 0, 2  # nodes: the bet, and the answer to it


@pytest.mark.parametrize(("pot", "bet", "nuts"), [(1.0, 1.0, 0.5), (100.0, 50.0, 0.5), (3.0, 6.0, 0.1)])
def test_clairvoyance(pot: float, bet: float, nuts: float) -> None:
    result, strategy = solve_type_game(clairvoyance(pot, bet, nuts))
    assert result + pot / 2 == pytest.approx(nuts * pot * (pot + 2 * bet) / (pot + bet), abs=DIGITS * pot)
    assert strategy[BET][1, 0] == pytest.approx(1.0, abs=1e-4)
    assert (1 - nuts) * strategy[BET][1, 1] == pytest.approx(nuts * bet / (pot + bet), abs=1e-3)
    assert strategy[RESPONSE][1, 0] == pytest.approx(pot / (pot + bet), abs=2e-3)


@pytest.mark.parametrize("nuts", [0.67, 0.9])
def test_clairvoyance_with_too_much_nuts(nuts: float) -> None:
    result, _ = solve_type_game(clairvoyance(1.0, 1.0, nuts))
    assert result + 0.5 == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize(
    ("pot", "bet", "bluff", "call", "gain"), [(2.0, 1.0, 1 / 3, 1 / 3, 1 / 18), (4.0, 1.0, 0.2, 0.6, 0.1)]
)
def test_ace_king_queen(pot: float, bet: float, bluff: float, call: float, gain: float) -> None:
    result, strategy = solve_type_game(ace_king_queen(pot, bet))
    assert result == pytest.approx(gain, abs=DIGITS)
    assert strategy[BET][1] == pytest.approx([1.0, 0.0, bluff], abs=1e-3)
    assert strategy[RESPONSE][1] == pytest.approx([1.0, call, 0.0], abs=1e-3)


@pytest.mark.parametrize("bet", [2.0, 3.0])
def test_ace_king_queen_is_not_worth_a_large_bet(bet: float) -> None:
    result, _ = solve_type_game(ace_king_queen(2.0, bet))
    assert result == pytest.approx(0.0, abs=DIGITS)


def thresholds(bet: float) -> tuple[float, float, float]:
    """Bluff below, bet for value above, call above."""
    d = (bet + 1) * (bet + 4)
    return bet / d, (bet**2 + 4 * bet + 2) / d, bet * (bet + 3) / d


def narrow(bet: float, cells: int, width: float) -> NDArray[np.float64]:
    """Equal cells, cut again at the thresholds and closely beside them."""
    at = np.array(thresholds(bet))
    return np.unique(np.concatenate([np.linspace(0, 1, cells + 1), at, at - width, at + width]).round(12))


@pytest.mark.parametrize("bet", [0.5, 1.0, 2.0])
def test_unit_interval(bet: float) -> None:
    """Value and thresholds to four digits; for a bet of 2 these are 1/9, 1/9, 7/9 and 5/9."""
    borders = narrow(bet, 18, 1e-4)
    game, width = unit_interval(bet, borders), np.diff(borders)
    result, strategy = solve_type_game(game)
    bluff_below, value_above, call_above = thresholds(bet)
    low = borders[1:] < (bluff_below + value_above) / 2
    assert result == pytest.approx(bluff_below, abs=DIGITS)
    assert width @ (strategy[BET][1] * low) == pytest.approx(bluff_below, abs=DIGITS)
    assert 1.0 - width @ (strategy[BET][1] * ~low) == pytest.approx(value_above, abs=DIGITS)
    assert 1.0 - width @ strategy[RESPONSE][1] == pytest.approx(call_above, abs=DIGITS)
    if bet == 2.0:
        assert (bluff_below, value_above, call_above) == pytest.approx((1 / 9, 7 / 9, 5 / 9))


@pytest.mark.parametrize(("bet", "cells"), [(2.0, 9), (2.0, 90), (1.0, 10), (3.0, 28)])
def test_unit_interval_in_equal_cells_is_exact(bet: float, cells: int) -> None:
    """The equilibrium of the continuous game cannot be exploited in the game with cells either."""
    game = unit_interval(bet, np.linspace(0, 1, cells + 1))
    middle = (np.arange(cells) + 0.5) / cells
    bluff_below, value_above, call_above = thresholds(bet)
    strategy = uniform(game)
    strategy[BET][1] = (middle < bluff_below) | (middle > value_above)
    strategy[RESPONSE][1] = middle > call_above
    for node in (BET, RESPONSE):
        strategy[node][0] = 1.0 - strategy[node][1]
    assert value(game, strategy) == pytest.approx(bluff_below, abs=1e-12)
    assert nash_conv(game, strategy) == pytest.approx(0.0, abs=1e-12)
    assert solve_type_game(game)[0] == pytest.approx(bluff_below, abs=1e-12)


def test_unit_interval_with_wrong_borders_is_refused() -> None:
    for borders in ([0.0, 0.5], [0.0, 0.5, 0.5, 1.0], [1.0]):
        with pytest.raises(ValueError, match="ascend from 0 to 1"):
            unit_interval(2.0, borders)


@pytest.mark.parametrize(
    ("nuts", "bet", "worth", "bluff", "call"),
    [
        (0.5, 100, 75.0, 1 / 2, 1 / 2),
        (0.5, 50, 66.6667, 1 / 3, 2 / 3),
        (0.5, 200, 83.3333, 2 / 3, 1 / 3),
        (0.25, 100, 37.5, 1 / 6, 1 / 2),
    ],
)
def test_clairvoyant_river(nuts: float, bet: int, worth: float, bluff: float, call: float) -> None:
    game = clairvoyant_river(nuts, bet).type_game()
    assert game.types == (("4c3c", "AdAc"), ("QdQc",))
    result, strategy = solve_type_game(game)
    assert result + 50 == pytest.approx(worth, abs=1e-4 * worth)
    assert strategy[0][1] == pytest.approx([bluff, 1.0], abs=2e-3)
    bet_node = game.node(f"r{50 + bet}")
    assert strategy[bet_node][1, 0] == pytest.approx(call, abs=2e-3)


# Stack in big blinds: the small blind's value in big blinds, shares of hands that jam and call in percent, mixed hands.
JAM_FOLD = {
    2: (0.009549, 89.442, 100.0, {}),
    3: (0.051592, 77.989, 92.273, {"jam": ("T2o", 0.344), "call": ("63o", 0.462)}),
    5: (0.056201, 71.484, 62.068, {"jam": ("96o", 0.156), "call": ("97o", 0.752)}),
    8: (-0.004137, 61.863, 44.973, {"jam": ("Q4o", 0.192), "call": ("Q7o", 0.528)}),
    10: (-0.045371, 58.284, 37.376, {"jam": ("43s", 0.711), "call": ("Q6s", 0.403)}),
    15: (-0.127227, 45.655, 28.547, {"jam": ("Q4s", 0.845), "call": ("QTo", 0.711)}),
    20: (-0.183190, 40.237, 21.725, {"jam": ("Q5s", 0.886), "call": ("QJo", 0.006)}),
    25: (-0.229293, 36.350, 17.345, {}),
}


@pytest.mark.parametrize("stack", JAM_FOLD)
def test_jam_fold(stack: int) -> None:
    worth, jammed, called, mixed = JAM_FOLD[stack]
    game = jam_fold(stack)
    result, strategy = solve_type_game(game)
    assert result == pytest.approx(worth, abs=5.1e-7)
    assert nash_conv(game, strategy) == pytest.approx(0.0, abs=1e-9)
    shares = jam_fold_shares(strategy)
    assert [100 * share for share in shares] == pytest.approx([jammed, called], abs=6e-4)
    for name, node in (("jam", BET), ("call", RESPONSE)):
        row = strategy[node][1]
        found = {(class_name(int(k)), round(float(row[k]), 3)) for k in np.flatnonzero((row > 1e-6) & (row < 1 - 1e-6))}
        assert found == ({mixed[name]} if name in mixed else set())


JAM_10 = """22+ A2s+ A2o+ K2s+ K2o+ Q2s+ Q7o+ J3s+ J8o+ T4s+ T8o+ 95s+ 97o+ 84s+ 87o+ 74s+ 76o+ 64s+ 53s+"""
CALL_10 = """22+ A2s+ A2o+ K2s+ K5o+ Q7s+ Q9o+ J8s+ JTo+ T9s+"""


def classes(text: str) -> set[int]:
    """Kickers from the one named up to the one below the high card, or all pairs from the one named."""
    ranks, found = "23456789TJQKA", set()
    for item in text.split():
        high, low, kind = ranks.index(item[0]), ranks.index(item[1]), item[2:-1]
        if high == low:
            found |= {class_number(2 * rank) for rank in ranks[low:]}
        else:
            found |= {class_number(ranks[high] + rank + kind) for rank in ranks[low:high]}
    return found


def test_jam_fold_of_ten_blinds_hand_by_hand() -> None:
    _, strategy = solve_type_game(jam_fold(10))
    assert set(np.flatnonzero(strategy[BET][1] > 1 - 1e-6)) == classes(JAM_10)
    assert set(np.flatnonzero(strategy[RESPONSE][1] > 1 - 1e-6)) == classes(CALL_10)


def test_a_stack_below_the_blind_is_refused() -> None:
    with pytest.raises(ValueError, match=r"a stack of 0\.5 big blinds"):
        jam_fold(0.5)
