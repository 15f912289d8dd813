"""``limpet train`` killed with SIGKILL at random moments: what is resumed is the unbroken run, bit for bit."""

import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.common.verified import store_table
from limpet.strategies.abstraction.card_tables import table_name
from limpet.strategies.abstraction.holdem_buckets import NO_BUCKET
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import canonical_boards
from limpet.strategies.holdem.training.run import load_checkpoint
from limpet.strategies.holdem.training.training import Training
from limpet.strategies.solvers.sampled.mccfr import BATCH, BatchSolver

KILLS = 2

CONFIGS = {
    "pcs": """\
name: killed
game: leduc.limit.2p
algorithm: pcs
iterations: 1_000_000_000_000
seed: 5
period: 50
periods: 1_000_000
parameters: {alpha: 1.5, beta: 0.5, gamma: 2}
checkpoint_seconds: 0.05
""",
    "mccfr": f"""\
name: killed
game: holdem.limit.2p.reverse_blinds
algorithm: mccfr
iterations: 1_000_000_000_000
seed: 5
cards: {{kind: strength-percentile, buckets: [3, 2, 2]}}
menu: {{raise_cap: 1}}
period: {2 * BATCH}
periods: 1_000_000
parameters: {{prune_after: 0.0, prune_below: -5.0}}
checkpoint_seconds: 0.05
""",
}


def made_up_tables(folder: Path) -> None:
    """Card tables that take no minute to build: buckets at random where that is small, and none apart on the river."""
    rng = np.random.default_rng(3)
    arrays: dict[str, NDArray[np.generic]] = {}
    holds = (hand_space().holes[None] == np.arange(52)[:, None, None]).any(axis=2)
    for cards, street, buckets in ((3, "flop", 3), (4, "turn", 2), (5, "river", 2)):
        boards = canonical_boards(cards).boards
        table = np.zeros((len(boards), 1326), np.uint8)
        if street != "river":
            table[:] = rng.integers(0, buckets, table.shape, np.uint8)
        for begin in range(0, len(boards), 10_000):
            part = slice(begin, begin + 10_000)
            table[part][holds[boards[part]].any(axis=1)] = NO_BUCKET
        arrays[street] = table
        arrays[f"{street}.thresholds"] = np.arange(1, buckets, dtype=np.int32)
    store_table(folder, arrays, {})


def killed(config: Path, checkpoint: Path, resume: bool, moment: float) -> None:
    """Train until a checkpoint of this run is there and a moment longer, then kill."""
    before = checkpoint.stat().st_mtime_ns if resume else 0
    command = [sys.executable, "-c", "from limpet.bot.cli import main; main()", "train", str(config)]
    with subprocess.Popen(command + ["--resume"] * resume, stderr=subprocess.PIPE, text=True) as process:
        try:
            deadline = time.monotonic() + 200
            while not checkpoint.exists() or checkpoint.stat().st_mtime_ns == before:
                assert process.poll() is None, process.stderr and process.stderr.read()
                assert time.monotonic() < deadline
                time.sleep(0.02)
            time.sleep(moment)
        finally:
            process.kill()


@pytest.mark.parametrize(
    "algorithm", [pytest.param(name, marks=pytest.mark.slow) if name == "mccfr" else name for name in CONFIGS]
)
def test_a_killed_run_goes_on_bit_exact(algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path))
    if algorithm == "mccfr":
        made_up_tables(tmp_path / "tables" / table_name((3, 2, 2)))
    config = tmp_path / "run.yaml"
    config.write_text(CONFIGS[algorithm])
    moments = random.Random()  # any moment must do
    run = Training.load(str(config))
    run.prepare()
    run.solver.run(1)  # what is compiled here need not be compiled by those who are to be killed
    reached = []
    for number in range(KILLS):
        killed(config, run.checkpoint, number > 0, moments.uniform(0, 0.3))
        _, arrays = load_checkpoint(run.checkpoint, run.fingerprint)
        reached.append(int(arrays["iteration"]))
    assert reached == sorted(set(reached)), "a kill lost what an earlier checkpoint had"
    run.checkpoint.with_suffix(".tmp").write_bytes(b"half a checkpoint")

    def to_the_end(resume: bool) -> BatchSolver:
        training = Training.load(str(config))
        training.prepare()
        if resume:
            training.resume()
        solver = training.solver
        assert isinstance(solver, BatchSolver)
        assert solver.iteration == reached[-1] * resume
        solver.run(reached[-1] + 3 * 50 * solver.batch - solver.iteration)
        return solver

    resumed, whole = to_the_end(resume=True), to_the_end(resume=False)
    assert resumed.iteration == whole.iteration > reached[-1]
    for name, array in whole.state_arrays().items():
        assert np.array_equal(resumed.state_arrays()[name], array), name
    assert np.count_nonzero(whole.average_sums()) > 100
