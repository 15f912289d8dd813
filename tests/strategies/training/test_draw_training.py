"""A draw strategy made end to end in seconds: it stops, resumes, and its file plays."""

from pathlib import Path

import numpy as np
import pytest

from limpet.strategies.draw.playing.draw_file import NETWORK, DrawStrategyFile
from limpet.strategies.training.draw_training import DrawTraining
from limpet.strategies.training.run import load_run
from limpet.strategies.training.training import Progress

CONFIG = """
name: tiny-draw
game: draw5-pl-hu
algorithm: depth-limited
iterations: 1
buckets: 10
network: {shards: 3, pairs: 16, solve_iterations: 10, hidden: [16], course: {epochs: 4, batch: 8}}
leaf_iterations: 5
"""


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path / "data"))
    path = tmp_path / "tiny.yaml"
    path.write_text(CONFIG)
    return str(path)


def test_a_run_stops_resumes_and_writes_a_strategy(config: str) -> None:
    training = load_run(config)
    assert isinstance(training, DrawTraining)
    stages: list[Progress] = []
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
    manifest = again.write()
    assert again.is_done() and not again.checkpoint.exists()
    assert (
        manifest.iterations == 1
        and manifest.size < 20e6
        and manifest.network_size == (again.output / NETWORK).stat().st_size
    )
    assert "Errors of the leaves" in (again.output / "README.md").read_text()

    file = DrawStrategyFile.open(again.output)
    solver = again.solver
    for node in file.trees.first.decisions.tolist():
        np.testing.assert_allclose(file.betting(node), solver.strategy(node), atol=0.01)


def test_another_config_does_not_resume(config: str) -> None:
    training = DrawTraining.load(config)
    training.prepare()
    Path(config).write_text(CONFIG.replace("pairs: 16", "pairs: 8"))
    other = DrawTraining.load(config)
    other.prepare()
    with pytest.raises(ValueError, match="another config"):
        other.resume()
