"""Training runs: published exploitability, checkpoints, interrupts, and configs that cannot be trained."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.bot.commands.terminal import INTERRUPTED
from limpet.configs.loading import ConfigError, shipped_names
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.training.run import load_checkpoint
from limpet.strategies.holdem.training.training import Training
from limpet.strategies.solvers.sampled.mccfr import BATCH, ExternalSampling, SampledSolver
from limpet.strategies.subjects import load_run
from tests.commands import json_of, printed, refused

LEDUC = """\
name: leduc
game: leduc.limit.2p
algorithm: {algorithm}
iterations: {iterations}
seed: 3
"""

pytestmark = pytest.mark.usefixtures("own_data_folder")


def config(tmp_path: Path, algorithm: str, iterations: int, extra: str = "") -> str:
    path = tmp_path / "run.yaml"
    path.write_text(LEDUC.format(algorithm=algorithm, iterations=iterations) + extra)
    return str(path)


@pytest.mark.parametrize(
    ("algorithm", "iterations", "exploitability"),
    [
        ("cfr", 300, 0.05),
        ("cfr+", 300, 0.05),
        ("lcfr", 300, 0.05),
        ("dcfr", 300, 0.05),
        ("mccfr", 300_000, 0.3),
        ("outcome-sampling", 600_000, 0.5),
        pytest.param("outcome-sampling", 2_000_000, 0.25, marks=pytest.mark.slow),
        ("linear-program", 1, 1e-4),
    ],
)
def test_every_algorithm_trains_and_is_measured(
    tmp_path: Path, algorithm: str, iterations: int, exploitability: float
) -> None:
    manifest = json_of("train", config(tmp_path, algorithm, iterations))
    assert manifest["algorithm"] == algorithm
    assert manifest["quality"]["exploitability_chips"] < exploitability
    assert ("scipy" in manifest["versions"]) == (algorithm == "linear-program")
    assert not (tmp_path / "data" / "training" / "leduc" / "checkpoint.npz").exists()
    StrategyFile.open(tmp_path / "data" / "strategies" / "leduc")


def test_an_exact_equilibrium_has_the_value_of_the_game(tmp_path: Path) -> None:
    training = Training.load(config(tmp_path, "linear-program", 1))
    training.prepare()
    assert training.run(stop=lambda: True) is False  # a checkpoint before the only iteration
    rest = Training.load(config(tmp_path, "linear-program", 1))
    rest.prepare()
    rest.resume()
    assert rest.run()
    (point,) = rest.curve
    assert point.below == pytest.approx(0, abs=1e-5) and point.value == pytest.approx(-85.6064241, abs=1e-5)
    rest.write()
    assert StrategyFile.open(rest.output).manifest.iterations == 1


@pytest.mark.parametrize("algorithm", ["mccfr", "outcome-sampling"])
def test_an_interrupted_run_leaves_a_usable_strategy_and_goes_on_bit_exact(tmp_path: Path, algorithm: str) -> None:
    text = config(tmp_path, algorithm, BATCH * 12, f"period: {BATCH * 2}\nperiods: 3\n")
    whole = Training.load(text)
    whole.prepare()
    whole.run()
    first = Training.load(text)
    first.prepare()
    assert isinstance(first.solver, SampledSolver)
    solver = first.solver
    assert not first.run(stop=lambda: solver.iteration >= BATCH * 5)
    manifest = first.write(keep_checkpoint=True)
    assert manifest.iterations == BATCH * 5
    StrategyFile.open(first.output)
    rest = Training.load(text)
    rest.prepare()
    rest.resume()
    assert rest.spent.seconds == pytest.approx(first.spent.seconds)
    assert rest.run()
    assert isinstance(whole.solver, SampledSolver)
    assert isinstance(rest.solver, SampledSolver)
    assert (rest.solver.regret == whole.solver.regret).all()
    assert (rest.solver.average_sums() == whole.solver.average_sums()).all()


def test_ctrl_c_in_the_real_command(tmp_path: Path) -> None:
    """Interrupted once it has written its first checkpoint, the run ends with a strategy that opens and advice."""
    text = config(tmp_path, "cfr", 1_000_000_000, "checkpoint_seconds: 0.2\n")
    checkpoint = tmp_path / "data" / "training" / "leduc" / "checkpoint.npz"
    command = [sys.executable, "-c", "from limpet.bot.cli import main; main()", "train", text]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            deadline = time.monotonic() + 120
            while not checkpoint.exists():
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            _, stderr = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == INTERRUPTED, stderr
    assert "--resume" in stderr
    assert checkpoint.exists()
    assert StrategyFile.open(tmp_path / "data" / "strategies" / "leduc").manifest.iterations > 0


def test_an_output_that_cannot_be_written_is_refused_before_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Training, "prepare", lambda self: pytest.fail("it has begun"))
    text = config(tmp_path, "cfr", 1000)
    for output, told in ((text, "is a file"), (f"{text}/deeper/down", f"{text} is a file; name another folder")):
        assert told in refused("train", text, "--output", output)
    monkeypatch.setattr(os, "access", lambda path, mode: path != tmp_path)
    assert f"{tmp_path} cannot be written to" in refused("train", text, "--output", tmp_path / "new" / "one")


@pytest.mark.parametrize(("option", "purpose"), [("--write-only", "write from"), ("--resume", "go on from")])
def test_a_checkpoint_is_looked_for_before_tables_are_built(
    option: str, purpose: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Training, "prepare", lambda self: pytest.fail("it builds tables"))
    text = config(tmp_path, "cfr", 1000)
    assert f"there is no checkpoint to {purpose}; `limpet train {text}` makes one" in refused("train", text, option)
    checkpoint = Training.load(text).checkpoint
    checkpoint.parent.mkdir(parents=True)
    checkpoint.touch()
    assert "add --resume" in refused("train", text)


def test_a_leftover_checkpoint_is_not_overwritten_in_silence(tmp_path: Path) -> None:
    text = config(tmp_path, "cfr", 1000)
    training = Training.load(text)
    training.prepare()
    training.run(stop=lambda: training.solver.iteration >= 10)
    assert "--resume" in refused("train", text)
    printed("train", text, "--resume")
    assert not training.checkpoint.exists()


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    text = config(tmp_path, "cfr", 1000)
    training = Training.load(text)
    training.prepare()
    training.run(stop=lambda: training.solver.iteration >= 10)
    other = Training.load(config(tmp_path, "cfr+", 1000))
    other.prepare()
    with pytest.raises(ValueError, match="another game, menu, abstraction, algorithm or seed"):
        other.resume()
    training.checkpoint.write_bytes(training.checkpoint.read_bytes()[:100])
    with pytest.raises(ValueError, match="not a checkpoint"):
        load_checkpoint(training.checkpoint, "")
    training.checkpoint.unlink()
    with pytest.raises(ValueError, match="no checkpoint"):
        training.resume()


def test_a_checkpoint_that_cannot_be_read_is_not_said_to_be_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "checkpoint.npz")

    training = Training.load(config(tmp_path, "cfr", 1000))
    training.prepare()
    training.run(stop=lambda: training.solver.iteration >= 10)
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(PermissionError):
        load_checkpoint(training.checkpoint, "")


@pytest.mark.parametrize("name", ["other.npz", "other.npy", "other.txt"])
def test_a_file_that_is_no_checkpoint_is_told_as_such(tmp_path: Path, name: str) -> None:
    text, path = config(tmp_path, "cfr", 1000), tmp_path / name
    if path.suffix == ".npz":
        np.savez(path, regret=np.zeros(3))
    elif path.suffix == ".npy":
        np.save(path, np.zeros(3))
    else:
        path.write_text("a letter")
    said = refused("train", text, "--write-only", "--checkpoint", path)
    assert f"{path}: not a checkpoint of a training run; " in said and "pickle" not in said
    assert "name a copy of a run's checkpoint.npz" in said and "delete" not in said
    training = Training.load(text)
    training.checkpoint.parent.mkdir(parents=True)
    path.rename(training.checkpoint)
    said = refused("train", text, "--resume")
    assert "not a checkpoint" in said and "delete it" in said


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("algorithm: cfr", "algorithm: magic"),
        ("seed: 3", "sede: 3"),
        ("game: leduc.limit.2p", "game: leduc.nolimit.2p"),
        ("seed: 3", "period: 1000"),
        ("seed: 3", "cards: {kind: strength-percentile}"),
        ("game: leduc.limit.2p", "game: holdem.limit.2p.reverse_blinds\ncards: {kind: strength-percentile}"),
    ],
)
def test_configs_that_cannot_be_trained_name_the_line(tmp_path: Path, change: str, message: str) -> None:
    path = Path(config(tmp_path, "cfr", 100))
    path.write_text(path.read_text().replace(change, message))
    with pytest.raises(ConfigError, match=r"run\.yaml:\d+: "):
        Training.load(str(path))


def test_every_shipped_training_config_loads() -> None:
    for name in shipped_names("training"):
        assert load_run(name).config.name == name


def test_the_shipped_small_configs_reach_their_equilibria() -> None:
    for name, exploitability in (("kuhn", 1e-4), ("leduc", 1e-3)):
        training = Training.load(name)
        training.prepare()
        training.run()
        quality = training.write().quality
        assert quality["exploitability_chips"] < exploitability
        exact = {"kuhn": -1 / 18, "leduc": -0.0856064}[name]
        assert quality["value_position_0_chips"] == pytest.approx(exact, abs=1e-4)


def test_the_holdem_tree_takes_a_batch_with_finite_numbers() -> None:
    """The shipped hold'em run on made-up buckets, so that no tables need building here."""

    class Deals:
        num_buckets = (169, 200, 200, 200)

        def sample(self, seed: int, count: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
            rng = np.random.default_rng(seed)
            buckets = rng.integers(0, (169, 200, 200, 200), (count, 2, 4)).astype(np.int32)
            return buckets, np.ascontiguousarray(buckets[:, :, 3])

    training = Training.load("hunl-200bb-first")
    solver = ExternalSampling(build_tree(training.game, training.config.menu), Deals(), seed=1)
    solver.run(BATCH * 4)
    assert np.isfinite(solver.regret).all()
    assert (solver.average_sums() >= 0).all()
    assert solver.visits > BATCH * 4 * 20
