"""The sequential test keeps its stated errors whatever the values look like, and saves hands."""

from collections.abc import Callable
from math import log
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.common.statistics import Judgement, Sprt, deals_needed, most_lost
from limpet.configs.loading import ConfigError, load_game, load_yaml
from limpet.protocol.gamedef import GameDef

Values = NDArray[np.float64]
Noise = Callable[[np.random.Generator, tuple[int, int]], Values]
MARGIN, SD, BOUND = 20.0, 1000.0, 20_000.0


def normal(random: np.random.Generator, shape: tuple[int, int]) -> Values:
    return random.normal(0.0, SD, shape)


def rare(random: np.random.Generator, shape: tuple[int, int]) -> Values:
    """Small losses, and a huge pot in one of two hundred: mean 0, deviation about `SD`."""
    return np.asarray(np.where(random.random(shape) < 0.005, 199 / 200 * 14_100.0, -14_100.0 / 200))


def upside_down(random: np.random.Generator, shape: tuple[int, int]) -> Values:
    return -rare(random, shape)


def ends(test: Sprt, values: Values) -> tuple[Values, Values]:
    """What is declared of each row: +1 for a win, -1 for a loss, 0 for neither; and after how many sets."""
    declared = [test.verdict(row, BOUND) for row in values]
    signs = [0.0 if found is None else {"win": 1.0, "loss": -1.0, "even": 0.0}[found.verdict] for found in declared]
    return np.array(signs), np.array([values.shape[1] if found is None else found.sets for found in declared], float)


@pytest.mark.parametrize("noise", [normal, rare, upside_down])
@pytest.mark.parametrize(("alpha", "beta"), [pytest.param(0.05, 0.05, marks=pytest.mark.slow), (0.02, 0.1)])
def test_errors_are_no_more_frequent_than_stated(noise: Noise, alpha: float, beta: float) -> None:
    test, runs = Sprt(MARGIN, alpha, beta), 300
    drawn = noise(np.random.Generator(np.random.Philox(key=11)), (runs, 12_000))
    assert abs(drawn.mean()) < 4 * SD / np.sqrt(drawn.size) and drawn.std() == pytest.approx(SD, rel=0.03)
    for mean, wrong, stated in ((-MARGIN, 1.0, alpha), (MARGIN, -1.0, beta)):
        declared, sets = ends(test, drawn + mean)
        assert (declared == wrong).mean() <= stated + 2 * np.sqrt(stated * (1 - stated) / runs)
        assert (declared == -wrong).mean() > 0.7  # not kept by saying nothing
        if noise is normal:
            # Fewer sets than a fixed number of them needs for the same errors.
            assert sets.mean() < 0.85 * deals_needed(SD, 2 * MARGIN, 1 - beta, 1 - 2 * alpha)
            assert sets.mean() < 1.1 * log(1 / min(alpha, beta)) * SD**2 / (2 * MARGIN**2)


def test_the_test_with_an_estimated_variance_would_not_keep_them() -> None:
    # Why there is a bet in place of Wald's ratio: 5 % stated, 64 % found.
    drawn = rare(np.random.Generator(np.random.Philox(key=11)), (1000, 3000)) + MARGIN
    counts = np.arange(100, 3001, 100)
    sums, squares = (np.cumsum(values, axis=1)[:, counts - 1] for values in (drawn, drawn**2))
    variance = np.maximum(squares - sums**2 / counts, 1e-9) / (counts - 1)
    ratios = 2 * MARGIN * sums / variance
    crossed = np.abs(ratios) >= log(0.95 / 0.05)
    first = crossed.argmax(axis=1)
    wrong = crossed.any(axis=1) & (ratios[np.arange(1000), first] < 0)
    assert wrong.mean() > 0.5


