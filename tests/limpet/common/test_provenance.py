"""What manifests say of the code that made a strategy, and shipped strategies made again, bit for bit."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from limpet.common.artifact import CARD, MANIFEST
from limpet.common.folders import shipped_strategies
from limpet.common.provenance import CHANGED, CLUSTER, SOLVING, TRAINING, repeatable, resumed, versions
from limpet.configs.loading import load_yaml, shipped_names
from limpet.strategies.holdem.blueprint.strategy_file import TENSORS, Manifest
from limpet.strategies.holdem.solutions import solution_file
from limpet.strategies.holdem.solutions.solve import prepare
from limpet.strategies.holdem.solutions.spot import load_spot
from limpet.strategies.holdem.training.run import load_checkpoint, save_checkpoint
from limpet.strategies.holdem.training.training import Training

NOT_MADE_AGAIN = {"hunl-200bb", "hulh", "holdem-limit-3p", "draw5", "draw5-blueprint", "draw5-thesis"}
"""Strategies whose training takes too long for a test: the first two threads and a night, the others ten minutes each."""

pytestmark = pytest.mark.usefixtures("own_data_folder")


# --- what ships


def trained(name: str, folder: Path) -> Manifest:
    training = Training.load(name, folder)
    training.prepare()
    assert training.run()
    return training.write()


@pytest.mark.parametrize(
    "name",
    [
        "kuhn",
        "kuhn3p",
        "leduc",
        pytest.param("leduc-nolimit", marks=pytest.mark.slow),
    ],
)
def test_a_shipped_strategy_is_what_its_config_trains(name: str, tmp_path: Path) -> None:
    made = trained(name, tmp_path / name)
    shipped = load_yaml(shipped_strategies() / name / MANIFEST, Manifest)
    assert (tmp_path / name / TENSORS).read_bytes() == (shipped_strategies() / name / TENSORS).read_bytes()
    told = {key: value for key, value in shipped.quality.items() if key not in shipped.measured_by}
    assert made.quality.items() <= told.items()
    assert made.code == TRAINING and made.versions == versions()


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_shipped_solution_is_what_its_spot_solves(tmp_path: Path) -> None:
    solve = prepare(load_spot("limped-flop"))
    assert solve.run() == "target"
    made = solution_file.export_solution(tmp_path / "limped-flop", solve, streets=1)
    shipped = shipped_strategies() / "limped-flop"
    assert (tmp_path / "limped-flop" / solution_file.TENSORS).read_bytes() == (
        shipped / solution_file.TENSORS
    ).read_bytes()
    assert made.code == SOLVING


def test_everything_that_ships_is_made_again_somewhere() -> None:
    (marked,) = test_a_shipped_strategy_is_what_its_config_trains.pytestmark[:1]  # type: ignore[attr-defined]
    tested = {name if isinstance(name, str) else name.values[0] for name in marked.args[1]}
    shipped = {path.parent.name for path in shipped_strategies().glob(f"*/{MANIFEST}")}
    assert shipped - NOT_MADE_AGAIN - {"limped-flop"} == tested
    assert NOT_MADE_AGAIN | tested <= set(shipped_names("training"))


@pytest.mark.parametrize("name", ["kuhn", "kuhn3p", "leduc"])
def test_the_card_of_a_shipped_strategy_tells_its_numbers(name: str) -> None:
    folder = shipped_strategies() / name
    shipped = load_yaml(folder / MANIFEST, Manifest)
    assert f"| nash conv chips | {shipped.quality['nash_conv_chips']:.6f} |" in (folder / CARD).read_text()


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_results_do_not_depend_on_the_model_of_the_processor(tmp_path: Path) -> None:
    """Kernels for the oldest processor of this kind: no vectors beyond its 16 bytes, no fused products and sums."""
    plain = {
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "",
        "NUMBA_CACHE_DIR": str(tmp_path / "kernels"),
        "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4",
        "OPENBLAS_CORETYPE": "Nehalem",
    }
    config = tmp_path / "sampled.yaml"
    config.write_text("name: sampled\ngame: leduc.limit.2p\nalgorithm: mccfr\niterations: 40_960\nperiod: 4096\n")
    for name in ("kuhn3p", str(config)):
        trained(name, tmp_path / "here")
        arguments = [
            sys.executable, "-c", "from limpet.bot.cli import main; main()",
            "train", name, "--output", str(tmp_path / "there"),
        ]  # fmt: skip
        subprocess.run(arguments, env=os.environ | plain, check=True, capture_output=True)
        assert (tmp_path / "here" / TENSORS).read_bytes() == (tmp_path / "there" / TENSORS).read_bytes()


# --- what is said of it


def test_repeatable() -> None:
    here, code = versions(), TRAINING
    assert repeatable(code, here, code, 1) == (True, "this installation repeats it bit by bit (one thread)")
    repeats, told = repeatable(code, here, code, 2)
    assert repeats is False and "2 threads" in told
    repeats, told = repeatable("0123456789abcdef", {**here, "numpy": "1.0"}, code, 1)
    assert repeats is False
    assert f"code 0123456789abcdef (here {code}), numpy 1.0 (here {here['numpy']})" in told
    assert repeatable(code, {**here, "limpet": "0.0.1"}, code, 1)[0], "the revision says more than the version"
    older = {name: here[name] for name in ("limpet", "numpy", "numba")}
    assert f"llvmlite not recorded (here {here['llvmlite']})" in repeatable(code, older, code, 1)[1]
    assert repeatable("", older, code, 1) == (None, provenance_unknown())
    for why in (CHANGED, CLUSTER):
        repeats, told = repeatable(why, here, code, 1)
        assert repeats is None and why in told


def provenance_unknown() -> str:
    return "which code made it was not recorded, so nobody can say whether this installation repeats it"


def test_a_run_that_went_on_with_other_code_says_so(tmp_path: Path) -> None:
    config = tmp_path / "run.yaml"
    config.write_text("name: run\ngame: kuhn.limit.2p\nalgorithm: mccfr\niterations: 81_920\nseed: 1\n")
    first = Training.load(str(config))
    first.prepare()
    first.run(stop=lambda: first.solver.iteration >= 8192)
    mark = first.fingerprint
    spent, arrays = load_checkpoint(first.checkpoint, mark)

    def went_on(code: str | None) -> str:
        kept = {name: array for name, array in arrays.items() if name != "code"}
        save_checkpoint(first.checkpoint, mark, spent, kept | ({} if code is None else {"code": np.array(code)}))
        rest = Training.load(str(config))
        rest.prepare()
        rest.resume()
        rest.run(stop=lambda: rest.solver.iteration >= 16384)
        rest.write(keep_checkpoint=True)
        return load_yaml(rest.output / MANIFEST, Manifest).code

    here = TRAINING
    assert str(arrays["code"]) == here
    assert went_on(here) == here
    assert went_on("0123456789abcdef") == CHANGED
    assert went_on(None) == ""
    assert resumed(CLUSTER, here) == CLUSTER and resumed(CHANGED, here) == CHANGED
