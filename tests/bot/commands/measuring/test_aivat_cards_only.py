"""``limpet aivat --cards-only``: no player's strategy is known, and what cannot be done is refused at once."""

from collections.abc import Sequence
from math import prod
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.configs.loading import load_game
from limpet.dealer.measures.match_luck import ESTIMATORS, DealEvaluator, LoggedHand
from limpet.protocol.gamedef import GameDef
from limpet.strategies.holdem.luck.self_play_values import SelfPlayValues
from limpet.strategies.holdem.luck.value_function import EquityValues, ValueFunction
from limpet.strategies.subjects import baseline_that_ships, named_values
from tests.commands import json_of, printed, refused
from tests.oracles.whole_games import RandomRows, RandomValues, ways
from tests.strategies.base.small_games import no_limit

KUHN, LEDUC = load_game("kuhn.limit.2p"), load_game("leduc.limit.2p")
HOLDEM = load_game("holdem.nolimit.2p.reverse_blinds")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("matches") / "leduc"
    printed("match", "leduc", "random", "--hands", "300", "--in-process", "--output", path)
    return path


def corrections(
    game: GameDef, baseline: ValueFunction, position: int, seeds: Sequence[int]
) -> tuple[float, float, float]:
    """Return the mean of cards only minus raw over all deals and actions, and both standard deviations in chips."""
    played = list(ways(game, [RandomRows(game, seed) for seed in seeds]))
    chances = np.array([way.cards * prod(way.chances) for way in played])
    hands = [LoggedHand(way.record, "") for way in played]
    evaluator = DealEvaluator(hands, np.arange(len(hands)), str(position), baseline, {}, learning=False)
    luck = evaluator.result(evaluator.evaluate(deal) for deal in range(len(hands)))
    assert luck.estimators == ESTIMATORS[:-1]
    raw, cards = (luck.values[:, luck.estimators.index(name)] for name in ("raw", "cards only"))

    def sd(values: NDArray[np.float64]) -> float:
        return float(np.sqrt(chances @ values**2 - (chances @ values) ** 2))

    return float(chances @ (cards - raw)), sd(cards), sd(raw)


@pytest.mark.parametrize("seeds", [(1, 2), pytest.param((3, 4), marks=pytest.mark.slow)])
@pytest.mark.parametrize("position", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_the_correction_is_0_in_the_mean_whoever_plays(position: int, seeds: tuple[int, int]) -> None:
    baseline = named_values(KUHN, "kuhn", Path())
    assert isinstance(baseline, SelfPlayValues)
    mean, left, raw = corrections(KUHN, baseline, position, seeds)
    assert mean == pytest.approx(0, abs=1e-9)
    assert abs(left / raw - 1) > 0.1, "it corrects, though by no good baseline of players who are random numbers"
    game = no_limit("5 3", "1 2", 2, 3, 1, "0 1")
    for values in (RandomValues(game, 4), EquityValues(game)):
        assert corrections(game, values, position, seeds)[0] == pytest.approx(0, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("baseline", ["leduc", "equity"])
def test_the_correction_is_0_in_the_mean_of_leduc(baseline: str) -> None:
    values = named_values(LEDUC, baseline, Path())
    assert isinstance(values, ValueFunction)
    mean, left, raw = corrections(LEDUC, values, 0, (1, 2))
    assert mean == pytest.approx(0, abs=1e-9)
    assert left != pytest.approx(raw, rel=0.01)


def test_no_bot_is_needed(folder: Path) -> None:
    told = json_of("aivat", folder, "--cards-only", "--quiet")
    rows = {row["estimator"]: row for row in told["estimators"]}
    assert told["player"] == "leduc" and tuple(rows) == ESTIMATORS[:-1]
    low, high = rows["cards only"]["sd_of_raw_95"]
    assert low < rows["cards only"]["sd_of_raw"] < high < 0.75
    known = json_of("aivat", folder, "--bot", "leduc", "--quiet")
    assert known["estimators"][:-1] == told["estimators"], "the same by a bot whose baseline is the one that ships"


def test_the_other_player_won_as_much(folder: Path) -> None:
    told = [
        json_of("aivat", folder, "--cards-only", "--frozen", "--player", name, "--baseline", "equity")
        for name in ("leduc", "random")
    ]
    ours, theirs = ([row["mbb_per_game"] for row in one["estimators"]] for one in told)
    assert ours == pytest.approx([-value for value in theirs])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "say either which bot is evaluated"),
        (["--cards-only", "--bot", "leduc"], "say either which bot is evaluated"),
        (
            ["--cards-only", "--also-known", "random"],
            "--also-known says how somebody played, and --cards-only needs it not",
        ),
        (["--cards-only", "--player", "nobody"], "seating-1.log:5: nobody did not play; those who did: leduc, random"),
        (["--cards-only", "--baseline", "nothing"], "strategy 'nothing' is neither in"),
        (["--cards-only", "--baseline", "kuhn"], "was trained for another game"),
    ],
)
def test_what_cannot_be_done_is_refused(folder: Path, words: list[str], message: str) -> None:
    assert message in refused("aivat", folder, *words)


def test_what_cannot_be_done_is_refused_before_values_are_fitted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hand without cards at the end of a log is found before the minutes that hold'em's values may take."""
    monkeypatch.setattr("limpet.strategies.holdem.luck.self_play_values.fit_flop_model", None)
    whole, unseen = "STATE:0:r300f:2c3d|4h5s:-100|100:one|two", "STATE:1:r300f:2c3d|:-100|100:one|two"
    for name, text, message in (
        ("unseen", f"{whole}\n{unseen}\n", "unseen.log:2: hand 1: somebody's hole cards are not in the log"),
        ("left", f"{whole}\n{whole.replace('one', 'three')}\n", "left.log:2: one did not play"),
    ):
        log = tmp_path / f"{name}.log"
        log.write_text(text)
        assert message in refused("aivat", log, "--cards-only", "--game", "holdem.nolimit.2p.reverse_blinds")


def test_games_with_too_many_deals_are_refused() -> None:
    assert baseline_that_ships(HOLDEM) == "hunl-200bb" and baseline_that_ships(KUHN) == "kuhn"
    three = load_game("holdem.nolimit.3p")
    assert baseline_that_ships(three) == "equity"
    with pytest.raises(ValueError, match="with 3 players there are 1,624,350 deals of the others' hands"):
        named_values(three, "equity", Path())
    with pytest.raises(ValueError, match="the baseline of a strategy is for two players, and 3 play here"):
        named_values(three, "hunl-200bb", Path())
    assert isinstance(named_values(HOLDEM, "equity", Path()), EquityValues)


def test_another_bot_is_refused_before_values_are_fitted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The config is not the one that was played by, as the first hands show."""
    monkeypatch.setattr("limpet.dealer.measures.luck_job.values_for", None)
    assert "is what this bot plays after" in refused(
        "aivat", folder, "--bot", "call", "--player", "leduc", "--game", "leduc.limit.2p"
    )
