"""The algorithms of training configs: names, parameters, and what older configs and checkpoints mean."""

import re
from math import inf
from pathlib import Path

import pytest

from limpet.configs.loading import ConfigError, load_game
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.training.training import Training
from limpet.strategies.holdem.training.training_config import TrainingConfig
from limpet.strategies.solvers.schedule import NAMES, Algorithm
from limpet.strategies.solvers.tabular import TabularSolver
from tests.commands import json_of

KUHN = """\
name: kuhn
game: kuhn.limit.2p
algorithm: {algorithm}
iterations: 400
"""

pytestmark = pytest.mark.usefixtures("own_data_folder")


def config(tmp_path: Path, algorithm: str, extra: str = "") -> str:
    path = tmp_path / "run.yaml"
    path.write_text(KUHN.format(algorithm=algorithm) + extra)
    return str(path)


def minimiser(tmp_path: Path, algorithm: str, extra: str = "") -> Algorithm | None:
    return Training.load(config(tmp_path, algorithm, extra)).config.minimiser


def test_names_mean_what_they_always_have(tmp_path: Path) -> None:
    """Above all ``dcfr``: that of the paper, not the one spots are solved with."""
    for name in NAMES:
        if name != "dcfr":
            assert minimiser(tmp_path, name) == Algorithm(name)  # type: ignore[arg-type]
    assert minimiser(tmp_path, "dcfr") == Algorithm("dcfr", alpha=1.5, beta=0.0, gamma=2.0)
    assert minimiser(tmp_path, "mccfr") is None


def test_parameters(tmp_path: Path) -> None:
    assert minimiser(tmp_path, "cgh", "parameters: {constant: 0, ties: largest}") == Algorithm(
        "cgh", constant=0.0, ties="largest"
    )
    assert minimiser(tmp_path, "cfr", "parameters: {averaging: thesis}") == Algorithm("cfr", averaging="thesis")
    assert minimiser(tmp_path, "dcfr", "parameters: {gamma: 3}") == Algorithm("dcfr", gamma=3.0)
    assert minimiser(tmp_path, "dcfr", "parameters: {gamma: 4}") == Algorithm()


@pytest.mark.parametrize(
    ("algorithm", "parameters", "message"),
    [
        ("cgh", "{c: 0.2}", "parameters.c: cgh has no such parameter; it has constant, ties, returns"),
        ("cgh", "{constant: -1}", "parameters.constant: -1.0 does not fit; expected a number >= 0.0"),
        ("cgh", "{returns: new}", "returns: new is for solving spots; leave it out here"),
        ("cfr", "{averaging: mean}", "parameters.averaging: 'mean' is none of reach, thesis"),
        ("cfr+", "{gamma: 7, averaging: thesis}", "parameters.gamma: cfr\\+ has no such parameter; it has averaging"),
        ("cgh", "{averaging: thesis}", "parameters.averaging: cgh has no such parameter"),
        (
            "dcfr",
            "{constant: 0.2}",
            "parameters.constant: dcfr has no such parameter; it has alpha, beta, gamma, averaging",
        ),
        (
            "mccfr",
            "{gamma: 2}",
            "parameters.gamma: mccfr has no such parameter; it has exact_all_ins, prune_after, prune",
        ),
        ("mccfr", "{prune_after: 2}", "parameters.prune_after: 2.0 does not fit; expected a number <= 1.0"),
        (
            "pcs",
            "{prune_after: 0.5}",
            "parameters.prune_after: pcs has no such parameter; it has alpha, beta, gamma, exact",
        ),
        ("outcome-sampling", "{exploration: 0}", "parameters.exploration: 0.* does not fit; expected a number > 0.0"),
        (
            "outcome-sampling",
            "{exploration: 1.1}",
            "parameters.exploration: 1.1 does not fit; expected a number <= 1.0",
        ),
        ("pcs", "{alpha: .nan}", "parameters.alpha: nan does not fit; expected a number, .inf or -.inf"),
        ("mccfr", "{prune_below: -.inf}", "parameters.prune_below: -inf does not fit; expected a finite number"),
        ("pcs", "{gamma: .inf}", "parameters.gamma: inf does not fit; expected a number <= 30.0"),
        ("dcfr", "{gamma: 500}", "parameters.gamma: 500.0 does not fit; expected a number <= 30.0"),
    ],
)
def test_parameters_that_cannot_be_name_the_line(tmp_path: Path, algorithm: str, parameters: str, message: str) -> None:
    with pytest.raises(ConfigError, match=rf"run\.yaml:5: .*{message}"):
        Training.load(config(tmp_path, algorithm, f"parameters: {parameters}"))


