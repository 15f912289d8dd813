"""A draw strategy made end to end in seconds: it stops, resumes, and its file plays."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.configs.loading import load_game
from limpet.strategies.draw.depth_limited import DepthLimited
from limpet.strategies.draw.draw_file import NETWORK, DrawStrategyFile
from limpet.strategies.draw.hands import exponential_buckets, removal_between
from limpet.strategies.draw.network import unit_ranges
from limpet.strategies.draw.network_learning import read_examples, showdown_values
from limpet.strategies.draw.training import DrawTraining
from limpet.strategies.holdem.training.run import StageProgress
from limpet.strategies.solvers.round_solver import Ordered, Paired
from limpet.strategies.subjects import load_run

CONFIG = """
name: tiny-draw
game: one-raise.game
algorithm: depth-limited
iterations: 1
buckets: 10
network:
  shards: 3
  pairs: 16
  solve_iterations: 10
  hidden: [16]
  refinements: 1
  play_iterations: 1
  play_shards: 2
  course: {epochs: 4, batch: 8}
solved_iterations: 1
leaf_iterations: 2
stored_iterations: 10
"""


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path / "data"))
    path = tmp_path / "tiny.yaml"
    path.write_text(CONFIG)
    game = str(load_game("draw5-pl-hu"))
    (tmp_path / "one-raise.game").write_text(re.sub("(?m)^maxRaises = .*", "maxRaises = 1 1", game))
    return str(path)


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[NDArray[np.float32]]:
    """The ranges of all leaves that are judged while a first round is played, the big blind's first."""
    run, seen = DepthLimited.run, []

    def watched(self: DepthLimited, *arguments: Any) -> None:
        judge = self.leaves

        def remembered(ranges: NDArray[np.float64], pots: NDArray[np.float64]) -> NDArray[np.floating]:
            seen.append(unit_ranges(ranges[:, ::-1]))
            return judge(ranges, pots)

        self.leaves = remembered
        run(self, *arguments)
        self.leaves = judge

    monkeypatch.setattr(DepthLimited, "run", watched)
    return seen


def test_a_run_stops_resumes_and_writes_a_strategy(config: str, judged: list[NDArray[np.float32]]) -> None:
    training = load_run(config)
    assert isinstance(training, DrawTraining)
    stages: list[StageProgress] = []
    training.report = stages.append
    training.prepare()
    with pytest.raises(ValueError, match="before the first round began"):
        training.run(lambda: stages[-1].stage == "network" and stages[-1].done == 2)
    assert training.checkpoint.exists() and not training.is_done()

    again = DrawTraining.load(config)
    again.report = stages.append
    again.prepare()
    again.resume()
    assert again.run()
    assert [step.done for step in stages if step.stage == "network"] == [1, 2, 3, 4]
    # The refinement's ranges are among those that were played.
    played = {row.tobytes() for ranges in judged for row in np.ascontiguousarray(ranges)}
    refined = read_examples({again.checkpoint.parent / "pairs-1": range(2)}).ranges
    assert len(refined) == 32 and {row.tobytes() for row in refined} <= played
    manifest = again.write()
    assert again.is_done() and not again.checkpoint.exists()
    assert (
        manifest.iterations == 1
        and manifest.size < 20e6
        and manifest.network_size == (again.output / NETWORK).stat().st_size
    )
    assert manifest.algorithm == "depth-limited, leaves network, solved in the last 1 iterations"
    assert "Errors of the leaves" in (again.output / "README.md").read_text()

    file = DrawStrategyFile.open(again.output)
    solver = again.solver
    for node in file.trees.first.decisions.tolist():
        np.testing.assert_allclose(file.betting(node), solver.strategy(node), atol=0.01)


@pytest.mark.parametrize("removal", [False, True])
def test_the_network_learns_what_betting_adds_to_the_showdown_of_its_pairs(removal: bool) -> None:
    buckets = exponential_buckets(12)
    showdown = removal_between(buckets) if removal else Ordered(buckets.count)
    order = np.arange(buckets.count)
    won = showdown._gain if isinstance(showdown, Paired) else np.sign(order[:, None] - order)
    np.testing.assert_array_equal(showdown_values(showdown), won / 2)


def test_another_config_does_not_resume(config: str) -> None:
    training = DrawTraining.load(config)
    training.prepare()
    Path(config).write_text(CONFIG.replace("pairs: 16", "pairs: 8"))
    other = DrawTraining.load(config)
    other.prepare()
    with pytest.raises(ValueError, match="another config"):
        other.resume()
    # Begun anew, it takes nothing of the other run.
    (left := other.checkpoint.with_name("network-0.safetensors")).touch()
    other.checkpoint.unlink()
    other.prepare()
    other.resume()
    assert not left.exists()