def test_the_ratio_is_what_it_says_and_needs_no_hindsight() -> None:
    test = Sprt(10.0, 0.05, 0.1)
    values = np.random.Generator(np.random.Philox(key=2)).normal(2.0, 30.0, 200).clip(-100, 100)
    win, loss = test.log_ratios(values, 100.0)
    # The plain twin: one set after the other.
    won = lost = 1.0
    before: list[float] = []
    for at, value in enumerate(values.tolist()):
        spread = sum((x - np.mean(before)) ** 2 for x in before) if before else 0.0
        bet = min(2 * 10 / ((spread + 50.0**2) / (len(before) + 1)), 0.9 / 110)
        won *= 1 + bet * (value + 10)
        lost *= 1 - bet * (value - 10)
        assert win[at] == pytest.approx(log(won)) and loss[at] == pytest.approx(log(lost))
        before.append(value)
    both = test.log_ratios(np.stack([values, -values]), 100.0)  # many matches at once
    assert (np.stack([win, loss]) == both[0]).all() and (np.stack([loss, win]) == both[1]).all()
    # A bet is fair: whatever came before, its expectation at the edge of the hypothesis is the stake.
    for bet in (0.0, 1e-3, 0.9 / 110):
        assert 0.3 * (1 + bet * (60 + 10)) + 0.7 * (1 + bet * (-40 + 10)) == pytest.approx(1 + bet * (-10 + 10))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_verdict_comes_when_a_bet_has_won_the_inverse_of_its_error(sign: float) -> None:
    """One error for each verdict, by the plain product of the module's formula."""
    test = Sprt(10.0, alpha=0.2, beta=0.01)
    values = sign * 50.0 * np.ones(2000)
    ratio, sets, before = 1.0, 0, np.zeros(0)
    while ratio < 1 / (0.2 if sign > 0 else 0.01):
        spread = float(((before - before.mean()) ** 2).sum()) if sets else 0.0
        ratio *= 1 + min(2 * 10 / ((spread + 500.0**2) / (sets + 1)), 0.9 / 1010) * (50.0 + 10)
        sets, before = sets + 1, np.append(before, 50.0)
    assert test.verdict(values, 1000.0) == Judgement("win" if sign > 0 else "loss", sets)


def test_a_decision_stays_what_it_was() -> None:
    test = Sprt(MARGIN)
    values = normal(np.random.Generator(np.random.Philox(key=4)), (1, 5000))[0] + 100.0
    found = test.verdict(values, BOUND)
    assert found is not None and found.verdict == "win" and 100 < found.sets < 4000
    assert test.verdict(values[: found.sets - 1], BOUND) is None
    assert test.verdict(values[: found.sets], BOUND) == found
    assert test.verdict(-values, BOUND) == Judgement("loss", found.sets)
    draw = test.verdict(np.zeros(10**4), BOUND)
    assert draw is not None and draw.verdict == "even" and test.verdict(np.zeros(0), BOUND) is None
    with pytest.raises(ValueError, match=r"30000\.0 mbb/g lies beyond the bound of 20000\.0"):
        test.verdict(np.array([30_000.0]), BOUND)


def test_the_bound_is_the_most_that_can_be_lost() -> None:
    assert most_lost(load_game("holdem.nolimit.2p.reverse_blinds")) == 200_000
    assert most_lost(load_game("leduc.limit.2p")) == 13_000  # 1 + 2·2 + 2·4, the blind being 1
    assert most_lost(load_game("kuhn.limit.2p")) == 2_000
    limit = load_game("holdem.limit.2p.reverse_blinds")
    assert most_lost(limit) == 24_000  # the cap: 12 big bets
    short = GameDef.parse(str(limit).replace("blind =", "stack = 100 70\nblind ="))
    assert most_lost(short) == 10_000  # a stack that the bets would exceed


def test_from_a_config(tmp_path: Path) -> None:
    path = tmp_path / "stop.yaml"
    path.write_text("margin: 50\nalpha: 0.01\n")
    assert load_yaml(path, Sprt) == Sprt(50.0, 0.01, 0.05)
    path.write_text("margin: 50\nalpha: 0.5\n")
    with pytest.raises(ConfigError, match="stop.yaml:2: alpha"):
        load_yaml(path, Sprt)
