"""What commands write into a strategy's folder, and how its card tells it."""

from pathlib import Path

import pytest

from limpet.common.statistics import Estimate
from limpet.configs.loading import load_yaml
from limpet.strategies.holdem.blueprint.model_card import quality_lines, record
from limpet.strategies.holdem.blueprint.strategy_file import Manifest, StrategyFile, verify_strategy
from tests.strategies.base.strategy_files import random_strategy


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StrategyFile:
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path / "data"))
    return random_strategy(tmp_path / "one", "leduc.limit.2p", 1)


def test_numbers_and_their_commands_are_kept(file: StrategyFile) -> None:
    content = (file.folder / "strategy.safetensors").read_bytes()
    unit = 1000 / file.game.big_blind
    found = {"duel_call": Estimate(2.0, 0.25, 50)}
    made = record(file, "duel_call", "limpet strategy duel one call --boards 50 --seed 1", found)
    assert made.quality == {"duel_call_mbb": 2 * unit, "duel_call_half_width_mbb": 0.25 * unit}
    assert load_yaml(file.folder / "manifest.yaml", Manifest) == made
    # A second command adds to the first, though `file` was opened before both.
    both = record(file, "worth", "limpet …", {"worth": Estimate(-1.0, 0.0, 6)})
    assert both.quality == {**made.quality, "worth_mbb": -unit}
    assert list(both.measured_by) == ["duel_call", "worth"]
    card = (file.folder / "README.md").read_text()
    assert f"| duel call | {2 * unit:+,.1f} ± {0.25 * unit:,.1f} mbb/g |" in card
    assert "| duel call by | `limpet strategy duel one call --boards 50 --seed 1` |" in card
    assert f"| worth | {-unit:+,.6g} mbb/g |" in card
    # An exact result replaces one with an interval.
    exact = record(file, "duel_call", "limpet strategy duel one call", {"duel_call": Estimate(3.0, 0.0, 6)})
    assert "duel_call_half_width_mbb" not in exact.quality
    assert verify_strategy(file.folder).manifest == exact
    assert (file.folder / "strategy.safetensors").read_bytes() == content


def test_a_card_of_chips_and_of_bounds(file: StrategyFile) -> None:
    record(
        file,
        "real_response",
        "x",
        {"real_response_below": Estimate(1, 0.1, 4), "real_response_above": Estimate(2, 0.1, 4)},
    )
    manifest = load_yaml(file.folder / "manifest.yaml", Manifest)
    assert quality_lines(manifest)[-1] == "| real response by | `x` |"
    assert len(quality_lines(manifest)) == 3


def test_what_cannot_be_recorded(file: StrategyFile, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="from one board alone"):
        record(file, "x", "x", {"x": Estimate(1.0, float("inf"), 1)})
    random_strategy(file.folder, "leduc.limit.2p", 2)
    with pytest.raises(ValueError, match="was replaced while it was measured"):
        record(file, "x", "x", {"x": Estimate(1.0, 0.1, 9)})
    again = StrategyFile.open(file.folder)
    (file.folder / "README.md").unlink()
    (file.folder / "README.md").mkdir()
    with pytest.raises(ValueError, match=r"README\.md: Is a directory; copy the strategy to where you may write"):
        record(again, "x", "x", {"x": Estimate(1.0, 0.1, 9)})
    assert StrategyFile.open(file.folder).manifest.quality == {}
