"""What intervals and numbers of hands promise, on matches of Leduc whose true win rate is known exactly.

A long match is cut into short ones: its deals are independent, and hands draw by their numbers.
"""

from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.common.folders import shipped_strategies
from limpet.common.statistics import Estimate, bootstrap_interval, deals_needed, estimate
from limpet.dealer.matches.compiled_match import CompiledMatch
from limpet.dealer.matches.match_result import SeatingLog, samples
from limpet.dealer.matches.matchconfig import MatchConfig, resolve
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintSeat
from limpet.strategies.holdem.blueprint.quantise import quantise
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile, save_strategy
from limpet.strategies.holdem.measures.duel import duel
from tests.strategies.base.strategy_files import random_strategy

GAME = "leduc.limit.2p"
RESAMPLES = 400


class Meeting(NamedTuple):
    """Two strategies: the second one's bots, and what the first wins from it, exactly, in mbb/g."""

    bots: tuple[str, str]
    truth: float


def spoilt(folder: Path, share: float) -> StrategyFile:
    """Leduc's equilibrium with a bias: so much of every row is a random one."""
    best = StrategyFile.open(shipped_strategies() / "leduc")
    worse = random_strategy(folder / "random", GAME, 3)
    assert np.array_equal(best.offset, worse.offset)
    mixed = (1 - share) * best.probabilities() + share * worse.probabilities()
    stored, _ = quantise(mixed.astype(np.float64), best.tree, best.offset, 16)
    manifest = msgspec.structs.replace(best.manifest, name="spoilt", bits=16, sha256="", size=0)
    save_strategy(folder / "spoilt", manifest, stored, best.tree, best.cards, "")
    return StrategyFile.open(folder / "spoilt")


def meet(folder: Path, share: float) -> Meeting:
    best, worse = StrategyFile.open(shipped_strategies() / "leduc"), spoilt(folder, share)
    exact = duel(best.game, (BlueprintSeat(best),) * 2, (BlueprintSeat(worse),) * 2, 100, 1)
    assert exact.exact and exact.off_tree == 0
    path = folder / "spoilt.yaml"
    path.write_text(f"name: spoilt\nplayer: blueprint\ngame: {GAME}\nseed: 9\noptions: {{strategy: {folder}/spoilt}}\n")
    return Meeting(("leduc", str(path)), exact.both.mean * 1000 / best.game.big_blind)


def matches(folder: Path, meeting: Meeting, number: int, sets: int, seed: int) -> NDArray[np.float64]:
    """mbb/g of the first on each deal: float64 ``[match, set]``."""
    config = MatchConfig(name="m", players=list(meeting.bots), hands=number * sets, seed=seed, duplicate=True)
    match = resolve(config, Path("."))
    logs: list[SeatingLog] = []

    def keep(seen: Sequence[SeatingLog]) -> None:
        logs[:] = seen

    CompiledMatch(match, folder).play(keep, logged=False)
    return samples(logs, 0, match.game.big_blind).reshape(number, sets)


def is_above_0(found: Estimate) -> bool:
    """Return whether the whole interval of an estimate is above 0."""
    return found.mean - found.half_width > 0


def check_coverage(folder: Path, number: int, sets: int, tolerance: float) -> None:
    """Both intervals contain the truth in 95 % of the matches."""
    meeting = meet(folder, 1.0)
    covered = {"t": 0, "bootstrap": 0}
    for seed, values in enumerate(matches(folder / "m", meeting, number, sets, 1)):
        mean, half_width, *_ = estimate(values)
        covered["t"] += abs(mean - meeting.truth) <= half_width
        low, high = bootstrap_interval(values, seed, RESAMPLES)
        covered["bootstrap"] += low <= meeting.truth <= high
    for found in covered.values():
        assert found / number == pytest.approx(0.95, abs=tolerance)


def check_power(folder: Path, number: int, tolerance: float) -> None:
    """A bias is shown by four matches in five of the length that a pilot match predicts; no bias by one in forty."""
    meeting = meet(folder, 0.3)
    assert meeting.truth > 50
    pilot = estimate(matches(folder / "pilot", meeting, 1, 4000, 1)[0])
    sets = deals_needed(pilot.sd, meeting.truth)
    assert 200 < sets < 3000
    played = matches(folder / "m", meeting, number, sets, 2)
    shown = np.mean([is_above_0(estimate(values)) for values in played])
    assert shown == pytest.approx(0.8, abs=tolerance)
    without = np.mean([is_above_0(estimate(values - meeting.truth)) for values in played])
    assert without == pytest.approx(0.025, abs=0.025)


def test_intervals_cover_the_truth(tmp_path: Path) -> None:
    check_coverage(tmp_path, 1500, 100, 0.02)


@pytest.mark.slow
def test_the_predicted_number_of_hands_shows_a_bias(tmp_path: Path) -> None:
    check_power(tmp_path, 600, 4 * sqrt(0.16 / 600))


@pytest.mark.slow
def test_intervals_cover_the_truth_in_many_matches(tmp_path: Path) -> None:
    check_coverage(tmp_path, 20_000, 100, 0.01)


@pytest.mark.slow
def test_the_predicted_number_of_hands_shows_a_bias_in_many_matches(tmp_path: Path) -> None:
    check_power(tmp_path, 5000, 0.025)