def test_boards_that_a_warm_start_stands_for_leave_some_to_train(tmp_path: Path) -> None:
    path = config(tmp_path, "pcs", "warm_start: {strategy: kuhn, weight: 400}")
    with pytest.raises(
        ConfigError, match=r"run\.yaml:4: iterations: the run counts on from the 400 boards of warm_start"
    ):
        Training.load(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "iterations: 1",
            "iterations: 2",
            "run.yaml:4: iterations: linear-program solves the whole game at once; write 1",
        ),
        ("kuhn.limit.2p", "kuhn.limit.3p", "run.yaml:3: algorithm: linear-program is for two players; use cfr"),
        ("seed: 1", "parameters: {alpha: 1}", "run.yaml:5: parameters: linear-program has none; leave them out"),
        ("seed: 1", "warm_start: {strategy: kuhn}", "run.yaml:5: warm_start: linear-program starts from nothing"),
    ],
)
def test_what_a_linear_program_cannot_have_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = KUHN.format(algorithm="linear-program").replace("400", "1") + "seed: 1\n"
    (tmp_path / "run.yaml").write_text(text.replace(old, new))
    with pytest.raises(ConfigError, match=message):
        Training.load(str(tmp_path / "run.yaml"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("cards: {kind: [a]}", "cards.kind: a list is none of lossless, strength-percentile, clustered"),
        ("cards: {kind: {a: b}}", "cards.kind: a mapping is none of lossless, strength-percentile, clustered"),
        (
            "cards: {kind: strength-percentile, buckets: [9, 9, 256]}",
            "cards.buckets.2: 256 does not fit; expected a whole number <=",
        ),
        (
            "cards: {kind: strength-percentile, buckets: [0, 9, 9]}",
            "cards.buckets.0: 0 does not fit; expected a whole number >= 1",
        ),
        (
            "cards: {kind: strength-percentile, buckets: [9, 9]}",
            "cards.buckets: a list does not fit; expected a list of",
        ),
        ("checkpoint_seconds: .inf", "checkpoint_seconds: inf does not fit; expected a finite number"),
        ("snapshots: [1, .inf]", "snapshots.1: inf does not fit; expected a finite number"),
        ("measure: {every_minutes: .nan}", "measure.every_minutes: nan does not fit; expected a number > 0.0"),
        ("menu: {sizes: [[[0.5]]], all_in_spr: .inf}", "menu: all_in_spr is inf; write a number from 0 on"),
        ("menu: &m {sizes: [[[0.5]]], opponents: *m}", "nested too deeply; does an alias"),
        ("threads: 100000", "threads: 100000 does not fit; expected a whole number <= 1024"),
        ("seed: 9223372036854775808", "seed: a whole number of 64 bits does not fit; expected one of at most 63 bits"),
    ],
)
def test_values_that_cannot_be_name_the_line(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(ConfigError, match=rf"run\.yaml:\d: .*{re.escape(message)}"):
        Training.load(config(tmp_path, "dcfr", line))


def test_infinite_powers_have_a_meaning(tmp_path: Path) -> None:
    run = Training.load(config(tmp_path, "dcfr", "parameters: {alpha: .inf, beta: -.inf}"))
    assert run.config.minimiser == Algorithm("dcfr", alpha=inf, beta=-inf, gamma=2.0)


@pytest.mark.parametrize("algorithm", ["cfr-return-new", "pcfr+", "cgh"])
def test_the_newer_algorithms_train_resume_and_are_measured(tmp_path: Path, algorithm: str) -> None:
    text = config(tmp_path, algorithm)
    begun = Training.load(text)
    begun.prepare()
    begun.run(stop=lambda: begun.solver.iteration >= 50)
    manifest = json_of("train", text, "--resume")
    assert manifest["algorithm"] == algorithm
    assert manifest["iterations"] == 400
    assert manifest["quality"]["exploitability_chips"] < 0.003
    whole = Training.load(text)
    whole.prepare()
    whole.run()
    assert whole.write().sha256 == manifest["sha256"]


def test_a_strategy_file_tells_its_parameters(tmp_path: Path) -> None:
    training = Training.load(config(tmp_path, "cgh", "parameters: {constant: 0.2}"))
    training.prepare()
    assert isinstance(training.solver, TabularSolver)
    assert training.solver.algorithm == Algorithm("cgh", constant=0.2)
    training.run()
    training.write()
    assert StrategyFile.open(training.output).manifest.algorithm == "cgh (constant = 0.2)"


def test_checkpoints_from_before_there_were_parameters_are_still_this_run() -> None:
    mark = "3dd53c9e526859c59b15175be73c86c2d6085174be570bb9eae3962592b287f9"
    config = TrainingConfig(name="kuhn", game="kuhn.limit.2p", algorithm="cfr+", iterations=100_000)
    assert Training(config, load_game("kuhn.limit.2p"), Path()).fingerprint == mark
